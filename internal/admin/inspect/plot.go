package inspect

import (
	"math"
	"time"
)

// The pictures are SVG without a viewBox: widths are in percent, heights in pixels. So they
// fill any width, and their text keeps its size.

// barHeight is the height of the tallest bar in pixels.
const barHeight = 96

// bars are the changes of some days.
type bars struct {
	Bars  []bar
	Total int
}

// bar is one day. X and Middle are in percent.
type bar struct {
	X, Middle float64
	Top       int // pixels
	Label     int // where the number is, in pixels
	Total     int
	Pieces    []piece
	Weekday   string
}

// piece is the part of a bar that has one kind.
type piece struct {
	Kind      string
	Y, Height int
}

// barsOf lays out a week.
func barsOf(days []Day) (b bars) {
	most := 0 // changes of one day
	for _, d := range days {
		most = max(most, d.Added+d.Changed+d.Removed)
	}
	step := 100 / float64(max(len(days), 1))
	for n, d := range days {
		one := bar{X: (float64(n) + 0.18) * step, Middle: (float64(n) + 0.5) * step, Top: barHeight, Total: d.Added + d.Changed + d.Removed}
		if at, err := time.Parse(time.DateOnly, d.Date); err == nil {
			one.Weekday = at.Format("Mon")
		}
		for _, k := range []struct {
			kind string
			n    int
		}{{"changed", d.Changed}, {"added", d.Added}, {"removed", d.Removed}} {
			if k.n == 0 {
				continue
			}
			height := max(2, k.n*barHeight/most)
			one.Top -= height
			one.Pieces = append(one.Pieces, piece{k.kind, one.Top, height})
		}
		one.Label = one.Top + 16
		b.Total += one.Total
		b.Bars = append(b.Bars, one)
	}
	return b
}

// timeline says when a page was seen and changed, in percent of the line's length.
type timeline struct {
	Changes []float64 // the latest first
	Seen    float64   // the last observation
}

// lineOf lays out the time from the first observation of a page until now, nil if there was no
// observation.
func lineOf(first, last time.Time, changes []time.Time, now time.Time) *timeline {
	from := first
	for _, at := range changes {
		if at.Before(from) {
			from = at
		}
	}
	if first.IsZero() || !now.After(from) {
		return nil
	}
	x := func(t time.Time) float64 {
		share := float64(t.Sub(from)) / float64(now.Sub(from))
		return 1 + 98*min(1, max(0, share))
	}
	t := &timeline{Seen: x(last)}
	for _, at := range changes {
		t.Changes = append(t.Changes, x(at))
	}
	return t
}

// interval is how often a page changes, on a scale where each unit of time has about the
// same length. All values are in percent.
type interval struct {
	From, Likely, To, Width float64
	Ticks                   []tick
}

type tick struct {
	X    float64
	Name string
}

// The ends of the scale, in seconds.
const (
	shortest = 60.0
	longest  = 2 * 365.25 * 86400
)

// rangeOf lays out the interval between changes, nil if it is unknown.
func rangeOf(least, likely, most time.Duration) *interval {
	if likely <= 0 {
		return nil
	}
	at := func(d time.Duration) float64 {
		seconds := d.Seconds()
		x := math.Log(max(seconds, shortest)/shortest) / math.Log(longest/shortest)
		return 1 + 98*min(1, x)
	}
	r := &interval{From: at(least), Likely: at(likely), To: at(most)}
	r.Width = max(1, r.To-r.From)
	for _, t := range []struct {
		hours float64
		name  string
	}{{1, "hour"}, {24, "day"}, {7 * 24, "week"}, {30.44 * 24, "month"}, {365.25 * 24, "year"}} {
		r.Ticks = append(r.Ticks, tick{at(time.Duration(t.hours * float64(time.Hour))), t.name})
	}
	return r
}
