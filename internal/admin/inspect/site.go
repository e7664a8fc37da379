package inspect

import (
	"context"
	"io"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
)

// Site answers the inspector's questions about a site. What it answers as any is a struct of package
// servemap or a list of them. The templates and the JSON show it as it is, so that a new field needs
// nothing here. Its methods may be called concurrently, and return soon after ctx ends.
type Site interface {
	// Stats returns a servemap.Stats, and the numbers from which texts are made.
	Stats() (any, messages.Counts)
	// Explain says what is known of the page at a URL or location, or why no page can be
	// there.
	Explain(ctx context.Context, url string) (Explained, error)
	// List returns some of the listed pages, in the order of their locations.
	List(ctx context.Context, w Wanted) (List, error)
	// ChangesFrom returns the time since which the changes are complete. The zero Time
	// means ever since the site has had pages.
	ChangesFrom(ctx context.Context) (time.Time, error)
	// Latest returns the last change of each page since a time, the newest first. If before
	// is not zero, it returns only changes older than that.
	Latest(ctx context.Context, since time.Time, before Place, most int) (Changed, error)
	// Days returns the days of which numbers are stored, in any order.
	Days(ctx context.Context) ([]Day, error)
	// Links returns the addresses that listed pages link to, and the sitemap does not list, the worst first.
	Links(ctx context.Context) ([]Link, error)
	// Told returns what search engines were told, nil if nobody tells them.
	Told(ctx context.Context) (*Told, error)
	// Try fetches a page in this process as an anonymous visitor would, and says what would be decided.
	Try(ctx context.Context, url string) (Trial, error)
	// WriteFile writes one of the files, also if it is not served, and reports whether there is one.
	WriteFile(w io.Writer, name string) bool
	// Files returns the sitemap's files, first the one that crawlers begin with.
	Files() []File
	// RobotsTxt says whether the site's robots.txt names the sitemap.
	RobotsTxt() RobotsTxt
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

// Wanted says which listed pages to return; see package indexer.
type Wanted struct {
	Prefix, Contains, After string
	Most                    int
	Within                  time.Duration
}

// List has listed pages. Next is the location after which to continue, "" at the end.
type List struct {
	Rows []Row
	Next string
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

// Trial is what a fetch of a page in this process showed, and what would be decided by it.
type Trial struct {
	URL     string          `json:"url"`
	Refused string          `json:"refused,omitempty"` // why nothing was fetched
	Status  int             `json:"status,omitempty"`
	Took    time.Duration   `json:"took_ns,omitempty"`
	Verdict string          `json:"verdict,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Text    string          `json:"text,omitempty"`
	Missing []string        `json:"missing,omitempty"`
	Setting messages.Change `json:"setting,omitzero"`
}

// Changed has changes. Next is the place of the last one, zero at the end.
type Changed struct {
	Changes []any // each a servemap.Change
	Next    Place
}

// Place is where a change stands among all.
type Place struct {
	At       time.Time
	Location string
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
