package inspect

import (
	"context"
	"time"
)

// Site answers the inspector's questions about a site. Its methods may be called
// concurrently, and return soon after ctx ends.
type Site interface {
	Stats() Stats
	// Explain says what is known of the page at a URL or location, or why no page can be
	// there.
	Explain(ctx context.Context, url string) (Page, error)
	// List returns listed pages in the order of their locations.
	List(ctx context.Context, w Wanted) (List, error)
	// Folder returns the children of a folder, from the beginning or after a location.
	Folder(ctx context.Context, folder, after string, most int) ([]Child, string, error)
	// ChangesFrom returns the time since which the changes are complete. The zero Time
	// means ever since the site has had pages.
	ChangesFrom(ctx context.Context) (time.Time, error)
	// Latest returns the last change of each page since a time, the newest first. If before
	// is not zero, it returns only changes older than that.
	Latest(ctx context.Context, since time.Time, before Change, most int) ([]Change, error)
	// Days counts the changes on each of so many days from since on.
	Days(ctx context.Context, since time.Time, days int) ([]Day, error)
	// Files returns the sitemap's files, first the one that crawlers begin with.
	Files() []File
	// RobotsTxt says whether the site's robots.txt names the sitemap.
	RobotsTxt() RobotsTxt
	// Crawlers returns what search engines fetched, nil if crawlers are not followed.
	Crawlers() []Crawler
	// Forget takes a page out, erases what is known of it, and bars it.
	Forget(ctx context.Context, url string) error
}

// The types below are also answered as JSON. Their fields are only ever added to.

// Stats are counts since the start, unless they say otherwise. They have the fields of servemap.Stats.
type Stats struct {
	Listed    int               `json:"listed"`
	Waiting   int               `json:"waiting"` // known but never listed
	Sightings uint64            `json:"sightings"`
	Dropped   uint64            `json:"dropped"`
	Queued    int               `json:"queued"`
	Damaged   uint64            `json:"damaged"`
	Verdicts  map[string]int    `json:"verdicts"`
	Ignored   map[string]uint64 `json:"ignored"`
	Hints     []string          `json:"hints,omitempty"`
	Store     string            `json:"store,omitempty"` // why it cannot be used
	Notes     []string          `json:"notes,omitempty"`
}

// Listing is what is known of a listed page, with the fields of servemap.Page.
type Listing struct {
	URL          string            `json:"url"`
	FirstSeen    time.Time         `json:"first_seen,omitzero"`
	LastSeen     time.Time         `json:"last_seen,omitzero"`
	LastModified time.Time         `json:"lastmod,omitzero"`
	ChangeFreq   string            `json:"changefreq,omitempty"`
	Changes      int               `json:"changes"`
	Alternates   map[string]string `json:"alternates,omitempty"`
}

// Page says why a page is listed or not.
type Page struct {
	Listing
	Listed    bool      `json:"listed"`
	Verdict   string    `json:"verdict"`
	Reason    string    `json:"reason"`
	Text      string    `json:"text"`
	Missing   []string  `json:"missing,omitempty"` // what would list it; any one is enough
	Evidence  []string  `json:"evidence,omitempty"`
	Status    int       `json:"status,omitempty"`
	Networks  int       `json:"networks"`
	Siblings  int       `json:"siblings"`
	Canonical string    `json:"canonical,omitempty"`
	SameAs    string    `json:"same_as,omitempty"`
	Rule      string    `json:"rule,omitempty"`
	NextLook  time.Time `json:"next_look,omitzero"`
	Element   string    `json:"element,omitempty"` // of the sitemap
	Dates     Dates     `json:"dates"`
}

// Dates says when a page's content changed, as far as known.
type Dates struct {
	Text        string      `json:"text"`
	Changes     []time.Time `json:"changes,omitempty"` // the last ones, the latest first
	Interval    float64     `json:"interval_seconds,omitempty"`
	Shortest    float64     `json:"shortest_seconds,omitempty"`
	Longest     float64     `json:"longest_seconds,omitempty"`
	ChangeFreq  string      `json:"changefreq,omitempty"`
	Probability float64     `json:"probability,omitempty"`
	ReadAs      string      `json:"read_as,omitempty"`
	Ignored     []string    `json:"ignored,omitempty"`
}

// Change is what happened last to a page.
type Change struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"` // "added", "changed" or "removed"
	// Listed is when an added page was listed, before At if it has changed since.
	Listed time.Time `json:"listed,omitzero"`
	URL    string    `json:"url"`
	Reason string    `json:"reason,omitempty"` // why a removed page left, "" while that is not known
}

// Wanted says which listed pages to return; see package ledger.
type Wanted struct {
	Prefix, Contains, After string
	Most                    int
	Within                  time.Duration
}

// List has listed pages. Next is the location after which to continue, "" at the end.
type List struct {
	Pages []Listing `json:"pages"`
	Next  string    `json:"next,omitempty"`
}

// Child is a page or a folder that stands directly in a folder.
type Child struct {
	Location string `json:"location"` // a folder's ends in a slash
	Folder   bool   `json:"folder"`
	Pages    int    `json:"pages"`          // listed pages: itself, or those below it
	More     bool   `json:"more,omitempty"` // there are more than that
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

// Crawler is what the crawler of one search engine fetched.
type Crawler struct {
	Engine      string        `json:"engine"`
	Confirmable bool          `json:"confirmable"` // the DNS can confirm its addresses
	Days        []CrawlerDay  `json:"days"`        // the latest first
	Files       []CrawlerFile `json:"files,omitempty"`
	Since       time.Time     `json:"since"` // of the pages
	FetchedDay  int           `json:"fetched_day"`
	FetchedWeek int           `json:"fetched_week"`
	NotFetched  int           `json:"not_fetched"`
	AfterChange float64       `json:"after_change_seconds,omitempty"` // the median from a change to the first fetch after it
	Changes     int           `json:"changes"`                        // how many changes the median is of
}

// CrawlerDay counts the requests of a day that claimed to be the engine's.
type CrawlerDay struct {
	Day       string `json:"day"`
	Claimed   int    `json:"claimed"`
	Confirmed int    `json:"confirmed"`
	Refuted   int    `json:"refuted"`
}

// CrawlerFile is the last fetch of one of the sitemap's files.
type CrawlerFile struct {
	URL    string    `json:"url"`
	At     time.Time `json:"at"`
	Status int       `json:"status"`
}
