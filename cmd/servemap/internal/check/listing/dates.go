package listing

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/words"
)

// Date is a lastmod that was read.
type Date struct {
	At   time.Time     // zero for none
	Span time.Duration // that it means: a day, a month or a year, 0 for a moment
}

// String says it as a report does.
func (d Date) String() string {
	if d.Span > 0 {
		return d.At.Format("2 Jan 2006")
	}
	return d.At.UTC().Format("2 Jan 2006, 15:04 UTC")
}

// layouts are the forms of W3C Datetime, the longest first.
var layouts = []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"}

var spans = map[string]time.Duration{time.DateOnly: day, "2006-01": 31 * day, "2006": 366 * day}

const day = 24 * time.Hour

// ParseDate reads a date in a form of the protocol.
func ParseDate(text string) (d Date, ok bool) {
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return Date{At: at, Span: spans[layout]}, true
		}
	}
	return d, false
}

// noDate says why a text is no date of the protocol, "" if it is one.
func noDate(text string) string {
	if _, ok := ParseDate(text); ok {
		return ""
	}
	for _, layout := range layouts {
		none := (*time.ParseError)(nil)
		if _, err := time.Parse(layout, text); !errors.As(err, &none) {
			continue
		} else if what, is := strings.CutSuffix(none.Message, " out of range"); is {
			return "there is no such " + strings.TrimPrefix(what, ": ")
		}
	}
	if len(text) == len("2006-01-02T15:04:05") && text[10] == 'T' {
		return "it has no time zone; write it as 2026-11-01T08:00:00+01:00"
	}
	return "it must be as 2026-11-01 or 2026-11-01T08:00:00Z"
}

// date checks the lastmod of an entry, and returns it if it is one.
func (r *reader) date(n *sitemap.Node, e Entry) Date {
	if len(n.All(r.root.Space, "lastmod")) == 0 {
		return Date{}
	}
	text := n.First(r.root.Space, "lastmod")
	d, ok := ParseDate(text)
	ahead := time.Hour
	if d.Span > 0 {
		ahead = 14 * time.Hour // it may be tomorrow there
	}
	switch {
	case text == "":
		r.misdated(e, "lastmod", "has an empty lastmod")
	case !ok:
		r.misdated(e, "lastmod", "has the lastmod %q; %s", text, noDate(text))
	case d.At.After(r.Now.Add(ahead)):
		r.misdated(e, "future", "has the lastmod %s, which lies in the future", d)
	case d.At.Year() < 1990:
		r.misdated(e, "ancient", "has the lastmod %s, which is older than the web", d)
	default:
		return d
	}
	return Date{}
}

// misdated tells of a wrong date. Of an index, whose dates are one program's, it tells the first of each kind: they
// hide no page.
func (r *reader) misdated(e Entry, kind, text string, args ...any) {
	if r.form == sitemap.Index {
		if r.misdates[kind] {
			return
		}
		r.misdates[kind] = true
		text += "; perhaps others of this index have such a date too"
	}
	r.tell(e, kind, text, args...)
}

// How many pages must have a lastmod before it is told that they share one, within which time dates are those of one
// build, and how far dates that are the time of a request may differ from that.
const (
	fewDates = 10
	oneBuild = time.Hour
	oneClock = 2 * time.Second
)

// Dates says whether the pages that are listed, or those of one file, share one date.
func (j *Judge) Dates(sitemap string) {
	if all := len(j.Pages); all >= fewDates && j.Undated >= all &&
		!slices.ContainsFunc(j.Pages, func(e Entry) bool { return !e.Date.At.IsZero() }) {
		j.To.Add("dates-none", report.At{Where: sitemap}, "gives no lastmod for any of its %s pages", words.Number(all))
		return
	}
	var all []Date
	var parts []share
	names, files := j.byFile()
	for _, name := range names {
		dates := []Date{}
		for _, e := range files[name] {
			dates = append(dates, e.Date)
		}
		all, parts = append(all, dates...), append(parts, shareOf(name, dates))
	}
	var shared []share
	for _, p := range parts {
		if j.isBuild(p, parts) {
			shared = append(shared, p)
		}
	}
	switch whole := shareOf(sitemap, all); {
	case whole.kind == "" || whole.kind == "dates-half" && len(shared) > 0:
	case slices.ContainsFunc(parts, func(p share) bool { return p.n == whole.n }): // that file has them all
		part := parts[slices.IndexFunc(parts, func(p share) bool { return p.n == whole.n })]
		part.kind, part.why = whole.kind, whole.why
		shared = []share{part}
	default:
		shared = []share{whole}
	}
	for _, s := range shared {
		j.To.Add(s.kind, report.At{Where: s.where}, "gives %s of its %s pages one lastmod (%s%s), %s.", words.Number(s.n),
			words.Number(s.of), s.within, s.date, s.why)
	}
}

