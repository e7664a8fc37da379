package inspect

import (
	"context"
	"time"
)

// Site is what the inspector asks of a site. Its methods may be called concurrently, and
// return soon after ctx ends.
type Site interface {
	Stats() Stats
	// Explain tells what is known of the page at a URL or location, or says why no page
	// can be there.
	Explain(ctx context.Context, url string) (Page, error)
	// List returns listed pages in the order of their locations.
	List(ctx context.Context, w Wanted) (List, error)
	// Folder returns what stands directly in a folder, after a location or from the
	// beginning.
	Folder(ctx context.Context, folder, after string, most int) ([]Child, string, error)
	// ChangesFrom returns since when the changes are complete, the zero Time for since
	// the site has had pages.
	ChangesFrom(ctx context.Context) (time.Time, error)
	// Latest returns what happened last to pages since a time, the newest first. If
	// before is not zero, it is what comes before that.
	Latest(ctx context.Context, since time.Time, before Change, most int) ([]Change, error)
	// Days counts what happened on each of the days that begin at since.
	Days(ctx context.Context, since time.Time, days int) ([]Day, error)
	// Files returns the sitemap's files, the one that crawlers begin with first.
	Files() []File
	// Crawlers returns what search engines fetched, nil if that is not followed.
	Crawlers() []Crawler
	// Forget takes a page out, erases what is known of it, and bars it.
	Forget(ctx context.Context, url string) error
}

// What follows is answered as JSON too. Its fields are only ever added.

// Stats are counts since the start, unless they say otherwise.
type Stats struct {
	Listed    int               `json:"listed"`
	Waiting   int               `json:"waiting"` // known and never listed
	Verdicts  map[string]int    `json:"verdicts"`
	Sightings uint64            `json:"sightings"`
	Dropped   uint64            `json:"dropped"`
	Queued    int               `json:"queued"`
	Damaged   uint64            `json:"damaged"`
	Ignored   map[string]uint64 `json:"ignored"`
	Hints     []string          `json:"hints,omitempty"`
	Store     string            `json:"store,omitempty"` // why it cannot be used
	Notes     []string          `json:"notes,omitempty"`
}

// Listing is what is known of a listed page.
type Listing struct {
	URL        string            `json:"url"`
	LastMod    time.Time         `json:"lastmod,omitzero"`
	ChangeFreq string            `json:"changefreq,omitempty"`
	Changes    int               `json:"changes"`
	FirstSeen  time.Time         `json:"first_seen,omitzero"`
	LastSeen   time.Time         `json:"last_seen,omitzero"`
	Alternates map[string]string `json:"alternates,omitempty"`
}

// Page is why a page is listed or not.
type Page struct {
	Listing
	Listed    bool      `json:"listed"`
	Verdict   string    `json:"verdict"`
	Reason    string    `json:"reason"`
	Text      string    `json:"text"`
	Missing   []string  `json:"missing,omitempty"` // what would list it; each is one way
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

// Dates is what is known of when a page's content changed.
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
	URL  string    `json:"url"`
}

// Wanted says which listed pages are asked for; see package ledger.
type Wanted struct {
	Prefix, Contains, After string
	Most                    int
	Within                  time.Duration
}

// List are listed pages. Next is the location after which to go on, "" if that is all.
type List struct {
	Pages []Listing `json:"pages"`
	Next  string    `json:"next,omitempty"`
}

// Child is a page or a folder that stands directly in a folder.
type Child struct {
	Location string `json:"location"` // of a folder with a slash at its end
	Folder   bool   `json:"folder"`
	Pages    int    `json:"pages"`          // that are listed, itself or below it
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

// Crawler is what the crawler of one search engine fetched.
type Crawler struct {
	Engine      string        `json:"engine"`
	Confirmable bool          `json:"confirmable"` // the DNS can tell its addresses
	Days        []CrawlerDay  `json:"days"`        // the latest first
	Files       []CrawlerFile `json:"files,omitempty"`
	Since       time.Time     `json:"since"` // of the pages
	FetchedDay  int           `json:"fetched_day"`
	FetchedWeek int           `json:"fetched_week"`
	NotFetched  int           `json:"not_fetched"`
	AfterChange float64       `json:"after_change_seconds,omitempty"` // the median from a change to the first fetch after it
	Changes     int           `json:"changes"`                        // of which that is the median
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
