package servemap

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/ledger"
)

// Handler returns a handler that serves the sitemap: "/sitemap.xml", where the
// site is large its parts "/sitemap-1.xml" and so on, and each with ".gz"
// added. It goes by the last element of the path, serves GET and HEAD, and
// answers 404 to any other name. While nothing is listed it answers 503 and
// says why.
//
// [http.ServeMux] cannot match all of these names and nothing else, so there
// [Site.Wrap] is simpler; for gorilla/mux there is [Site.Mount].
func (s *Site) Handler() http.Handler { return s.files }

// Wrap returns a handler that answers requests for the sitemap's own files and
// observes all others, which next serves. It goes around a whole router, not into
// one: gorilla/mux runs no middleware where no route matches, as none does for
// the sitemap. There [Site.Mount] does both.
func (s *Site) Wrap(next http.Handler) http.Handler { return wrapped{s, next} }

type wrapped struct {
	site *Site
	next http.Handler
}

func (o wrapped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if o.site.owns(r.URL.Path) {
		o.site.files.ServeHTTP(w, r)
		return
	}
	o.site.observer.Serve(o.next, w, r)
}

// owns reports whether path, as it arrives, is that of one of the sitemap's
// files.
func (s *Site) owns(path string) bool {
	name, below := strings.CutPrefix(path, s.path)
	if !below {
		return false
	}
	_, _, ok := s.files.Number(name)
	return ok
}

// Mount makes r serve the sitemap and has its responses observed, those to
// requests that match no route too. Call it once, after r's routes and its
// NotFoundHandler are set. The sitemap's files are served whatever routes there
// are; a route that matches everything does not hide them.
func (s *Site) Mount(r *mux.Router) {
	r.Use(s.Wrap)
	r.MatcherFunc(func(r *http.Request, _ *mux.RouteMatch) bool { return s.owns(r.URL.Path) }).Handler(s.files)
	if r.NotFoundHandler == nil {
		r.NotFoundHandler = http.NotFoundHandler()
	}
	r.NotFoundHandler = s.Observe(r.NotFoundHandler)
}

// RobotsLine returns the line for robots.txt that tells crawlers where the
// sitemap is, such as "Sitemap: https://example.com/sitemap.xml".
func (s *Site) RobotsLine() string {
	return "Sitemap: " + s.origin.URL(s.origin.Folder()+s.name+".xml")
}

// Page is what is known of a listed page.
type Page struct {
	URL       string
	FirstSeen time.Time
	LastSeen  time.Time
	// LastModified is the lastmod of the sitemap: when the page's content
	// changed, as far as that is known, else the zero Time.
	LastModified time.Time
	// ChangeFreq is the changefreq of the sitemap: a rule's, or what is
	// inferred; "" if that is not known well enough.
	ChangeFreq string
	// Changes is how many changes of its content were seen.
	Changes int
	// Alternates are the URLs of the page in other languages, by hreflang in
	// lower case: those that are listed, and name this page in turn.
	Alternates map[string]string
}

// Pages yields the listed pages, in the order of their URLs. An error ends it.
func (s *Site) Pages(ctx context.Context) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for p, err := range s.ledger.Pages(ctx) {
			if err != nil {
				yield(Page{}, fmt.Errorf("servemap: reading the pages: %w", err))
				return
			}
			if !yield(s.page(p), nil) {
				return
			}
		}
	}
}

func (s *Site) page(p ledger.Page) Page {
	page := Page{
		URL:        s.origin.URL(p.Location),
		FirstSeen:  p.FirstSeen,
		LastSeen:   p.LastSeen,
		ChangeFreq: p.Listing.Freq.String(),
		Changes:    int(p.Changes),
	}
	if freq := s.rules.Freq(p.Location); freq != "" {
		page.ChangeFreq = freq
	}
	for _, a := range p.Alternates {
		if page.Alternates == nil {
			page.Alternates = map[string]string{}
		}
		page.Alternates[a.Lang] = s.origin.URL(a.Location)
	}
	if at := p.Listing.LastMod(s.files.Trust(), time.Now().Unix()); at != 0 {
		page.LastModified = time.Unix(at, 0).UTC()
	}
	return page
}

