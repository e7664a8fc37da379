package listing

import (
	"slices"
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
			return Date{at, spans[layout]}, true
		}
	}
	return d, false
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
	const wrong = "has the lastmod %q"
	switch {
	case text == "":
		r.misdated(e, "lastmod", "has an empty lastmod")
	case !ok && len(text) == len("2006-01-02T15:04:05"):
		r.misdated(e, "lastmod", wrong+", which has no time zone; write it as 2026-11-01T08:00:00+01:00", text)
	case !ok:
		r.misdated(e, "lastmod", wrong+"; it must be as 2026-11-01 or 2026-11-01T08:00:00Z", text)
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

// How many pages must have a lastmod before it is told that they share one, and within which time dates are those of
// one build.
const (
	fewDates = 10
	oneBuild = time.Hour
)

// Dates says whether the listed pages share one date.
func (j *Judge) Dates(sitemap string) {
	times, onlyDays, all := []time.Time{}, true, len(j.Pages)
	for _, e := range j.Pages {
		if d := e.Date; !d.At.IsZero() {
			times = append(times, d.At)
			onlyDays = onlyDays && d.Span > 0
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	from, n := most(times, oneBuild)
	_, same := most(times, 1)
	few := 2*len(times) < all // a build dates them all
	d := Date{from, 0}
	if n > 0 && onlyDays {
		d.Span = day
	}
	fresh := n > 0 && d.Span == 0 && j.Now.Sub(from) < oneBuild && j.Now.Sub(times[len(times)-1]).Abs() < time.Minute
	kind, within, why := "", "", "probably that of a build. Search engines ignore such dates"
	switch {
	case n == 0 && all >= fewDates && j.Undated >= all:
		j.To.Add("dates-none", report.At{Where: sitemap}, "gives no lastmod for any of its %s pages", words.Number(all))
	case n >= 2 && n == len(times) && fresh, len(times) >= fewDates && 10*n >= 9*len(times) && !few:
		kind = "dates-shared"
	case len(times) >= fewDates && (10*n >= 9*len(times) || 2*n >= len(times) && d.Span == 0):
		kind = "dates-half"
	}
	if fresh {
		why = "the time of this request: it is made anew each time. Search engines ignore such dates"
	} else if few {
		why = "of a build or of one edit; most pages of the site have none"
	}
	if same < n {
		within = "within an hour of "
	}
	if kind != "" {
		if file, has := j.fileOf(from); file != "" {
			sitemap, all = file, has
		}
		j.To.Add(kind, report.At{Where: sitemap}, "gives %s of its %s pages one lastmod (%s%s), %s.", words.Number(n),
			words.Number(all), within, d, why)
	}
}

// fileOf returns the one file that has all pages with the dates of a build, and how many it has; "" if several have
// them.
func (j *Judge) fileOf(build time.Time) (file string, has int) {
	for _, e := range j.Pages {
		if since := e.Date.At.Sub(build); since < 0 || since >= oneBuild {
			continue
		}
		if file != "" && file != e.File {
			return "", 0
		}
		file = e.File
	}
	for _, e := range j.Pages {
		if e.File == file {
			has++
		}
	}
	return file, has
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
