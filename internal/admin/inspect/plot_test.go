package inspect

import (
	"testing"
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
