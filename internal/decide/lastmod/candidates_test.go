package lastmod

import (
	"math/rand/v2"
	"testing"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
)

func TestDecideTakesTheDateOfTheMostTrustedSource(t *testing.T) {
	all := Trust{}
	var clock, upTo, stamped, likely, both Trust
	clock[Server] = Distrust{All: true, Clock: true}
	upTo[Server].UpTo = 60
	stamped[Server].Stamps = Stamps{}.With(Stamp{40, 60})
	likely[Server].Likely = Stamp{40, 60}
	both[Server].All, both[Page].All = true, true
	young := Candidates{Given: Given[moment.Time]{Server: 50, Page: 70}, Young: Given[bool]{Server: true}}
	given := Candidates{Given: Given[moment.Time]{Server: 50, Page: 70}}
	fresh := Candidates{Given: Given[moment.Time]{Server: 50}, Fresh: 80}
	exact := Candidates{Changed: 90, Exact: 50, ExactBy: Server}
	tests := []struct {
		name  string
		c     Candidates
		trust Trust
		now   moment.Time
		want  moment.Time
		by    Basis
		whose Source
	}{
		{"nothing", Candidates{}, all, 100, 0, Nothing, NoSource},
		{"a change", Candidates{Changed: 90}, all, 100, 90, BySeen, NoSource},
		{"a change after now", Candidates{Changed: 90, Exact: 50, ExactBy: Server}, all, 80, 0, Ahead, NoSource},
		{"an exact change", exact, all, 100, 50, ByExact, Server},
		{"an exact change, its source was caught since", exact, clock, 100, 50, ByExact, Server},
		{"a date from before its source was mended", fresh, upTo, 100, 80, ByFresh, NoSource},
		{"an exact date after the change", Candidates{Changed: 40, Exact: 50, ExactBy: Server}, all, 100, 40, BySeen, NoSource},
		{"two given dates", given, all, 100, 50, ByGiven, Server},
		{"two given dates, one of a clock", given, clock, 100, 70, ByGiven, Page},
		{"two given dates, one of a build", given, stamped, 100, 70, ByGiven, Page},
		{"two given dates, one perhaps of a build", given, likely, 100, 0, Nothing, NoSource},
		{"two given dates, none believed", given, both, 100, 0, Nothing, NoSource},
		{"two given dates, one young", young, all, 100, 70, ByGiven, Page},
		{"two given dates, one after now", given, clock, 60, 0, Nothing, NoSource},
		{"new", Candidates{Fresh: 80}, all, 100, 80, ByFresh, NoSource},
		{"new, after now", Candidates{Fresh: 80}, all, 70, 0, Ahead, NoSource},
		{"new, with a date", fresh, all, 100, 50, ByGiven, Server},
		{"new, with the date of a clock", fresh, clock, 100, 80, ByFresh, NoSource},
		{"new, with a date perhaps of a build", fresh, likely, 100, 0, Nothing, NoSource},
		{"new, with a later date", Candidates{Given: Given[moment.Time]{Page: 85}, Fresh: 80}, all, 100, 80, ByFresh, NoSource},
		{"volatile", Candidates{Changed: 90, Volatile: true}, all, 100, 0, Volatile, NoSource},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if at, by, whose := tt.c.Decide(tt.trust, tt.now); at != tt.want || by != tt.by || whose != tt.whose {
				t.Errorf("%d by %d of %d, want %d by %d of %d", at, by, whose, tt.want, tt.by, tt.whose)
			}
		})
	}
}

func random(rnd *rand.Rand, n int64) moment.Time { return moment.Time(rnd.Int64N(n)) }

// lose returns t with less belief, or with one more likely stamp.
func lose(t Trust, rnd *rand.Rand) Trust {
	s := Server + Source(rnd.IntN(2))
	stamp := Stamp{From: random(rnd, 1000)}
	stamp.To = stamp.From + random(rnd, 300)
	switch d := &t[s]; rnd.IntN(6) {
	case 0:
		d.All = true
	case 1:
		d.UpTo = max(d.UpTo, random(rnd, 1000))
	case 2:
		d.Stamps = d.Stamps.With(stamp)
	case 3:
		d.Likely = Stamp{}
	default:
		d.Likely = stamp
	}
	return t
}

// When a date loses belief, the date that replaces it is never earlier.
func TestLosingTrustInASourceTakesNoDateBack(t *testing.T) {
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		maybe := func(t moment.Time) moment.Time { return t * random(rnd, 2) }
		c := Candidates{
			Given: Given[moment.Time]{Server: maybe(1 + random(rnd, 1000)), Page: maybe(1 + random(rnd, 1000))},
			Young: Given[bool]{Server: rnd.IntN(2) == 0, Page: rnd.IntN(2) == 0}, Fresh: maybe(1 + random(rnd, 1000)), ExactBy: Source(rnd.IntN(3)),
		}
		if rnd.IntN(2) == 0 {
			c.Changed = 1 + random(rnd, 1000)
			c.Exact = maybe(1 + random(rnd, 1000))
		}
		var trust Trust
		told := moment.Time(0)
		for range 12 {
			if at := c.LastMod(trust, 1000); at != 0 {
				if at < told {
					t.Fatalf("seed %d: from %d back to %d, of %+v with %+v", seed, told, at, c, trust)
				}
				told = at
			}
			trust = lose(trust, rnd)
		}
	}
}

// FuzzCandidates reads stored candidates and decides on them.
func FuzzCandidates(f *testing.F) {
	fields := func(c Candidates) []byte { return recordtest.FieldsOf(codec.Marshal(c)) }
	f.Add(fields(Candidates{Changed: 1000, Exact: 2000, ExactBy: Page, Fresh: 5000}), int64(1_700_000_000_000))
	f.Add(fields(Candidates{Given: Given[moment.Time]{0, 3000, 4000}, Young: Given[bool]{Server: true}}), int64(1<<62))
	f.Fuzz(func(t *testing.T, fields []byte, unix int64) {
		var c Candidates
		if codec.Unmarshal(recordtest.Sealed(fields), &c) != nil || !c.ExactBy.Valid() {
			return
		}
		now := moment.Time(unix)
		trust := Trust{Server: {UpTo: now, Stamps: Stamps{}.With(Stamp{now, now})}}
		for _, tr := range []Trust{{}, trust} {
			if at, by, whose := c.Decide(tr, now); at > now && at > 0 || by > Ahead || whose >= sources {
				t.Errorf("%+v is dated %d by %d of %d at %d", c, at, by, whose, now)
			}
		}
		var g Gatherer
		g.Add(&c)
		sum := g.Summarise()
		_ = Judge([]Summary{sum, sum}, trust)
	})
}
