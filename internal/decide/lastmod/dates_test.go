package lastmod

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
)

const start = moment.Time(1_700_000_000_000)

// after is start plus d.
func after(d time.Duration) moment.Time { return start.Add(d) }

// looked merges looks at a page, one after the other, and fills in the fields that follow
// from their order.
func looked(d Dates, looks ...Look) Dates {
	var before moment.Time
	for i, l := range looks {
		l.Before, l.First = before, i == 0
		if l.Outcome == mark.Changed && l.Since == 0 {
			l.Since = l.At
		}
		d, _ = d.Look(l, Trust{})
		before = l.At
	}
	return d
}

func TestLooksGiveTheDatesOfChanges(t *testing.T) {
	server := func(at moment.Time) Given[moment.Time] { return Given[moment.Time]{Server: at} }
	old := after(-30 * 24 * time.Hour)
	var isNew Dates // its link was seen two days before it
	isNew.Announce(after(-48 * time.Hour))
	isNew.FirstSeen(start)
	tests := []struct {
		name  string
		begin Dates
		looks []Look
		want  moment.Time
		by    Basis
	}{
		{"one look", Dates{}, []Look{{At: start}}, 0, Nothing},
		{"a new page", isNew, []Look{{At: start}}, after(-48 * time.Hour), ByFresh},
		{"a new page, modified before the link was seen", isNew, []Look{{At: start, Given: server(old)}}, old, ByGiven},
		{"a new page, modified since the link was seen", isNew, []Look{{At: start, Given: server(after(-time.Hour))}}, after(-time.Hour), ByGiven},
		{"a new page, with the date of a clock", isNew, []Look{{At: start, Given: server(start)}}, start, ByFresh},
		{"a change", Dates{}, []Look{{At: start}, {At: after(time.Hour), Outcome: mark.Changed}}, after(time.Hour), BySeen},
		{"a change that an earlier look showed", Dates{}, []Look{
			{At: start},
			{At: after(time.Hour), Outcome: mark.Held, Holding: true},
			{At: after(2 * time.Hour), Outcome: mark.Changed, Since: after(time.Hour)},
		}, after(time.Hour), BySeen},
		{"a change, dated by the server", Dates{}, []Look{
			{At: start, Given: server(old)},
			{At: after(time.Hour), Outcome: mark.Changed, Given: server(after(30 * time.Minute))},
		}, after(30 * time.Minute), ByExact},
		{"a change that an earlier look showed, dated by the server at that look", Dates{}, []Look{
			{At: start, Given: server(old)},
			{At: after(time.Hour), Outcome: mark.Held, Holding: true, Given: server(after(30 * time.Minute))},
			{At: after(2 * time.Hour), Outcome: mark.Changed, Since: after(time.Hour), Given: server(after(30 * time.Minute))},
		}, after(30 * time.Minute), ByExact},
		{"a change in a look that is taken for an error, with a date that stays", Dates{}, []Look{
			{At: start, Given: server(old)},
			{At: after(time.Hour), Outcome: mark.Variant, Odd: true, Given: server(after(30 * time.Minute))},
			{At: after(25 * time.Hour), Outcome: mark.Variant, Odd: true, Given: server(after(30 * time.Minute))},
		}, after(30 * time.Minute), ByExact},
		{"the same, but it has not lasted for a day", Dates{}, []Look{
			{At: start, Given: server(old)},
			{At: after(time.Hour), Outcome: mark.Variant, Odd: true, Given: server(after(30 * time.Minute))},
			{At: after(24 * time.Hour), Outcome: mark.Variant, Odd: true, Given: server(after(30 * time.Minute))},
		}, old, ByGiven},
		{"the same, but the date moves on", Dates{}, []Look{
			{At: start, Given: server(old)},
			{At: after(time.Hour), Outcome: mark.Variant, Odd: true, Given: server(after(30 * time.Minute))},
			{At: after(25 * time.Hour), Outcome: mark.Variant, Odd: true, Given: server(after(2 * time.Hour))},
		}, old, ByGiven},
		{"the same, but the page was back in between", Dates{}, []Look{
			{At: start, Given: server(old)},
			{At: after(time.Hour), Outcome: mark.Variant, Odd: true, Given: server(after(30 * time.Minute))},
			{At: after(2 * time.Hour), Outcome: mark.Variant, Given: server(old)},
			{At: after(25 * time.Hour), Outcome: mark.Variant, Odd: true, Given: server(after(30 * time.Minute))},
		}, old, ByGiven},
		{"an error with an older date", Dates{}, []Look{
			{At: start, Given: server(old)},
			{At: after(time.Hour), Outcome: mark.Variant, Odd: true, Given: server(after(-24 * time.Hour))},
			{At: after(25 * time.Hour), Outcome: mark.Variant, Odd: true, Given: server(after(-24 * time.Hour))},
		}, old, ByGiven},
		{"a given date", Dates{}, []Look{{At: start, Given: server(old)}}, old, ByGiven},
		{"a given date that moved without a change", Dates{}, []Look{
			{At: start, Given: server(old)}, {At: after(time.Hour), Outcome: mark.Same, Given: server(after(time.Minute))},
		}, old, ByGiven},
		{"a given date of now", Dates{}, []Look{{At: start, Given: server(start)}}, 0, Nothing},
		{"a given date after now", Dates{}, []Look{{At: start, Given: server(after(time.Hour))}}, 0, Nothing},
		{"a change that a clock saw which was ahead", Dates{}, []Look{
			{At: start}, {At: after(9000 * time.Hour), Outcome: mark.Changed}, {At: after(time.Hour), Outcome: mark.Same},
		}, after(time.Hour), BySeen},
		{"a change after one that a clock saw which was ahead", Dates{}, []Look{
			{At: start}, {At: after(9000 * time.Hour), Outcome: mark.Changed}, {At: after(time.Hour), Outcome: mark.Changed},
		}, after(time.Hour), BySeen},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := looked(tt.begin, tt.looks...).Candidates()
			if at, by, _ := c.Decide(Trust{}, after(48*time.Hour)); at != tt.want || by != tt.by {
				t.Errorf("lastmod %v by %d, want %v by %d", at.Time().UTC(), by, tt.want.Time().UTC(), tt.by)
			}
		})
	}
}

