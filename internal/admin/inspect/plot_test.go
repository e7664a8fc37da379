package inspect

import (
	"testing"
	"time"
)

func TestBarsShowSmallDaysBesideLargeOnes(t *testing.T) {
	b := barsOf([]Day{{Date: "2026-11-21", Added: 3, Removed: 1}, {Date: "2026-11-22"}, {Date: "2026-11-23", Changed: 1000}})
	if b.Total != 1004 || len(b.Bars) != 3 {
		t.Fatalf("%+v", b)
	}
	if first := b.Bars[0]; first.Weekday != "Sat" || len(first.Pieces) != 2 || first.Pieces[0].Height < 2 || first.Pieces[1].Height < 2 {
		t.Errorf("few changes beside many: %+v, want that each can be seen", first)
	}
	if none := b.Bars[1]; len(none.Pieces) != 0 || none.Total != 0 {
		t.Errorf("a day without changes: %+v", none)
	}
	if most := b.Bars[2]; most.Pieces[0].Height != barHeight || most.Top != 0 {
		t.Errorf("the day with most: %+v", most)
	}
	if empty := barsOf(nil); empty.Total != 0 {
		t.Errorf("no days: %+v", empty)
	}
}

func TestTimeLineShowsObservationsAndChanges(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	l := lineOf(now.Add(-10*time.Hour), now, []time.Time{now.Add(-time.Hour), now.Add(-5 * time.Hour), now.Add(time.Hour)}, now)
	if l == nil || len(l.Changes) != 3 || l.Changes[1] != 50 || l.Seen != 99 {
		t.Fatalf("%+v", l)
	}
	for _, x := range l.Changes {
		if x < 0 || x > 100 {
			t.Errorf("a mark at %v %%", x)
		}
	}
	if l := lineOf(time.Time{}, time.Time{}, nil, now); l != nil {
		t.Errorf("a page that was never seen: %+v", l)
	}
	if l := lineOf(now, now, nil, now); l != nil {
		t.Errorf("a page that was seen just now: %+v", l)
	}
}

func TestIntervalIsDrawnBetweenItsBounds(t *testing.T) {
	r := rangeOf(time.Second, 24*time.Hour, 100*365*24*time.Hour)
	if r.From != 1 || r.To != 99 || r.Likely <= r.From || r.Likely >= r.To {
		t.Errorf("%+v", r)
	}
	if r.Ticks[1].X != r.Likely {
		t.Errorf("a day is at %v, and the mark of a day at %v", r.Likely, r.Ticks[1].X)
	}
	if rangeOf(0, 0, 0) != nil {
		t.Error("an interval that is not known is shown")
	}
}
