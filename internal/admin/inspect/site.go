package inspect

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/indexer"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/observe"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/publish/announce"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/changelog"
)

// Config is what the inspector shows, and the parts of the site that it asks.
type Config struct {
	Public Public

	Origin     location.Origin
	Normalizer *location.Normalizer
	Rules      eligibility.Rules
	Entries    []string
	Indexer    *indexer.Indexer
	Files      *files.Files
	Visits     *observe.Visits
	Handler    *atomic.Pointer[http.Handler] // what the site wraps, nil as long as that is not known
	Tops       []string                      // the URLs of the files to name in robots.txt
	RobotsLine string                        // that names them
	Announces  *atomic.Bool                  // servemap adds them there
	ReportOnly bool                          // no sitemap is served
	Crawlers   bool                          // the fetches of search engines are followed
}

// Public is what package servemap says of a site. What it returns as any is one of that package's structs or a list
// of them. The templates and the JSON show it as it is, so that a new field needs nothing here. Its methods may be
// called concurrently, and return soon after ctx ends.
type Public interface {
	// Stats returns a servemap.Stats, and the numbers from which texts are made.
	Stats() (any, messages.Counts)
	// Explain says what is known of the page at a URL or location, or why no page can be
	// there.
	Explain(ctx context.Context, url string) (Explained, error)
	// Page returns a servemap.Page, and Change a servemap.Change.
	Page(p reader.Known) any
	Change(e changelog.Event, since time.Time) any
	// Crawlers returns a []servemap.Crawler, nil if crawlers are not followed.
	Crawlers() any
	// Forget takes a page out, erases what is known of it, and bars it. UndoForget lifts the
	// bar.
	Forget(ctx context.Context, url string) error
	UndoForget(ctx context.Context, url string) error
}

// Explained is what is known of the page at a URL.
type Explained struct {
	URL   string
	Known bool
	Page  any // a servemap.Explanation

	Setting messages.Change // that would change the verdict
}

// Row is a listed page.
type Row struct {
	Page             any // a servemap.Page
	Location, Reason string
	Modified         time.Time // its lastmod
	Changes          int
}

// Link is an address that listed pages link to, and the sitemap does not list.
type Link struct {
	URL      string    `json:"url"`
	Verdict  string    `json:"verdict"`
	Reason   string    `json:"reason"`
	From     []string  `json:"from,omitempty"` // listed pages; none if only a redirect leads there
	At       time.Time `json:"at,omitzero"`    // when such a link was last read
	Status   int       `json:"status,omitempty"`
	Followed int       `json:"followed"` // answers since the start
	Broken   bool      `json:"broken,omitempty"`
	To       string    `json:"to,omitempty"` // where it redirects
}

// Told is what package notify has stored. The names are those of its record.
type Told struct {
	SentToday     int    `json:"sent_today"`
	Pending       int    `json:"pending"`
	Dropped       int    `json:"dropped,omitempty"`
	GoogleProblem string `json:"google_problem,omitempty"`
	Engines       map[string]struct {
		Verdict      string    `json:"verdict,omitempty"`
		Advice       string    `json:"advice,omitempty"`
		Code         int       `json:"code,omitempty"`
		LastTried    time.Time `json:"last_tried,omitzero"`
		LastAccepted time.Time `json:"last_accepted,omitzero"`
	} `json:"engines"`
	Sitemaps []struct {
		URL            string    `json:"url"`
		LastSubmitted  time.Time `json:"last_submitted,omitzero"`
		LastDownloaded time.Time `json:"last_downloaded,omitzero"`
		Pending        bool      `json:"pending,omitempty"`
		Errors         int       `json:"errors"`
		Warnings       int       `json:"warnings"`
		Submitted      int       `json:"submitted"`
	} `json:"sitemaps,omitempty"`
}

// File is one of the sitemap's files.
type File struct {
	Name     string    `json:"name"`
	URL      string    `json:"url"`
	Pages    int       `json:"pages"` // that it lists; 0 for an index
	Bytes    int       `json:"bytes"` // before compression
	Modified time.Time `json:"modified"`
}

// RobotsTxt says whether the site's robots.txt names the sitemap. It is "" if that file was
// not seen since the start.
type RobotsTxt string

const (
	RobotsHas   RobotsTxt = "has-line"
	RobotsLacks RobotsTxt = "lacks-line"
	RobotsAdded RobotsTxt = "line-added" // by servemap
)

// rows returns some of the listed pages, in the order of their locations.
func (i *Inspector) rows(ctx context.Context, w reader.Wanted) (reader.Some[Row], error) {
	trust, now := i.Files.Trust(), moment.Of(time.Now())
	return reader.List(ctx, i.Indexer.Reader, w, func(p *reader.Known) Row {
		row := Row{Page: i.Public.Page(*p), Location: p.Location, Reason: p.Reason.String(), Changes: int(p.Dates.Count)}
		if at := p.Entry.LastMod(trust, now); at != 0 {
			row.Modified = at.Time().UTC()
		}
		return row
	})
}

// days returns the days of which numbers are stored, in any order.
func (i *Inspector) days(ctx context.Context) (days []Day, err error) {
	all, err := i.Indexer.Days(ctx)
	for day, n := range all {
		at := time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly)
		days = append(days, Day{Date: at, Listed: n.Listed, Dated: n.Dated, Added: n.Added, Changed: n.Changed, Removed: n.Removed})
	}
	return days, err
}

// targets returns the addresses that listed pages link to and the sitemap does not list, but no secret.
func (i *Inspector) targets(ctx context.Context) (links []Link, err error) {
	for _, t := range i.Indexer.Links.Targets() {
		p, err := i.Indexer.Page(ctx, t.Location)
		if err != nil {
			return nil, err
		}
		if p.Reason == eligibility.Capability || p.Reason == eligibility.Forgotten || p.Verdict == eligibility.Listed {
			continue
		}
		link := Link{
			URL: i.Origin.URL(t.Location), Verdict: p.Verdict.String(), Reason: p.Reason.String(), At: t.At.UTC(),
			Status: t.Status, Followed: t.Followed, Broken: t.Broken(),
		}
		for _, from := range t.From {
			link.From = append(link.From, i.Origin.URL(from))
		}
		if t.To != "" {
			link.To = i.Origin.URL(t.To)
		}
		links = append(links, link)
	}
	return links, nil
}

// told returns what search engines were told, nil if nobody tells them.
func (i *Inspector) told(ctx context.Context) (told *Told, err error) {
	record, err := i.Indexer.Notified(ctx)
	if err == nil && record != nil {
		err = json.Unmarshal(record, &told)
	}
	return told, err
}

// robotsTxt says whether the site's robots.txt names the sitemap.
func (i *Inspector) robotsTxt() RobotsTxt {
	lines := i.Indexer.Sitemaps()
	switch {
	case i.Announces.Load():
		return RobotsAdded
	case lines == nil:
		return ""
	case len(announce.Unnamed(slices.Values(lines), i.Tops)) > 0:
		return RobotsLacks
	}
	return RobotsHas
}

// fileList returns the sitemap's files, first the one that crawlers begin with.
func (i *Inspector) fileList() (list []File) {
	for _, f := range i.Files.List() {
		list = append(list, File{Name: f.Name, URL: i.Origin.URL(i.Origin.Folder() + f.Name), Pages: f.Pages, Bytes: f.Bytes, Modified: f.Modified})
	}
	return list
}
