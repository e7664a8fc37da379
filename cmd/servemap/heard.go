package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check"
	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/coding"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/sitemap/strict"
	"github.com/servemap/servemap/internal/page/words"
)

// heard notes what a site answers.
type heard struct {
	http.Handler
	origin location.Origin
	norm   *location.Normalizer
	rules  eligibility.Rules // what the owner lists, whatever a page seems to say, and what he does not
	// nowhere is what the site shows where it has no page, nil if that is nothing, or the start page.
	nowhere *pages.Page

	mu   sync.Mutex
	more map[string]bool      // what its own sitemap has that a crawl does not write by itself, by its flags
	all  map[string]*answered // by URL, the last answers; nil for a page in which check finds nothing

	dated   int    // entries of its own sitemap that have a lastmod
	home    string // where the start page redirects, "" if it does not
	scripts bool   // the start page says nothing without them

	versions bool // the addresses of pages in other languages are kept, to be compared; ten take some 1.5 KB a page

	linking map[string]*linkers // by the key of where they link

	words map[string]uint64 // of pages, for check: a hash of their words by URL
}

// linkers are the pages that link to an address.
type linkers struct {
	n      int
	some   []string // the first ones in order, at most namedLinking
	follow bool     // search engines follow one of the links
}

// namedLinking is how many of the pages that link to an address are named.
const namedLinking = 20

// link notes where a page links to. One that looks like a secret is named nowhere. Of variants, such as ?ref= of a
// page, a crawl asks for some, and not for the same ones each time: the links count once, for the page itself.
func (h *heard) link(from string, links map[string]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was, again := h.all[from]
	if again && (was == nil || was.Status == http.StatusOK) ||
		capability.Looks(strings.TrimPrefix(from, h.origin.URL(""))) {
		return
	}
	for to, follow := range links {
		l := h.linking[to]
		if l == nil {
			l = &linkers{}
			h.linking[to] = l
		}
		l.n, l.follow = l.n+1, l.follow || follow
		if at, _ := slices.BinarySearch(l.some, from); at < namedLinking {
			l.some = slices.Insert(l.some, at, from)
			l.some = l.some[:min(len(l.some), namedLinking)]
		}
	}
}

// from returns the first pages in order that link to an address, and how many do. What nobody links to may be
// made up.
func (h *heard) from(to string) (some []string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.linking[address.BareOf(to)]
	if l == nil {
		return nil, 0
	}
	for _, page := range l.some {
		if key := address.BareOf(page); h.linking[key] != nil || page == h.origin.URL(h.origin.Folder()) {
			some = append(some, page)
		}
	}
	if !slices.ContainsFunc(some, func(page string) bool { return page != to }) { // as pages that only the sitemap names
		some = slices.Clone(l.some)
	}
	if i := slices.Index(some, to); i >= 0 { // that a page links to itself says the least
		some = append(slices.Delete(some, i, i+1), to)
	}
	return some, l.n
}

// cut reports whether links lead to an address only with a session in the path, as /a;jsessionid=1.
func (h *heard) cut(to string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := address.BareOf(to)
	if h.linking[key] != nil {
		return false
	}
	for link := range h.linking {
		if strings.HasPrefix(link, key+";") {
			return true
		}
	}
	return false
}

// orphan says of a listed page that has no link that engines follow, which links it has. Of a page that could not be
// read nobody knows where it links.
func (h *heard) orphan(loc string, unread bool) check.Link {
	some, n := h.from(loc)
	h.mu.Lock()
	defer h.mu.Unlock()
	says := "no listed page links there"
	if unread {
		says = "no page that could be read links there"
	}
	if n > 0 && !h.linking[address.BareOf(loc)].follow {
		says = "linked with nofollow alone, from " + check.Linking(some, n, false)
	}
	return check.Link{Kind: "orphan", To: loc, Says: says}
}

// linked returns the addresses that are linked, by key.
func (h *heard) linked() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.linking))
}

// Of the addresses that the crawl left out, check looks at so many.
const mostUnasked = 10_000

// values match what is in parameters, and numbers: what addresses that look alike differ in.
var values = regexp.MustCompile(`=[^&]*|\d+`)

// alike returns what an address has in common with others: its first folder, its parameters, and the kind of file.
func alike(u string) string {
	at, params, _ := strings.Cut(u, "?")
	_, at, _ = strings.Cut(at, "://")
	names := strings.SplitN(at, "/", 3)
	return values.ReplaceAllString(names[len(names)-2]+path.Ext(at)+"?"+params, "")
}