// byFile returns the files that list pages, in their order, and the pages of each.
func (j *Judge) byFile() (names []string, files map[string][]*Entry) {
	files = map[string][]*Entry{}
	for i := range j.Pages {
		e := &j.Pages[i]
		if len(files[e.File]) == 0 {
			names = append(names, e.File)
		}
		files[e.File] = append(files[e.File], e)
	}
	return names, files
}

// isBuild reports whether the date that the pages of one file share is of a build: it is a time that another file has
// too, or that was a day or two ago. Files by day or by month, and what was imported once, truly share a date.
func (j *Judge) isBuild(p share, parts []share) bool {
	return p.kind == "dates-shared" && p.date.Span == 0 && (j.Now.Sub(p.date.At) < 2*day ||
		slices.ContainsFunc(parts, func(o share) bool {
			return o.where != p.where && o.kind == p.kind && o.date.Span == 0 && o.date.At.Sub(p.date.At).Abs() < oneBuild
		}))
}

// Fresh returns the files in which several dates are of the last hour, and so may be the time of the request: another
// request shows that.
func (j *Judge) Fresh() (some []string) {
	names, files := j.byFile()
	for _, name := range names {
		n := 0
		for _, e := range files[name] {
			if d := e.Date; d.Span == 0 && j.Now.Sub(d.At).Abs() < oneBuild {
				n++
			}
		}
		if n > 1 {
			some = append(some, name)
		}
	}
	return some
}

// Again takes what a file lists that was asked for again, so much later. Dates that moved by that time are those of the
// requests. It tells that, and forgets these: they are true of no page. One alone may be of a page that changed then.
func (j *Judge) Again(file string, listed []Entry, later time.Duration) {
	then := map[string]time.Time{} // by page
	for _, e := range listed {
		then[e.Loc] = e.Date.At
	}
	_, files := j.byFile()
	var moved []*Entry
	for _, e := range files[file] {
		if d := e.Date; !d.At.IsZero() && d.Span == 0 && (then[e.Loc].Sub(d.At)-later).Abs() <= oneClock {
			moved = append(moved, e)
		}
	}
	if len(moved) < 2 {
		return
	}
	j.To.Add("dates-now", report.At{Where: file}, "gives %s of its %s pages the time of this request (%s): they are dated "+
		"anew each time", words.Number(len(moved)), words.Number(len(files[file])), moved[0].Date)
	for _, e := range moved {
		e.Date = Date{}
	}
}

// share says how many of some pages share one date.
type share struct {
	where  string
	kind   string // "" if it is nothing to tell
	n, of  int
	date   Date
	within string
	why    string
}

// shareOf returns which date most of some pages share.
func shareOf(where string, dates []Date) share {
	s, times, onlyDays := share{where: where, of: len(dates)}, []time.Time{}, true
	for _, d := range dates {
		if !d.At.IsZero() {
			times = append(times, d.At)
			onlyDays = onlyDays && d.Span > 0
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	s.date.At, s.n = most(times, oneBuild)
	s.why = "probably that of a build. Search engines ignore such dates"
	few := 2*len(times) < len(dates) // a build dates them all
	if few {
		s.why = "of a build or of one edit; most pages of the site have none"
	}
	if s.n > 0 && onlyDays {
		s.date.Span = day
	}
	if _, same := most(times, 1); same < s.n {
		s.within = "within an hour of "
	}
	switch {
	case len(times) < fewDates:
	case 10*s.n >= 9*len(times) && !few:
		s.kind = "dates-shared"
	case 10*s.n >= 9*len(times), 2*s.n >= len(times) && s.date.Span == 0:
		s.kind = "dates-half"
	}
	return s
}

// most returns where, in sorted times, the span begins that has the most of them, and how many it has.
func most(times []time.Time, span time.Duration) (from time.Time, n int) {
	first := 0
	for last := range times {
		for times[last].Sub(times[first]) >= span {
			first++
		}
		if last-first+1 > n {
			from, n = times[first], last-first+1
		}
	}
	return from, n
}
