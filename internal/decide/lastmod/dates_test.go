package lastmod

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/testkit/base"
)

const start = moment.Time(1_700_000_000_000)

// after is start plus d.
func after(d time.Duration) moment.Time { return start.Add(d) }

// observed merges observations of a page, one after the other, and fills in the fields that follow
// from their order.
func observed(d Dates, visits ...Observation) Dates {
	var before moment.Time
	for i, l := range visits {
		l.Before, l.First = before, i == 0
		if l.Outcome == mark.Changed && l.Since == 0 {
			l.Since = l.At
		}
		d, _ = d.Observe(l, Trust{})
		before = l.At
	}
	return d
}

func TestObservationsGiveTheDatesOfChanges(t *testing.T) {
	server := func(at moment.Time) Given[moment.Time] { return Given[moment.Time]{Server: at} }
	old := after(-30 * 24 * time.Hour)
	var isNew Dates // its link was seen two days before it
	isNew.Announce(after(-48 * time.Hour))
	isNew.FirstSeen(start)
	tests := []struct {
		name   string
		begin  Dates
		visits []Observation
		want   Date
	}{
		{"one observation", Dates{}, []Observation{{At: start}}, Date{}},
		{"a new page", isNew, []Observation{{At: start}}, Date{At: after(-48 * time.Hour), By: Link}},
		{"a new page, modified before the link was seen", isNew, []Observation{{At: start, Given: server(old)}},
			Date{At: old, By: Server}},
		{"a new page, modified since the link was seen", isNew, []Observation{{At: start, Given: server(after(-time.Hour))}},
			Date{At: after(-time.Hour), By: Server}},
		{"a new page, with the date of a clock", isNew, []Observation{{At: start, Given: server(start)}},
			Date{At: start, By: Link}},
		{"a change", Dates{}, []Observation{{At: start}, {At: after(time.Hour), Outcome: mark.Changed}},
			Date{At: after(time.Hour), Seen: true}},
		{"a change that an earlier observation showed", Dates{}, []Observation{
			{At: start},
			{At: after(time.Hour), Outcome: mark.Held, Holding: true},
			{At: after(2 * time.Hour), Outcome: mark.Changed, Since: after(time.Hour)},
		}, Date{At: after(time.Hour), Seen: true}},
		{"a change, dated by the server", Dates{}, []Observation{
			{At: start, Given: server(old)},
			{At: after(time.Hour), Outcome: mark.Changed, Given: server(after(30 * time.Minute))},
		}, Date{At: after(30 * time.Minute), By: Server, Seen: true}},
		{"a change that an earlier observation showed, dated by the server at that observation", Dates{}, []Observation{
			{At: start, Given: server(old)},
			{At: after(time.Hour), Outcome: mark.Held, Holding: true, Given: server(after(30 * time.Minute))},
			{At: after(2 * time.Hour), Outcome: mark.Changed, Since: after(time.Hour), Given: server(after(30 * time.Minute))},
		}, Date{At: after(30 * time.Minute), By: Server, Seen: true}},
		{"a given date", Dates{}, []Observation{{At: start, Given: server(old)}}, Date{At: old, By: Server}},
		{"a given date that moved without a change", Dates{}, []Observation{
			{At: start, Given: server(old)}, {At: after(time.Hour), Outcome: mark.Same, Given: server(after(time.Minute))},
		}, Date{At: old, By: Server}},
		{"two given dates", Dates{}, []Observation{{At: start, Given: Given[moment.Time]{Server: old,
			Page: old.Add(-time.Hour)}}}, Date{At: old.Add(-time.Hour), By: Page}},
		{"a given date that is an hour old at the second observation", Dates{},
			[]Observation{{At: start, Given: server(start)}, {At: after(time.Hour), Given: server(start)}},
			Date{At: start, By: Server}},
		{"a date that moved without a change before it was an hour old", Dates{},
			[]Observation{{At: start, Given: server(start)}, {At: after(9 * time.Hour), Outcome: mark.Same,
				Given: server(after(time.Hour))}}, Date{}},
		{"a given date of now", Dates{}, []Observation{{At: start, Given: server(start)}}, Date{}},
		{"a given date after now", Dates{}, []Observation{{At: start, Given: server(after(time.Hour))}}, Date{}},
		{"a change that a clock saw which was ahead", Dates{}, []Observation{
			{At: start}, {At: after(9000 * time.Hour), Outcome: mark.Changed}, {At: after(time.Hour), Outcome: mark.Same},
		}, Date{At: after(time.Hour), Seen: true}},
		{"a change after one that a clock saw which was ahead", Dates{}, []Observation{
			{At: start}, {At: after(9000 * time.Hour), Outcome: mark.Changed}, {At: after(time.Hour), Outcome: mark.Changed},
		}, Date{At: after(time.Hour), Seen: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := observed(tt.begin, tt.visits...).Date; got != tt.want {
				t.Errorf("%v, %+v, want %v, %+v", got.At.Time().UTC(), got, tt.want.At.Time().UTC(), tt.want)
			}
		})
	}
}

