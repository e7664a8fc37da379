package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// origin is where the site claims to be.
const (
	host   = "flood.example"
	origin = "https://" + host
)

// sections are the folders of the real pages.
var sections = strings.Fields("news guides recipes travel science history music sport gardens birds " +
	"maps books films trains boats weather cities farms tools letters")

const (
	// minPages leaves each section the siblings that networks need beside them.
	minPages = 50
	// changing is how many articles get a new text now and then.
	changing = 10
	// grown is how many articles are new after the flood, or in the middle of it.
	grown = 20
)

// pages is the site that is flooded: a root, sections, and articles that these lead to. It answers to any other path too.
type pages struct {
	articles   []string       // locations; the last grown of them are not there from the start
	number     map[string]int // of each article
	bySection  map[string][]string
	paragraphs []string
	menu       string

	leastJunk int // bytes of a junk page

	edition atomic.Int64 // of the articles that change
	open    atomic.Int64 // how many articles there are by now

	watchedJunk, watchedReal atomic.Int64 // requests whose response was watched
}

// newPages returns a site of n pages, with the root and the sections.
func newPages(n int, seed uint64) *pages {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &pages{number: map[string]int{}, bySection: map[string][]string{}}
	for i := range n - 1 - len(sections) + grown {
		section := sections[i%len(sections)]
		loc := fmt.Sprintf("/%s/%s-%d-%s", section, words[r.IntN(len(words))], i, words[r.IntN(len(words))])
		p.number[loc] = i
		p.articles = append(p.articles, loc)
		p.bySection[section] = append(p.bySection[section], loc)
	}
	p.open.Store(int64(len(p.articles) - grown))
	for range 256 {
		var b strings.Builder
		b.WriteString("<p>")
		for range 90 {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		b.WriteString("</p>\n")
		p.paragraphs = append(p.paragraphs, b.String())
	}
	var menu strings.Builder
	menu.WriteString("<header><nav><ul>")
	for _, s := range sections {
		fmt.Fprintf(&menu, `<li><a href="/%s">The %s</a></li>`, s, s)
	}
	menu.WriteString("</ul></nav></header>\n")
	p.menu = menu.String()
	return p
}

// levels returns the real locations in the order in which a crawler finds them: the root, the sections, the articles.
func (p *pages) levels() [][]string {
	var folders []string
	for _, s := range sections {
		folders = append(folders, "/"+s)
	}
	return [][]string{{"/"}, folders, p.articles[:p.open.Load()]}
}

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
	w.Header()["Content-Type"] = htmlType
	_, _ = w.Write(*buf) // a client that has gone is no concern of a page's
	bodies.Put(buf)
}

var (
	bodies   = sync.Pool{New: func() any { return new([]byte) }}
	htmlType = []string{contentType}
)

const contentType = "text/html; charset=utf-8"

// real reports whether loc is one of the site's own pages by now.
func (p *pages) real(loc string) bool {
	if loc == "/" {
		return true
	}
	if i, ok := p.number[loc]; ok {
		return int64(i) < p.open.Load()
	}
	_, ok := p.bySection[strings.TrimPrefix(loc, "/")]
	return ok
}

// body appends the page at loc to b.
func (p *pages) body(b []byte, loc string) []byte {
	section := strings.TrimPrefix(loc, "/")
	switch i, article := p.number[loc]; {
	case article && int64(i) < p.open.Load():
		return p.article(b, loc, i)
	case loc == "/":
		return p.listing(b, "Welcome", p.levels()[1])
	case p.bySection[section] != nil:
		return p.listing(b, section, p.opened(section))
	}
	return p.junk(b, loc)
}

// opened returns the articles of a section that are there by now.
func (p *pages) opened(section string) []string {
	all := p.bySection[section]
	n := len(all)
	for n > 0 && int64(p.number[all[n-1]]) >= p.open.Load() {
		n--
	}
	return all[:n]
}

func (p *pages) begin(b []byte, title string) []byte {
	b = append(b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>"...)
	b = append(b, title...)
	b = append(b, "</title><link rel=\"stylesheet\" href=\"/site.css\"></head>\n<body>"...)
	b = append(b, p.menu...)
	return append(append(append(b, "<main><h1>"...), title...), "</h1>\n"...)
}

func end(b []byte) []byte {
	return append(b, "</main>\n<footer><p>All of it is made up.</p></footer></body></html>\n"...)
}

// article is some 10 KB of text of its own.
func (p *pages) article(b []byte, loc string, i int) []byte {
	edition := int64(0)
	if i < changing {
		edition = p.edition.Load()
	}
	r := rand.New(rand.NewPCG(sum(loc), uint64(edition)))
	b = p.begin(b, loc)
	for range 14 {
		b = append(b, p.paragraphs[r.IntN(len(p.paragraphs))]...)
	}
	return end(b)
}

// listing leads to pages, each with a text of its own.
func (p *pages) listing(b []byte, title string, locs []string) []byte {
	b = p.begin(b, title)
	for _, loc := range locs {
		b = append(b, "<p><a href=\""...)
		b = append(b, loc...)
		b = append(b, "\">"...)
		b = append(b, loc...)
		b = append(b, "</a></p>"...)
		b = append(b, p.paragraphs[sum(loc)%uint64(len(p.paragraphs))]...)
	}
	return end(b)
}

// junk is what a site that answers to anything says of nothing: one text for all, or one that repeats what was asked for and leads on.
// Much markup around little text follows, up to the least size.
func (p *pages) junk(b []byte, loc string) []byte {
	x := sum(loc)
	if x&1 == 0 {
		return end(p.fill(append(p.begin(b, "Welcome back"), p.paragraphs[0]...)))
	}
	b = p.begin(b, "Results")
	b = append(append(append(b, "<p>You asked for "...), loc...), "</p>\n"...)
	for i := range 3 {
		b = append(b, p.paragraphs[x>>(8*i+8)&0xff]...)
	}
	b = append(append(append(b, "<p><a rel=\"next\" href=\""...), loc...), '/')
	return end(p.fill(append(strconv.AppendUint(b, x, 36), "\">next</a></p>"...)))
}

func (p *pages) fill(b []byte) []byte {
	for i := 0; len(b) < p.leastJunk; i++ {
		b = append(append(b, "<p><b>"...), words[i%len(words)]...)
		b = append(b, "</b><i>x</i><em>y</em></p>"...)
	}
	return b
}

func sum(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