// randomLook is a look some time after the last one. Its clock is right.
func randomLook(rnd *rand.Rand, before moment.Time, holding bool) Look {
	l := Look{At: before.Add(time.Duration(1+rnd.IntN(200_000)) * time.Second), Before: before, Holding: holding && rnd.IntN(2) == 0}
	switch rnd.IntN(5) {
	case 0:
		l.Outcome, l.Since = mark.Changed, l.At
	case 1:
		l.Outcome, l.Holding = mark.Held, true
	case 2:
		l.Outcome, l.Odd = mark.Variant, rnd.IntN(2) == 0
	default:
		l.Outcome = mark.Same
	}
	for s := Server; s < sources; s++ {
		if rnd.IntN(2) == 0 {
			l.Given[s] = l.At.Add(-time.Duration(rnd.IntN(400_000)) * time.Second)
		}
	}
	return l
}

// Whatever looks show and sources give, a lastmod never goes back while its sources are
// believed.
func TestLastModNeverGoesBack(t *testing.T) {
	rewritten := 0
	for seed := range uint64(5000) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		var d Dates
		if rnd.IntN(2) == 0 {
			d.Announce(start.Add(-time.Duration(rnd.IntN(400_000)) * time.Second))
			d.FirstSeen(start)
		}
		at, holding, told, given, found := start, false, moment.Time(0), Given[moment.Time]{}, Finding{}
		for i := range 12 {
			l := randomLook(rnd, at, holding)
			switch {
			case i == 0:
				l = Look{At: start, First: true, Given: l.Given}
			case rnd.IntN(3) == 0:
				l.Given = given // they did not move
			}
			d, found = d.Look(l, Trust{})
			if at, holding, given = l.At, l.Holding && !found.Rewritten, l.Given; found.Rewritten {
				rewritten++
			}
			c := d.Candidates()
			switch last := c.LastMod(Trust{}, at); {
			case last > at:
				t.Fatalf("seed %d, look %d: lastmod %v is after the look at %v", seed, i, last, at)
			case last != 0 && last < told:
				t.Fatalf("seed %d, look %d: lastmod goes back from %v to %v: %+v", seed, i, told.Time(), last.Time(), d)
			case last != 0:
				told = last
			}
		}
	}
	if rewritten < 20 {
		t.Errorf("%d pages were rewritten, too few to tell anything", rewritten)
	}
}