func TestASourceThatWasCaughtDatesNoChange(t *testing.T) {
	before := observed(Dates{}, Observation{At: start, Given: Given[moment.Time]{Server: after(-9 * time.Hour)}})
	l := Observation{At: after(time.Hour), Before: start, Outcome: mark.Changed, Since: after(time.Hour),
		Given: Given[moment.Time]{Server: after(30 * time.Minute)}}
	if d, _ := before.Observe(l, Trust{Server: {Caught: true}}); d.Date != (Date{At: after(time.Hour), Seen: true}) {
		t.Errorf("%+v, want the time of the observation", d.Date)
	}
}

// randomObservation is an observation some time after the last one. Its clock is right.
func randomObservation(rnd *rand.Rand, before moment.Time, holding bool) Observation {
	l := Observation{At: before.Add(time.Duration(1+rnd.IntN(200_000)) * time.Second), Before: before,
		Holding: holding && rnd.IntN(2) == 0}
	switch rnd.IntN(5) {
	case 0:
		l.Outcome, l.Since = mark.Changed, l.At
	case 1:
		l.Outcome, l.Holding = mark.Held, true
	case 2:
		l.Outcome = mark.Variant
	default:
		l.Outcome = mark.Same
	}
	for _, s := range givers {
		if rnd.IntN(2) == 0 {
			l.Given[s] = l.At.Add(-time.Duration(rnd.IntN(400_000)) * time.Second)
		}
	}
	return l
}

// Whatever observations show and sources give, a lastmod never goes back while its sources are
// believed.
func TestLastModNeverGoesBack(t *testing.T) {
	for seed := range uint64(5000) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		var d Dates
		if rnd.IntN(2) == 0 {
			d.Announce(start.Add(-time.Duration(rnd.IntN(400_000)) * time.Second))
			d.FirstSeen(start)
		}
		at, holding, told, given := start, false, moment.Time(0), Given[moment.Time]{}
		for i := range 12 {
			l := randomObservation(rnd, at, holding)
			switch {
			case i == 0:
				l = Observation{At: start, First: true, Given: l.Given}
			case rnd.IntN(3) == 0:
				l.Given = given // they did not move
			}
			if held := d.Maybe.At; held != 0 && l.Outcome == mark.Changed && rnd.IntN(2) == 0 {
				l.Since = held
			}
			d, _ = d.Observe(l, Trust{})
			at, holding, given = l.At, l.Holding, l.Given
			switch last := d.Date.LastMod(Trust{}, at); {
			case last > at:
				t.Fatalf("seed %d, observation %d: lastmod %v is after the observation at %v", seed, i, last, at)
			case last != 0 && last < told:
				t.Fatalf("seed %d, observation %d: lastmod goes back from %v to %v: %+v", seed, i, told.Time(), last.Time(), d)
			case last != 0:
				told = last
			}
		}
	}
}

