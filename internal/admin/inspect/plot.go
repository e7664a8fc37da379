package inspect

import "time"

// The picture is SVG without a viewBox: widths are in percent, heights in pixels. So it fills
// any width, and its text keeps its size.

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
