package servemap

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
)

// Crawler is what the crawler of one search engine fetched. Files have the requests from addresses that are confirmed
// to be the engine's. If none can be confirmed, they have every request that claims to be from it.
type Crawler struct {
	Engine      string        `json:"engine"`          // the name of the crawler, such as "Googlebot" or "GPTBot"
	AI          bool          `json:"ai,omitempty"`    // it reads for an AI service
	Confirmable bool          `json:"confirmable"`     // the DNS or Options.CrawlerRanges can confirm its addresses
	Days        []CrawlerDay  `json:"days"`            // the latest first, at most 30
	Files       []CrawlerFile `json:"files,omitempty"` // of the sitemap, the latest fetch first, at most 256
}

// CrawlerDay counts a day's requests whose User-Agent named an engine's crawler.
type CrawlerDay struct {
	Day     time.Time `json:"day"`     // the beginning of the day, in UTC
	Claimed int       `json:"claimed"` // requests that claimed to be from the engine
	// Confirmed is how many of them are known to come from an address of the engine: by
	// reverse and forward DNS, or by Options.CrawlerRanges.
	Confirmed int `json:"confirmed"`
}

// CrawlerFile is the last fetch of one of the sitemap's files.
type CrawlerFile struct {
	URL    string    `json:"url"`    // without ".gz"
	At     time.Time `json:"at"`     // in UTC
	Status int       `json:"status"` // such as 200, 304, or 503 while nothing was listed
}

// Crawlers returns what each search engine fetched, for every engine that a request claimed
// to be from. It is nil without Options.Crawlers. Days and Files are stored every 10
// minutes and by [Site.Close], with those of other processes on the same store. A client's
// address is never stored or logged.
func (s *Site) Crawlers() []Crawler {
	if s.crawlers == nil {
		return nil
	}
	var all []Crawler
	for _, r := range s.crawlers.Report() {
		c := Crawler{Engine: r.Engine.String(), AI: r.Engine.AI(), Confirmable: r.Confirmable}
		for day, n := range r.Days {
			c.Days = append(c.Days, CrawlerDay{Day: time.Unix(day*24*60*60, 0).UTC(), Claimed: n.Claimed, Confirmed: n.Confirmed})
		}
		slices.SortFunc(c.Days, func(x, y CrawlerDay) int { return y.Day.Compare(x.Day) })
		for name, f := range r.Files {
			c.Files = append(c.Files, CrawlerFile{URL: s.origin.URL(s.origin.Folder() + name), At: f.At.Time().UTC(), Status: f.Status})
		}
		slices.SortFunc(c.Files, func(x, y CrawlerFile) int { return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.URL, y.URL)) })
		all = append(all, c)
	}
	return all
}

// Stats are counts since the start of this process, unless they say otherwise.
type Stats struct {
	Listed       int    `json:"listed"`       // pages in the sitemap that is served now
	Waiting      int    `json:"waiting"`      // the locations of VerdictWaiting, as in Verdicts
	Observations uint64 `json:"observations"` // responses that showed something of a page
	Dropped      uint64 `json:"dropped"`      // observations lost because too many came at once
	Queued       int    `json:"queued"`       // observations not yet merged now
	Damaged      uint64 `json:"damaged"`      // records of the store that could not be read
	// Verdicts counts the known locations by [Verdict] and [Reason], such as "listed link"
	// or "held capability". It may be incomplete soon after the start.
	Verdicts map[string]int `json:"verdicts"`
	// Ignored counts the responses that were observed and showed no public page, by
	// reason, such as "cookie" or "not-html".
	Ignored map[string]uint64 `json:"ignored"`
	// LeftOut is the table of what is not listed, first what may be a mistake: known pages by their reason, and the
	// links that the last exploration of this process did not follow.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Hints say what keeps the site, or much of it, from being learned, and what to do
	// about it, until that has gone. Each was logged as well.
	Hints       []string `json:"hints,omitempty"`
	BrokenLinks int      `json:"broken_links"`    // addresses that listed pages link to and that answered 404, 410 or an error
	Store       string   `json:"store,omitempty"` // why the store cannot be used now
}

// Stats returns the present counts. It does not wait for the store.
func (s *Site) Stats() Stats {
	l := s.indexer.Stats()
	served, _ := s.files.Metrics()
	st := Stats{
		Listed:       served.Pages,
		Observations: l.Observations, Dropped: l.Dropped, Queued: l.Queued,
		Damaged:  l.Damaged + uint64(served.Damaged),
		Verdicts: map[string]int{}, Ignored: s.observer.Counts(), Hints: s.hints.Texts(), BrokenLinks: s.indexer.Links.Broken(),
	}
	for _, c := range l.Counts {
		st.Verdicts[c.Verdict.String()+" "+c.Reason.String()] = c.Pages
		if c.Verdict == eligibility.Waiting {
			st.Waiting += c.Pages
		}
	}
	st.LeftOut = s.leftOut(st.Verdicts)
	if l.Problem != nil {
		st.Store = l.Problem.Error()
	}
	return st
}

// leftOut returns the table of what is not listed.
func (s *Site) leftOut(verdicts map[string]int) []LeftOut {
	counts := map[string]int{}
	for verdict, n := range verdicts {
		if is, reason, _ := strings.Cut(verdict, " "); is != string(VerdictListed) && is != string(VerdictGone) {
			counts[reason] += n
		}
	}
	all := leftOut(messages.TableOf(counts, nil), nil)
	if done := s.left.Load(); done != nil {
		all = append(all, done.LeftOut()...)
	}
	return all
}
