package inspect

import (
	"context"
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
	// List returns listed pages in the order of their locations.
	List(ctx context.Context, w Wanted) (List, error)
	// ChangesFrom returns the time since which the changes are complete. The zero Time
	// means ever since the site has had pages.
	ChangesFrom(ctx context.Context) (time.Time, error)
	// Latest returns the last change of each page since a time, the newest first. If before
	// is not zero, it returns only changes older than that.
	Latest(ctx context.Context, since time.Time, before Place, most int) (Changed, error)
	// Days counts the changes on each of so many days from since on.
	Days(ctx context.Context, since time.Time, days int) ([]Day, error)
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
}

// Wanted says which listed pages to return; see package indexer.
type Wanted struct {
	Prefix, Contains, After string
	Most                    int
	Within                  time.Duration
}

// List has listed pages. Next is the location after which to continue, "" at the end.
type List struct {
	Pages []any  `json:"pages"` // each a servemap.Page
	Next  string `json:"next,omitempty"`
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
