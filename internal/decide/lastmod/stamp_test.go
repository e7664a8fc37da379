package lastmod

import (
	"math"
	"testing"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

// datesOf sums up dates of one source. pages says how many pages have each second.
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

func believes(t Trust, s Source, date moment.Time) bool { return t.Against(s, date) == NoDoubt }

func TestDatesOfMostPagesAreJudgedToBeABuildStamp(t *testing.T) {
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
		{"a page every two seconds for minutes", []map[int64]int{paced(101, 2)}, nil, []int64{1000, 1100, 1200}},
		{"a page every five seconds for an hour", []map[int64]int{paced(720, 5)}, nil, []int64{1000, 4000}},
		{"in two parts, a page every five seconds", []map[int64]int{paced(400, 5), paced(400, 5)}, nil, []int64{1000, 2900}},
		{"few pages, a minute apart", []map[int64]int{paced(10, 60)}, []int64{1000, 1060}, nil},
		{"many pages, a minute apart", []map[int64]int{paced(1000, 60)}, []int64{1000, 1060, 31000}, nil},
		{"a page every five seconds for a day", []map[int64]int{paced(17280, 5)}, []int64{1000, 31000}, nil},
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
					if !believes(trust, s, moment.Seconds(at)) {
						t.Errorf("source %d: %d is not believed", s, at)
					}
				}
				for _, at := range tt.doubted {
					if believes(trust, s, moment.Seconds(at)) {
						t.Errorf("source %d: %d is believed", s, at)
					}
				}
				var caught Trust
				caught[s].All = true
				if caught = Judge(parts, caught); believes(caught, s, moment.Seconds(70001)) {
					t.Errorf("source %d is believed although it was caught", s)
				}
			}
		})
	}
}

// paced are pages whose dates follow each other at equal steps, from 1000 on.
func paced(pages int, seconds int64) map[int64]int {
	all := map[int64]int{}
	for i := range int64(pages) {
		all[1000+i*seconds] = 1
	}
	return all
}

func TestSummaryIsBounded(t *testing.T) {
	pages := map[int64]int{}
	for i := range int64(5000) {
		pages[100*i+1] = 3
	}
	pages[999999] = 50
	d := datesOf(Server, pages)[Server]
	if len(d.top) != burstsKept || d.top[0] != (burst{stampOf(999999, 999999), 50}) || d.dated != 15050 {
		t.Errorf("kept %d bursts, the largest %+v, of %d pages", len(d.top), d.top[0], d.dated)
	}
}

func stampOf(from, to int64) Stamp { return Stamp{moment.Seconds(from), moment.Seconds(to)} }

func TestStampsAreMergedAndBounded(t *testing.T) {
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

// A stamp of many pages stays when other pages outnumber them. A stamp of a few pages does
// not.
func TestBuildStampStaysOnceItIsSure(t *testing.T) {
	for _, tt := range []struct {
		pages int
		stays bool
	}{{3, false}, {surePages - 1, false}, {surePages, true}} {
		few := Judge([]Summary{datesOf(Server, map[int64]int{100: tt.pages})}, Trust{})
		if believes(few, Server, moment.Seconds(100)) {
			t.Errorf("%d pages: their build is believed", tt.pages)
		}
		many := map[int64]int{100: tt.pages}
		for i := range int64(500) {
			many[5000+1000*i] = 1
		}
		if got := Judge([]Summary{datesOf(Server, many)}, few); believes(got, Server, moment.Seconds(100)) == tt.stays {
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

// A stored summary with impossible dates must not prevent a judgement of the site's dates.
func TestImpossibleTimesGiveNoBuildStamp(t *testing.T) {
	first, last := burst{Stamp{math.MinInt64, math.MinInt64}, 3}, burst{Stamp{math.MaxInt64, math.MaxInt64}, 3}
	for name, top := range map[string][]burst{"the first second of all": {first}, "the last one": {last}, "both": {last, first}} {
		t.Run(name, func(t *testing.T) {
			sum := Summary{Server: {dated: 3, top: top}}
			var e codec.Encoder
			e.Add(func(f *codec.Fields) { sum.Fields(f, 1) })
			var read Summary
			_, _ = codec.Read(e.Seal(), codec.Into(func(f *codec.Fields) { read.Fields(f, 1) }))
			if st := Judge([]Summary{read}, Trust{})[Server].Likely; st.From > st.To {
				t.Errorf("they are taken for a stamp from %d to %d", st.From, st.To)
			}
		})
	}
}