// Explanation is why a page is listed, or not.
type Explanation struct {
	URL     string
	Listed  bool
	Verdict string // "listed", "waiting", "held", "excluded", "gone", or "unknown" if nothing is known of it
	// Reason is what decided. Listed: "rule", "entry", "route", "link",
	// "networks", "history" (it was listed before). Waiting: "no-evidence",
	// "not-seen". Held: "risky-word", "action-word", "capability", "duplicate",
	// "soft-not-found", "growth", "head-not-seen", "encoding". Excluded:
	// "rule-never", "disallowed" (by robots.txt), "forgotten", "noindex",
	// "private", "no-store", "canonical-elsewhere", "canonical-conflict",
	// "query-not-canonical". Gone: "gone", "not-found", "denied",
	// "login-redirect", "moved", "unseen". Unknown: "none".
	Reason string
	// Text says the same in a sentence, and what would change it.
	Text string
	// Page is what was seen of it; its zero values are what was not.
	Page Page
	// Status is that of the last response, 0 if there was none.
	Status int
	// Evidence names what speaks for listing it: "rule", "entry", "route",
	// "link".
	Evidence []string
	// Missing says, of a page that waits or is held, what would list it; each is
	// one way.
	Missing []string
	// Networks is how many distinct client networks got it, counted while it
	// waits; Siblings how many pages beside it are listed by a link, counted
	// for it then.
	Networks, Siblings int
	// Canonical is the other URL that the page names as its canonical one, ""
	// if there is none.
	Canonical string
	// SameAs is the listed URL that shows the same content, where this one is
	// held for that.
	SameAs string
	// Rule is the pattern of the rule that says whether it may be listed, "" if
	// none does.
	Rule string
}

// Explain says whether the page at url is listed, and why. The url is one of
// the site's, or a location such as "/about". An error means that url can be no
// page of the site, and why, or that the store did not answer.
func (s *Site) Explain(ctx context.Context, url string) (Explanation, error) {
	loc, err := s.locate(url)
	if err != nil {
		return Explanation{}, err
	}
	p, err := s.ledger.Page(ctx, loc)
	if err != nil {
		return Explanation{}, fmt.Errorf("servemap: %w", err)
	}
	return s.explanation(p), nil
}

func (s *Site) explanation(p ledger.Page) Explanation {
	e := Explanation{
		URL:     s.origin.URL(p.Location),
		Listed:  p.Verdict == admit.Listed,
		Verdict: p.Verdict.String(), Reason: p.Reason.String(), Text: admit.Explain(p.Verdict, p.Reason),
		Page: s.page(p), Status: p.Status, Networks: p.Networks, Siblings: p.Siblings, Rule: p.Pattern,
		Missing: admit.Missing(p.Verdict, p.Reason, p.Evidence(), s.networks),
	}
	if p.Canonical != "" {
		e.Canonical = s.origin.URL(p.Canonical)
	}
	if p.SameAs != "" {
		e.SameAs = s.origin.URL(p.SameAs)
	}
	switch {
	case !p.Doubted.IsZero():
		e.Text += fmt.Sprintf(" But it answered %d at %v, and leaves a minute later unless an anonymous visitor gets it.",
			p.Status, p.Doubted.UTC().Format(time.TimeOnly))
	case p.Verdict == admit.Waiting && p.Status != 0 && p.Status != http.StatusOK:
		e.Text = fmt.Sprintf("It waits: it answered %d when it was last asked for, and is no page.", p.Status)
	}
	for _, ev := range []struct {
		is   bool
		name admit.Reason
	}{{p.Rule, admit.ByRule}, {p.Entry || p.Led, admit.ByEntry}, {p.Route, admit.ByRoute}, {p.Link, admit.ByLink}} {
		if ev.is {
			e.Evidence = append(e.Evidence, ev.name.String())
		}
	}
	return e
}

// locate returns the location of a URL that the owner names.
func (s *Site) locate(url string) (string, error) {
	r := s.norm.Parse(url)
	if r.Location == "" {
		return "", fmt.Errorf("servemap: %q can be no page of %s: %v", url, s.origin, r.Reason)
	}
	return r.Location, nil
}

