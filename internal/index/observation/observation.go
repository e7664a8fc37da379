// Package observation is about what one response showed: whether the page forbids its listing, its canonical, links,
// text and dates. The path of a request makes an [Observation] of what was asked and sent, and the worker reads it. A
// stranger may have written the bytes. The package never touches the store, and never uses what earlier responses
// showed.
package observation

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/nowhere"
	"github.com/servemap/servemap/internal/page/coding"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// Observation is one response to an anonymous client, and what it showed. Once it was offered to the indexer, it
// belongs to the indexer, with its body.
type Observation struct {
	Kind     eligibility.Kind   // not Nothing
	Reason   eligibility.Reason // why the page must be withdrawn, for kinds that say so
	Location string
	At       time.Time
	Response *response.Response
	OwnQuery bool   // only the page's own canonical can vouch for the query
	Route    Route  // as far as it is known
	Vouched  bool   // something on the site vouches for the location: no stranger made it up
	Prefers  string // see Preferred
	Named    Named  // what else the request names

	Explored  bool // the site asked itself, with nothing of a visitor; such requests have a budget of their own
	Inside    bool // it asked in this process, where it may get what something in front keeps from strangers
	Published bool // a sitemap of the site listed the location before the site asked
	// it asked through its origin, and what came is not from this process: a cache had the page, or it is another page
	Elsewhere bool
	Kept      bool // it asked through its origin, and something there keeps the page from strangers

	*Reading // nil until the worker reads it
}

// Reading is what an observation shows once it is read.
type Reading struct {
	// Package merge sets these: Before is the record of the page before this observation. Same says that the body is
	// the one that was read last. Again says that its links must be followed all the same.
	Before *pagerecord.Page
	Same   bool
	Again  bool

	Header
	Head
	Body
}

// Header is what the header says, see ReadHeader.
type Header struct {
	Echo   Echo        // what the page's links may repeat of the request
	Target string      // where a redirect leads, "" if it leads off the site
	Away   string      // the scheme and host of a redirect that leads off the site
	Moved  bool        // a redirect says that the page has moved for good
	Hash   uint64      // of a page's body
	Server moment.Time // Last-Modified
}

// Head is what the page says about itself in its head, see Read.
type Head struct {
	Parsed    bool               // it was read, or its head
	Whole     bool               // it is a whole document, not a fragment
	Forbids   eligibility.Reason // why it must not be listed
	LogIn     html.LogIn         // what it asks of somebody who wants to log in
	NoFollow  bool               // its links do not count
	Until     moment.Time        // when it should leave, 0 for never
	Canonical string             // another location that it names as canonical
	Canonized bool               // it names its own location as canonical
	Twin      bool               // it names the origin with or without www as canonical, or links to it
	Scheme    bool               // it names its own location as canonical, but with https where the origin has http
	// what it names as canonical if that is not on the site: a scheme and host, or the text as written
	Wrong  string
	Abroad bool // Wrong is an origin that everybody can find
}

// Body is what the rest of the page shows.
type Body struct {
	Full       bool        // more than the head was read
	Cut        bool        // the page is longer than what was read
	Many       bool        // it has as many links as are read, or more
	Own        moment.Time // its own date
	View       *mark.View  // its text and links, for comparison
	Lang       string      // its language, as it says
	Showing    uint64      // a hash of the content, to find other pages that show the same
	Links      []Link
	Searches   bool                  // it is a search: its own form leads to it with what was typed
	Alternates []extension.Alternate // the page in other languages, as it says
	Cost       time.Duration         // time to read the whole page
	Extensions extension.Values      // what it has for the extensions
}

// Route is a route of the site's router.
type Route struct {
	// Template has everything that comes before it in the location. It is "" if it is not known.
	Template string
	// Exact says that the route matches its template alone, and that this is the location, with or without a slash at
	// the end.
	Exact bool
	Named bool // the owner has named the location himself, in ExploreOptions.Paths
}

// Size returns about how many bytes of memory the observation needs until it is read, without its body.
func (o *Observation) Size() int {
	n := int(unsafe.Sizeof(*o)) + len(o.Location) + len(o.Route.Template) + len(o.Named.Referer) + len(o.Named.Query) +
		len(o.Prefers)
	if o.Response != nil {
		n += o.Response.Size()
	}
	return n
}

// Link is a link to another location of the site.
type Link struct {
	Location string
	Main     bool // whether it is in the page's main content
}

