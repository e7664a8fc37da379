package flood

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/servemap/servemap/internal/eval/kit"
)

var (
	words = kit.Words()
	// sections are the folders of the real pages.
	sections = strings.Fields("news guides recipes travel science history music sport gardens birds " +
		"maps books films trains boats weather cities farms tools letters")
)

// grown is how many articles are new after the flood, or in the middle of it.
const grown = 20

// pages is the flooded site: a root, sections, and articles below them. It also answers any
// other path.
type pages struct {
	articles   []string       // locations; the last grown of them appear later
	number     map[string]int // of each article
	bySection  map[string][]string
	paragraphs [][]byte
	frame      kit.Page
	leastJunk  int          // bytes of a junk page
	open       atomic.Int64 // how many articles there are by now

	watchedJunk, watchedReal atomic.Int64 // requests whose response was watched
}

// newPages returns a site of n pages, with the root and the sections.
func newPages(n int) *pages {
	r := rand.New(rand.NewPCG(1, 1))
	p := &pages{number: map[string]int{}, bySection: map[string][]string{}}
	for i := range n - 1 - len(sections) + grown {
		section := "/" + sections[i%len(sections)]
		loc := fmt.Sprintf("%s/%s-%d-%s", section, words[r.IntN(len(words))], i, words[r.IntN(len(words))])
		p.number[loc] = i
		p.articles = append(p.articles, loc)
		p.bySection[section] = append(p.bySection[section], loc)
	}
	p.open.Store(int64(len(p.articles) - grown))
	for range 256 {
		p.paragraphs = append(p.paragraphs, kit.AppendProse(nil, r, words, 90))
	}
	menu := []byte("<header><nav>")
	for _, s := range sections {
		menu = kit.AppendLink(menu, "/"+s, "The "+s)
	}
	p.frame = kit.Page{
		Head: `<link rel="stylesheet" href="/site.css">`, Before: string(menu) + "</nav></header>\n",
		After: "<footer><p>All of it is made up.</p></footer>",
	}
	return p
}

// levels returns the real locations in the order in which a crawler finds them: the root,
// the sections, the articles.
func (p *pages) levels() [][]string {
	var folders []string
	for _, s := range sections {
		folders = append(folders, "/"+s)
	}
	return [][]string{{"/"}, folders, p.articles[:p.open.Load()]}
}

var bodies = sync.Pool{New: func() any { return new([]byte) }}

// ServeHTTP answers any path with a page.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, watched := w.(interface{ Unwrap() http.ResponseWriter }); watched {
		if p.real(r.RequestURI) {
			p.watchedReal.Add(1)
		} else {
			p.watchedJunk.Add(1)
		}
	}
	buf := bodies.Get().(*[]byte)
	*buf = p.body((*buf)[:0], r.RequestURI)
	w.Header().Set("Content-Type", kit.HTML)
	_, _ = w.Write(*buf) // the client may be gone
	bodies.Put(buf)
}

// real reports whether loc is one of the site's own pages that exist by now.
func (p *pages) real(loc string) bool {
	i, article := p.number[loc]
	return loc == "/" || p.bySection[loc] != nil || article && p.isOpen(i)
}

func (p *pages) isOpen(article int) bool { return int64(article) < p.open.Load() }

// body appends the page at loc to b.
func (p *pages) body(b []byte, loc string) []byte {
	i, article := p.number[loc]
	switch {
	case article && p.isOpen(i):
		return p.page(b, loc, func(b []byte) []byte { // some 10 KB of text of its own
			r := rand.New(rand.NewPCG(kit.Hash(loc), 0))
			for range 14 {
				b = append(b, p.paragraphs[r.IntN(len(p.paragraphs))]...)
			}
			return b
		})
	case loc == "/":
		return p.listing(b, "Welcome", p.levels()[1])
	case p.bySection[loc] != nil:
		opened := slices.DeleteFunc(slices.Clone(p.bySection[loc]), func(a string) bool { return !p.isOpen(p.number[a]) })
		return p.listing(b, loc, opened)
	}
	return p.junk(b, loc)
}

func (p *pages) page(b []byte, title string, main func([]byte) []byte) []byte {
	frame := p.frame
	frame.Title = title
	return frame.Append(b, main)
}

// listing links to pages, each with its own text.
func (p *pages) listing(b []byte, title string, locs []string) []byte {
	return p.page(b, title, func(b []byte) []byte {
		for _, loc := range locs {
			b = append(kit.AppendLink(b, loc, loc), p.paragraphs[kit.Hash(loc)%uint64(len(p.paragraphs))]...)
		}
		return b
	})
}

// junk is the answer of such a site to a path without a page: one text for all, or a text
// that repeats the request and links on. Much markup around little text follows, up to the
// least size.
func (p *pages) junk(b []byte, loc string) []byte {
	x := kit.Hash(loc)
	if x&1 == 0 {
		return p.page(b, "Welcome back", func(b []byte) []byte { return p.fill(append(b, p.paragraphs[0]...)) })
	}
	return p.page(b, "Results", func(b []byte) []byte {
		b = fmt.Appendf(b, "<p>You asked for %s</p>\n", loc)
		for i := range 3 {
			b = append(b, p.paragraphs[x>>(8*i+8)&0xff]...)
		}
		return p.fill(kit.AppendLink(b, loc+"/"+strconv.FormatUint(x, 36), "next"))
	})
}

func (p *pages) fill(b []byte) []byte {
	for i := 0; len(b) < p.leastJunk; i++ {
		b = append(append(b, "<p><b>"...), words[i%len(words)]...)
		b = append(b, "</b><i>x</i><em>y</em></p>"...)
	}
	return b
}
