package rate

import (
	"math"
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

// thereafter adds an observation a minute, each with its outcome.
func thereafter(e Estimate, changed ...bool) Estimate {
	for _, c := range changed {
		e = e.Saw(int64(e.Now.LastVisit)+minute, c)
	}
	return e
}

func TestFreqIsTheWordThatMisleadsLeast(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    Estimate
		want Freq
	}{
		{"seen once", Estimate{}.Saw(t0, false), Unknown},
		{"nearly half a day, unchanged", observed(12, hour, never), Unknown},
		{"half a day, unchanged", observed(13, hour, never), Yearly},
		{"a year and a half, unchanged", observed(550, day, never), Yearly},
		{"two years and more, unchanged", observed(740, day, never), Never},
		{"changed daily, then quiet for half a year", observed(300, day, func(i int) bool { return i < 120 }), Yearly},
		{"changed daily, then quiet for two years and more", observed(900, day, func(i int) bool { return i < 120 }), Never},
		{"changes each year, and the last change is two years ago", observed(8*365, day,
			func(i int) bool { return i%365 == 0 && i < 6*365 }), Yearly},
		{"changed hourly, then not for two observations a month apart", observed(200, hour, everyNth(2)).Saw(t0+60*day,
			false).Saw(t0+90*day, false), Yearly},
		{"yearly", observed(6*365, day, everyNth(365)), Yearly},
		{"monthly", observed(12*30, day, everyNth(30)), Monthly},
		{"weekly", observed(7*20, day, everyNth(7)), Weekly},
		{"daily", observed(24*30, hour, everyNth(24)), Daily},
		{"changes every half hour, seen every 10 minutes", observed(600, 10*minute, everyNth(3)), Hourly},
		{"changes every 10 s, seen every 5 s for 2 minutes", observed(24, 5, everyNth(2)), Hourly},
		{"changed at every observation, a minute apart", observed(30, minute, always), Always},
		{"changed at every observation, a day apart: hourly or daily", observed(50, day, always), Hourly},
		{"changed once, a minute after the first observation: somebody is perhaps working on it", observed(2, minute, always),
			Daily},
		{"two observations a week apart, changed", observed(2, 7*day, always), Daily},
		{"two observations half a year apart, changed: anything from hourly to yearly", observed(2, 180*day, always), Weekly},
		{"changed at every observation, then at none of five", thereafter(observed(100, minute, always), false, false, false,
			false, false), Yearly},
		{"changed at every second observation, then quiet", observed(200, hour, everyNth(2)).Saw(t0+1000*day, false), Never},
		{"four edits in four minutes, then two quiet ones", thereafter(observed(1000, hour, everyNth(300)), true, true, true,
			true, false, false), Yearly},
		{"at the end of a usual quiet time between bunches", observed(500, day, bunches), Monthly},
	} {
		if f := tt.e.Freq(Unknown); f != tt.want {
			t.Errorf("%s: %v, want %v: %.2f", tt.name, f, tt.want, tt.e.words())
		}
	}
}

// A word makes room for another one only if that is clearly better, so that a page between two
// words keeps one of them.
func TestFreqHoldsTheWordBefore(t *testing.T) {
	between := observed(40*4, day, everyNth(14)) // weekly to monthly
	for _, tt := range []struct {
		name      string
		e         Estimate
		was, want Freq
	}{
		{"monthly is a little better than weekly", between, Unknown, Monthly},
		{"so weekly stays", between, Weekly, Weekly},
		{"and monthly stays", between, Monthly, Monthly},
		{"but daily goes", between, Daily, Monthly},
		{"and yearly goes", between, Yearly, Monthly},
		{"always goes as soon as an observation finds no change", thereafter(observed(30, minute, always), false), Always,
			Yearly},
		{"never goes with a change", observed(740, day, never).Saw(t0+740*day, true), Never, Yearly},
	} {
		if f := tt.e.Freq(tt.was); f != tt.want {
			t.Errorf("%s: %v, want %v: %.2f", tt.name, f, tt.want, tt.e.words())
		}
	}
}

func TestIntervalIsSaidWithItsDoubt(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    Estimate
		want Interval
	}{
		{"no change", observed(24, hour, never), Interval{}},
		{"one change has no bounds", observed(30, day, func(i int) bool { return i == 20 }), Interval{69 * day, 0, 0}},
		{"two changes", observed(40, day, everyNth(15)), Interval{32 * day, 10 * day, 200 * day}},
		{"twenty changes", observed(300, day, everyNth(15)), Interval{19 * day, 11 * day, 47 * day}},
		{"different at every observation", observed(30, minute, always), Interval{5 * minute, 5 * minute, 5 * minute}},
	} {
		got, about := tt.e.Interval(), func(x, y float64) bool { return math.Abs(x-y) <= y/10 }
		if !about(got.Likely, tt.want.Likely) || !about(got.Least, tt.want.Least) || !about(got.Most, tt.want.Most) {
			t.Errorf("%s: %.3f days, %.3f to %.3f", tt.name, got.Likely/day, got.Least/day, got.Most/day)
		}
	}
}

func TestEstimateFollowsARegime(t *testing.T) {
	e := observed(100*24, hour, everyNth(10*24))
	if m := e.Interval().Likely; m < 5*day {
		t.Fatalf("mean %g days at first, want about 10", m/day)
	}
	at := int64(e.Now.LastVisit)
	for i := int64(1); i <= 60*24; i++ {
		e = e.Saw(at+i*hour, i%6 == 0)
	}
	if m := e.Interval().Likely; m > 14*hour {
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
		p, q := told.words()[Daily], seen.words()[Daily]
		if f := told.Freq(Unknown); f != Daily || p < 0.75 || p < q {
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
	if f := e.Freq(Unknown); f == Unknown || f > Never {
		t.Errorf("%v: %+v", f, e)
	}
	if i := e.Interval(); !(i.Least >= 0 && i.Likely >= i.Least && i.Likely < 1e12 && i.Most < 1e12) {
		t.Errorf("%+v has an interval of %+v", e, i)
	}
}