// ReadHeader begins the reading: it notes what the request and the header of the response say. [Observation.Read] then
// reads the page.
func (o *Observation) ReadHeader(norm *location.Normalizer) {
	o.Reading = &Reading{Header: Header{Echo: newEcho(norm, &o.Named)}}
	h := &o.Response.Header
	switch o.Kind {
	case eligibility.Witness:
		o.Hash = fingerprint(o.Response)
		if t, err := http.ParseTime(h.LastModified); err == nil {
			o.Server = moment.Of(t)
		}
	case eligibility.Redirected:
		o.Moved = o.Response.Status == http.StatusMovedPermanently || o.Response.Status == http.StatusPermanentRedirect
		o.Target = norm.Resolve(o.Location, h.Location).Location
		o.Away, _ = norm.Elsewhere(o.Location, h.Location)
		o.asks(norm, h.Location)
	}
}

// asks takes a redirect for a log-in if its target has the page's location in its query. Such a target leads visitors
// back once they have done what it asks, such as to log in or to state their age. A redirect to the page
// itself, as to set a cookie, says nothing.
func (o *Observation) asks(norm *location.Normalizer, target string) {
	if leadsBack(norm, o.Location, target) {
		o.Reason, o.Moved = eligibility.LoginRedirect, false
	}
}

// leadsBack reports whether the query of a target names the location that leads to it.
func leadsBack(norm *location.Normalizer, from, target string) bool {
	_, query, _ := strings.Cut(target, "?")
	values, _ := url.ParseQuery(query) // of a malformed query, the rest counts
	for _, v := range values {
		if strings.Contains(v[0], "/") && norm.Resolve(from, v[0]).Location == from {
			return true
		}
	}
	return false
}

// Moment returns when the response was seen.
func (o *Observation) Moment() moment.Time { return moment.Of(o.At) }

// Personal reports whether the headers say that the page is for one visitor.
func (o *Observation) Personal() bool {
	return o.Kind == eligibility.Forbidden && (o.Reason == eligibility.Private || o.Reason == eligibility.NoStore)
}

// fingerprint returns a hash of everything that a reading depends on: the page's bytes, and the
// headers that say how to read them. It is never 0.
func fingerprint(resp *response.Response) uint64 {
	h := &resp.Header
	headers := xxh3.HashString(h.ContentType + "\n" + h.ContentEncoding + "\n" + h.Link + "\n" + h.RobotsTag + "\n" +
		h.Refresh)
	return xxh3.HashSeed(resp.Body, headers) | 1
}

// MaxPage is how many decoded bytes of a page are read. A longer page is known by its beginning.
const MaxPage = 2 << 20

// headMost is how many decoded bytes of a page are read if there is time only for its head.
const headMost = 128 << 10

// Read parses the page: all of it if full is set, else only its head. want says which extensions to look for. They must
// name no location for which hidden is true. none is what the site answers where it has no page.
func (o *Observation) Read(norm *location.Normalizer, full bool, want extension.Set, hidden func(location string) bool,
	none *nowhere.Answers) {
	o.Parsed = true
	h := &o.Response.Header
	most := MaxPage
	if !full {
		most = headMost
	}
	body, cut, err := Decode(h.ContentEncoding, o.Response.Body, most)
	if err != nil {
		o.Forbids = eligibility.Encoding
		return
	}
	opts := html.Options{ContentType: h.ContentType}
	var facts html.Facts
	if full {
		o.Cost = readingCost(body, h.ContentEncoding != "")
		facts = html.Read(body, opts)
	} else {
		facts = html.Head(body, opts)
	}
	facts.AddHeader([]string{h.Link})
	o.Whole, o.LogIn = facts.Document, facts.LogIn
	if o.forbids(norm, &facts); o.Forbids == eligibility.HeadNotSeen && len(bytes.TrimSpace(body)) == 0 {
		o.Forbids = eligibility.Empty
	}
	if o.refreshes(norm, &facts); !full || o.Kind != eligibility.Witness {
		return
	}
	o.Own = moment.Of(facts.Modified).Second()
	o.Full, o.Cut = true, cut || o.Response.Truncated
	o.Lang = facts.Language
	view := mark.Read(&facts, 0)
	o.View = &view
	if o.Showing = showing(o, &facts); none.Show(&nowhere.Page{Location: o.Location, Canonical: o.Canonized,
		Facts: &facts}) {
		o.Showing = Nothing
	}
	o.Many = len(facts.Links) >= html.MaxLinks
	o.Searches = searches(norm, o.Location, &facts)
	links, twin := o.resolve(norm, &facts)
	o.Links, o.Twin = links, o.Twin || twin
	page := extension.Page{Facts: &facts, Norm: norm, Location: o.Location, At: o.At, Hidden: hidden}
	o.Alternates, o.Extensions = page.Alternates(), want.Read(&page)
}

