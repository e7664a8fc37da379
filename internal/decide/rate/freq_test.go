package rate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestFreqIsNamedAsInSitemaps(t *testing.T) {
	for f, want := range map[Freq]string{
		Unknown: "", Always: "always", Hourly: "hourly", Daily: "daily", Weekly: "weekly", Monthly: "monthly", Yearly: "yearly",
		Never: "never", 8: "", 255: "",
	} {
		if got := f.String(); got != want {
			t.Errorf("Freq(%d) = %q, want %q", uint8(f), got, want)
		}
	}
}

func TestFreqIsTheLikeliestLabel(t *testing.T) {
	for _, tt := range []struct {
		name        string
		e           Estimate
		want        Freq
		least, most float64 // probability
	}{
		{"nothing seen", Estimate{}, Unknown, 0, 0},
		{"seen once", Estimate{}.Saw(t0, false), Unknown, 0, 0},
		{"seen once, with a date", Estimate{}.SawChangeAt(t0, t0-day), Unknown, 0, 0},
		{"changed at every look, a minute apart", looks(30, minute, always), Always, 0.9, 1},
		{"changed at every look, an hour apart", looks(30, hour, always), Always, 0.5, 1},
		{"changed at every look, a day apart", looks(50, day, always), Hourly, 0.3, 0.9},
		{"changed at every look but one, an hour apart", looks(20, hour, func(i int) bool { return i != 10 }), Hourly, 0.7, 1},
		{"changes every 10 s, seen every 5 s for 2 minutes", looks(24, 5, everyNth(2)), Hourly, 0.9, 1},
		{"changes every half hour, seen every 10 minutes", looks(600, 10*minute, everyNth(3)), Hourly, 0.9, 1},
		{"daily", looks(24*30, hour, everyNth(24)), Daily, 0.85, 1},
		{"weekly", looks(7*20, day, everyNth(7)), Weekly, 0.9, 1},
		{"monthly", looks(12*30, day, everyNth(30)), Monthly, 0.75, 1},
		{"yearly", looks(6*365, day, everyNth(365)), Yearly, 0.7, 1},
		{"two years and never changed", looks(730, day, never), Never, 0.6, 1},
		{"changed daily, then quiet for half a year", looks(300, day, func(i int) bool { return i < 120 }), Never, 0.6, 1},
		{"changed hourly, then not for two looks a month apart", looks(200, hour, everyNth(2)).Saw(t0+60*day, false).Saw(t0+90*day, false), Never, 0.5, 1},
		{"never changed, and differed once", looks(730, day, never).SawNoise(t0 + 730*day), Yearly, 0.9, 1},
		{"never changed, and differed at most looks", differing(730, day, 10), Unknown, 0, 0},
		{"never changed, and differed at few looks", differing(730, day, 2), Yearly, 0.9, 1},
		{"changed weekly, and differed since", looks(7*20, day, everyNth(7)).SawNoise(t0 + 140*day), Weekly, 0.8, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, p := tt.e.Freq()
			if f != tt.want || p < tt.least || p > tt.most {
				t.Errorf("got %v with %.3f, want %v with %g to %g", f, p, tt.want, tt.least, tt.most)
			}
		})
	}
}

// differing returns the estimate after n looks at a page on which no change is ever seen,
// but inTen of ten looks differ.
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

func TestFewLooksGiveALowProbability(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    Estimate
	}{
		{"two looks within a second", looks(2, 1, never)},
		{"two minutes, unchanged", looks(24, 5, never)},
		{"an hour, unchanged", looks(60, minute, never)},
		{"a day, unchanged", looks(24, hour, never)},
		{"two looks a month apart, changed", looks(2, 30*day, always)},
		{"two looks a week apart, changed", looks(2, 7*day, always)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if f, p := tt.e.Freq(); p >= 0.5 {
				t.Errorf("%v with %.3f, want less than a half", f, p)
			}
		})
	}
}

// thereafter adds a look a minute, each with its outcome.
func thereafter(e Estimate, changed ...bool) Estimate {
	for _, c := range changed {
		e = e.Saw(e.LastVisit()+minute, c)
	}
	return e
}

func TestQuietPageIsNotCalledAlways(t *testing.T) {
	for name, e := range map[string]Estimate{
		"changed at every look, then at none of five":     thereafter(looks(100, minute, always), false, false, false, false, false),
		"changed at every second look, then quiet":        looks(200, hour, everyNth(2)).Saw(t0+1000*day, false),
		"four edits in four minutes, then two quiet ones": thereafter(looks(1000, hour, everyNth(300)), true, true, true, true, false, false),
	} {
		if f, _ := e.Freq(); f == Always {
			t.Errorf("%s: %v", name, f)
		}
	}
}

