package listing

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/words"
)

// Site is what is known of the site.
type Site struct {
	Scheme, Host string
	// Folder is the path below which the sitemap may list pages; "/" for one that robots.txt names.
	Folder string
	// Disallows returns the line of robots.txt that disallows a path with its query, "" for none.
	Disallows func(path string) (line string)
	// Bars names the search engine that alone is disallowed a path, and that line, "" for none.
	Bars func(path string) (engine, line string)
	// Vouches reports whether the robots.txt of another host names the sitemap.
	Vouches func(u *url.URL) bool
	// Shows reports whether another host shows the pages of the site.
	Shows func(u *url.URL) bool
	Now   time.Time
}

// Judge judges the entries of one sitemap, or of an index with its parts, and keeps what is listed.
type Judge struct {
	Site
	To    *report.Report
	Pages []Entry // each page of the site once, in the order of the files
	// Elsewhere is the first page of another host that vouches for the sitemap.
	Elsewhere string
	Undated   int // entries of sitemaps without a lastmod, right or wrong, and without the date of news
	// Full says that no more pages are kept.
	Full bool

	place     map[string]int // in Pages, by key; -1 for a page that is listed on another host alone
	languages map[string]versions
	addresses int     // of all files
	strays    []Entry // that are on another host, or have another scheme
}

// Entry is a listed page.
type Entry struct {
	Loc  string
	Site string // scheme and host as the file has them, if the site has others
	File string
	Line int
	Date Date
}

// mostPages is how many pages are kept.
const mostPages = 1_000_000

// NewJudge returns a judge of a site's sitemap.
func NewJudge(site Site, to *report.Report) *Judge {
	return &Judge{Site: site, To: to, place: map[string]int{}, languages: map[string]versions{}}
}

// Place returns where in Pages a URL is, -1 if it is not there.
func (j *Judge) Place(u string) int {
	if at, is := j.place[address.KeyOf(u)]; is {
		return at
	}
	return -1
}

// Listed reports whether the sitemap has a page, perhaps on another host.
func (j *Judge) Listed(u string) bool { _, is := j.place[address.KeyOf(u)]; return is }

// address counts an entry, and judges its address. It returns what was meant, nil if that is of no use.
func (r *reader) address(e Entry) (*url.URL, address.Fault) {
	r.entries++
	r.addresses++
	u, why := address.Parse(e.Loc)
	if why.Kind != "" {
		r.tell(e, why.Kind, "%s", why.Text)
	}
	if u == nil && e.Loc != "" { // it may be relative
		loc := e.Loc
		if strings.HasPrefix(bare(loc), bare(r.Host)+"/") {
			loc = "//" + loc
		}
		if to, err := r.file.Parse(loc); err == nil {
			u, _ = address.Parse(to.String())
		}
	}
	return u, why
}

func bare(host string) string { return strings.TrimPrefix(host, "www.") }

// astray notes that an address is not on the site, whose page at that path is meant.
func (r *reader) astray(e *Entry, u *url.URL) {
	e.Site = address.Site(u)
	r.strays = append(r.strays, *e)
	u.Scheme, u.Host = r.Scheme, r.Host
}

// ours reports whether a site is that of the sitemap under another address.
func (j *Judge) ours(u *url.URL) bool {
	return bare(address.Host(u)) == bare(j.Host) || j.Shows != nil && j.Shows(u)
}

// Strays tells of the addresses that are not on the site. Where nearly all are on another one of its hosts, that is one
// mistake.
func (j *Judge) Strays() {
	count, inFile, here := map[string]int{}, map[[2]string]int{}, j.Scheme+"://"+j.Host
	for _, e := range j.strays {
		count[e.Site]++
		inFile[[2]string{e.Site, e.File}]++
	}
	for _, e := range j.strays {
		there, err := url.Parse(e.Site)
		switch n := count[e.Site]; {
		case n < 0: // it was told
		case err == nil && address.Host(there) == j.Host:
			j.tell(e, "scheme", "is on %s, and the site is %s", e.Site, here)
		case err == nil && 10*n >= 9*j.addresses && j.ours(there):
			count[e.Site] = -1
			has := "has"
			if inFile[[2]string{e.Site, e.File}] < n {
				has = "is one of the files that have"
			}
			j.To.Add("wrong-site", report.At{Where: e.File}, "%s %s of %s addresses on %s, and the site is %s", has,
				words.Number(n), words.Number(j.addresses), e.Site, here)
		case err == nil && address.Developer(there, j.Host):
			j.tell(e, "developer", "is on %s, and the site is %s", e.Site, here)
		default:
			j.tell(e, "host", "is on %s, and the site is %s", e.Site, here)
		}
	}
}

