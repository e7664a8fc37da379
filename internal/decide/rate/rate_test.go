package rate

import (
	"math"
	"slices"
	"testing"
)

const t0 = 1_700_000_000

// observed returns the estimate after n observations, the first at t0 and then one every so many
// seconds. changed gets the number of each observation after the first, from 1.
func observed(n int, every int64, changed func(i int) bool) Estimate {
	e := Estimate{}.Saw(t0, false)
	for i := 1; i < n; i++ {
		e = e.Saw(t0+int64(i)*every, changed(i))
	}
	return e
}

func never(int) bool  { return false }
func always(int) bool { return true }

func everyNth(n int) func(int) bool { return func(i int) bool { return i%n == 0 } }

// bunches are changes on five days running, each a hundred days after the last bunch.
func bunches(i int) bool { return i%100 < 5 }

// differing returns the estimate after n observations of a page on which no change is ever seen,
// but inTen of ten observations differ.
func differing(n int, every int64, inTen int) Estimate {
	e := Estimate{}.Saw(t0, false)
	for i := 1; i < n; i++ {
		if at := t0 + int64(i)*every; i%10 < inTen {
			e = e.SawNoise(at)
		} else {
			e = e.Saw(at, false)
		}
	}
	return e
}

// thereafter adds an observation a minute, each with its outcome.
func thereafter(e Estimate, changed ...bool) Estimate {
	for _, c := range changed {
		e = e.Saw(int64(e.Now.LastVisit)+minute, c)
	}
	return e
}

func TestFreqIsTheLikeliestWord(t *testing.T) {
	for _, tt := range []struct {
		name        string
		e           Estimate
		want        Freq
		least, most float64 // probability
	}{
		{"nothing seen", Estimate{}, Unknown, 0, 0},
		{"changed at every observation, a minute apart", observed(30, minute, always), Always, 0.9, 1},
		{"changed at every observation, a day apart", observed(50, day, always), Hourly, 0.3, 0.9},
		{"changes every 10 s, seen every 5 s for 2 minutes", observed(24, 5, everyNth(2)), Hourly, 0.9, 1},
		{"changes every half hour, seen every 10 minutes", observed(600, 10*minute, everyNth(3)), Hourly, 0.9, 1},
		{"daily", observed(24*30, hour, everyNth(24)), Daily, 0.85, 1},
		{"weekly", observed(7*20, day, everyNth(7)), Weekly, 0.8, 1},
		{"monthly", observed(12*30, day, everyNth(30)), Monthly, 0.75, 1},
		{"yearly", observed(6*365, day, everyNth(365)), Yearly, 0.7, 1},
		{"two years and never changed", observed(730, day, never), Never, 0.6, 1},
		{"changed daily, then quiet for half a year", observed(300, day, func(i int) bool { return i < 120 }), Never, 0.6, 1},
		{"changed hourly, then not for two observations a month apart", observed(200, hour, everyNth(2)).Saw(t0+60*day, false).Saw(t0+90*day, false), Never, 0.5, 1},
		{"never changed, and differed once", observed(730, day, never).SawNoise(t0 + 730*day), Yearly, 0.9, 1},
		{"never changed, and differed at most observations", differing(730, day, 10), Unknown, 0, 0},
		{"changed weekly, and differed since", observed(7*20, day, everyNth(7)).SawNoise(t0 + 140*day), Weekly, 0.8, 1},
		{"a day, unchanged", observed(24, hour, never), Yearly, 0, 0.5},
		{"two observations a month apart, changed", observed(2, 30*day, always), Hourly, 0, 0.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, p := tt.e.Freq()
			if f != tt.want || p < tt.least || p > tt.most {
				t.Errorf("got %v with %.3f, want %v with %g to %g", f, p, tt.want, tt.least, tt.most)
			}
		})
	}
}

func TestWordsThatAPageIsNotCalled(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    Estimate
		not  []Freq
	}{
		{"changed at every observation, then at none of five", thereafter(observed(100, minute, always), false, false, false, false, false), []Freq{Always}},
		{"changed at every second observation, then quiet", observed(200, hour, everyNth(2)).Saw(t0+1000*day, false), []Freq{Always}},
		{"four edits in four minutes, then two quiet ones", thereafter(observed(1000, hour, everyNth(300)), true, true, true, true, false, false), []Freq{Always}},
		{"at the end of a usual quiet time between bunches", observed(500, day, bunches), []Freq{Never, Always, Hourly}},
	} {
		if f, p := tt.e.Freq(); slices.Contains(tt.not, f) {
			t.Errorf("%s: %v with %.2f", tt.name, f, p)
		}
	}
}

