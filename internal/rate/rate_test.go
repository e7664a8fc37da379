package rate

import (
	"math"
	"math/rand/v2"
	"testing"
)

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	t0     = 1_700_000_000
)

// looks returns the estimate after n looks, the first at t0 and then every so many seconds; changed is given the number of each from 1.
func looks(n int, every int64, changed func(i int) bool) Estimate {
	e := Estimate{}.Saw(t0, false)
	for i := 1; i < n; i++ {
		e = e.Saw(t0+int64(i)*every, changed(i))
	}
	return e
}

func never(int) bool  { return false }
func always(int) bool { return true }

func everyNth(n int) func(int) bool { return func(i int) bool { return i%n == 0 } }

func TestConditionLimits(t *testing.T) {
	for _, tt := range []struct {
		name         string
		a, b, tau    float64
		wantA, wantB float64
	}{
		{"prior, seen as it happened", priorShape, priorTime, 1e-3, priorShape + 1, priorTime},
		{"many changes, seen as it happened", 40, 40 * day, 1e-3, 41, 40 * day},
		{"prior, after an age of the world", priorShape, priorTime, 1e300, priorShape, priorTime},
		{"many changes, after far too long", 40, 40 * hour, 1e9, 40, 40 * hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := condition(tt.a, tt.b, tt.tau)
			if !near(a, tt.wantA, 1e-6) || !near(b, tt.wantB, 1e-6) {
				t.Errorf("condition(%g, %g, %g) = %g, %g, want %g, %g", tt.a, tt.b, tt.tau, a, b, tt.wantA, tt.wantB)
			}
		})
	}
}

func TestConditionKeepsTheMomentsOfTheExactPosterior(t *testing.T) {
	for _, tt := range []struct {
		name      string
		a, b, tau float64
	}{
		{"prior, a minute", priorShape, priorTime, minute},
		{"prior, the prior's own time", priorShape, priorTime, priorTime},
		{"prior, a month", priorShape, priorTime, 30 * day},
		{"one change, a day", 1.12, 3 * day, day},
		{"some changes, their mean time", 7, 70 * day, 10 * day},
		{"some changes, ten times that", 7, 70 * day, 100 * day},
		{"fast page, slow looks", 20, 20 * minute, 6 * hour},
		{"at the limit", maxShape, maxShape * day, day},
		{"a second", 2, 1e9, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mean, variance := exactMoments(tt.a, tt.b, tt.tau)
			a, b := condition(tt.a, tt.b, tt.tau)
			if !near(a/b, mean, 1e-5) || !near(a/(b*b), variance, 1e-4) {
				t.Errorf("mean %g, variance %g, want %g, %g", a/b, a/(b*b), mean, variance)
			}
		})
	}
}

// exactMoments integrates over x = ln λ the density of Gamma(a, b) times 1-exp(-λ·tau).
func exactMoments(a, b, tau float64) (mean, variance float64) {
	var s0, s1, s2 float64
	centre := math.Log(a / b)
	for x := centre - 300; x < centre+8; x += 1e-3 {
		l := math.Exp(x)
		w := math.Exp(a*(x-centre)-b*l+a) * -math.Expm1(-l*tau)
		s0 += w
		s1 += w * l
		s2 += w * l * l
	}
	mean = s1 / s0
	return mean, s2/s0 - mean*mean
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

func TestLogOneMinusExp(t *testing.T) {
	for _, tt := range []struct{ x, want float64 }{
		{0, math.Log(1e-12)},
		{1e-9, math.Log(1e-9) - 5e-10},
		{math.Ln2, -math.Ln2},
		{3, math.Log(1 - math.Exp(-3))},
		{1000, 0},
	} {
		if got := logOneMinusExp(tt.x); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("logOneMinusExp(%g) = %g, want %g", tt.x, got, tt.want)
		}
	}
}

// mean is the mean time between changes in seconds.
func (e Estimate) mean() float64 { return float64(e.time) / float64(e.shape) }

func TestSawFindsTheRate(t *testing.T) {
	for _, tt := range []struct {
		name     string
		e        Estimate
		want     float64 // seconds
		nearness float64
	}{
		{"daily, looked at hourly", looks(24*60, hour, everyNth(24)), day, 0.1},
		{"weekly, looked at daily", looks(7*60, day, everyNth(7)), 7 * day, 0.15},
		{"hourly, looked at every ten minutes", looks(600, 10*minute, everyNth(6)), hour, 0.1},
		{"every fourth look", looks(400, day, everyNth(4)), 4 * day, 0.2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.e.mean(); !near(got, tt.want, tt.nearness) {
				t.Errorf("mean time between changes %g s, want about %g", got, tt.want)
			}
		})
	}
}

func TestSawFollowsARegime(t *testing.T) {
	e := looks(100*24, hour, everyNth(10*24))
	if m := e.mean(); m < 5*day {
		t.Fatalf("mean %g days at first, want about 10", m/day)
	}
	at := e.LastVisit()
	for i := 1; i <= 20*24; i++ {
		e = e.Saw(at+int64(i)*hour, i%6 == 0)
	}
	if m := e.mean(); m > 12*hour {
		t.Errorf("mean %g hours after speeding up, want about 6", m/hour)
	}
	at = e.LastVisit()
	for i := 1; i <= 80*24; i++ {
		e = e.Saw(at+int64(i)*hour, i%(10*24) == 0)
	}
	if m := e.mean(); m < 4*day {
		t.Errorf("mean %g days after slowing down, want about 10", m/day)
	}
}

