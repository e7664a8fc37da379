package inspect

import (
	"cmp"
	"slices"
	"time"
)

// The pictures are SVG without a viewBox: widths are in percent, heights in pixels. So they fill any width, and
// their text keeps its size.

const (
	plotDays   = 90 // at most
	plotLeast  = 7
	plotHeight = 84 // of the tallest bar, in pixels
	plotTop    = 16 // above it, for the number that it stands for
)

// plot is the picture of the last days.
type plot struct {
	Bars   []bar
	Days   int
	First  string // the first day on which pages were listed
	Listed int    // the most pages of a day
	Most   int    // events of a day that the picture shows
	Week   Day    // what happened in the last seven days
	Total  int    // what happened in all days
	Cut    bool   // a bar is cut
}

// bar is one day. X and Width are in percent.
type bar struct {
	Day
	X, Width float64
	Pages    []piece
	Pieces   []piece // of what happened
	Over     bool    // more happened than the picture shows
}

// piece is the part of a bar that has one kind.
type piece struct {
	Kind      string
	Y, Height int
}

const day = 24 * time.Hour

// spanned returns how many days the picture has: as many as the site is old.
func spanned(days []Day, now time.Time) int {
	for _, d := range days {
		if at, err := time.Parse(time.DateOnly, d.Date); err == nil && d.Listed+d.Events() > 0 {
			return max(plotLeast, min(plotDays, int(now.UTC().Sub(at)/day)+1))
		}
	}
	return plotLeast
}

// plotOf lays out the last days. A day of which nothing is stored has the pages of the day before it. A day with
// far more events than most is cut, so that the others can be seen beside it.
func plotOf(days []Day, now time.Time) (p plot) {
	known, most, totals := map[string]Day{}, 0, []int{}
	p.Days = spanned(days, now)
	first := now.UTC().Add(-time.Duration(p.Days-1) * day).Format(time.DateOnly)
	var before Day
	for _, d := range days {
		if known[d.Date] = d; d.Date < first {
			before = d
		}
	}
	for n := range p.Days {
		one := bar{X: float64(n) * 100 / float64(p.Days), Width: 76 / float64(p.Days)}
		date := now.UTC().Add(time.Duration(n-p.Days+1) * day).Format(time.DateOnly)
		d, is := known[date]
		if !is || d.Listed == 0 {
			d.Date, d.Listed, d.Dated = date, before.Listed, before.Dated
		}
		if before = d; d.Listed > 0 && p.First == "" {
			p.First = date
		}
		if one.Day = d; d.Events() > 0 {
			totals = append(totals, d.Events())
		}
		if n >= p.Days-7 {
			p.Week.Added, p.Week.Changed, p.Week.Removed = p.Week.Added+d.Added, p.Week.Changed+d.Changed,
				p.Week.Removed+d.Removed
		}
		p.Listed, p.Total = max(p.Listed, d.Listed), p.Total+d.Events()
		p.Bars = append(p.Bars, one)
	}
	if slices.Sort(totals); len(totals) > 0 {
		most = min(totals[len(totals)-1], max(4, 3*totals[len(totals)/2]))
	}
	p.Most = most
	for n := range p.Bars {
		b := &p.Bars[n]
		b.Over = b.Events() > most
		p.Cut = p.Cut || b.Over
		b.Pieces = stack(plotTop, plotHeight, most, b.Over, piece{Kind: "changed", Height: b.Changed},
			piece{Kind: "added", Height: b.Added}, piece{Kind: "removed", Height: b.Removed})
		b.Pages = stack(plotTop, plotHeight, p.Listed, false, piece{Kind: "dated", Height: b.Dated},
			piece{Kind: "undated", Height: max(0, b.Listed-b.Dated)})
	}
	return p
}

// Events returns how much happened.
func (d Day) Events() int { return d.Added + d.Changed + d.Removed }

// stack lays pieces on each other, from the ground up. Their heights come in as numbers of pages or events, and go out
// in pixels: a bar of most of them reaches up to top. over says that this bar has more, and is cut there.
func stack(top, height, most int, over bool, pieces ...piece) (drawn []piece) {
	sum, y := 0, top+height
	for _, p := range pieces {
		sum += p.Height
	}
	if over {
		most = sum
	}
	for _, p := range pieces {
		if p.Height == 0 {
			continue
		}
		p.Height = max(2, p.Height*height/cmp.Or(most, 1))
		y -= p.Height
		p.Y = max(top, y)
		drawn = append(drawn, p)
	}
	return drawn
}
