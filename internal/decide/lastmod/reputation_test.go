package lastmod

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
)

// deed is what a look shows about a source.
const day = 24 * 60 * 60

type deed func(Reputation) Reputation

func lies(page uint64) deed  { return func(r Reputation) Reputation { return r.offended(page, false) } }
func ticks(page uint64) deed { return func(r Reputation) Reputation { return r.offended(page, true) } }
func agrees(onDay int64) deed {
	return func(r Reputation) Reputation { return r.agreed(moment.Seconds(onDay*day+7), 0) }
}

// agreesFor is one change a day for so many days.
func agreesFor(from, days int64) deed {
	return func(r Reputation) Reputation {
		for i := range days {
			r = r.agreed(moment.Seconds((from+i)*day), 0)
		}
		return r
	}
}

func TestReputationFallsAndRecoversWithWhatASourceDid(t *testing.T) {
	tests := []struct {
		name  string
		deeds []deed
		want  Distrust
	}{
		{"nothing known", nil, Distrust{}},
		{"agrees", []deed{agrees(1)}, Distrust{}},
		{"moves with the clock", []deed{ticks(1)}, Distrust{All: true, Clock: true}},
		{"lies on a page", []deed{lies(1)}, Distrust{}},
		{"lies on a page twice", []deed{lies(1), lies(1)}, Distrust{}},
		{"lies on a page thrice", []deed{lies(1), lies(1), lies(1)}, Distrust{All: true}},
		{"lies on two pages", []deed{lies(1), lies(2)}, Distrust{All: true}},
		{"lies on two pages, and agrees for long in between", []deed{lies(1), agreesFor(1, goodDays), lies(2)}, Distrust{}},
		{"lies on two pages, and agrees for a while in between", []deed{lies(1), agreesFor(1, goodDays-1), lies(2)}, Distrust{All: true}},
		{"lies, and then moves with the clock", []deed{lies(1), lies(2), ticks(3)}, Distrust{All: true, Clock: true}},
		{"is mended", []deed{ticks(1), agreesFor(1, goodDays)}, Distrust{UpTo: moment.Seconds(goodDays * day)}},
		{"is mended by what is merged late", []deed{ticks(1), agreesFor(1, goodDays-1), func(r Reputation) Reputation {
			return r.agreed(moment.Seconds(goodDays*day), moment.Seconds(goodDays*day+9))
		}},
			Distrust{UpTo: moment.Seconds(goodDays*day + 9)}},
		{"is nearly mended", []deed{ticks(1), agreesFor(1, goodDays-1)}, Distrust{All: true, Clock: true}},
		{"agrees often on one day", []deed{ticks(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1)},
			Distrust{All: true, Clock: true}},
		{"lies while it is being mended", []deed{ticks(1), agreesFor(1, goodDays-1), lies(1), agrees(20)}, Distrust{All: true, Clock: true}},
		{"falls again", []deed{ticks(1), agreesFor(1, goodDays), lies(1), lies(2), agreesFor(20, goodDays)}, Distrust{All: true, UpTo: moment.Seconds(goodDays * day)}},
		{"falls again, and is mended for twice as long", []deed{ticks(1), agreesFor(1, goodDays), lies(1), lies(2), agreesFor(20, 2*goodDays)},
			Distrust{UpTo: moment.Seconds((19 + 2*goodDays) * day)}},
		{"a clock that jumps ahead and back wins nothing", []deed{ticks(1), agreesFor(1, goodDays-2), agrees(5000), agrees(9)}, Distrust{All: true, Clock: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Reputation
			for _, d := range tt.deeds {
				r = d(r)
			}
			if r.distrust != tt.want {
				t.Errorf("%+v, want %+v", r.distrust, tt.want)
			}
		})
	}
}

// Trust cannot flap, however a source behaves.
func TestTrustDoesNotFlap(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var r Reputation
		flips, lyingDays := 0, 1+rnd.IntN(60)
		upTo := moment.Time(0)
		for today := range int64(3650) {
			before := r.distrust.All
			if rnd.IntN(lyingDays) == 0 {
				r = r.offended(1+rnd.Uint64N(3), rnd.IntN(2) == 0)
			} else {
				r = r.agreed(moment.Seconds(today*day), 0)
			}
			if r.distrust.All != before {
				flips++
			}
			if r.distrust.UpTo < upTo {
				t.Fatalf("seed %d: dates that were not believed are", seed)
			}
			upTo = r.distrust.UpTo
		}
		if flips > 18 {
			t.Errorf("seed %d: trust was lost and won %d times in ten years", seed, flips)
		}
	}
}

// TestEncodingOfReputationsStays pins the encoding.
func TestEncodingOfReputationsStays(t *testing.T) {
	var want Reputations
	want[Server] = Reputation{
		distrust: Distrust{All: true, Clock: true, UpTo: moment.Seconds(1700000000), Stamps: Stamps{stampOf(1690000000, 1690000060), stampOf(5, 6)}},
		falls:    2, good: 3, goodDay: 19000,
	}
	want[Page] = Reputation{suspect: 7, offences: 2, good: 1, goodDay: 19001}
	var later codec.Encoder
	later.Uint(99, 5)
	const golden = "0150015801600278038001f0a802880180a0abfef96292010680eadacb0c789201020a02b9010700000000000000c00102c80101d001f2a802980605eb5b4022"
	b := want.Encode(codec.Others(later.Seal(), 0))
	if got := hex.EncodeToString(b); got != golden {
		t.Errorf("encoding is\n%s, want\n%s", got, golden)
	}
	got, unread := ReadReputations(b)
	if got != want || string(got.Encode(unread)) != string(b) {
		t.Errorf("read %+v, want %+v, with the fields of a later version", got, want)
	}
}

// FuzzReputations reads stored reputations and adds reports to them.
func FuzzReputations(f *testing.F) {
	var rs Reputations
	rs[Server] = Reputation{distrust: Distrust{All: true, Stamps: Stamps{stampOf(1, 2)}}, falls: 1, suspect: 2, offences: 1, good: 1, goodDay: 1}
	f.Add(recordtest.FieldsOf(rs.Encode("")), int64(1_700_000_000_000))
	f.Fuzz(func(t *testing.T, fields []byte, unix int64) {
		rs, unread := ReadReputations(recordtest.Sealed(fields))
		if again, _ := ReadReputations(rs.Encode(unread)); again != rs {
			t.Errorf("%+v is read again as %+v", rs, again)
		}
		now := moment.Seconds(codec.Seconds(unix / 1000))
		for s := range rs {
			r := rs[s].agreed(now, now).offended(7, false).agreed(now+1000*day, now+1000*day)
			if r.falls < 0 || r.good < 0 || r.good > longestGood {
				t.Errorf("%+v becomes %+v", rs[s], r)
			}
		}
	})
}
