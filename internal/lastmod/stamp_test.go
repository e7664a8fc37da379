package lastmod

import (
	"math"
	"testing"

	"github.com/servemap/servemap/internal/moment"
)

// datesOf sums up entries of one source, with as many pages at each second.
func datesOf(s Source, pages map[int64]int) Summary {
	var g Gatherer
	for second, n := range pages {
		for range n {
			var c Candidates
			c.Given[s] = moment.Seconds(second)
			g.Add(&c)
		}
	}
	return g.Summarise()
}

func TestJudge(t *testing.T) {
	tests := []struct {
		name     string
		parts    []map[int64]int
		believed []int64
		doubted  []int64
	}{
		{"few pages", []map[int64]int{{100: 2}}, []int64{100}, nil},
		{"three at once", []map[int64]int{{100: 3}}, nil, []int64{100}},
		{"half at once", []map[int64]int{{100: 3, 5000: 1, 6000: 1, 7000: 1}}, []int64{100, 5000}, nil},
		{"most at once", []map[int64]int{{100: 4, 5000: 1, 6000: 1, 7000: 1}}, []int64{5000}, []int64{100}},
		{"a build of some minutes", []map[int64]int{{100: 5, 300: 5, 600: 5, 90000: 5}}, []int64{90000}, []int64{100, 300, 600}},
		{"two builds a day apart", []map[int64]int{{100: 5, 90000: 5}}, []int64{100, 90000}, nil},
		{"spread over two parts", []map[int64]int{{100: 5, 70000: 1}, {100: 5, 80000: 1}}, []int64{70000}, []int64{100}},
		{"most in one part only", []map[int64]int{{100: 5}, {200000: 1, 300000: 1, 400000: 1, 500000: 1, 600000: 1, 700000: 1}}, []int64{100, 200000}, nil},
		{"nothing dated", []map[int64]int{{}}, []int64{100}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for s := Server; s < sources; s++ {
				var parts []Summary
				for _, p := range tt.parts {
					parts = append(parts, datesOf(s, p))
				}
				trust := Judge(parts, Trust{})
				for _, at := range tt.believed {
					if !trust.Believes(s, moment.Seconds(at)) {
						t.Errorf("source %d: %d is not believed", s, at)
					}
				}
				for _, at := range tt.doubted {
					if trust.Believes(s, moment.Seconds(at)) {
						t.Errorf("source %d: %d is believed", s, at)
					}
				}
				var caught Trust
				caught[s].All = true
				if caught = Judge(parts, caught); caught.Believes(s, moment.Seconds(70001)) {
					t.Errorf("source %d is believed although it was caught", s)
				}
			}
		})
	}
}

func TestSummaryIsBounded(t *testing.T) {
	pages := map[int64]int{}
	for second := range int64(5000) {
		pages[second+1] = 3
	}
	pages[99999] = 50
	d := datesOf(Server, pages)[Server]
	if len(d.top) != crowdsKept || d.top[0] != (crowd{moment.Seconds(99999), 50}) || d.dated != 15050 {
		t.Errorf("kept %d crowds, the largest %+v, of %d pages", len(d.top), d.top[0], d.dated)
	}
}

func stampOf(from, to int64) Stamp { return Stamp{moment.Seconds(from), moment.Seconds(to)} }

func TestStamps(t *testing.T) {
	var many Stamps
	for i := range int64(20) {
		many = many.With(stampOf(i*10000, i*10000+5))
	}
	tests := []struct {
		name     string
		stamps   Stamps
		held     []int64
		notHeld  []int64
		wantFull bool
	}{
		{"none", Stamps{}, nil, []int64{0, 1}, false},
		{"no stamp is added", Stamps{}.With(Stamp{}), nil, []int64{0}, false},
		{"one", Stamps{}.With(stampOf(100, 200)), []int64{100, 150, 200}, []int64{99, 201}, false},
		{"two that touch", Stamps{}.With(stampOf(100, 200)).With(stampOf(700, 900)), []int64{100, 500, 900}, []int64{99, 901}, false},
		{"two apart", Stamps{}.With(stampOf(5000, 5100)).With(stampOf(100, 200)), []int64{150, 5050}, []int64{300, 5101}, false},
		{"one that joins two", Stamps{}.With(stampOf(100, 200)).With(stampOf(1500, 1600)).With(stampOf(800, 900)), []int64{100, 1000, 1600}, []int64{1601}, false},
		{"more than are kept", many, []int64{0, 5000, 110000, 130000, 190005}, []int64{135000, 195000}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, at := range tt.held {
				if !tt.stamps.hold(moment.Seconds(at)) {
					t.Errorf("%d is not in a stamp: %v", at, tt.stamps)
				}
			}
			for _, at := range tt.notHeld {
				if tt.stamps.hold(moment.Seconds(at)) {
					t.Errorf("%d is in a stamp: %v", at, tt.stamps)
				}
			}
			if full := tt.stamps[stampsKept-1] != (Stamp{}); full != tt.wantFull {
				t.Errorf("stamps %v", tt.stamps)
			}
			if again := tt.stamps.With(tt.stamps[0]); again != tt.stamps {
				t.Errorf("a stamp that is known makes %v of %v", again, tt.stamps)
			}
		})
	}
}

// The stamp of a site with many pages stays when others outnumber them; that of
// a few pages does not.
func TestAStampStaysOnceItIsSure(t *testing.T) {
	for _, tt := range []struct {
		pages int
		stays bool
	}{{3, false}, {surePages - 1, false}, {surePages, true}} {
		few := Judge([]Summary{datesOf(Server, map[int64]int{100: tt.pages})}, Trust{})
		if few.Believes(Server, moment.Seconds(100)) {
			t.Errorf("%d pages: their build is believed", tt.pages)
		}
		many := map[int64]int{100: tt.pages}
		for i := range int64(500) {
			many[5000+1000*i] = 1
		}
		if got := Judge([]Summary{datesOf(Server, many)}, few); got.Believes(Server, moment.Seconds(100)) == tt.stays {
			t.Errorf("%d pages: with 500 more, their build's stamp is %+v", tt.pages, got[Server])
		}
	}
}

func TestFollowKeepsStamps(t *testing.T) {
	var found, known Trust
	found[Server] = Distrust{All: true, Stamps: Stamps{stampOf(100, 200)}, Likely: stampOf(1, 2)}
	known[Server] = Distrust{UpTo: 7, Stamps: Stamps{stampOf(5000, 6000)}}
	want := Distrust{UpTo: 7, Stamps: Stamps{stampOf(5000, 6000), stampOf(100, 200)}}
	if got := found.Follow(known)[Server]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Dates of a part that no clock shows must not keep those of the site from being judged.
func TestImpossibleTimesGiveNoStamp(t *testing.T) {
	for name, c := range map[string]crowds{
		"the first second of all": {dated: 3, top: []crowd{{math.MinInt64, 3}}},
		"the last one":            {dated: 3, top: []crowd{{math.MaxInt64, 3}}},
		"both":                    {dated: 3, top: []crowd{{math.MaxInt64, 3}, {math.MinInt64, 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			var sum Summary
			sum[Server] = readCrowds(c.encode())
			if st := Judge([]Summary{sum}, Trust{})[Server].Likely; st.From > st.To {
				t.Errorf("they are taken for a stamp from %d to %d", st.From, st.To)
			}
		})
	}
}
