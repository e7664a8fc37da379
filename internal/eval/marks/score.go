package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// judged is what is known of the truth and of the dates of one page.
type judged struct {
	fetches []int64 // their times
	changes map[int64]bool
	unclear map[int64]bool
	last    int64 // true last change, 0 for none yet
	dated   []dates
}

// dates are those of one detector.
type dates struct {
	all map[int64]bool // that were published
	now int64
}

func newPage(detectors int) *judged {
	p := &judged{changes: map[int64]bool{}, unclear: map[int64]bool{}, dated: make([]dates, detectors)}
	for i := range p.dated {
		p.dated[i].all = map[int64]bool{}
	}
	return p
}

// note takes in the truth of a fetch.
func (p *judged) note(f *fetch) {
	p.fetches = append(p.fetches, f.Unix)
	switch f.Truth {
	case truthChange:
		p.changes[f.Unix], p.last = true, f.Unix
	case truthUnclear:
		p.unclear[f.Unix] = true
	}
}

// publish notes the date that a detector gives the page, and whether it is the
// true one.
func (p *judged) publish(detector int, date int64, t *tally) {
	d := &p.dated[detector]
	d.now = p.fetchOf(date)
	if d.now != 0 {
		d.all[d.now] = true
	}
	truth := p.last
	if p.unclear[d.now] {
		truth = max(truth, d.now)
	}
	t.Asked++
	if d.now == truth {
		t.Exact++
	}
}

// fetchOf returns the time of the fetch that a date stands for, 0 for none.
func (p *judged) fetchOf(date int64) int64 {
	i, _ := slices.BinarySearch(p.fetches, date)
	if i == 0 || i == len(p.fetches) {
		return 0
	}
	return p.fetches[i]
}

// count adds up the dates of a detector.
func (p *judged) count(detector int, t *tally) {
	d := p.dated[detector]
	for date := range d.all {
		switch {
		case p.unclear[date]:
		case p.changes[date]:
			t.Found++
		default:
			t.False++
		}
	}
	for date := range p.changes {
		if !d.all[date] {
			t.Missed++
		}
	}
}

// tally sums up a detector's doings on a site, or on all.
type tally struct {
	Detector string  `json:"detector"`
	Pages    int     `json:"pages"`
	Fetches  int     `json:"fetches"`
	Found    int     `json:"found"`
	False    int     `json:"false"`
	Missed   int     `json:"missed"`
	Asked    int     `json:"asked"`
	Exact    int     `json:"exact"`
	Micros   float64 `json:"microsPerLook"`
	Bytes    float64 `json:"bytesPerPage"`

	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	LastMod   float64 `json:"lastmod"`

	spent time.Duration
	bytes int
}

func (t *tally) add(u *tally) {
	t.Pages, t.Fetches = t.Pages+u.Pages, t.Fetches+u.Fetches
	t.Found, t.False, t.Missed = t.Found+u.Found, t.False+u.False, t.Missed+u.Missed
	t.Asked, t.Exact = t.Asked+u.Asked, t.Exact+u.Exact
	t.spent, t.bytes = t.spent+u.spent, t.bytes+u.bytes
}

// rate fills in what follows from the counts.
func (t *tally) rate() {
	t.Precision = share(t.Found, t.Found+t.False)
	t.Recall = share(t.Found, t.Found+t.Missed)
	if sum := t.Precision + t.Recall; sum > 0 {
		t.F1 = 2 * t.Precision * t.Recall / sum
	}
	t.LastMod = share(t.Exact, t.Asked)
	t.Micros = float64(t.spent.Microseconds()) / float64(max(t.Fetches, 1))
	t.Bytes = float64(t.bytes) / float64(max(t.Pages, 1))
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// report is the outcome, by site.
type report struct{ sites []siteReport }

type siteReport struct {
	Site      string  `json:"site"`
	Detectors []tally `json:"detectors"`
}

// summary is a report as JSON has it.
type summary struct {
	All   []tally      `json:"all"`
	Even  []tally      `json:"even"` // every second site by name, from the first
	Odd   []tally      `json:"odd"`
	Sites []siteReport `json:"sites"`
}

func (r *report) sum() summary {
	slices.SortFunc(r.sites, func(a, b siteReport) int {
		if a.Site < b.Site {
			return -1
		}
		return 1
	})
	s := summary{Sites: r.sites}
	for i := range r.sites {
		half := &s.Even
		if i%2 == 1 {
			half = &s.Odd
		}
		addAll(&s.All, r.sites[i].Detectors)
		addAll(half, r.sites[i].Detectors)
	}
	for _, list := range [][]tally{s.All, s.Even, s.Odd} {
		rateAll(list)
	}
	for i := range s.Sites {
		rateAll(s.Sites[i].Detectors)
	}
	return s
}

func addAll(to *[]tally, list []tally) {
	if *to == nil {
		*to = make([]tally, len(list))
	}
	for i := range list {
		(*to)[i].Detector = list[i].Detector
		(*to)[i].add(&list[i])
	}
}

func rateAll(list []tally) {
	for i := range list {
		list[i].rate()
	}
}

func (r *report) print(w io.Writer) {
	s := r.sum()
	for _, site := range s.Sites {
		printTable(w, site.Site, site.Detectors)
	}
	printTable(w, "every second site by name, from the first", s.Even)
	printTable(w, "the other sites", s.Odd)
	printTable(w, "all sites", s.All)
	if n := len(s.All); n > 0 {
		fmt.Fprintf(w, "ours: F1 %.2f lastmod %.2f\n", s.All[n-1].F1, s.All[n-1].LastMod)
	}
}

func printTable(w io.Writer, title string, list []tally) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "%s: %d pages, %d fetches, %d changes\n", title, list[0].Pages, list[0].Fetches, list[0].Found+list[0].Missed)
	fmt.Fprintf(w, "  %-28s %9s %6s %6s %7s %6s %6s %7s %8s %7s\n", "", "precision", "recall", "F1", "lastmod", "found", "false", "missed", "us/look", "bytes")
	for i := range list {
		t := &list[i]
		fmt.Fprintf(w, "  %-28s %9.2f %6.2f %6.2f %7.2f %6d %6d %7d %8.0f %7.0f\n",
			t.Detector, t.Precision, t.Recall, t.F1, t.LastMod, t.Found, t.False, t.Missed, t.Micros, t.Bytes)
	}
	fmt.Fprintln(w)
}
