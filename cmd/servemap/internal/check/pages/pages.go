// Package pages judges the answers of listed pages: each alone by [Judge], and all together by [Compare]. It asks
// nobody.
package pages

import (
	"cmp"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/nowhere"
	"github.com/servemap/servemap/internal/page/coding"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/words"
)

// Answer is what came for a page.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Err    error // why nothing came
	Took   time.Duration
}

// Page is a listed page, and the answer to the request for it.
type Page struct {
	Entry listing.Entry
	Answer
	Read bool   // it answered with a page
	Wall string // the name of the bot wall that answered, "" for none
	HTML bool   // it is sent as HTML, or without a type and begins as HTML does, which browsers show as such
	Own  bool   // it is no variant: it names no other address as canonical, and with a parameter it names itself
	// Leads is where the page leads: by a redirect, a refresh, or a canonical link; nil for nowhere else.
	Leads   *url.URL
	Scripts bool   // it shows nothing without them
	Words   uint64 // a hash of the words of its main text, which numbers are none of
	Private bool   // it is sent as one for a single visitor; that it may not be stored says nothing, as PHP sends that

	at         *url.URL // of Entry
	alternates []listing.Link
	links      map[string]bool // where it links to on its own host, by key, and whether search engines follow that
	named      map[string]bool // where it links to by words that an error has too, by key
	stated     string          // what of told its title or heading says
	exposed    told            // what a file shows anybody
	told       []told
	leads      int       // what of this says that it leads there
	also       []told    // what is wrong, and does not speak against listing it
	text       uint64    // a hash of its main text, 0 for none
	look       uint64    // a hash of what a reader sees
	letters    int       // of its main text
	brief      string    // what it says first, if it says little
	rest       uint64    // a hash of all that it has beside menus, if it says little
	quiet      bool      // nothing else is told of it than that it looks private
	modified   time.Time // as the page itself says
	sent       time.Time // its Last-Modified

	logIn html.LogIn // told is that it asks for a password
}

// End is where the redirects of a page end.
type End struct {
	URL         string // "" if nobody followed them
	Page        *Page  // there, nil if it was not asked for
	Barred      bool   // robots.txt disallows it
	Loops, Long bool   // they have no end, or none after so many as crawlers follow
	Listed      bool   // the sitemap lists it
}

// Ends says where the page leads in the end.
func (p *Page) Ends(end End) {
	t := &p.told[p.leads]
	todo := ": do not list it"
	if t.kind == "canonical" {
		todo = ": have the page name its own address"
	}
	switch {
	case end.Loops && t.kind != "canonical":
		t.text, t.todo = t.text+", in a loop", ": mend the loop, or do not list it"
	case end.Long:
		t.text, t.todo = t.text+", and on more often than crawlers follow", ": lead there at once"
	case end.URL != "" && end.URL != p.Leads.String():
		t.text += ", and its chain ends at %s"
		t.args = append(t.args, end.URL)
	}
	switch there := end.Page; {
	case end.Barred:
		t.text, t.todo = t.text+", which robots.txt disallows", todo
	case there != nil && there.Told() && there.Wall == "" && there.told[0].kind != "busy" &&
		(!there.Asks() || there.Brief()): // else it may have a box
		if t.kind != "canonical" && there.Leads != nil && address.Key(there.Leads) == address.Key(p.at) {
			todo = ": have that page name its own address"
		}
		t.text, t.args, t.todo = t.text+", which "+there.told[0].text, append(t.args, there.told[0].args...), todo
	case end.Listed:
		t.todo = ", already listed: take this one out"
	}
}

// lead tells that the page leads to another address.
func (p *Page) lead(to *url.URL, kind, text string, args ...any) {
	if p.Leads == nil {
		p.Leads, p.leads = to, len(p.told)
	}
	p.tell(kind, text, args...)
}

// told is something that is wrong with a page.
type told struct {
	kind, text string
	args       []any
	todo       string // for who lists the page
}

// MaxBytes is how much of a page is read.
const MaxBytes = 4 << 20

// Told reports whether something speaks against listing the page.
func (p *Page) Told() bool { return len(p.told) > 0 }