// searches reports whether a form of the page says that it searches, and leads to the page itself with what was typed.
// Other forms do too, such as a calculator or a filter of prices. One without an action is often that of a script.
func searches(norm *location.Normalizer, loc string, facts *html.Facts) bool {
	fields := map[int]int{}
	for _, field := range facts.Searches {
		fields[field.Form]++
	}
	return slices.ContainsFunc(facts.Searches, func(field html.Search) bool {
		action, _, _ := strings.Cut(field.Action, "?") // in place of its query comes what was typed
		return (field.Typed || fields[field.Form] == 1 && slices.Contains(searchNames, strings.ToLower(field.Name))) &&
			action != "" && action[0] != '#' && norm.Resolve(norm.Base(loc, facts.Base), action).Location == loc
	})
}

// searchNames are the usual names of a field to search in, whose type may not say so.
var searchNames = []string{"q", "s", "query", "search"}

// News compares the page with the mark of earlier observations; see [mark.Mark.News].
func (o *Observation) News(m mark.Mark) (texts []string, gone int) {
	body, _, err := Decode(o.Response.Header.ContentEncoding, o.Response.Body, MaxPage)
	if err != nil {
		return nil, 0
	}
	facts := html.Read(body, html.Options{ContentType: o.Response.Header.ContentType})
	return m.News(&facts)
}

// Decode undoes the response's content coding, if it has one. A compressor around the site may have
// named a coding that it applies only later. Then the bytes are still the page's own. Decode
// returns at most most bytes.
func Decode(encoding string, body []byte, most int) (out []byte, cut bool, err error) {
	if encoding == "" || strings.HasPrefix(http.DetectContentType(body), "text/html") {
		return body[:min(len(body), most)], len(body) > most, nil
	}
	return coding.Decode(encoding, body, most)
}

// forbids notes why the page itself forbids its listing, or None. It also notes whether its links
// count, and its canonical location.
func (o *Observation) forbids(norm *location.Normalizer, facts *html.Facts) {
	facts.AddRobots(strings.Split(o.Response.Header.RobotsTag, "\n"))
	o.NoFollow = facts.NoFollow
	until := facts.UnavailableAfter
	if !until.IsZero() {
		o.Until = moment.Of(until).Second()
	}
	canonical := o.findCanonical(norm, facts)
	switch {
	case facts.NoIndex, !until.IsZero() && o.At.After(until):
		o.Forbids = eligibility.NoIndex
	case !facts.HeadSeen:
		o.Forbids = eligibility.HeadNotSeen
	case canonical == eligibility.None && facts.LogIn.Forms > 0:
		o.Forbids = eligibility.PasswordField
	default:
		o.Forbids = canonical
	}
}

// findCanonical compares the page's canonical with the location, and returns why that forbids the
// listing. If both the HTML and the header name a canonical, they must agree.
func (o *Observation) findCanonical(norm *location.Normalizer, facts *html.Facts) eligibility.Reason {
	given := html.LinkCanonicals([]string{o.Response.Header.Link})
	if facts.CanonicalConflict || len(given) > 1 {
		return eligibility.CanonicalConflict
	}
	if facts.Canonical != "" {
		given = append(given, facts.Canonical)
	}
	if len(given) == 0 {
		if o.OwnQuery {
			return eligibility.QueryNotCanonical
		}
		return eligibility.None
	}
	base := norm.Base(o.Location, facts.Base)
	named := norm.Resolve(base, given[0])
	o.Canonized = named.Location == o.Location
	for _, href := range given[1:] {
		if to := norm.Resolve(base, href); to.Location != named.Location {
			named, o.Canonized = location.Result{Reason: location.ReasonForm}, false
		}
	}
	switch {
	case o.Canonized:
		o.Scheme = norm.Safer(given[0])
		return eligibility.None
	case named.Location != "":
		o.Canonical = named.Location
	case named.Reason != location.ReasonNone:
		o.Twin = norm.Twin(base, given[0])
		if o.Wrong, o.Abroad = norm.Elsewhere(base, given[0]); o.Wrong == "" {
			o.Wrong = strings.TrimSpace(given[0])
		}
	}
	return eligibility.CanonicalElsewhere
}

// tellingText is how many bytes of main text are enough to compare pages. Pages with less are the same only if all their
// bytes are.
const tellingText = 48

// Answered returns what the answer to a request for an address shows.
func Answered(norm *location.Normalizer, address string, answer *response.Response) *nowhere.Page {
	facts := html.Read(answer.Body, html.Options{ContentType: answer.Header.ContentType})
	names := norm.Resolve(norm.Base(address, facts.Base), facts.Canonical).Location
	return &nowhere.Page{Location: address, Canonical: facts.Canonical != "" && names == address, Facts: &facts}
}

// Nothing is the hash of the answer that a site gives where it has no page.
const Nothing = 1