func TestQuietDoesNotMakeFaster(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		e := Estimate{}.Saw(t0, false)
		for range r.IntN(60) {
			e = visit(r, e)
		}
		e = e.Saw(e.LastVisit()+1, false)
		f, _ := e.Freq()
		for range 40 {
			e = e.Saw(e.LastVisit()+r.Int64N(40*day), false)
			g, p := e.Freq()
			if g+1 < f { // one class is allowed: many quiet looks also tell that the changes were not noise
				t.Fatalf("seed %d: %v became %v with more quiet time: %+v", seed, f, g, e)
			}
			if !(p > 0 && p <= 1) {
				t.Fatalf("seed %d: probability %g", seed, p)
			}
			f = g
		}
	}
}

func TestFreqIsRightDespiteWrongChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, tt := range []struct {
		name  string
		every int64 // seconds between true changes
		want  Freq
	}{
		{"daily", day, Daily},
		{"weekly", 7 * day, Weekly},
		{"monthly", 30 * day, Monthly},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at, e := int64(t0), Estimate{}.Saw(t0, false)
			for at < t0+600*day { // four looks a day, of which one in a hundred finds a false change
				next := at + 1 + int64(r.ExpFloat64()*6*hour)
				e = e.Saw(next, next/tt.every != at/tt.every || r.Float64() < 0.01)
				at = next
			}
			if f, p := e.Freq(); f != tt.want {
				t.Errorf("%v with %.2f, want %v", f, p, tt.want)
			}
		})
	}
}

func TestCoarseKeepsThreePercent(t *testing.T) {
	for n := uint32(1); n < 1<<31; n += 1 + n/1000 {
		c := coarse(n)
		if !near(float64(c), float64(n), 0.032) || n < 32 && c != n || coarse(c) != c {
			t.Fatalf("coarse(%d) = %d", n, c)
		}
	}
	if coarse(0) != 0 {
		t.Errorf("coarse(0) = %d", coarse(0))
	}
}

func TestPageThatChangesInBunchesIsNotCalledNever(t *testing.T) {
	bunch := func(i int) bool { return i%100 < 5 } // five days running, then a quarter of a year of quiet
	e := looks(500, day, bunch)
	if f, p := e.Freq(); f != Weekly && f != Monthly {
		t.Errorf("%v with %.2f at the end of a usual quiet time", f, p)
	}
}

func TestIntervalIsARangeAroundTheMean(t *testing.T) {
	for _, tt := range []struct {
		name        string
		e           Estimate
		least, most float64 // bounds of the range
	}{
		{"no change", looks(100, day, never), 0, 0},
		{"weekly for two years", looks(7*100, day, everyNth(7)), 5 * day, 12 * day},
		{"one change in a month", looks(30, day, func(i int) bool { return i == 15 }), day, 5 * year},
	} {
		t.Run(tt.name, func(t *testing.T) {
			least, likely, most := tt.e.Interval()
			if least < tt.least || most > tt.most || least > likely || likely > most {
				t.Errorf("%g within %g to %g days, want %g to %g", likely/day, least/day, most/day, tt.least/day, tt.most/day)
			}
		})
	}
}

func TestTheRangeIsWiderForChangesInBunches(t *testing.T) {
	width := func(changed func(int) bool) float64 {
		least, _, most := looks(1000, day, changed).Interval()
		return most / least
	}
	regular, bunched := width(everyNth(20)), width(func(i int) bool { return i%100 < 5 })
	if bunched < 1.5*regular {
		t.Errorf("from 1 to %.1f for changes in bunches, to %.1f for regular ones", bunched, regular)
	}
}

func TestIntervalCoversTheMean(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	between := func(lo, hi float64) float64 { return lo * math.Exp(r.Float64()*math.Log(hi/lo)) }
	pages, within := 0, 0
	for range 2000 {
		mean, gap := between(10*minute, 5*year), between(minute, 30*day)
		at, change := 0.0, r.ExpFloat64()*mean
		e := Estimate{}.Saw(t0, false)
		for range 20 + r.IntN(200) {
			at += r.ExpFloat64() * gap
			changed := change <= at
			for change <= at {
				change += r.ExpFloat64() * mean
			}
			e = e.Saw(t0+int64(at), changed)
		}
		least, likely, most := e.Interval()
		if likely == 0 {
			continue // it did not change
		}
		pages++
		if least <= mean && mean <= most {
			within++
		}
	}
	if share := float64(within) / float64(pages); share < 0.8 || share > 0.9 || pages < 1000 {
		t.Errorf("the range covers the mean of %.3f of %d pages, want 0.8 to 0.9", share, pages)
	}
}

func BenchmarkFreq(b *testing.B) {
	b.ReportAllocs()
	e := busy()
	for b.Loop() {
		e.Freq()
	}
}