// is reports whether something of a kind is told of the page.
func (p *Page) is(kind string) bool {
	return slices.ContainsFunc(p.told, func(t told) bool { return t.kind == kind })
}

// Asks reports whether the page has a field to log in.
func (p *Page) Asks() bool { return p.logIn.Forms > 0 }

// Brief reports whether the page has such a field, and says little besides.
func (p *Page) Brief() bool { return p.logIn.Brief }

// Shows reports whether the page shows another one, or leads there.
func (p *Page) Shows(other *Page) bool {
	return p.Read && other.Read && p.text != 0 && p.text == other.text ||
		p.Leads != nil && address.Key(p.Leads) == address.Key(other.at)
}

// Links returns where the page links to on its own host, by key, and whether search engines follow one of these links.
// It forgets that.
func (p *Page) Links() (links map[string]bool) {
	links, p.links = p.links, nil
	return links
}

// First returns the kind of what speaks first against listing the page, and says it; "" for nothing.
func (p *Page) First() (kind, text string) {
	if !p.Told() {
		return "", ""
	}
	return p.told[0].kind, fmt.Sprintf(p.told[0].text, p.told[0].args...)
}

// Unanswered says why nothing came, without the address that was asked for: with -origin, the page has another one.
func Unanswered(err error) string {
	if at, says, _ := strings.Cut(err.Error(), " "); strings.Contains(at, "://") {
		return says
	}
	return err.Error()
}

// Judge notes in a page what is wrong with its answer, as it was sent, and keeps nothing of the text. [Compare] reports
// that.
func Judge(p *Page, now time.Time) {
	defer func() { p.Body = nil }()
	at, err := url.Parse(p.Entry.Loc)
	if err != nil {
		return // it was checked
	}
	p.at = at
	p.Wall = Wall(p.Status, p.Header, p.Body)
	switch kind := refused[p.Status]; {
	case p.Err != nil:
		p.tell("no-answer", "%s", Unanswered(p.Err))
	case p.Wall != "":
		p.tell("wall", "is answered with %d by %s, in place of the page", p.Status, p.Wall)
	case p.Status >= 300 && p.Status < 400 && p.Status != http.StatusNotModified:
		p.redirects()
	case p.Status != http.StatusOK:
		p.tell(cmp.Or(kind, "error"), "is answered with %s", Status(p.Status))
	default:
		if body, _, err := coding.Decode(p.Header.Get("Content-Encoding"), p.Body, MaxBytes); err == nil {
			p.Body = body
		} else if !errors.Is(err, coding.ErrUnsupported) {
			p.tell("coding", "has the Content-Encoding %s, and is not coded so", p.Header.Get("Content-Encoding"))
			return
		}
		p.Read, p.Private = len(p.Body) > 0, private.MatchString(strings.Join(p.Header["Cache-Control"], ","))
		p.page(now)
		if p.Read && p.Took > slow {
			p.note("slow", "took %.1f s to answer", p.Took.Seconds())
		}
	}
}

// refused has the kinds of what is found where the site refuses a page.
var refused = map[int]string{
	http.StatusTooManyRequests: "busy", http.StatusUnauthorized: "denied", http.StatusForbidden: "denied",
}

func (p *Page) tell(kind, text string, args ...any) {
	p.told = append(p.told, told{kind: kind, text: text, args: args})
}

// note tells of what does not speak against listing the page.
func (p *Page) note(kind, text string, args ...any) {
	p.also = append(p.also, told{kind: kind, text: text, args: args})
}