func TestSawIsIndifferentToLooksThatSayNothing(t *testing.T) {
	few := Estimate{}.Saw(t0, false).Saw(t0+day, false).Saw(t0+2*day, true)
	many := Estimate{}.Saw(t0, false)
	for at := int64(t0 + minute); at <= t0+day; at += minute {
		many = many.Saw(at, false)
	}
	many = many.Saw(t0+2*day, true)
	if few.shape != many.shape || few.time != many.time {
		t.Errorf("posterior %g, %g after a look, %g, %g after many over the same time", few.shape, few.time, many.shape, many.time)
	}
}

func TestSawChangeAt(t *testing.T) {
	base := looks(10, day, everyNth(3)) // the last look is day 9, changed
	last := base.LastVisit()
	for _, tt := range []struct {
		name          string
		at, changedAt int64
		want          Estimate
	}{
		{"date in the future", last + day, last + 2*day, base.SawChangeAt(last+day, last+day)},
		{"date before the last look", last + day, last - 1, base.Saw(last+day, true)},
		{"clock stepped back", last - 5, last - 5, base.Saw(last-5, true)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := base.SawChangeAt(tt.at, tt.changedAt); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
	t.Run("exact", func(t *testing.T) {
		got := base.SawChangeAt(last+day, last+day/4)
		if !near(float64(got.shape), float64(base.shape)+1, 1e-6) || got.time != base.time {
			t.Errorf("posterior %g, %g, want one more change than %g, %g", got.shape, got.time, base.shape, base.time)
		}
		next := got.SawChangeAt(last+2*day, last+2*day)
		if !near(float64(next.time), float64(base.time)+0.75*day, 1e-5) {
			t.Errorf("time %g, want the age of the change added to %g", next.time, base.time)
		}
		if got.LastVisit() != last+day || got.LastChange() != last+day/4 {
			t.Errorf("last visit %d, last change %d", got.LastVisit(), got.LastChange())
		}
	})
	t.Run("first look", func(t *testing.T) {
		young := Estimate{}.SawChangeAt(t0, t0-hour).Saw(t0+1, false)
		old := Estimate{}.SawChangeAt(t0, t0-3*365*day).Saw(t0+1, false)
		f, _ := young.Freq()
		g, _ := old.Freq()
		if f > Daily || g < Yearly {
			t.Errorf("changed an hour ago: %v, three years ago: %v", f, g)
		}
	})
}

func TestClock(t *testing.T) {
	e := looks(50, hour, everyNth(5))
	t.Run("times come out as they went in", func(t *testing.T) {
		if e.LastVisit() != t0+49*hour || e.LastChange() != t0+45*hour {
			t.Errorf("last visit %d, last change %d", e.LastVisit(), e.LastChange())
		}
	})
	t.Run("no change seen", func(t *testing.T) {
		if at := looks(3, hour, never).LastChange(); at != 0 {
			t.Errorf("last change %d, want 0", at)
		}
	})
	t.Run("a change after a step back is one a second later", func(t *testing.T) {
		back, second := e.Saw(e.LastVisit()-day, true), e.Saw(e.LastVisit()+1, true)
		back.lastVisit, back.lastChange = second.lastVisit, second.lastChange
		if back != second {
			t.Errorf("got %+v, want %+v", back, second)
		}
	})
	t.Run("a change that a clock ahead dated does not stop the quiet time", func(t *testing.T) {
		ahead := e.Saw(t0+100*365*day, true).Saw(t0+50*hour, false)
		later := ahead.Saw(t0+400*day, false)
		if later.lastVisit-later.lastChange != 400*day-50*hour {
			t.Errorf("quiet for %d s", later.lastVisit-later.lastChange)
		}
	})
	for _, at := range []int64{math.MinInt64, -1, 0, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64} {
		if got := e.Saw(at, true); !got.valid() {
			t.Errorf("change at %d: %+v is out of bounds", at, got)
		}
		if got := e.Saw(at, false).SawChangeAt(at, at); !got.valid() {
			t.Errorf("known change at %d: %+v is out of bounds", at, got)
		}
	}
}

func TestBoundsHoldForever(t *testing.T) {
	for _, tt := range []struct {
		name    string
		n       int
		every   int64
		changed func(int) bool
	}{
		{"changed every second", 5000, 1, always},
		{"two looks at the same second", 5000, 0, always},
		{"changed every century", 5000, 100 * 365 * day, always},
		{"backwards", 5000, -day, everyNth(2)},
		{"quiet looks beyond counting", 5000, minute, never},
		{"one change after long quiet", 5000, day, everyNth(4000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := looks(tt.n, tt.every, tt.changed)
			if !e.valid() {
				t.Errorf("%+v is out of bounds", e)
			}
		})
	}
}

// visit is a random look, of all sorts that may be.
func visit(r *rand.Rand, e Estimate) Estimate {
	at := e.LastVisit() + int64(math.Exp(r.Float64()*18)) - 2
	switch r.IntN(5) {
	case 0, 1:
		return e.Saw(at, true)
	case 2:
		return e.SawChangeAt(at, at-int64(math.Exp(r.Float64()*18)))
	}
	return e.Saw(at, false)
}

func TestRandomLooksStayWithinBounds(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		e := Estimate{}.Saw(t0, false)
		for range 100 {
			before := e
			if e = visit(r, e); !e.valid() {
				t.Fatalf("seed %d: %+v became %+v", seed, before, e)
			}
		}
	}
}

func BenchmarkUnchanged(b *testing.B) {
	b.ReportAllocs()
	e := looks(100, day, everyNth(3))
	at := e.LastVisit()
	for b.Loop() {
		at++
		e = e.Saw(at, false)
	}
}

func BenchmarkChanged(b *testing.B) {
	b.ReportAllocs()
	e := looks(101, day, everyNth(3))
	at := e.LastVisit() + day
	var got Estimate
	for b.Loop() {
		got = e.Saw(at, true)
	}
	_ = got
}
