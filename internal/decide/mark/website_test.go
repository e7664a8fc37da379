package mark_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/page/html"
)

// website is a small site that renders anew for every look. Its noises write all that is
// not content.
type website struct {
	r      *rand.Rand
	source *rand.PCG // of r
	soup   bool      // the template has no main and no article
	pages  []*article
	noises []noise
	site   mark.Site
	now    int64
	menu   []string
	footer string
	build  string // hash in the names of assets
	stamp  string // visible time of the build
}

// article is the content of a page, and the memory of it.
type article struct {
	id       int
	title    string
	sections []string
	price    string
	rows     [][2]string
	data     string
	items    []string // of a page that is a list, the latest first
	mark     mark.Mark
	lastMod  int64 // as dated by the mark
	changes  int
}

// slots are where a noise writes into a page.
type slots struct {
	whole                          string // instead of the page
	lang                           string
	head, top, byline, middle, end string
	aside, foot                    string
	cta                            string
}

// noise is one reason why two responses differ.
type noise struct {
	name string
	add  func(w *website, a *article, s *slots)
}

var words = strings.Fields(`granite valley engine copper winter lantern harbour meadow signal weather bridge
	timber kitchen market garden river mountain window leather paper silver cotton pepper butter orange
	morning evening journey station village captain painter teacher builder farmer baker sailor doctor
	quiet narrow bright gentle heavy simple early modern ancient careful steady hollow northern eastern`)

func sentence(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = words[r.IntN(len(words))]
	}
	return strings.ToUpper(list[0][:1]) + list[0][1:] + " " + strings.Join(list[1:], " ") + "."
}

// newWebsite makes up a site; the seed is any number.
func newWebsite(seed int, soup bool, pages int, noises ...noise) *website {
	source := rand.NewPCG(uint64(7+seed), uint64(pages))
	w := &website{
		r: rand.New(source), source: source, soup: soup, noises: noises, now: 1_700_000_000,
		menu: []string{"Home", "Shop", "Journal", "About us"}, footer: "Delivery and returns", build: "4f2a", stamp: "2026-11-01 08:00:00",
	}
	for i := range pages {
		a := &article{id: i, title: sentence(w.r, 4), price: fmt.Sprintf("€ %d.95", 10+w.r.IntN(80)), data: sentence(w.r, 3)}
		for range 6 {
			a.sections = append(a.sections, sentence(w.r, 2), sentence(w.r, 14+w.r.IntN(20)), sentence(w.r, 12+w.r.IntN(20)))
		}
		fixed := rand.New(rand.NewPCG(uint64(7+seed), uint64(i)))
		for range 20 {
			a.items = append(a.items, sentence(fixed, 6))
		}
		for range 4 {
			a.rows = append(a.rows, [2]string{words[w.r.IntN(len(words))], words[w.r.IntN(len(words))]})
		}
		w.pages = append(w.pages, a)
	}
	return w
}

// clone returns a copy of the site that can go its own way.
func (w *website) clone() *website {
	c, source := *w, *w.source
	c.source, c.r = &source, rand.New(&source)
	c.pages, c.menu, c.noises = nil, slices.Clone(w.menu), slices.Clone(w.noises)
	for _, a := range w.pages {
		b := *a
		b.sections = slices.Clone(a.sections)
		c.pages = append(c.pages, &b)
	}
	return &c
}