// showing returns a hash of the page's title, main text and the images in it, to find pages that
// show the same. The blocks of the text count in any order: a list sorted in another way is no other list. Of a page
// with a field to log in, the text alone counts: where a log-in stands before all pages of a site, its title may name
// each of them. showing returns 0 for a page that was not read to its end.
func showing(o *Observation, facts *html.Facts) uint64 {
	switch {
	case o.Cut:
		return 0
	case facts.LogIn.Forms > 0:
		return max(facts.MainHash, Nothing+1)
	}
	size, blocks := 0, uint64(0)
	for i := range facts.Blocks {
		if b := &facts.Blocks[i]; b.Main {
			size, blocks = size+len(b.Text), blocks+b.Hash
		}
	}
	if size < tellingText {
		return o.Hash
	}
	var h xxh3.Hasher
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, blocks)) // it never fails
	_, _ = h.WriteString(facts.Title)
	for _, picture := range facts.Pictures {
		_, _ = h.WriteString("\n" + picture.Src)
	}
	return h.Sum64()
}

// Refreshes returns where a page leads by itself, "" for nowhere: a location of the site, or an address on another host
// as the page writes it. The page says so in its HTML or in the Refresh header, whose value is header. now says that it
// leads there at once.
func Refreshes(norm *location.Normalizer, from, header string, facts *html.Facts) (to string, now bool) {
	base, r := norm.Base(from, facts.Base), facts.Refresh
	if r.Href == "" {
		base, r = from, html.ReadRefresh(header)
	}
	if r.Href == "" {
		return "", false
	}
	if off, _ := norm.Elsewhere(from, r.Href); off != "" {
		if kind, _ := eligibility.Leads(r.Href); !r.Now && kind != eligibility.Doubtful && !leadsBack(norm, from, r.Href) {
			return "", false // a download begins from there, and the page stays
		}
		return r.Href, r.Now
	}
	to = norm.Resolve(base, r.Href).Location
	path, _, _ := strings.Cut(to, "?")
	if own, _, _ := strings.Cut(from, "?"); path == own {
		return "", false // it loads itself anew, as after a test for cookies
	}
	return to, r.Now
}

// refreshes treats a page that leads on by itself as a redirect. But a page that says noindex is judged as such, and
// its target counts as a link.
func (o *Observation) refreshes(norm *location.Normalizer, facts *html.Facts) {
	to, now := Refreshes(norm, o.Location, o.Response.Header.Refresh, facts)
	if to == "" {
		return
	}
	if o.Away, _ = norm.Elsewhere(o.Location, to); o.Away == "" {
		o.Target = to
	}
	switch {
	case o.Forbids == eligibility.NoIndex:
		facts.Links = append(facts.Links, html.Link{Href: to})
	default:
		o.Kind, o.Reason = eligibility.Leads(to)
		o.Moved = now
		o.asks(norm, to)
	}
}

// resolve returns the locations of the site that the page links to. twin says whether it links to
// the origin with or without www; see [location.Origin.Twin].
func (o *Observation) resolve(norm *location.Normalizer, facts *html.Facts) (links []Link, twin bool) {
	base := norm.Base(o.Location, facts.Base)
	links = make([]Link, 0, len(facts.Links))
	seen := make(map[string]int, len(facts.Links))
	for _, a := range facts.Links {
		if a.NoFollow {
			continue
		}
		to := norm.Resolve(base, a.Href)
		if to.Location == "" {
			twin = twin || to.Reason == location.ReasonHost && norm.Twin(base, a.Href)
			continue
		}
		if i, ok := seen[to.Location]; ok {
			links[i].Main = links[i].Main || a.Main
			continue
		}
		seen[to.Location] = len(links)
		links = append(links, Link{to.Location, a.Main})
	}
	return links, twin
}

// The costs of reading on a core of 2.5 GHz, including its garbage and the merging, with pauses
// between the pages. In a loop it takes two thirds of that, but on a site other work uses the
// processor's caches between two pages. The costs are not measured page by page: if others use the
// core, a clock shows several times as much. Asking the system for the thread's own time is worse,
// since the worker then loses its turn at each page.
const (
	pageCost   = 180 * time.Microsecond
	byteCost   = 14 * time.Nanosecond
	tagCost    = 550 * time.Nanosecond
	entityCost = 45 * time.Nanosecond
	unpackCost = 6 * time.Nanosecond // per byte that was packed

	// LinkCost is how long it takes to merge one link that was not known.
	LinkCost = 6 * time.Microsecond
)

// readingCost returns how long it takes to read a whole page. body is decoded. packed says that it
// was encoded before.
func readingCost(body []byte, packed bool) time.Duration {
	cost := pageCost + time.Duration(len(body))*byteCost +
		time.Duration(bytes.Count(body, []byte("<")))*tagCost +
		time.Duration(bytes.Count(body, []byte("&")))*entityCost
	if packed {
		cost += time.Duration(len(body)) * unpackCost
	}
	return cost
}
