package part

import (
	"math/rand/v2"
	"testing"
)

func TestDated(t *testing.T) {
	all := Trust{}
	var clock, upTo, stamped, likely, both Trust
	clock[Server] = Doubts{All: true, Clock: true}
	upTo[Server].UpTo = 60
	stamped[Server].Stamps = Stamps{}.With(Stamp{40, 60})
	likely[Server].Likely = Stamp{40, 60}
	both[Server].All, both[Page].All = true, true
	young := Entry{Given: [sources]int64{Server: 50, Page: 70}, Young: Sources(0).With(Server)}
	given := Entry{Given: [sources]int64{Server: 50, Page: 70}}
	fresh := Entry{Given: [sources]int64{Server: 50}, Fresh: 80}
	exact := Entry{Changed: 90, Exact: 50, ExactBy: Server}
	tests := []struct {
		name  string
		e     Entry
		trust Trust
		now   int64
		want  int64
		by    Basis
		whose Source
	}{
		{"nothing", Entry{}, all, 100, 0, Nothing, NoSource},
		{"a change", Entry{Changed: 90}, all, 100, 90, BySeen, NoSource},
		{"a change after now", Entry{Changed: 90, Exact: 50, ExactBy: Server}, all, 80, 0, Ahead, NoSource},
		{"an exact change", exact, all, 100, 50, ByExact, Server},
		{"an exact change, its source is a clock", exact, clock, 100, 90, BySeen, NoSource},
		{"an exact change from before its source was mended", exact, upTo, 100, 90, BySeen, NoSource},
		{"an exact change at the time of a build", exact, stamped, 100, 50, ByExact, Server},
		{"an exact date after the change", Entry{Changed: 40, Exact: 50, ExactBy: Server}, all, 100, 40, BySeen, NoSource},
		{"two given dates", given, all, 100, 50, ByGiven, Server},
		{"two given dates, one of a clock", given, clock, 100, 70, ByGiven, Page},
		{"two given dates, one of a build", given, stamped, 100, 70, ByGiven, Page},
		{"two given dates, one perhaps of a build", given, likely, 100, 0, Nothing, NoSource},
		{"two given dates, none believed", given, both, 100, 0, Nothing, NoSource},
		{"two given dates, one young", young, all, 100, 70, ByGiven, Page},
		{"two given dates, one after now", given, clock, 60, 0, Nothing, NoSource},
		{"new", Entry{Fresh: 80}, all, 100, 80, ByFresh, NoSource},
		{"new, after now", Entry{Fresh: 80}, all, 70, 0, Ahead, NoSource},
		{"new, with a date", fresh, all, 100, 50, ByGiven, Server},
		{"new, with the date of a clock", fresh, clock, 100, 80, ByFresh, NoSource},
		{"new, with a date perhaps of a build", fresh, likely, 100, 0, Nothing, NoSource},
		{"new, with a later date", Entry{Given: [sources]int64{Page: 85}, Fresh: 80}, all, 100, 80, ByFresh, NoSource},
		{"volatile", Entry{Changed: 90, Volatile: true}, all, 100, 0, Volatile, NoSource},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if at, by, whose := tt.e.Dated(tt.trust, tt.now); at != tt.want || by != tt.by || whose != tt.whose {
				t.Errorf("%d by %d of %d, want %d by %d of %d", at, by, whose, tt.want, tt.by, tt.whose)
			}
		})
	}
}

// lose returns t with less belief, or with another stamp that may be none.
func lose(t Trust, rnd *rand.Rand) Trust {
	s := Server + Source(rnd.IntN(2))
	stamp := Stamp{From: rnd.Int64N(1000)}
	stamp.To = stamp.From + rnd.Int64N(300)
	switch d := &t[s]; rnd.IntN(6) {
	case 0:
		d.All = true
	case 1:
		d.UpTo = max(d.UpTo, rnd.Int64N(1000))
	case 2:
		d.Stamps = d.Stamps.With(stamp)
	case 3:
		d.Likely = Stamp{}
	default:
		d.Likely = stamp
	}
	return t
}

// What takes the place of a date that lost belief is never an earlier one.
func TestLostBeliefTakesNoDateBack(t *testing.T) {
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		maybe := func(t int64) int64 { return t * rnd.Int64N(2) }
		e := Entry{
			Given: [sources]int64{Server: maybe(1 + rnd.Int64N(1000)), Page: maybe(1 + rnd.Int64N(1000))},
			Young: Sources(rnd.IntN(8)), Fresh: maybe(1 + rnd.Int64N(1000)), ExactBy: Source(rnd.IntN(3)),
		}
		if rnd.IntN(2) == 0 {
			e.Changed = 1 + rnd.Int64N(1000)
			e.Exact = maybe(1 + rnd.Int64N(1000))
		}
		var trust Trust
		told := int64(0)
		for range 12 {
			if at := e.LastMod(trust, 1000); at != 0 {
				if at < told {
					t.Fatalf("seed %d: from %d back to %d, of %+v with %+v", seed, told, at, e, trust)
				}
				told = at
			}
			trust = lose(trust, rnd)
		}
	}
}

func TestStamps(t *testing.T) {
	var many Stamps
	for i := range int64(20) {
		many = many.With(Stamp{i * 10000, i*10000 + 5})
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
		{"one", Stamps{}.With(Stamp{100, 200}), []int64{100, 150, 200}, []int64{99, 201}, false},
		{"two that touch", Stamps{}.With(Stamp{100, 200}).With(Stamp{700, 900}), []int64{100, 500, 900}, []int64{99, 901}, false},
		{"two apart", Stamps{}.With(Stamp{5000, 5100}).With(Stamp{100, 200}), []int64{150, 5050}, []int64{300, 5101}, false},
		{"one that joins two", Stamps{}.With(Stamp{100, 200}).With(Stamp{1500, 1600}).With(Stamp{800, 900}), []int64{100, 1000, 1600}, []int64{1601}, false},
		{"more than are kept", many, []int64{0, 5000, 110000, 130000, 190005}, []int64{135000, 195000}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, at := range tt.held {
				if !tt.stamps.hold(at) {
					t.Errorf("%d is not in a stamp: %v", at, tt.stamps)
				}
			}
			for _, at := range tt.notHeld {
				if tt.stamps.hold(at) {
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
		few := judge([]dates{datesOf(Server, map[int64]int{100: tt.pages})}, Trust{})
		if few.Believes(Server, 100) {
			t.Errorf("%d pages: their build is believed", tt.pages)
		}
		many := map[int64]int{100: tt.pages}
		for i := range int64(500) {
			many[5000+1000*i] = 1
		}
		if got := judge([]dates{datesOf(Server, many)}, few); got.Believes(Server, 100) == tt.stays {
			t.Errorf("%d pages: with 500 more, their build's stamp is %+v", tt.pages, got[Server])
		}
	}
}

func TestFollowKeepsStamps(t *testing.T) {
	var found, known Trust
	found[Server] = Doubts{All: true, Stamps: Stamps{{100, 200}}, Likely: Stamp{1, 2}}
	known[Server] = Doubts{UpTo: 7, Stamps: Stamps{{5000, 6000}}}
	want := Doubts{UpTo: 7, Stamps: Stamps{{5000, 6000}, {100, 200}}}
	if got := found.follow(known)[Server]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