// render returns the HTML of a page as one visitor gets it.
func (w *website) render(a *article) string {
	s := slots{lang: "en", cta: "Subscribe to our letter"}
	for _, n := range w.noises {
		n.add(w, a, &s)
	}
	if s.whole != "" {
		return s.whole
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><html lang="%s"><head><title>%s</title>`, s.lang, a.title)
	fmt.Fprintf(&b, `<link rel="stylesheet" href="/site.%s.css">%s`, w.build, s.head)
	b.WriteString(`<script type="application/ld+json">`)
	fmt.Fprintf(&b, `{"@type":"Product","name":%q,"offers":{"price":%q}}</script></head><body>%s`, a.title, a.data, s.top)
	open, shut := "<header><nav>", "</nav></header>"
	if w.soup {
		open, shut = `<div class="bar"><div class="menu">`, `</div></div>`
	}
	b.WriteString(open + "<ul>")
	for _, m := range w.menu {
		fmt.Fprintf(&b, `<li><a href="/%s">%s</a></li>`, m, m)
	}
	b.WriteString("</ul>" + shut)
	open, shut = "<main>", "</main>"
	if w.soup {
		open, shut = `<div class="content">`, "</div>"
	}
	b.WriteString(open)
	fmt.Fprintf(&b, `<h1>%s</h1><p>By the editors</p>%s<div class="buy"><span>%s</span></div>`, w.text(&s, a.title), s.byline, a.price)
	for i, t := range a.sections {
		tag := "p"
		if i%3 == 0 {
			tag = "h2"
		}
		fmt.Fprintf(&b, `<%s>%s</%s>`, tag, w.text(&s, t), tag)
		if i == 7 {
			b.WriteString(s.middle)
		}
	}
	b.WriteString(`<table>`)
	for _, row := range a.rows {
		fmt.Fprintf(&b, `<tr><td>%s</td><td>%s</td></tr>`, row[0], row[1])
	}
	fmt.Fprintf(&b, `</table><img src="/p%d.%s.jpg"><div class="cta">%s</div>%s%s`, a.id, w.build, s.cta, s.end, shut)
	open, shut = "<aside>", "</aside>"
	if w.soup {
		open, shut = `<div class="side">`, "</div>"
	}
	b.WriteString(open + s.aside + shut)
	open, shut = "<footer>", "</footer>"
	if w.soup {
		open, shut = `<div class="foot">`, "</div>"
	}
	fmt.Fprintf(&b, `%s<p>%s</p><p>Built %s</p>%s<p>© 2026 The shop</p>%s`, open, w.footer, w.stamp, s.foot, shut)
	fmt.Fprintf(&b, `<script src="/app.%s.js"></script></body></html>`, w.build)
	return b.String()
}

// list returns a page as a list: its latest item, and some of the others in any order.
func (w *website) list(a *article) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<html lang="en"><head><title>%s</title></head><body><main><h1>%s</h1><ul>`, a.title, a.title)
	item := func(text string) { fmt.Fprintf(&b, `<li><a href="/%x">%s</a></li>`, len(text), text) }
	item(a.items[0])
	for _, i := range w.r.Perm(len(a.items) - 1)[:11] {
		item(a.items[1+i])
	}
	b.WriteString("</ul></main></body></html>")
	return b.String()
}

// text stands in for a translation of a text.
func (w *website) text(s *slots, t string) string {
	if s.lang == "en" {
		return t
	}
	return strings.NewReplacer("a", "ä", "e", "ee", "o", "ö").Replace(t)
}

// look shows a page to its mark, and reports whether that dated a change.
func (w *website) look(a *article) bool {
	facts := html.Read([]byte(w.render(a)), html.Options{})
	v := mark.Read(&facts, 0)
	w.site.Consult(&v, a.mark, uint64(a.id+1)*0x9E3779B97F4A7C15)
	var o mark.Outcome
	var since int64
	a.mark, o, since = a.mark.Look(&v, w.now)
	if o == mark.Changed {
		a.changes++
		a.lastMod = since
	}
	return o == mark.Changed
}

// round shows every page once, an hour after the last time.
func (w *website) round() {
	w.now += 3600
	for _, a := range w.pages {
		w.now += 7
		w.look(a)
	}
}

func (w *website) rounds(n int) {
	for range n {
		w.round()
	}
}

func (w *website) changes() (n int) {
	for _, a := range w.pages {
		n += a.changes
	}
	return n
}