// Status writes a status as servers do.
func Status(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// redirects judges a redirect.
func (p *Page) redirects() {
	to, err := p.at.Parse(p.Header.Get("Location"))
	switch {
	case err != nil || p.Header.Get("Location") == "":
		p.tell("error", "is answered with %s and leads nowhere", Status(p.Status))
	case eligibility.IsLogIn(p.Header.Get("Location")):
		p.tell("login", "sends visitors to log in, at %s", to.String())
	case address.Key(to) == address.Key(p.at):
		p.tell("redirect", "redirects to itself (%d): mend the loop, or do not list it", p.Status)
	case address.Host(to) != address.Host(p.at):
		p.lead(to, "redirect", "redirects (%d) to %s, on another host", p.Status, to.String())
	case address.IsRoot(to) && strings.Trim(p.at.Path, "/") != "":
		p.tell("redirect", "redirects (%d) to the start page, %s, as pages that are gone often do", p.Status, to.String())
	default:
		p.lead(to, "redirect", "redirects (%d) to %s", p.Status, to.String())
	}
}

// page judges what a page says.
func (p *Page) page(now time.Time) {
	if len(p.Body) == 0 {
		p.tell("empty-page", "is answered with 200, and is empty")
		return
	}
	_, noFollow, _ := html.Robots(p.Header["X-Robots-Tag"])
	typ := p.Header.Get("Content-Type")
	if typ == "" {
		typ = http.DetectContentType(p.Body)
	}
	var facts html.Facts
	if p.HTML = response.IsHTML(typ); p.HTML {
		facts = html.Read(p.Body, html.Options{ContentType: typ})
	} else if document.Match(p.Body) && !markup.MatchString(typ) && p.Header.Get("Content-Disposition") == "" {
		p.tell("source", "is a page of HTML, and sent as %s", typ)
	}
	p.expose(typ)
	if t, err := http.ParseTime(p.Header.Get("Last-Modified")); err == nil {
		p.sent = t
	}
	if what := asset(typ); what != "" && !p.Told() {
		p.tell("no-page", "is %s (%s)", what, typ)
	}
	p.modified, p.text, p.Words = facts.Modified, facts.MainHash, wordsOf(&facts)
	p.index(facts.Metas, now)
	base := p.at
	if b, err := p.at.Parse(facts.Base); err == nil && facts.Base != "" {
		base = b
	}
	p.versions(base, facts.Alternates)
	p.follow(base, &facts, !noFollow && !facts.NoFollow)
	p.names(base)
	if !p.leadsOn(base, &facts) && p.HTML {
		if p.letters, p.look = facts.Letters(), look(p.Body, &facts); facts.Brief() && p.letters > 0 {
			first := slices.IndexFunc(facts.Blocks, func(b html.Block) bool { return b.Main || !b.Boilerplate })
			p.brief, p.rest = facts.Blocks[first].Text, xxh3.Hash(frame.ReplaceAll(p.Body, nil))
		}
		if size := len(p.Body); size >= MaxBytes { // the rest was not read
			p.note("huge", "has more than %s of HTML", words.Size(size))
		} else if size > readByGoogle {
			p.note("huge", "has %s of HTML", words.Size(size))
		}
		p.Scripts = scripted(p.Body, &facts)
		if p.logIn = facts.LogIn; p.Asks() {
			p.tell("login", "shows a field for a password")
		} else if says := failed(&facts); says != "" {
			p.tell("error", "is answered with 200, and shows an error: %q", says)
		} else if wordless(&facts) && !script.Match(p.Body) && !shows.Match(p.Body) {
			p.tell("empty-page", "is answered with 200, and has no word")
		} else if says := cmp.Or(facts.Title, heading(&facts)); unused.MatchString(says) {
			p.tell("default-page", "shows %q, as a server does that was not set up for the site", says)
		} else if s := instead(p, &facts, typ); s.words != "" {
			p.tell(s.kind, s.says, s.words)
			p.stated = s.says
		} else if p.isFolder(base, &facts) {
			p.note("private", "shows the names of all files in its folder: %q", facts.Title)
		}
	}
	p.canonical(base, &facts)
}

// Versions returns the versions in other languages that the page names itself.
func (p *Page) Versions() []listing.Link { return p.alternates }

// versions takes the versions in other languages that the page names.
func (p *Page) versions(base *url.URL, all []html.Alternate) {
	for _, a := range all {
		to, err := base.Parse(a.Href)
		if err != nil {
			continue
		}
		l := listing.Link{Lang: a.Lang, Href: to.String()}
		if written, err := url.Parse(a.Href); err == nil && !written.IsAbs() {
			l.Relative = a.Href
		}
		p.alternates = append(p.alternates, l)
	}
}

// isFolder reports whether a page is a list of files that a server makes itself, as its title and a link up say.
func (p *Page) isFolder(base *url.URL, facts *html.Facts) bool {
	up, err := p.at.Parse("..")
	of, is := strings.CutPrefix(facts.Title, "Index of ")
	if err != nil || !is || strings.Trim(of, "/") != strings.Trim(p.at.Path, "/") {
		return false
	}
	return slices.ContainsFunc(facts.Links, func(l html.Link) bool {
		to, err := base.Parse(l.Href)
		if err != nil {
			return false
		}
		sorts := strings.HasPrefix(l.Href, "?C=")
		return sorts || to.Path == up.Path && address.Host(to) == address.Host(p.at)
	})
}

// follow notes where a page links to. follows says that engines follow its links.
func (p *Page) follow(base *url.URL, facts *html.Facts, follows bool) {
	p.links = map[string]bool{}
	_, public := location.PublicHost(p.at.Scheme, p.at.Host)
	told := map[string]bool{} // hosts, and ; for a session
	for _, l := range facts.Links {
		to, err := base.Parse(l.Href)
		switch {
		case err != nil || to.Scheme != "http" && to.Scheme != "https":
		case address.Host(to) == address.Host(p.at):
			if to.Scheme == "http" && p.at.Scheme == "https" && !told[to.Host] {
				told[to.Host] = true
				p.note("plain-http", "links to %s", to.String())
			}
			if location.IsSession(address.Tracking(to)) && !told[";"] {
				told[";"] = true
				p.note("session", "links to %s", to.String())
			}
			key := address.Bare(to)
			p.links[key] = p.links[key] || !l.NoFollow && follows
		case public:
			if _, reached := location.PublicHost(to.Scheme, to.Host); !reached && !told[to.Host] {
				told[to.Host] = true
				p.note("private-address", "links to %s, which nobody else reaches", to.String())
			}
		}
	}
}

// names notes which pages it links to by words that an error has too.
func (p *Page) names(base *url.URL) {
	p.named = map[string]bool{}
	for _, m := range link.FindAllSubmatch(p.Body, -1) {
		if len(m[2]) > longestName || !isStatement(html.PlainText(tag.ReplaceAll(m[2], nil), longestName)) {
			continue
		}
		if to, err := base.Parse(strings.Trim(string(m[1]), `"'`)); err == nil {
			p.named[address.Bare(to)] = true
		}
	}
}

// Excuse takes back what is told of pages by the words that name them, where another page links there by such words, as
// a glossary of errors does. A page that fails has another name there.
func Excuse(all []*Page) {
	named := map[string]bool{}
	for _, p := range all {
		for key := range p.named {
			named[key] = named[key] || key != address.BareOf(p.Entry.Loc)
		}
	}
	for _, p := range all {
		if named[address.BareOf(p.Entry.Loc)] {
			p.told = slices.DeleteFunc(p.told, func(t told) bool { return t.text == p.stated })
		}
	}
}

// asset says what an answer is that belongs to a page and is none, "" for others, such as a document.
func asset(typ string) string {
	switch typ, _, _ := mime.ParseMediaType(typ); {
	case strings.HasPrefix(typ, "image/"):
		return "a picture"
	case strings.HasPrefix(typ, "font/"):
		return "a font"
	case typ == "text/css":
		return "a style sheet"
	case typ == "text/javascript", typ == "application/javascript":
		return "a script"
	case typ == "application/json", strings.HasSuffix(typ, "+json"):
		return "data for programs"
	}
	return ""
}

// Box tells of the site's box to log in. home is the start page, or where that redirects; it may be nil. What some
// pages show all alike is a wall before them, and no box; two of many may be forms to sign up.
func Box(all []*Page, home *Page, to *report.Report) {
	var box eligibility.Box
	if home != nil {
		box.Saw("/", true, home.logIn)
	}
	read, asking, with, alike := 0, []*Page{}, []*Page{}, map[uint64]int{}
	for _, p := range all {
		if p.Read {
			read++
		}
		if p.Asks() {
			alike[p.text]++
		}
	}
	for _, p := range all {
		if n := alike[p.text]; p.Asks() && (n == 1 || n < leastCrowd && Few(n, read)) {
			asking = append(asking, p)
			if p != home && len(p.told) == 1 { // nothing else speaks against it
				box.Saw(p.at.RequestURI(), false, p.logIn)
			}
		}
	}
	for _, p := range asking {
		if p == home || box.Has(p.at.RequestURI(), p.logIn) {
			with = append(with, p)
			p.forgive()
		} else if p.at.RequestURI() != "/" && !eligibility.IsLogIn(p.at.RequestURI()) {
			// The page may have a text of its own, or let everybody sign up.
			p.forgive()
			p.note("login-form", "shows a field for a password")
		}
	}
	if len(with) > 0 {
		to.Add("box", with[0].Entry.At(), "has a field for a password in its text, as %s of %s read have",
			words.Number(len(with)), words.Count(read, "page"))
	}
}

// forgive forgets that the page asks for a password.
func (p *Page) forgive() {
	p.told = slices.DeleteFunc(p.told, func(t told) bool { return t.kind == "login" })
}

// leadsOn judges a page that leads on by itself. Its relative addresses begin at base. From one that leads to another
// host only after a while, as a download begins, visitors go nowhere.
func (p *Page) leadsOn(base *url.URL, facts *html.Facts) bool {
	r := facts.Refresh
	if r.Href == "" {
		base, r = p.at, html.ReadRefresh(p.Header.Get("Refresh"))
	}
	to, err := base.Parse(r.Href)
	if r.Href == "" || err != nil || to.Host == p.at.Host && to.Path == p.at.Path ||
		address.Host(to) != address.Host(p.at) && !r.Now && !eligibility.IsLogIn(r.Href) {
		return false
	}
	how := "by itself (refresh)"
	if r.Script {
		how = "by a script alone"
	}
	if eligibility.IsLogIn(r.Href) {
		p.tell("login", "leads visitors to log in, at %s", to.String())
	} else {
		p.lead(to, "stub", "leads on to %s "+how, to.String())
	}
	return true
}

// canonical judges which address a page names as its own.
func (p *Page) canonical(base *url.URL, facts *html.Facts) {
	named := map[string]*url.URL{} // by key
	for _, href := range html.LinkCanonicals(p.Header["Link"]) {
		if to, err := p.at.Parse(href); err == nil {
			named[address.Bare(to)] = to
		}
	}
	if to, err := base.Parse(facts.Canonical); err == nil && facts.Canonical != "" {
		named[address.Bare(to)] = to
	}
	own := address.Bare(p.at)
	p.Own = own == address.Key(p.at) && (named[own] != nil || len(named) == 0 && p.at.RawQuery == "")
	said := strings.Replace(own, address.Site(p.at), p.Entry.Site, 1) // as the sitemap has it, which was told
	switch {
	case facts.CanonicalConflict || len(named) > 1:
		p.tell("canonical", "names several addresses as canonical")
		p.told[len(p.told)-1].todo = ": have it name one"
	case len(named) == 1 && named[own] == nil && named[said] == nil:
		for key, to := range named {
			_, rest, _ := strings.Cut(key, "://")
			switch {
			case strings.HasSuffix(own, "://"+rest):
				p.tell("canonical-scheme", "names %s as canonical", to.String())
			case address.Developer(to, address.Host(p.at)):
				p.tell("developer", "names %s as canonical", to.String())
			case address.Host(to) != address.Host(p.at):
				p.lead(to, "canonical", "names %s as canonical, on another host", to.String())
			default:
				p.lead(to, "canonical", "names %s as canonical", to.String())
			}
		}
	}
}

var (
	// document matches the beginning of a page of HTML; markup matches types of which browsers show the elements, and
	// no source.
	document = regexp.MustCompile(`(?i)^(?:\xef\xbb\xbf)?(?:\s|<!--(?:[^-]|-[^-])*-->)*<(?:!doctype\s+html|html)[\s>]`)
	markup   = regexp.MustCompile(`(?i)^[^;]*xml`)
	// unused matches the whole title of a page that comes with nginx, Apache or IIS.
	unused = regexp.MustCompile(`^(?:Welcome to (?:nginx|OpenResty)!?|It works!(?: Apache httpd)?|Apache2 \w+ Default Page(?:: It works)?|` +
		`(?:Apache )?HTTP Server Test Page.*|Test Page for the (?:Apache|Nginx|HTTP).*|IIS Windows(?: Server)?)$`)
)

// heading returns the only text of a page that has no more, as Apache's "It works!" without a title.
func heading(facts *html.Facts) string {
	if len(facts.Blocks) == 1 {
		return facts.Blocks[0].Text
	}
	return ""
}

var (
	script = regexp.MustCompile(`(?i)<script\b`)
	// mount matches the empty element into which a program writes the page.
	mount = regexp.MustCompile(`(?i)<(?:div|main|section)\b[^>]*\bid=["']?(?:root|app|__next|__nuxt|___gatsby|q-app|react-root|application|app-root|main-app|svelte|vue-app)["']?[^>]*>` +
		`(?:\s|<!--.{0,200}?-->|loading\W{0,3})*</(?:div|main|section)>|<app-root\b[^>]*>(?:\s|loading\W{0,3})*</app-root>`)
)

// scripted reports whether a page of HTML says nothing without scripts.
func scripted(body []byte, facts *html.Facts) bool {
	return facts.Letters() == 0 && script.Match(body) || facts.Brief() && mount.Match(body)
}

var (
	// failure matches what PHP, WordPress, Python and Laravel show in place of a page when they fail.
	failure = regexp.MustCompile(`\b(?:Fatal|Parse) error: .* in \S+ on line \d+|^Error establishing a database connection\b|` +
		`^Traceback \(most recent call last\):|^Whoops, looks like something went wrong\b`)
	// shows matches what a page may show beside words; hidden matches a field that it does not.
	shows  = regexp.MustCompile(`(?i)<(?:img|source|svg|video|audio|canvas|i?frame|object|embed|input|textarea|button)\b[^>]*>`)
	hidden = regexp.MustCompile(`(?i)\stype\s*=\s*["']?hidden`)
	// frame matches what may say where in the site a page is, or who asks for it.
	frame = regexp.MustCompile(`(?is)<nav\b.*?</nav>|<header\b.*?</header>|<footer\b.*?</footer>|<(?:meta|link)\b[^>]*>|` +
		`<input\b[^>]*\stype\s*=\s*["']?hidden[^>]*>`)
)

// look returns a hash of what a reader sees: the title, the words, also those of forms, pictures and fields. Menus do
// not count: they say where in the site a page is.
func look(body []byte, facts *html.Facts) uint64 {
	h := xxh3.New()
	_, _ = h.WriteString(facts.Title)
	for _, b := range facts.Blocks {
		if b.Main || !b.Boilerplate || b.Links == 0 {
			_, _ = h.WriteString("\n" + b.Text)
		}
	}
	for _, tag := range shows.FindAll(body, -1) {
		if !hidden.Match(tag) {
			_, _ = h.Write(tag)
		}
	}
	return h.Sum64()
}

// wordsOf returns a hash of the words of a page's main text: one that only counts on has those of the one before.
func wordsOf(facts *html.Facts) uint64 {
	h := xxh3.New()
	for _, b := range facts.Blocks {
		if b.Main {
			_, _ = h.WriteString(strings.Join(nowhere.Words(b.Text), " ") + "\n")
		}
	}
	return h.Sum64()
}

// wordless reports whether a page has no text but that of its menus.
func wordless(facts *html.Facts) bool {
	return !slices.ContainsFunc(facts.Blocks, func(b html.Block) bool { return b.Main || !b.Boilerplate })
}

// failed returns the error that a page shows, and little else, "" for none.
func failed(facts *html.Facts) string {
	if !facts.Brief() {
		return ""
	}
	for _, b := range facts.Blocks {
		if failure.MatchString(b.Text) {
			return b.Text
		}
	}
	return ""
}

var (
	// separator cuts titles such as "Not found | Example".
	separator = regexp.MustCompile(`\s+[-–—|·•»/]+\s+|[|–—·•»]|\s*[.!]+\s*`)
	// gone matches a part of a title that says nothing but that there is no page.
	gone = regexp.MustCompile(`(?i)^(?:(?:http )?(?:error|fehler|erreur|errore|ошибка|oops|ooops|sorry|whoops)[\s,!:]*)?(?:404(?: ?error)?[\s,:]*)?(?:` +
		`404|(?:the |this |that )?(?:page|file|content|article|product|url|resource|document|post)?\s*(?:is |was |could )?not (?:be )?found|(?:page|nothing) (?:does not|doesn['’]t) exist|page missing|` +
		`(?:die )?seite (?:wurde )?nicht gefunden|nicht gefunden|page (?:non trouvée|introuvable)|página no encontrada|no encontrado|página não encontrada|pagina non trovata|` +
		`pagina niet gevonden|niet gevonden|sidan hittades inte|siden (?:blev )?ikke funnet|siden blev ikke fundet|sivua ei löytynyt|nie znaleziono(?: strony)?|strona nie istnieje|` +
		`stránka nenalezena|az oldal nem található|sayfa bulunamadı|страница не найдена|сторінку не знайдено|页面不存在|页面未找到|找不到(?:网页|页面|頁面)|ページが見つかりません(?:でした)?|페이지를 찾을 수 없습니다` +
		`)(?: ?\(?404\)?)?$`)
	// sentence matches one sentence, and says what says so in it.
	sentence = regexp.MustCompile(`[^.!?。！？]+[.!?。！？]*`)
	says     = regexp.MustCompile(`(?i)\b(?:page|article|product|content|document|url|address|post|resource|file)\b[^.!?]{0,80}\b(?:(?:could|can|was|is|were)(?: ?not|n['’]t)(?: be)? found|(?:does not|doesn['’]t|no longer) exists?|` +
		`(?:is |has been )?(?:no longer available|removed or (?:moved|renamed)))|\b(?:we )?(?:can['’]?t|cannot|could(?: not|n['’]t)) find (?:the|that|this) page|\bpage not found\b|` +
		`seite (?:konnte |wurde )?(?:leider )?nicht gefunden|page (?:demandée )?(?:n['’]existe (?:pas|plus)|introuvable|n['’]a pas été trouvée)|no (?:se ha|hemos) encontrado la página|página (?:solicitada )?no existe|` +
		`pagina (?:richiesta )?non (?:esiste|è stata trovata)|pagina (?:bestaat niet|kon niet worden gevonden)|страница не найдена|页面不存在|ページが見つかりません`)
)

// link matches a link and its words, which are those of another page.
var link = regexp.MustCompile(`(?is)<a\b[^>]*\shref\s*=\s*("[^"]*"|'[^']*'|[^\s>]*)[^>]*>(.*?)</a\s*>`)

// tag matches what is no word of a link.
var tag = regexp.MustCompile(`<[^>]*>`)

// longestName is how long the words of a link are at most that may name an error.
const longestName = 200

// How many letters a page has at most beside what says that it is not there: its title or first heading and nothing
// else, or a sentence. More is a text of its own, as of an article about that, or a product with its description.
const (
	besideNone       = 300
	besideSentence   = 80
	lengthOfSentence = 200 // in bytes, at most
)

// instead returns what a page says of itself in place of a text. Words in links say nothing of it, such as the headline
// of an article.
func instead(p *Page, f *html.Facts, typ string) (s statement) {
	if s = stated(f); s.words == "" {
		return s
	}
	own := html.Read(link.ReplaceAll(p.Body, nil), html.Options{ContentType: typ})
	if s = stated(&own); s.beside > s.most {
		return statement{}
	}
	return s
}

// statement is what a page says of itself.
type statement struct {
	kind, says   string
	words        string // "" for nothing
	most, beside int    // how many letters it may have beside these words, and how many it has
}

// statements has what a title or a first heading says of a page, by all its words. What says that there is no page may
// also be a part of a title, or a sentence.
var statements = []struct {
	kind, says string
	most       int // letters that the page may have
	all        *regexp.Regexp
}{
	{"error", "is answered with 200, and shows an error: %q", besideNone, whole(`(?:http |error |error: )+50\d|50\d error|` +
		`(?:error |http )*(?:50\d[\s:–-]*)?(?:internal server error|bad gateway|gateway time-?out|service (?:is )?(?:temporarily )?unavailable|` +
		`interner serverfehler|erreur interne du serveur|error interno del servidor)`)},
	{"denied", "is answered with 200, and says that strangers are refused: %q", besideNone, whole(`(?:http |error |error: )+40[13]|40[13] error|` +
		`(?:error |http )*(?:40[13][\s:–-]*(?:forbidden|unauthorized)|(?:403[\s:–-]*)?(?:(?:access|permission) (?:is )?denied|` +
		`zugriff verweigert|accès refusé|acceso denegado|accesso negato|toegang geweigerd|odmowa dostępu|доступ запрещ[её]н))`)},
	{"instead", "shows %q, and little else", besideNone, whole(`(?:(?:the |this |our )?(?:web)?site )?(?:is )?(?:currently |temporarily )?(?:(?:down|closed|offline) for|under|in) ` +
		`(?:scheduled |planned )?maintenance|(?:scheduled|planned) maintenance|maintenance mode|` +
		`wartungsmodus|en maintenance|site en maintenance|en mantenimiento|in manutenzione|` +
		`(?:sorry, )?we(?: wi|['’])ll be (?:right )?back(?: soon| shortly)?`)},
	{"default-page", "shows %q, as a seller of domains does", besideNone, whole(`(?:(?:this|the) )?(?:premium )?domain(?: name)?(?: \S+)? (?:is|may be) for sale|` +
		`[\w-]+(?:\.[\w-]+)*\.[a-z]{2,} (?:is|may be) (?:for sale|parked)|parked domain`)},
	{"soft-404", noneSays, besideSentence, whole(`404`)},
}

const noneSays = "says that there is no page: %q"

func whole(all string) *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + all + `)[\s.!…]*$`) }