func TestEstimateFollowsARegime(t *testing.T) {
	e := observed(100*24, hour, everyNth(10*24))
	if m := e.Mean(); m < 5*day {
		t.Fatalf("mean %g days at first, want about 10", m/day)
	}
	at := int64(e.Now.LastVisit)
	for i := int64(1); i <= 60*24; i++ {
		e = e.Saw(at+i*hour, i%6 == 0)
	}
	if m := e.Mean(); m > 14*hour {
		t.Errorf("mean %g hours after speeding up, want about 6", m/hour)
	}
}

func TestChangeWithADateCountsAtItsDate(t *testing.T) {
	base := observed(10, day, everyNth(3)) // the last observation is day 9, changed
	last := int64(base.Now.LastVisit)
	for _, tt := range []struct {
		name          string
		at, changedAt int64
		want          Estimate
	}{
		{"date in the future", last + day, last + 2*day, base.SawChangeAt(last+day, last+day)},
		{"date before the last observation", last + day, last - 1, base.Saw(last+day, true)},
		{"clock stepped back", last - 5, last - 5, base.Saw(last-5, true)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := base.SawChangeAt(tt.at, tt.changedAt); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
	t.Run("dates tell more than observations", func(t *testing.T) {
		seen, told := Estimate{}.Saw(t0, false), Estimate{}.Saw(t0, false)
		for i := range int64(30) { // observations every ten days of a page that changes every day
			at := t0 + (i+1)*10*day
			seen, told = seen.Saw(at, true), told.SawChangeAt(at, at-(i%5+1)*day/3)
		}
		f, p := told.Freq()
		if _, q := seen.Freq(); f != Daily || p < 0.75 || p < q {
			t.Errorf("%v with %.2f, want daily and more than %.2f", f, p, q)
		}
		if got := told.Quiet(); got != 5*day/3 {
			t.Errorf("quiet for %d s, want the age of the change", got)
		}
	})
}

func TestAnEstimateIsSaneWhateverTheClockDoes(t *testing.T) {
	e := observed(50, hour, everyNth(5))
	last := int64(e.Now.LastVisit)
	t.Run("a change after a step back is one a second later", func(t *testing.T) {
		back, second := e.Saw(last-day, true), e.Saw(last+1, true)
		if back.Past.changes() != second.Past.changes() || back.Quiet() != second.Quiet() {
			t.Errorf("got %+v, want %+v", back, second)
		}
	})
	t.Run("a change that a clock ahead dated does not stop the quiet time", func(t *testing.T) {
		later := e.Saw(t0+100*365*day, true).Saw(t0+50*hour, false).Saw(t0+400*day, false)
		if got := later.Quiet(); got != 400*day-50*hour {
			t.Errorf("quiet for %d s", got)
		}
	})
	for _, at := range []int64{math.MinInt64, -1, 0, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64} {
		wantSane(t, e.Saw(at, true))
		wantSane(t, e.Saw(at, false).SawChangeAt(at, at))
	}
	for _, tt := range []struct {
		name    string
		every   int64
		changed func(int) bool
	}{
		{"changed every second", 1, always},
		{"two observations at the same second", 0, always},
		{"changed every century", 100 * 365 * day, always},
		{"backwards", -day, everyNth(2)},
		{"one change after long quiet", day, everyNth(4000)},
	} {
		t.Run(tt.name, func(t *testing.T) { wantSane(t, observed(5000, tt.every, tt.changed)) })
	}
	wantSane(t, observed(70_000, minute, never))
}

// wantSane checks everything that an estimate says.
func wantSane(t *testing.T, e Estimate) {
	t.Helper()
	if f, p := e.Freq(); !(p >= 0 && p <= 1) || (f == Unknown) != (p == 0) {
		t.Errorf("%v with a probability of %g: %+v", f, p, e)
	}
	if m := e.Mean(); !(m >= 0 && m < 1e12) {
		t.Errorf("%+v has a mean of %g", e, m)
	}
}