// page takes the address of a page. One that is written wrongly stands for the page that was meant, as which page
// returns the entry.
func (r *reader) page(e Entry) Entry {
	e.File = r.name
	r.To.Sample.Unfit++ // until it is fit
	u, why := r.address(e)
	if u == nil {
		return e
	}
	away := address.Site(u) != r.Scheme+"://"+r.Host
	told := why.Kind == "loc" && address.Host(u) == address.Host(r.file) // a relative one in a file from elsewhere
	ours := told || r.ours(u)
	switch {
	case !away && !strings.HasPrefix(u.Path+"/", r.Folder):
		r.tell(e, "folder", "is not below %s, where the sitemap is", r.Folder)
	case away && !ours && r.Vouches != nil && r.Vouches(u):
		r.To.Sample.Elsewhere++
		r.Elsewhere = cmp.Or(r.Elsewhere, e.Loc)
		r.To.Sample.Unfit--
		return e
	case away && why.Kind != "loc":
		r.astray(&e, u)
	}
	if away || why.Kind == "loc" {
		u.Scheme, u.Host = r.Scheme, r.Host
		e.Loc = address.Key(u)
	}
	key := address.Key(u)
	at, is := r.place[key]
	if !ours {
		if !is {
			r.place[key] = -1
		}
		return e
	}
	if name := address.Tracking(u); name != "" {
		r.tell(e, "tracking", "has the parameter %s", name)
	}
	r.To.Sample.Unfit--
	if is && at >= 0 {
		if first := r.Pages[at]; why.Kind != "" || first.Site != e.Site { // that was told
		} else if first.Loc == e.Loc {
			r.tell(e, "twice", "is listed again; first in line %d of %s", first.Line, strings.TrimPrefix(first.File, r.To.Site))
		} else {
			r.tell(e, "twice", "is the same address as %s, which is listed too", first.Loc)
		}
		return e
	}
	if r.Full = len(r.Pages) == mostPages; r.Full {
		return e
	}
	if r.Disallows != nil && r.Disallows(u.RequestURI()) != "" {
		r.tell(e, "disallowed", "is disallowed by %q in robots.txt", r.Disallows(u.RequestURI()))
	} else if r.Bars != nil {
		if engine, line := r.Bars(u.RequestURI()); line != "" {
			r.tell(e, "disallowed", "is disallowed for %s by %q in robots.txt", engine, line)
		}
	}
	r.place[key] = len(r.Pages)
	r.Pages = append(r.Pages, e)
	return e
}

// At says where an entry is.
func (e Entry) At() report.At {
	if e.Loc == "" {
		return report.At{Where: e.File, Line: e.Line}
	}
	return report.At{Where: e.Loc, File: e.File, Line: e.Line}
}

// tell notes what is wrong with an entry.
func (j *Judge) tell(e Entry, kind, text string, args ...any) { j.To.Add(kind, e.At(), text, args...) }

// known are the elements of an entry.
var known = map[string]bool{"loc": true, "lastmod": true, "changefreq": true, "priority": true}