// unasked finds the linked addresses that the crawl did not ask for, in order. Of some that are alike, as with the same
// parameters, it asks for those that it meets first, until these show nothing new: how many these are says nothing.
func (h *heard) unasked(ctx context.Context, a *answers, found *check.Crawl) error {
	asked, shapes, partly, left := map[string]bool{}, map[string]bool{}, map[string]int{}, []string{}
	h.mu.Lock()
	for u := range h.all {
		asked[address.KeyOf(location.Sorted(u))], shapes[alike(u)] = true, true
	}
	for to, l := range h.linking {
		if l.follow && !asked[location.Sorted(to)] && strings.HasPrefix(to, h.origin.URL("")) { // by http is another matter
			left = append(left, to)
		}
	}
	h.mu.Unlock()
	slices.Sort(left)
	for _, u := range left[:min(len(left), mostUnasked)] {
		e, err := a.site.Explain(ctx, u)
		if err != nil {
			return err
		}
		switch why := messages.ReasonNamed(string(e.Reason)).Reason; {
		case !slices.Contains(unasked, why) && !slices.Contains(unseen, why):
		case why != eligibility.LinkActs && shapes[alike(u)]:
			partly[alike(u)]++
		default:
			found.Unasked = append(found.Unasked, cmp.Or(pages.Secret(u), u))
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for to := range h.linking {
		if partly[alike(to)] > 1 && strings.HasPrefix(to, h.origin.URL("")) && (found.Alike == "" || to < found.Alike) {
			found.Alike = to
		}
	}
	return nil
}

// mostHeard is how many answers are kept.
const mostHeard = 50_000

// answered is an answer of a site.
type answered struct {
	pages.Page        // as check has judged it, without header and text
	to         string // where it redirects
}

// judged returns what check finds in an answer.
func judged(loc, to string, a pages.Answer) *answered {
	n := &answered{Page: pages.Page{Entry: listing.Entry{Loc: loc}, Answer: a}, to: to}
	pages.Judge(&n.Page, time.Now())
	n.Header = nil
	return n
}

// says says what check finds first in an answer, "" for nothing.
func (a *answered) says() (text string) {
	if a != nil {
		_, text = a.First()
	}
	return text
}

// kind returns the kind of that.
func (a *answered) kind() (kind string) {
	if a != nil {
		kind, _ = a.First()
	}
	return kind
}

// denies reports whether a page says of itself that it is none, or shows an error in place of one, with status 200.
func (a *answered) denies() bool {
	return a != nil && a.Status == http.StatusOK && (a.kind() == "soft-404" || a.kind() == "error")
}

// names reports whether a page names an address as canonical, or in another language.
func (a *answered) names(u string) bool {
	switch {
	case a == nil:
		return false
	case a.kind() == "canonical" && a.Leads != nil && a.Leads.String() == u:
		return true
	}
	return slices.ContainsFunc(a.Versions(), func(l listing.Link) bool { return l.Href == u })
}

// looping says of a redirect without end where it leads.
func (a *answered) looping() string {
	return fmt.Sprintf("redirects (%d) to %s, in a loop", a.Status, a.to)
}

// instead says what came in place of a page: a status, or what check finds where that is 200.
func (a *answered) instead(status int) string {
	if a != nil && a.Status == http.StatusOK {
		return a.says()
	}
	return strconv.Itoa(status)
}

// hear notes an answer. What a bot wall shows is no page, and neither is what the site shows at a made-up address:
// where that is sent with 200, it goes on as what it means, unless the owner lists it. Words alone take no page away.
func (h *heard) hear(resp *http.Response) error {
	loc, status, typ := h.origin.URL(resp.Request.URL.RequestURI()), resp.StatusCode, resp.Header.Get("Content-Type")
	html, to := response.IsHTML(typ), ""
	if at, err := resp.Location(); err == nil && status/100 == 3 {
		to = at.String()
	}
	coded, most := resp.Header.Get("Content-Encoding"), pages.WallBytes
	begin, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)))
	if html {
		most = observation.MaxPage
	} else if text, _, _ := coding.Decode(coded, begin, most); status == http.StatusOK && lists(text, most) != nil {
		most = sitemap.MaxBytes // all dates are counted
	}
	more, moreErr := io.ReadAll(io.LimitReader(resp.Body, int64(most-len(begin))))
	if begin = append(begin, more...); cmp.Or(err, moreErr) != nil {
		return cmp.Or(err, moreErr)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin), resp.Body), resp.Body}
	body, _, err := coding.Decode(coded, begin, most)
	header := resp.Header
	if err != nil {
		body = begin
	} else if coded != "" { // of what is judged
		header = header.Clone()
		header.Del("Content-Encoding")
	}
	if status == http.StatusOK && !html {
		h.extended(lists(body, most))
	}
	a := judged(loc, to, pages.Answer{Status: status, Header: header, Body: body})
	links := a.Links()
	h.mu.Lock()
	start := loc == h.origin.URL(h.origin.Folder())
	if start {
		h.home, h.scripts = to, a.Scripts
	}
	if (start || loc == h.home) && h.nowhere != nil && a.Shows(h.nowhere) {
		h.nowhere = nil
	}
	if !start {
		a.None(h.nowhere)
	}
	if h.words != nil && html && status == http.StatusOK {
		h.words[loc] = a.Words
	}
	h.mu.Unlock()
	named := h.rule(loc) == eligibility.Always
	kind, _ := a.First()
	own := a.Own || kind != "canonical" && h.norm.Parse(loc).Reason == location.ReasonNone
	switch {
	case status != http.StatusOK:
	case html && kind == "" && !a.Private && !a.Scripts && (!h.versions || len(a.Versions()) == 0),
		named && kind == "wall":
		a = nil
	case named:
	case kind == "wall":
		resp.StatusCode = http.StatusForbidden
	case kind == "coding":
		resp.StatusCode = http.StatusInternalServerError
	case kind == "nowhere":
		resp.StatusCode = http.StatusNotFound
	}
	if own {
		h.link(loc, links)
	}
	return h.note(loc, a)
}

