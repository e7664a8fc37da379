package inspect

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/schema/sitewide"
)

func TestPlotShowsSmallDaysBesideTheFirst(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	p := plotOf([]Day{
		{"2026-06-01", sitewide.Day{Listed: 7}}, {"2026-11-01", sitewide.Day{Listed: 900, Dated: 600, Added: 900}},
		{"2026-11-19", sitewide.Day{Added: 3, Removed: 1}},
		{"2026-11-20", sitewide.Day{Listed: 902, Dated: 600, Changed: 5}}, {"2026-11-23",
			sitewide.Day{Listed: 902, Changed: 4}},
	}, now)
	of := func(date string) bar {
		for _, b := range p.Bars {
			if b.Date == date {
				return b
			}
		}
		t.Fatalf("no bar of %s", date)
		return bar{}
	}
	if len(p.Bars) != plotDays || p.Days != plotDays || p.Listed != 902 || p.Total != 913 ||
		p.Week.Day != (sitewide.Day{Added: 3, Changed: 9, Removed: 1}) {
		t.Errorf("%d days, %+v", len(p.Bars), p.Week)
	}
	if first := of("2026-11-01"); !first.Over || first.Pieces[0].Height != plotHeight {
		t.Errorf("the first day: %+v, want that it is cut", first)
	}
	if small := of("2026-11-19"); small.Over || len(small.Pieces) != 2 || small.Pieces[1].Height < 5 ||
		small.Listed != 900 {
		t.Errorf("a day with few changes: %+v, want that they can be seen, and the pages of the day before", small)
	}
	if old := of("2026-10-31"); old.Listed != 7 || len(old.Pieces) != 0 {
		t.Errorf("a day after one that is no longer shown: %+v", old)
	}
	if young := plotOf([]Day{{"2026-11-20", sitewide.Day{Listed: 7, Added: 7}},
		{"2026-11-23", sitewide.Day{Listed: 8, Added: 1}}}, now.Add(
		24*10*time.Hour)); young.Days != 14 || len(young.Bars) != 14 || young.First != "2026-11-20" {
		t.Errorf("a young site: %d days from %s, want as many as it is old", young.Days, young.First)
	}
	if empty := plotOf(nil, now); empty.Total != 0 || empty.Listed != 0 {
		t.Errorf("no days: %+v", empty)
	}
}

func TestNaturalOrder(t *testing.T) {
	for _, tt := range []struct{ a, b string }{
		{"/dept-2", "/dept-10"}, {"/dept-02", "/dept-10"}, {"/a", "/b"}, {"/a", "/a/b"}, {"/p2/x", "/p10/a"},
		{"/v1.9", "/v1.10"}, {"/12345678901234567890", "/22345678901234567890"},
	} {
		if natural(tt.a, tt.b) >= 0 || natural(tt.b, tt.a) <= 0 {
			t.Errorf("%s must come before %s", tt.a, tt.b)
		}
	}
}