// entry checks which elements an entry has, and returns it with its address and date.
func (r *reader) entry(n *sitemap.Node) (e Entry, ok bool) {
	count := map[string]int{}
	for _, k := range n.Kids {
		switch right := meant(k.Space); {
		case k.Space != r.root.Space && k.Space != "":
			if right != "" && right != k.Space {
				r.adopt(k, right) // so that what else is wrong with it is found too
			}
			continue
		case !known[k.Local] || r.form == sitemap.Index && k.Local != "loc" && k.Local != "lastmod":
			r.add("structure", k.Line, "<%s> in <%s>, which the protocol does not have", k.Local, n.Local)
		case len(k.Kids) > 0:
			r.add("structure", k.Line, "<%s> has elements in it", k.Local)
		}
		count[k.Local]++
	}
	for name, times := range count {
		if times > 1 && known[name] { // the first counts
			r.add("doubled", n.Line, "<%s> stands %d times in one <%s>", name, times, n.Local)
		}
	}
	e = Entry{Loc: cmp.Or(n.First(r.root.Space, "loc"), n.First("", "loc")), Line: n.Line, File: r.name}
	switch {
	case count["loc"] == 0:
		r.lost("loc-missing", n, "an entry has no <loc>")
	case e.Loc == "":
		r.lost("loc-missing", n, "an entry has an empty <loc>")
	default:
		e.Date = r.date(n, e)
	}
	return e, e.Loc != ""
}

// adopt takes an element in a wrong namespace, or in none, as some serializers write it, for one of the right
// namespace, and says so once.
func (r *reader) adopt(n *sitemap.Node, right string) {
	has := "no namespace"
	if n.Space != "" {
		has = fmt.Sprintf("the namespace %q", n.Space)
	}
	if !slices.Contains(r.said, n.Space) {
		r.said = append(r.said, n.Space)
		r.add("namespace", n.Line, "<%s> has %s; it must be %q", n.Local, has, right)
	}
	move(n, n.Space, right)
}

// move takes the elements of a namespace for those of another.
func move(n *sitemap.Node, from, to string) {
	if n.Space == from {
		n.Space = to
		for _, k := range n.Kids {
			move(k, from, to)
		}
	}
}

// lost counts an entry that has no address to judge, and says why.
func (r *reader) lost(kind string, n *sitemap.Node, text string, args ...any) {
	r.entries++
	r.add(kind, n.Line, text, args...)
}

// listed takes an entry of a sitemap.
func (r *reader) listed(n *sitemap.Node) {
	e, ok := r.entry(n)
	if !ok {
		return
	}
	if len(n.All(r.root.Space, "lastmod")) == 0 && len(n.All(newsNS, "news")) == 0 {
		r.Undated++
	}
	for _, k := range n.Kids {
		switch text := strings.TrimSpace(k.Text); {
		case k.Space != r.root.Space:
		case k.Local == "changefreq" && (text == "" || !sitemap.ValidFreq(text)),
			k.Local == "priority" && !isNumber(text, 0, 1):
			r.tell(e, k.Local, "has the %s %q", k.Local, text)
		}
	}
	r.extensions(n, r.page(e))
}

// decimal matches a number as XML Schema has it.
var decimal = regexp.MustCompile(`^[+-]?(?:\d+\.?\d*|\.\d+)$`)

// isNumber reports whether a text is a number in some range.
func isNumber(text string, least, most float64) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && v >= least && v <= most && decimal.MatchString(text)
}

// part takes an entry of an index.
func (r *reader) part(n *sitemap.Node) {
	e, ok := r.entry(n)
	if !ok {
		return
	}
	u, _ := r.address(e)
	if u == nil {
		return
	}
	ours, at := bare(address.Host(u)) == bare(r.Host), *u
	if host := address.Host(u); host != r.Host && host != address.Host(r.file) &&
		(ours || r.Vouches == nil || !r.Vouches(u)) {
		r.astray(&e, u)
	}
	if !ours {
		u = &at
	}
	key := address.Key(u)
	if r.named[key] {
		r.tell(e, "twice", "is named again by the index")
		return
	}
	r.named[key] = true
	r.parts = append(r.parts, u.String())
}

// meant returns the namespace that somebody may have meant by another, such as sitemap-images for sitemap-image, "" if
// it is none of those that are known.
func meant(space string) string {
	for _, right := range []string{imageNS, videoNS, newsNS, xhtmlNS, protocol} {
		name := strings.TrimRight(strings.TrimPrefix(right, "http://www."), "/0123456789.")
		if strings.Contains(strings.ToLower(space), name) {
			return right
		}
	}
	return ""
}