// Once a date is published that moved with a change, it stays until the next change, even
// if its source loses trust, and whatever the source gives then.
func TestDateOfAChangeStaysWhenItsSourceLosesTrust(t *testing.T) {
	kept := 0
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		var d Dates
		var rs Reputations
		var f Finding
		at, holding, seen, right := start, false, uint64(0), moment.Time(0)
		for i := range 12 {
			l := randomLook(rnd, at, holding)
			if i == 0 {
				l = Look{At: start, First: true, Given: l.Given}
			}
			d, f = d.Look(l, rs.Trust())
			at, holding = l.At, l.Holding && !f.Rewritten
			for _, r := range f.Reports {
				rs.Take(r, 1, at)
			}
			if d.Changes() != seen {
				seen, right = d.Changes(), 0
			}
			if rnd.IntN(4) == 0 { // another page shows that a source is wrong
				rs.Take(Report{Source: Server + Source(rnd.IntN(2)), Verdict: Ticked, At: at}, 2, at)
			}
			trust := rs.Trust()
			last, by, source := d.Candidates().Decide(trust, at)
			switch {
			case right != 0 && (last != right || by != ByExact):
				t.Fatalf("seed %d, look %d: %v by %d, want still %v: %+v with %+v", seed, i, last.Time(), by, right.Time(), d, trust)
			case right != 0 && trust[source].All:
				kept++
			case by == ByExact:
				right = last
			}
		}
	}
	if kept < 300 {
		t.Errorf("%d looks came after a loss of trust, too few to tell anything", kept)
	}
}

func (d *Dates) fieldsFrom10(f *codec.Fields) { d.Fields(f, 10) }

func encoded(d Dates) []byte {
	var e codec.Encoder
	e.Add(d.fieldsFrom10)
	return e.Seal()
}

func decoded(t *testing.T, b []byte) (d Dates) {
	t.Helper()
	if unread, err := codec.Read(b, codec.Into(d.fieldsFrom10)); err != nil || unread != "" {
		t.Errorf("fields %x are not known, %v", unread, err)
	}
	return d
}

// TestEncodingOfDatesStays pins the encoding.
func TestEncodingOfDatesStays(t *testing.T) {
	d := Dates{
		seen: 7, changed: after(time.Hour), unchanged: after(time.Minute), exact: after(30 * time.Minute), exactBy: Server,
		before: [earlierKept]moment.Time{start, after(-time.Hour)}, announced: after(-time.Minute), fresh: after(-2 * time.Hour),
		given: Given[given]{
			Server: {last: after(30 * time.Minute), young: true},
			Page:   {last: after(time.Second), kept: after(-time.Second), moved: true},
		},
		undecided: heldLook{at: after(time.Hour), before: start, by: Page, variety: 0x1234},
	}
	const golden = "01500758a0fc9fd50c6090e09fd50c68017205a737779f387888c39fd50c8001c0d39ed50c880190e09fd50ca00101a80182c49fd50cb001fec39fd50cb80101c801a0fc9fd50cd00180c49fd50ce00102e801b4245294eda3"
	b := encoded(d)
	if got := hex.EncodeToString(b); got != golden {
		t.Errorf("encoding is\n%s, want\n%s", got, golden)
	}
	if got := decoded(t, b); got != d {
		t.Errorf("decoded %+v, want %+v", got, d)
	}
}

