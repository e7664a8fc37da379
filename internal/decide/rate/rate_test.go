package rate

import (
	"math"
	"math/rand/v2"
	"testing"
)

const t0 = 1_700_000_000

// looks returns the estimate after n looks, the first at t0 and then one every so many
// seconds. changed gets the number of each look after the first, from 1.
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

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

// mean is the likely mean time between changes in seconds.
func (e Estimate) mean() float64 {
	_, m, _ := e.Interval()
	return m
}

func TestSawFindsTheRate(t *testing.T) {
	for _, tt := range []struct {
		name     string
		e        Estimate
		want     float64 // seconds
		nearness float64
	}{
		{"daily, looked at hourly", looks(24*60, hour, everyNth(24)), day, 0.2},
		{"weekly, looked at daily", looks(7*60, day, everyNth(7)), 7 * day, 0.15},
		{"hourly, looked at every ten minutes", looks(600, 10*minute, everyNth(6)), hour, 0.15},
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
	for i := 1; i <= 60*24; i++ {
		e = e.Saw(at+int64(i)*hour, i%6 == 0)
	}
	if m := e.mean(); m > 14*hour {
		t.Errorf("mean %g hours after speeding up, want about 6", m/hour)
	}
	at = e.LastVisit()
	for i := 1; i <= 80*24; i++ {
		e = e.Saw(at+int64(i)*hour, i%(10*24) == 0)
	}
	if m := e.mean(); m < 2*day {
		t.Errorf("mean %g days after slowing down, want about 10", m/day)
	}
}

func TestUnchangedLooksSayLittleMoreThanTheirTime(t *testing.T) {
	few := Estimate{}.Saw(t0, false).Saw(t0+day, false).Saw(t0+2*day, true)
	many := Estimate{}.Saw(t0, false)
	for at := int64(t0 + minute); at <= t0+day; at += minute {
		many = many.Saw(at, false)
	}
	many = many.Saw(t0+2*day, true)
	if f, m := few.mean(), many.mean(); !near(f, m, 0.2) {
		t.Errorf("mean time between changes %g s after a look, %g after many over the same time", f, m)
	}
}

func TestChangeWithADateCountsAtItsDate(t *testing.T) {
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
		past := got.past
		if past.gaps[dated] != 1 || past.time != base.past.time {
			t.Errorf("history %+v, want a dated change more than %+v", past, base.past)
		}
		next := got.SawChangeAt(last+2*day, last+2*day).past
		if !near(float64(next.time-past.time), 0.75*day, 1e-3) {
			t.Errorf("quiet for %g s, want the age of the change", next.time-past.time)
		}
		if got.LastVisit() != last+day || got.LastChange() != last+day/4 {
			t.Errorf("last visit %d, last change %d", got.LastVisit(), got.LastChange())
		}
	})
	t.Run("dates tell more than looks", func(t *testing.T) {
		seen, told := Estimate{}.Saw(t0, false), Estimate{}.Saw(t0, false)
		for i := range int64(30) { // looks every ten days at a page that changes every day
			at := t0 + (i+1)*10*day
			seen, told = seen.Saw(at, true), told.SawChangeAt(at, at-(i%5+1)*day/3)
		}
		f, p := told.Freq()
		if _, q := seen.Freq(); f != Daily || p < 0.8 || p < q {
			t.Errorf("%v with %.2f, want daily and more than %.2f", f, p, q)
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

func TestPageUnchangedForYearsIsCalledNever(t *testing.T) {
	young := looks(30, day, never)
	old := young.UnchangedSince(t0 - 3*365*day)
	f, p := young.Freq()
	if g, q := old.Freq(); g != Never || f == Never && q <= p || old.LastVisit() != young.LastVisit() || old.LastChange() != 0 {
		t.Errorf("%v with %.2f after a month, %v with %.2f of a page that is known to be three years old", f, p, g, q)
	}
	for name, e := range map[string]Estimate{"nothing seen": {}, "changed": looks(10, day, everyNth(3)), "later": young} {
		if got := e.UnchangedSince(t0 + 1); got != e {
			t.Errorf("%s: %+v became %+v", name, e, got)
		}
	}
}

func TestTimesAreKeptWhateverTheClockDoes(t *testing.T) {
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
		if got := later.LastVisit() - later.LastChange(); got != 400*day-50*hour {
			t.Errorf("quiet for %d s", got)
		}
	})
	for _, at := range []int64{math.MinInt64, -1, 0, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64} {
		if got := e.Saw(at, true); !valid(got) {
			t.Errorf("change at %d: %+v is out of bounds", at, got)
		}
		if got := e.Saw(at, false).SawChangeAt(at, at); !valid(got) {
			t.Errorf("known change at %d: %+v is out of bounds", at, got)
		}
	}
}

func TestBoundsHoldAfterThousandsOfLooks(t *testing.T) {
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
			if !valid(e) {
				t.Errorf("%+v is out of bounds", e)
			}
		})
	}
}

func valid(e Estimate) bool {
	return e.valid()
}

// visit is a random look of any possible sort.
func visit(r *rand.Rand, e Estimate) Estimate {
	at := e.LastVisit() + int64(math.Exp(r.Float64()*18)) - 2
	switch r.IntN(6) {
	case 0, 1:
		return e.Saw(at, true)
	case 2:
		return e.SawChangeAt(at, at-int64(math.Exp(r.Float64()*18)))
	case 3:
		return e.SawNoise(at)
	}
	return e.Saw(at, false)
}

// busy is an estimate that keeps as much as possible: gaps of all lengths.
func busy() Estimate {
	r := rand.New(rand.NewPCG(1, 1))
	at, e := int64(t0), Estimate{}.Saw(t0, false)
	for i := range 3000 {
		at += 1 + int64(r.ExpFloat64()*day)
		e = e.Saw(at, i%3 == 0)
	}
	return e
}

func BenchmarkChanged(b *testing.B) {
	b.ReportAllocs()
	e := busy()
	at := e.LastVisit() + day
	var got Estimate
	for b.Loop() {
		got = e.Saw(at, true)
	}
	_ = got
}
