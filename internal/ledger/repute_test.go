package ledger

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/record"
)

// deed is what a look shows of a source.
type deed func(repute) repute

func lies(page uint64) deed   { return func(r repute) repute { return r.offended(page, false) } }
func ticks(page uint64) deed  { return func(r repute) repute { return r.offended(page, true) } }
func agrees(onDay int64) deed { return func(r repute) repute { return r.agreed(onDay*day+7, 0) } }

// agreesFor is a change a day for so many days.
func agreesFor(from, days int64) deed {
	return func(r repute) repute {
		for i := range days {
			r = r.agreed((from+i)*day, 0)
		}
		return r
	}
}

func TestRepute(t *testing.T) {
	tests := []struct {
		name  string
		deeds []deed
		want  part.Doubts
	}{
		{"nothing known", nil, part.Doubts{}},
		{"agrees", []deed{agrees(1)}, part.Doubts{}},
		{"moves with the clock", []deed{ticks(1)}, part.Doubts{All: true, Clock: true}},
		{"lies on a page", []deed{lies(1)}, part.Doubts{}},
		{"lies on a page twice", []deed{lies(1), lies(1)}, part.Doubts{}},
		{"lies on a page thrice", []deed{lies(1), lies(1), lies(1)}, part.Doubts{All: true}},
		{"lies on two pages", []deed{lies(1), lies(2)}, part.Doubts{All: true}},
		{"lies on two pages, and agrees for long in between", []deed{lies(1), agreesFor(1, goodDays), lies(2)}, part.Doubts{}},
		{"lies on two pages, and agrees for a while in between", []deed{lies(1), agreesFor(1, goodDays-1), lies(2)}, part.Doubts{All: true}},
		{"lies, and then moves with the clock", []deed{lies(1), lies(2), ticks(3)}, part.Doubts{All: true, Clock: true}},
		{"is mended", []deed{ticks(1), agreesFor(1, goodDays)}, part.Doubts{UpTo: goodDays * day}},
		{"is mended by what is merged late", []deed{ticks(1), agreesFor(1, goodDays-1), func(r repute) repute { return r.agreed(goodDays*day, goodDays*day+9) }},
			part.Doubts{UpTo: goodDays*day + 9}},
		{"is nearly mended", []deed{ticks(1), agreesFor(1, goodDays-1)}, part.Doubts{All: true, Clock: true}},
		{"agrees often on one day", []deed{ticks(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1), agrees(1)},
			part.Doubts{All: true, Clock: true}},
		{"lies while it is being mended", []deed{ticks(1), agreesFor(1, goodDays-1), lies(1), agrees(20)}, part.Doubts{All: true, Clock: true}},
		{"falls again", []deed{ticks(1), agreesFor(1, goodDays), lies(1), lies(2), agreesFor(20, goodDays)}, part.Doubts{All: true, UpTo: goodDays * day}},
		{"falls again, and is mended for twice as long", []deed{ticks(1), agreesFor(1, goodDays), lies(1), lies(2), agreesFor(20, 2*goodDays)},
			part.Doubts{UpTo: (19 + 2*goodDays) * day}},
		{"a clock that jumps ahead and back wins nothing", []deed{ticks(1), agreesFor(1, goodDays-2), agrees(5000), agrees(9)}, part.Doubts{All: true, Clock: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r repute
			for _, d := range tt.deeds {
				r = d(r)
			}
			if r.doubts != tt.want {
				t.Errorf("%+v, want %+v", r.doubts, tt.want)
			}
		})
	}
}

// However a source behaves, trust in it cannot flap.
func TestTrustDoesNotFlap(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var r repute
		flips, lyingDays := 0, 1+rnd.IntN(60)
		upTo := int64(0)
		for today := range int64(3650) {
			before := r.doubts.All
			if rnd.IntN(lyingDays) == 0 {
				r = r.offended(1+rnd.Uint64N(3), rnd.IntN(2) == 0)
			} else {
				r = r.agreed(today*day, 0)
			}
			if r.doubts.All != before {
				flips++
			}
			if r.doubts.UpTo < upTo {
				t.Fatalf("seed %d: dates that were not believed are", seed)
			}
			upTo = r.doubts.UpTo
		}
		if flips > 18 {
			t.Errorf("seed %d: trust was lost and won %d times in ten years", seed, flips)
		}
	}
}

// TestGoldenReputes pins the encoding.
func TestGoldenReputes(t *testing.T) {
	var want reputes
	want[part.Server] = repute{
		doubts: part.Doubts{All: true, Clock: true, UpTo: 1700000000, Stamps: part.Stamps{{From: 1690000000, To: 1690000060}, {From: 5, To: 6}}},
		falls:  2, good: 3, goodDay: 19000,
	}
	want[part.Page] = repute{suspect: 7, offences: 2, good: 1, goodDay: 19001}
	var later record.Encoder
	later.Uint(99, 5)
	const golden = "0108025801600278038001f0a802880180c49fd50c92010a80eadacb0cf8eadacb0c9201020a0cb9010700000000000000c00102c80101d001f2a802980605df30db47"
	b := want.encode(record.Others(later.Seal(), 0))
	if got := hex.EncodeToString(b); got != golden {
		t.Errorf("encoding is\n%s, want\n%s", got, golden)
	}
	got, unread := readReputes(b)
	if got != want || string(got.encode(unread)) != string(b) {
		t.Errorf("read %+v, want %+v, with the fields of a later version", got, want)
	}
	var first record.Encoder // as the first version wrote it
	first.Uint(1, uint64(part.Sources(0).With(part.Page)))
	if got, _ := readReputes(first.Seal()); got[part.Server].doubts.All || !got[part.Page].doubts.All {
		t.Errorf("read %+v of the first version's record", got)
	}
}
