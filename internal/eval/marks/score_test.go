package marks

import (
	"fmt"
	"io"
	"slices"

	"github.com/servemap/servemap/internal/eval/kit"
)

// judged has the truth and the published dates of one page.
type judged struct {
	fetches []int64 // their times
	changes map[int64]bool
	unclear map[int64]bool
	last    int64 // true last change, 0 for none yet
	dated   []dates
}

// dates are the dates of one detector.
type dates struct {
	all map[int64]bool // all published dates
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
	t.asked++
	t.exact += kit.One(d.now == truth)
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
			t.found++
		default:
			t.wrong++
		}
	}
	for date := range p.changes {
		t.missed += kit.One(!d.all[date])
	}
}

// tally sums up a detector's results on one site, or on all sites.
type tally struct {
	detector             string
	pages, fetches       int
	found, wrong, missed int // changes
	asked, exact         int // dates
	bytes                int
}

func (t *tally) add(u *tally) {
	t.detector = u.detector
	t.pages, t.fetches = t.pages+u.pages, t.fetches+u.fetches
	t.found, t.wrong, t.missed = t.found+u.found, t.wrong+u.wrong, t.missed+u.missed
	t.asked, t.exact = t.asked+u.asked, t.exact+u.exact
	t.bytes += u.bytes
}

func (t *tally) lastMod() float64 { return kit.Share(t.exact, t.asked) }

// f1 is the harmonic mean of the share of right ones among those found, and of those found among all.
func (t *tally) f1() float64 { return kit.Share(2*t.found, 2*t.found+t.wrong+t.missed) }

// report is what each detector found on all sites.
type report []tally

// add adds a site.
func (r *report) add(site []tally) {
	if *r == nil {
		*r = make(report, len(site))
	}
	for i := range site {
		(*r)[i].add(&site[i])
	}
}

func printTable(w io.Writer, title string, list report) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "%s: %d pages, %d fetches, %d changes\n", title, list[0].pages, list[0].fetches,
		list[0].found+list[0].missed)
	fmt.Fprintf(w, "  %-28s %6s %7s %6s %6s %7s\n", "", "F1", "lastmod", "found", "false", "missed")
	for i := range list {
		t := &list[i]
		fmt.Fprintf(w, "  %-28s %6.3f %7.3f %6d %6d %7d\n", t.detector, t.f1(), t.lastMod(), t.found, t.wrong, t.missed)
	}
	fmt.Fprintf(w, "  ours keeps %.0f bytes a page for this\n", kit.Share(list[len(baselines)].bytes, list[0].pages))
	fmt.Fprintln(w)
}