// repeated returns the pages whose words another page shows too.
func (h *heard) repeated() map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	shown, all := map[uint64]int{}, map[string]bool{}
	for _, words := range h.words {
		shown[words]++
	}
	for u, words := range h.words {
		if shown[words] > 1 {
			all[u] = true
		}
	}
	return all
}

// rule returns what the owner says of listing a page.
func (h *heard) rule(page string) eligibility.Listing {
	rule, _ := h.rules.Match(strings.TrimPrefix(page, h.origin.URL("")))
	return rule.Listing
}

// extensions match what a sitemap may say of a page besides its date, by the flag with which a crawl writes it too.
var extensions = map[string]*regexp.Regexp{
	"-alternates": regexp.MustCompile(`<\w+:link\s[^>]*hreflang`), "-images": regexp.MustCompile(`<\w+:image>`),
}

// lists returns the text of a sitemap that lists pages, as far as it came, nil if what came is none.
func lists(body []byte, most int) []byte {
	if text, _, _ := strict.Unpack(body, most); bytes.Contains(text[:min(len(text), pages.WallBytes)], []byte("<urlset")) {
		return text
	}
	return nil
}

// extended notes what a sitemap says of pages besides their addresses.
func (h *heard) extended(text []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dated += bytes.Count(text, []byte("<lastmod>"))
	for flag, what := range extensions {
		h.more[flag] = h.more[flag] || what.Match(text)
	}
}

// undated says that the site's own sitemap has more dates than the one that is written, "" if it has not. Nobody who
// has seen the pages once can confirm the others.
func (h *heard) undated(written int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dated <= written {
		return ""
	}
	return "The site's own sitemap has " + words.Count(h.dated, "lastmod") + ", and this one " + words.Number(written) +
		": a crawl takes dates from pages, not from sitemaps. With -data later crawls date what changed."
}

// unwritten says what the site's own sitemap has besides dates that is not written, "" for nothing.
func (h *heard) unwritten(alternates, images bool) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	languages, pictures := h.more["-alternates"] && !alternates, h.more["-images"] && !images
	what, add := "links to other languages and images", "-alternates and -images"
	switch {
	case languages && pictures:
	case languages:
		what, add = "links to other languages", "-alternates"
	case pictures:
		what, add = "images", "-images"
	default:
		return ""
	}
	return "The site's own sitemap has " + what + ", and this one has none. To write them too, add " + add + "."
}

// scripted reports whether the site says nothing without scripts, where visitors enter it.
func (h *heard) scripted() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.scripts
}