func TestObservationJudgesTheDateThatASourceGave(t *testing.T) {
	tests := []struct {
		name    string
		d       step
		outcome mark.Outcome
		want    verdict
	}{
		{"first", step{new: moment.Seconds(50), at: moment.Seconds(100)}, mark.First, plain},
		{"moved, nothing changed", step{old: moment.Seconds(50), new: moment.Seconds(65), at: moment.Seconds(100),
			before: moment.Seconds(90)}, mark.Same, lied},
		{"moved to between the observations", step{old: moment.Seconds(50), new: moment.Seconds(95), at: moment.Seconds(100),
			before: moment.Seconds(90)}, mark.Changed, agreed},
		{"moved to before the last observation", step{old: moment.Seconds(50), new: moment.Seconds(90),
			at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Changed, plain},
		{"a variant with another date", step{old: moment.Seconds(50), new: moment.Seconds(65), at: moment.Seconds(100),
			before: moment.Seconds(90)}, mark.Variant, plain},
		{"a variant, and the clock's twice", step{old: moment.Seconds(90), new: moment.Seconds(100), at: moment.Seconds(100),
			before: moment.Seconds(90)}, mark.Variant, ticked},
		{"changed, and the clock's twice", step{old: moment.Seconds(90), new: moment.Seconds(100), at: moment.Seconds(100),
			before: moment.Seconds(90)}, mark.Changed, agreed},
		{"an hour behind the clock", step{old: moment.Seconds(1000), new: moment.Seconds(1100), at: moment.Seconds(4700),
			before: moment.Seconds(4600)}, mark.Same, ticked},
		{"as far as the clock, by chance at observations close together", step{old: moment.Seconds(50),
			new: moment.Seconds(53), at: moment.Seconds(100), before: moment.Seconds(97)}, mark.Same, lied},
		{"held, moved to between the observations", step{old: moment.Seconds(50), new: moment.Seconds(95),
			at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Held, agreed},
		{"the observation before was not one", step{old: moment.Seconds(50), new: moment.Seconds(95),
			at: moment.Seconds(100)}, mark.Same, plain},
		{"the date before was that of a clock that was ahead", step{old: moment.Seconds(500), new: moment.Seconds(95),
			at: moment.Seconds(100), before: moment.Seconds(90)}, mark.Same, plain},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base.Equal(t, tt.d.judge(tt.outcome), tt.want, "verdict")
		})
	}
}

func TestPageProvesToBeNewAfterItWasSeen(t *testing.T) {
	since, first, now := start, after(time.Hour), after(2*time.Hour)
	given := Date{At: after(-time.Hour), By: Page}
	for _, tt := range []struct {
		name  string
		d     Dates
		first moment.Time // observation
		want  Date
	}{
		{"the first sight of the link", Dates{}, first, Date{At: since, By: Link}},
		{"a source gives a later date than the link", Dates{Last: Given[moment.Time]{Server: first}}, first,
			Date{At: first, By: Link}},
		{"a source gives an earlier date than the link", Dates{Last: Given[moment.Time]{Page: given.At}}, first, given},
		{"seen before the link", Dates{}, after(-time.Hour), Date{}},
		{"the clock was ahead", Dates{}, after(9 * time.Hour), Date{}},
		{"it has a given date", Dates{Date: given}, first, given},
	} {
		d := tt.d
		if changed := d.AnnouncedLate(tt.first, since, now, Trust{}); d.Date != tt.want || changed != (d != tt.d) {
			t.Errorf("%s: %+v, %v, want %+v", tt.name, d.Date, changed, tt.want)
		}
	}
}

// A small change is held, a greater one is dated, and then the small one turns out to be one, too.
func TestSeenDateStaysWhenAnOlderChangeIsBelieved(t *testing.T) {
	start := moment.Seconds(1_700_000_000)
	at := func(hours int) moment.Time { return start.Add(time.Duration(hours) * time.Hour) }
	var d Dates
	for _, l := range []Observation{
		{At: at(0), First: true},
		{At: at(1), Before: at(0), Outcome: mark.Held, Holding: true},
		{At: at(2), Before: at(1), Outcome: mark.Changed, Since: at(2), Holding: true},
		{At: at(3), Before: at(2), Outcome: mark.Changed, Since: at(1)},
	} {
		d, _ = d.Observe(l, Trust{})
	}
	if d.Date != (Date{At: at(2), Seen: true}) || d.Count != 1 {
		t.Errorf("the date is %v after %d changes, want that of the last change that was seen", d.Date, d.Count)
	}
}