func TestLookJudgesTheDateThatASourceGave(t *testing.T) {
	tests := []struct {
		name    string
		d       step
		outcome mark.Outcome
		want    Verdict
	}{
		{"first", step{new: moment.Seconds(50), at: moment.Seconds(100)}, mark.First, Plain},
		{"still the same", step{old: moment.Seconds(50), new: moment.Seconds(50), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Same, Plain},
		{"moved, nothing changed", step{old: moment.Seconds(50), new: moment.Seconds(65), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Same, Lied},
		{"moved back, nothing changed", step{old: moment.Seconds(50), new: moment.Seconds(40), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Same, Lied},
		{"moved to between the looks", step{old: moment.Seconds(50), new: moment.Seconds(95), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Changed, Agreed},
		{"moved to this moment", step{old: moment.Seconds(50), new: moment.Seconds(100), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Changed, Agreed},
		{"moved to before the last look", step{old: moment.Seconds(50), new: moment.Seconds(90), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Changed, Plain},
		{"a variant with another date", step{old: moment.Seconds(50), new: moment.Seconds(65), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Variant, Plain},
		{"a variant, and the clock's twice", step{old: moment.Seconds(90), new: moment.Seconds(100), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Variant, Ticked},
		{"changed, and the clock's twice", step{old: moment.Seconds(90), new: moment.Seconds(100), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Changed, Agreed},
		{"the clock's twice, soon", step{old: moment.Seconds(99), new: moment.Seconds(100), at: moment.Seconds(101), before: moment.Seconds(99)}, mark.Same, Ticked},
		{"an hour behind the clock", step{old: moment.Seconds(1000), new: moment.Seconds(1100), at: moment.Seconds(4700), before: moment.Seconds(4600)}, mark.Same, Ticked},
		{"as far as the clock, by chance at looks close together", step{old: moment.Seconds(50), new: moment.Seconds(53), at: moment.Seconds(100), before: moment.Seconds(97)}, mark.Same, Lied},
		{"held, moved to between the looks", step{old: moment.Seconds(50), new: moment.Seconds(95), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Held, Agreed},
		{"moving", step{old: moment.Seconds(50), new: moment.Seconds(95), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Moving, Plain},
		{"the look before was not one", step{old: moment.Seconds(50), new: moment.Seconds(95), at: moment.Seconds(100)}, mark.Same, Plain},
		{"the date before was that of a clock that was ahead", step{old: moment.Seconds(500), new: moment.Seconds(95), at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Same, Plain},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.d.judge(tt.outcome, false); got != tt.want {
				t.Errorf("verdict %d, want %d", got, tt.want)
			}
		})
	}
}

// No lastmod goes back because the page proves to be new. That holds whatever dates were
// given before, and whichever of them are believed now or later.
func TestAnnouncementOfAPageTakesNoDateBack(t *testing.T) {
	const now = moment.Time(100_000_000)
	rnd := rand.New(rand.NewPCG(1, 2))
	times := func() moment.Time {
		return moment.Seconds([]int64{0, 10, 4000, 4999, 5000, 5001, 5002, 6000, now.Seconds() - 10}[rnd.IntN(9)])
	}
	var none, server, both Trust
	server[Server].All = true
	both[Server].All, both[Page].All = true, true
	became := 0
	for range 20_000 {
		var d Dates
		for s := Server; s <= Page; s++ {
			d.given[s] = given{last: times(), young: rnd.IntN(3) == 0}
			if rnd.IntN(3) == 0 {
				d.given[s].moved, d.given[s].kept = true, times()
			}
		}
		if rnd.IntN(8) == 0 {
			d.changed, d.seen = moment.Seconds(7000), 1
		}
		before, first := d, moment.Seconds(5000)
		if !d.AnnouncedLate(first, moment.Seconds(4000), now) {
			if d != before {
				t.Fatalf("%+v did not become new, and is %+v", before, d)
			}
			continue
		}
		became++
		last := moment.Time(0)
		for _, trust := range []Trust{none, server, both} { // belief is only ever lost
			was, is := before.Candidates().LastMod(trust, now), d.Candidates().LastMod(trust, now)
			if is < was || is < last || is == 0 || is > first {
				t.Fatalf("lastmod %d was %d, and %d while more was believed, of %+v", is, was, last, before)
			}
			last = is
		}
	}
	if became < 1000 {
		t.Errorf("%d pages became new, too few to tell anything", became)
	}
}

// FuzzDates reads stored dates and merges looks into them.
func FuzzDates(f *testing.F) {
	fields := func(d Dates) []byte { return recordtest.FieldsOf(encoded(d)) }
	f.Add(fields(Dates{}), int64(start), int64(3600))
	f.Add(fields(looked(Dates{}, Look{At: start}, Look{At: after(time.Hour), Outcome: mark.Changed})), int64(start), int64(60))
	f.Fuzz(func(t *testing.T, fields []byte, unix, gap int64) {
		var d Dates
		if _, err := codec.Read(recordtest.Sealed(fields), codec.Into(d.fieldsFrom10)); err != nil {
			return
		}
		if again := decoded(t, encoded(d)); string(encoded(again)) != string(encoded(d)) {
			t.Fatalf("%+v is read again as %+v", d, again)
		}
		at := moment.Seconds(codec.Seconds(unix))
		rnd := rand.New(rand.NewPCG(uint64(unix), uint64(gap)))
		for range 4 {
			l := randomLook(rnd, at, true)
			before := d.Candidates()
			d, _ = d.Look(l, Trust{})
			after := d.Candidates().LastMod(Trust{}, l.At)
			if after > l.At && after > 0 {
				t.Errorf("dated %d at %d", after, l.At)
			}
			if was := before.LastMod(Trust{}, l.At); before.Changed > 0 && was > after && after > 0 {
				t.Errorf("the date goes back from %d to %d at %d", was, after, l.At)
			}
			d.History()
			at = l.At
		}
	})
}