// Stats are counts since the start, unless they say otherwise.
type Stats struct {
	Listed    int    // pages in the sitemap that is served now
	Waiting   int    // locations now known that were never listed
	Sightings uint64 // responses that showed something of a page
	Dropped   uint64 // sightings lost because too many came at once
	Queued    int    // sightings not yet merged now
	Damaged   uint64 // records of the store that could not be read
	// Verdicts counts the locations now known by verdict and reason, such as
	// "listed link" or "held capability"; see [Explanation]. Soon after the
	// start it may not be complete.
	Verdicts map[string]int
	// Ignored counts the responses that were looked at and showed nothing of a
	// public page, by reason, such as "cookie" or "not-html".
	Ignored map[string]uint64
	// Hints says what was found to keep the site, or much of it, from being
	// learned, and what to do about it. Each was logged as well.
	Hints []string
	// Store says why the store cannot be used now, "" if it can.
	Store string
}

// Stats returns the present counts.
func (s *Site) Stats() Stats {
	l := s.ledger.Stats()
	st := Stats{
		Listed: s.files.Listed(), Waiting: l.Waiting,
		Sightings: l.Sightings, Dropped: l.Dropped, Queued: l.Queued,
		Damaged:  l.Damaged + uint64(s.files.Damaged()),
		Verdicts: map[string]int{}, Ignored: s.observer.Counts(), Hints: s.hints.Texts(),
	}
	for _, c := range l.Counts {
		st.Verdicts[c.Verdict.String()+" "+c.Reason.String()] = c.Pages
	}
	if l.Problem != nil {
		st.Store = l.Problem.Error()
	}
	return st
}

// advice says what to do about the causes that keep whole sites from being
// learned.
var advice = map[string]string{
	admit.Cookie.String():         " (the visitor has a cookie; Options.BenignCookies names those that everybody gets)",
	admit.IdentityHeader.String(): " (a proxy names a user; Options.Anonymous decides who is anonymous)",
	admit.Authorization.String():  " (the visitor has credentials; Options.Anonymous decides who is anonymous)",
	admit.Encoding.String():       " (the Content-Encoding cannot be read; observe inside of what compresses)",
	admit.Private.String():        " (the response is for one visitor: Cache-Control: private)",
	admit.NoStore.String():        " (the response is not to be stored: Cache-Control: no-store)",
	admit.NotAnonymous.String():   " (Options.Anonymous says that the visitor is known)",
	admit.NotHTML.String():        " (it is no HTML)",
	"outside-folder":              " (they asked for what is not below the origin's folder)",
	"host":                        " (they asked for another host; Options.Hosts names those that count)",
}

// explainNothing says why there is no sitemap. It is read by strangers too, so
// it names no page.
func (s *Site) explainNothing() string {
	st := s.Stats()
	var b strings.Builder
	switch {
	case s.silent:
		fmt.Fprintf(&b, "The sitemap of %s is not served: Options.ReportOnly is set. It would list %d pages.\n\n", s.origin, st.Listed)
	case st.Store != "":
		fmt.Fprintf(&b, "The sitemap of %s cannot be served now: its store cannot be used. The log says why.\n\n", s.origin)
	default:
		fmt.Fprintf(&b, "No page of %s is listed yet.\n\n", s.origin)
	}
	for _, h := range st.Hints {
		fmt.Fprintf(&b, "%s\n\n", h)
	}
	fmt.Fprintf(&b, "Since the start %d responses to anonymous visitors were observed.\n", st.Sightings)
	fmt.Fprintf(&b, "%d locations are known and were never listed.\n", st.Waiting)
	if st.Sightings == 0 && len(st.Ignored) == 0 && st.Store == "" {
		b.WriteString("Visit the site as an anonymous visitor would: without cookies, from its first page on.\n")
	}
	for _, why := range slices.Sorted(maps.Keys(st.Verdicts)) {
		fmt.Fprintf(&b, "%d locations: %s\n", st.Verdicts[why], why)
	}
	for _, reason := range slices.Sorted(maps.Keys(st.Ignored)) {
		fmt.Fprintf(&b, "%d responses did not count: %s%s\n", st.Ignored[reason], reason, advice[reason])
	}
	b.WriteString("\nPages are listed from the entry on, by the links of listed pages. The owner can ask Site.Explain about any page.\n")
	return b.String()
}