// isStatement reports whether words alone say that a page fails, or is not there.
func isStatement(words string) bool {
	words = strings.TrimSpace(words)
	is := gone.MatchString(words)
	for _, row := range statements {
		is = is || row.all.MatchString(words)
	}
	return is
}

// stated returns what a page says of itself in place of a text: of all errors and refusals its title or first heading,
// without which a part of the title will do, and that it is not there also in a sentence. A question says nothing, and
// neither does a heading below the first, as one of many.
func stated(f *html.Facts) (s statement) {
	parts := strings.Split(separator.ReplaceAllString(f.Title, "\n"), "\n")
	isNone := func(part string) bool { return gone.MatchString(strings.TrimSpace(part)) }
	if s = (statement{kind: "soft-404", says: noneSays}); slices.ContainsFunc(parts, isNone) {
		s.words, s.most = f.Title, besideNone
	}
	named := parts // what names the page
	if i := slices.IndexFunc(f.Blocks, func(b html.Block) bool { return b.Heading && b.Main }); i >= 0 {
		named = []string{f.Title, f.Blocks[i].Text}
	}
	for _, row := range statements {
		is := func(name string) bool { return row.all.MatchString(strings.TrimSpace(name)) }
		i := slices.IndexFunc(named, is)
		// A title that has these words beside more is that of a page, such as "Peugeot 404".
		if s.words == "" && i >= 0 && !slices.ContainsFunc(parts, func(part string) bool {
			return !is(part) && strings.Contains(strings.ToLower(part), strings.ToLower(strings.Trim(named[i], " .!…")))
		}) {
			return statement{row.kind, row.says, named[i], row.most, f.Letters()}
		}
	}
	var rest html.Text
	headed := false
	for _, b := range f.Blocks {
		below := b.Heading && headed
		headed = headed || b.Heading && b.Main
		switch {
		case !b.Main, below:
		case strings.TrimSpace(b.Text) != "404" && isNone(strings.Trim(b.Text, " .!")):
			if s.words = cmp.Or(s.words, b.Text); b.Heading {
				s.most = besideNone
			}
			s.most, b.Text = max(s.most, besideSentence), ""
		case says.MatchString(b.Text):
			text := b.Text
			b.Text = sentence.ReplaceAllStringFunc(text, func(one string) string {
				if len(one) > lengthOfSentence || strings.HasSuffix(one, "?") || !says.MatchString(one) {
					return one
				}
				s.words, s.most = cmp.Or(s.words, text), max(s.most, besideSentence)
				return ""
			})
		}
		rest.Blocks = append(rest.Blocks, b)
	}
	s.beside = rest.Letters()
	return s
}