// fails reports whether the server failed, or did not answer.
func (a *answered) fails() bool {
	return a != nil && (a.Err != nil || a.Status >= http.StatusInternalServerError)
}

// note keeps the last answer of a URL. A failure takes the place of no answer that came: the site may bear no more
// requests at once.
func (h *heard) note(loc string, a *answered) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	was, again := h.all[loc]
	if again && a.fails() && !was.fails() {
		return nil
	}
	if again || len(h.all) < mostHeard {
		h.all[loc] = a
	}
	return nil
}

// answers returns what was answered until now.
func (h *heard) answers() map[string]*answered {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.all)
}

// wallsOf returns the addresses where a bot wall answered in place of the site.
func wallsOf(got map[string]*answered) (all []inspect.Link) {
	for _, u := range slices.Sorted(maps.Keys(got)) {
		if got[u] != nil && got[u].Wall != "" {
			all = append(all, inspect.Link{URL: u})
		}
	}
	return all
}

// exposed returns links to what shows anybody a secret, or may.
func exposed(got map[string]*answered) (all []check.Link) {
	for _, u := range slices.Sorted(maps.Keys(got)) {
		if n := got[u]; n != nil {
			if kind, says := n.Exposed(); kind != "" {
				all = append(all, check.Link{Kind: kind, To: u, Says: says})
			}
		}
	}
	return all
}

// secrets tells of these.
func (h *heard) secrets(all []check.Link) []leftOut {
	var r report.Report
	for _, l := range all {
		linked := ""
		if some, n := h.from(l.To); n > 0 {
			linked = ", linked from " + check.Linking(some, n, false)
		}
		r.Add(l.Kind, report.At{Where: l.To}, "%s%s", l.Says, linked)
	}
	return rowsOf(r)
}

// rowsOf returns the groups of a report as rows.
func rowsOf(r report.Report) (rows []leftOut) {
	for _, g := range r.Groups {
		l := leftOut{n: g.Count, kind: g.Kind, why: g.Title, todo: g.Remedy}
		for _, f := range g.Findings {
			l.some = append(l.some, f.Where+" "+f.Text)
		}
		rows = append(rows, l)
	}
	return rows
}

// faults returns what check would call faults of the listed pages, and which say nothing without scripts.
func (h *heard) faults(all []string, got map[string]*answered) (found []leftOut, err error) {
	var r report.Report
	var listed []*pages.Page
	for _, u := range all {
		if n := got[u]; n != nil && (n.Told() || n.Scripts) {
			listed = append(listed, &n.Page)
		}
	}
	slices.SortFunc(listed, func(a, b *pages.Page) int { return strings.Compare(a.Entry.Loc, b.Entry.Loc) })
	var home *pages.Page // or where that leads
	for n, hops := got[h.origin.URL(h.origin.Folder())], 0; n != nil && hops < shownHops; hops++ {
		if home = &n.Page; home.Leads == nil || home.Asks() {
			break
		}
		n = got[home.Leads.String()]
	}
	pages.Box(listed, home, &r)
	pages.Compare(listed, nil, &r, time.Now())
	if err := h.languages(all, got, &r); err != nil {
		return nil, err
	}
	r.Groups = slices.DeleteFunc(r.Groups, func(g report.Group) bool {
		return g.Kind != "scripts" && (g.Level != "fault" || !slices.Contains(crawlKinds, g.Kind))
	})
	return rowsOf(r), nil
}

// languages finds what is wrong with the versions in other languages that listed pages name.
func (h *heard) languages(listed []string, got map[string]*answered, to *report.Report) error {
	site, err := url.Parse(h.origin.URL("/sitemap.txt"))
	if err != nil {
		return err
	}
	j := listing.NewJudge(listing.Site{Scheme: site.Scheme, Host: address.Host(site), Folder: "/"}, to)
	wrong := map[string]string{}
	_, _ = j.File(listing.Answer{URL: site, Body: []byte(strings.Join(listed, "\n")), ContentType: "text/plain"})
	for u, n := range got {
		if n == nil || n.Read || report.IsFault(n.kind()) {
			wrong[address.KeyOf(u)] = n.says()
		}
	}
	for _, e := range j.Pages {
		if n := got[e.Loc]; n != nil {
			j.InPage(e, n.Versions())
		}
	}
	j.Languages(wrong)
	return nil
}
