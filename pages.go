package servemap

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/schema/changelog"
)

// Page is what is known of a listed page. All times are in UTC.
type Page struct {
	URL string `json:"url"` // as in the sitemap
	// FirstSeen and LastSeen are the times of the first and the last observation that showed
	// the page to an anonymous visitor. Most visits are no observations.
	FirstSeen time.Time `json:"first_seen,omitzero"`
	LastSeen  time.Time `json:"last_seen,omitzero"`
	// LastModified is the lastmod of the sitemap, or the zero Time if there is none.
	LastModified time.Time `json:"lastmod,omitzero"`
	// ChangeFreq is the changefreq of the sitemap: a rule's, or the inferred one, or "".
	ChangeFreq string `json:"changefreq,omitempty"`
	Changes    int    `json:"changes"` // of its content that were seen
	// Alternates are the URLs of the page in other languages, by hreflang in lower case.
	// Only listed pages that name this page in turn are among them.
	Alternates map[string]string `json:"alternates,omitempty"`
}

// Pages yields the listed pages, in the order of their URLs. An error ends it. A page that
// is listed or leaves meanwhile may be among them or not.
func (s *Site) Pages(ctx context.Context) iter.Seq2[Page, error] {
	return each(s.indexer.Pages(ctx), "reading the pages", s.page)
}

// each yields what a function makes of each value, until an error ends that.
func each[From, To any](all iter.Seq2[From, error], doing string, to func(From) To) iter.Seq2[To, error] {
	return func(yield func(To, error) bool) {
		for one, err := range all {
			if err != nil {
				yield(*new(To), fmt.Errorf("servemap: %s: %w", doing, err))
				return
			}
			if !yield(to(one), nil) {
				return
			}
		}
	}
}

func (s *Site) page(p reader.Known) Page {
	page := Page{
		URL:        s.origin.URL(p.Location),
		FirstSeen:  p.FirstSeen.Time().UTC(),
		LastSeen:   p.LastSeen.Time().UTC(),
		ChangeFreq: cmp.Or(s.rules.Freq(p.Location), p.Entry.Freq.String()),
		Changes:    int(p.Dates.Count),
	}
	for _, a := range p.Peers {
		if page.Alternates == nil {
			page.Alternates = map[string]string{}
		}
		page.Alternates[a.Lang] = s.origin.URL(a.Location)
	}
	if at := p.Entry.LastMod(s.files.Trust(), moment.Of(time.Now())); at != 0 {
		page.LastModified = at.Time().UTC()
	}
	return page
}

// Change is what happened last to a page of the sitemap. All times are in UTC.
type Change struct {
	URL  string     `json:"url"` // as in the sitemap
	Kind ChangeKind `json:"kind"`
	At   time.Time  `json:"at"` // when the change was noted
	// Listed is when an added page was listed. It is before At if the page has changed
	// since then. It is zero for the other kinds.
	Listed time.Time `json:"listed,omitzero"`
	// Reason is why a removed page is no longer listed. It is "" for the other kinds, and
	// while the store does not know the reason yet.
	Reason Reason `json:"reason,omitempty"`
}

// ChangeKind says what happened to a page.
type ChangeKind string

// The kinds of changes.
const (
	ChangeAdded   ChangeKind = "added"   // it was listed since the requested time
	ChangeChanged ChangeKind = "changed" // its content changed since then
	ChangeRemoved ChangeKind = "removed" // it is no longer listed
)

// ErrTooOld says that the time given to [Site.Changes] is longer ago than the site
// remembers. The error of Changes wraps it.
var ErrTooOld = changelog.ErrOlder

// Changes yields what happened to the pages of the sitemap since a time: for each page its
// last change, in the order of time. An error ends it.
//
// The site remembers the last 7 days, and at most 128 MiB, but no page that [Site.Forget]
// took out. If since is longer ago, the error wraps [ErrTooOld]. Then read [Site.Pages], and
// next time ask for the time at which you began to read. To continue, ask for the time of
// the last change that you saw, in a fleet for a minute before it; Changes yields that again.
func (s *Site) Changes(ctx context.Context, since time.Time) iter.Seq2[Change, error] {
	doing := "reading the changes since " + since.UTC().Format(time.RFC3339)
	return each(s.indexer.Events(ctx, since), doing, func(e changelog.Event) Change { return s.change(e, since) })
}

func (s *Site) change(e changelog.Event, since time.Time) Change {
	c := Change{URL: s.origin.URL(e.Location), Kind: ChangeChanged, At: e.At.UTC()}
	switch what := e.Kind(since); {
	case what == changelog.Removed:
		c.Kind = ChangeRemoved
		if e.Why != eligibility.None {
			c.Reason = Reason(e.Why.String())
		}
	case !s.files.Allows(e.Location):
		c.Kind = ChangeRemoved
	case what == changelog.Added:
		if c.Kind, c.Listed = ChangeAdded, c.At; e.What == changelog.Changed {
			c.Listed = e.Since.UTC()
		}
	}
	return c
}
