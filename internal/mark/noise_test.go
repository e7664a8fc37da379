package mark_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/page"
)

// website is a small site, rendered anew for every look. What is not content
// comes from its noises.
type website struct {
	r      *rand.Rand
	soup   bool // the template has no main and no article
	pages  []*article
	noises []noise
	site   mark.Site
	now    int64
	menu   []string
	footer string
	build  string // hash in the names of assets
	stamp  string // visible time of the build
}

// article is the content of a page, and what is remembered of it.
type article struct {
	id       int
	title    string
	sections []string
	price    string
	rows     [][2]string
	data     string
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

// noise is one kind of what makes two responses differ.
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

func newWebsite(soup bool, pages int, noises ...noise) *website {
	w := &website{
		r: rand.New(rand.NewPCG(7, uint64(pages))), soup: soup, noises: noises, now: 1_700_000_000,
		menu: []string{"Home", "Shop", "Journal", "About us"}, footer: "Delivery and returns", build: "4f2a", stamp: "2026-11-01 08:00:00",
	}
	for i := range pages {
		a := &article{id: i, title: sentence(w.r, 4), price: fmt.Sprintf("€ %d.95", 10+w.r.IntN(80)), data: sentence(w.r, 3)}
		for range 6 {
			a.sections = append(a.sections, sentence(w.r, 2), sentence(w.r, 14+w.r.IntN(20)), sentence(w.r, 12+w.r.IntN(20)))
		}
		for range 4 {
			a.rows = append(a.rows, [2]string{words[w.r.IntN(len(words))], words[w.r.IntN(len(words))]})
		}
		w.pages = append(w.pages, a)
	}
	return w
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

// text translates a text, as it were.
func (w *website) text(s *slots, t string) string {
	if s.lang == "en" {
		return t
	}
	return strings.NewReplacer("a", "ä", "e", "ee", "o", "ö").Replace(t)
}

// look shows a page to its mark, and reports whether that dated a change.
func (w *website) look(a *article) bool {
	facts := page.Read([]byte(w.render(a)), page.Options{})
	v := mark.Read(&facts)
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

func token(r *rand.Rand) string { return fmt.Sprintf("%016x", r.Uint64()) }

// pool draws from a fixed list of texts.
func pool(name string, r *rand.Rand, size, n int) string {
	fixed := rand.New(rand.NewPCG(uint64(len(name)), uint64(r.IntN(size))))
	return sentence(fixed, n)
}

var kinds = []noise{
	{"tokens", func(w *website, a *article, s *slots) {
		s.head += `<meta name="csrf-token" content="` + token(w.r) + `">`
		s.byline += `<form><input type="hidden" name="t" value="` + token(w.r) + `"></form><div data-key="` + token(w.r) + `"></div>`
	}},
	{"visible request ids", func(w *website, a *article, s *slots) { s.end += "<p>Request " + token(w.r) + "</p>" }},
	{"nonces", func(w *website, a *article, s *slots) {
		s.head += fmt.Sprintf(`<script nonce="%s">var t="%s"</script>`, token(w.r), token(w.r))
	}},
	{"timestamps", func(w *website, a *article, s *slots) {
		s.end += fmt.Sprintf("<p>This page was made at %02d:%02d:%02d by the server</p>", w.now/3600%24, w.now/60%60, w.now%60)
	}},
	{"ages", func(w *website, a *article, s *slots) {
		s.byline += fmt.Sprintf("<p>Updated %d hours ago</p>", 1+w.r.IntN(20))
	}},
	{"counters", func(w *website, a *article, s *slots) {
		s.byline += fmt.Sprintf("<span>%d views</span>", w.now/60%100000+int64(a.id))
	}},
	{"counter of the site", func(w *website, a *article, s *slots) {
		s.foot += fmt.Sprintf("<p>%d visitors since 1999</p>", w.now/7)
		s.end += fmt.Sprintf("<p>%d readers are online</p>", w.r.IntN(500))
	}},
	{"ads", func(w *website, a *article, s *slots) {
		s.middle += `<div class="ad"><p>` + pool("ad", w.r, 200, 15) + "</p></div>"
	}},
	{"related links", func(w *website, a *article, s *slots) {
		s.end += "<h3>You may like</h3><ul>"
		for range 3 {
			other := w.pages[w.r.IntN(len(w.pages))]
			s.end += fmt.Sprintf(`<li><a href="/%d">%s</a></li>`, other.id, other.title)
		}
		s.end += "</ul>"
	}},
	{"two versions of a call", func(w *website, a *article, s *slots) {
		if w.r.IntN(2) == 0 {
			s.cta = "Get ten per cent off when you sign up for the letter today"
		}
	}},
	{"another language", func(w *website, a *article, s *slots) {
		if w.r.IntN(3) == 0 && a.mark != (mark.Mark{}) {
			s.lang = "de"
		}
	}},
	{"cookie banner", func(w *website, a *article, s *slots) {
		if w.r.IntN(3) > 0 {
			s.top += `<div class="consent"><p>We use cookies to remember what you like and to count our visitors.</p><button>Accept</button></div>`
		}
	}},
	{"rotating quotes", func(w *website, a *article, s *slots) {
		s.middle += "<blockquote>" + pool("quote!", w.r, 6, 12) + "</blockquote>"
	}},
	{"latest news beside", func(w *website, a *article, s *slots) {
		s.aside += "<ul>"
		for i := range 3 {
			fixed := rand.New(rand.NewPCG(99, uint64(w.now/7200)+uint64(i)))
			s.aside += `<li><a href="/n">` + sentence(fixed, 5) + "</a></li>"
		}
		s.aside += "</ul>"
	}},
	{"challenges", func(w *website, a *article, s *slots) {
		if w.r.IntN(5) == 0 && a.mark != (mark.Mark{}) {
			s.whole = `<html><head><title>Just a moment</title></head><body><h1>Checking your browser</h1><p>Ray ` + token(w.r) + "</p></body></html>"
		}
	}},
	{"errors", func(w *website, a *article, s *slots) {
		if w.r.IntN(9) == 0 && a.mark != (mark.Mark{}) {
			s.whole = `<html lang="en"><body><main><h1>Sorry</h1><p>Something went wrong on our side. Please try again in a while.</p></main></body></html>`
		}
	}},
}

// learning is how many looks at each page teach what moves.
const learning = 40

func templates(t *testing.T, fn func(t *testing.T, soup bool)) {
	t.Run("semantic", func(t *testing.T) { fn(t, false) })
	t.Run("soup of divs", func(t *testing.T) { fn(t, true) })
}

func TestNoiseIsNoChange(t *testing.T) {
	rows := append([]noise{{"none", func(*website, *article, *slots) {}}}, kinds...)
	for _, k := range rows {
		t.Run(k.name, func(t *testing.T) {
			templates(t, func(t *testing.T, soup bool) { wantQuiet(t, newWebsite(soup, 8, k)) })
		})
	}
	t.Run("all together", func(t *testing.T) {
		templates(t, func(t *testing.T, soup bool) { wantQuiet(t, newWebsite(soup, 8, kinds...)) })
	})
}

func wantQuiet(t *testing.T, w *website) {
	w.rounds(learning)
	taught := w.changes()
	w.rounds(60)
	if n := w.changes() - taught; n != 0 {
		t.Errorf("%d false changes in %d looks after learning (%d while learning)", n, 60*len(w.pages), taught)
	}
	t.Logf("%d false changes while learning, in %d looks", taught, learning*len(w.pages))
}

// edits are what an editor does to a page.
var edits = []struct {
	name string
	edit func(w *website, a *article)
}{
	{"a word", func(w *website, a *article) {
		a.sections[4] = strings.Replace(a.sections[4], " ", " unexpectedly ", 1)
	}},
	{"a new paragraph", func(w *website, a *article) {
		a.sections = append(a.sections[:10:10], append([]string{"We have added a paragraph that explains what the machine does."}, a.sections[10:]...)...)
	}},
	{"a price", func(w *website, a *article) { a.price = "€ 149.00" }},
	{"a removed section", func(w *website, a *article) { a.sections = append(a.sections[:9:9], a.sections[12:]...) }},
	{"a new headline", func(w *website, a *article) { a.title = "A headline nobody saw before" }},
	{"a heading", func(w *website, a *article) { a.sections[3] = "Seldom asked questions" }},
	{"structured data", func(w *website, a *article) { a.data = "only in the data" }},
	{"all of the text", func(w *website, a *article) {
		for i := range a.sections {
			a.sections[i] = "New: " + a.sections[i] + " " + a.sections[(i+5)%len(a.sections)]
		}
	}},
}

func TestEditsAreFound(t *testing.T) {
	noises := append([]noise{{"none", func(*website, *article, *slots) {}}}, kinds...)
	noises = append(noises, noise{"all together", nil})
	for _, k := range noises {
		list := []noise{k}
		if k.add == nil {
			list = kinds
		}
		t.Run(k.name, func(t *testing.T) {
			for _, e := range edits {
				t.Run(e.name, func(t *testing.T) {
					templates(t, func(t *testing.T, soup bool) {
						w := newWebsite(soup, 8, list...)
						w.rounds(learning)
						wantFound(t, w, func(a *article) { e.edit(w, a) })
					})
				})
			}
		})
	}
}

// wantFound edits one page and checks that the change is dated to the first
// look that showed it, and that no other page changes.
func wantFound(t *testing.T, w *website, edit func(*article)) {
	t.Helper()
	before, a := w.changes(), w.pages[3]
	was := a.lastMod
	edit(a)
	from := w.now
	looks := 0
	for ; looks < 40 && a.lastMod == was; looks++ {
		w.round()
	}
	switch {
	case a.lastMod == was:
		t.Errorf("not found in %d looks", looks)
	case a.lastMod < from || a.lastMod > from+12*3600:
		t.Errorf("dated %d s after the edit", a.lastMod-from)
	}
	w.rounds(20)
	if n := w.changes() - before; n > 1 {
		t.Errorf("%d changes, want 1", n)
	}
	t.Logf("found at look %d", looks)
}

func TestADeployRestampsNoPage(t *testing.T) {
	deploys := []struct {
		name   string
		deploy func(w *website)
	}{
		{"new assets", func(w *website) { w.build = "99ab" }},
		{"a time of building", func(w *website) { w.stamp = "2026-11-20 17:31:04" }},
		{"a menu item", func(w *website) { w.menu = append(w.menu, "Careers") }},
		{"another menu", func(w *website) { w.menu = []string{"Start", "Store", "Blog", "Who we are", "Contact"} }},
		{"a footer", func(w *website) {
			w.footer = "Delivery, returns and all that you wanted to know about our company and its history"
		}},
		{"a notice on every page", func(w *website) {
			w.noises = append(w.noises, noise{"notice", func(w *website, a *article, s *slots) {
				s.top += "<div class=notice><p>Our offices are closed between the years, and no parcels leave the house.</p></div>"
			}})
		}},
		{"a line in every text", func(w *website) {
			w.noises = append(w.noises, noise{"line", func(w *website, a *article, s *slots) { s.end += "<p>Was this page of use?</p>" }})
		}},
		{"another template", func(w *website) { w.soup = !w.soup }},
		{"all of these", func(w *website) {
			w.build, w.stamp, w.footer, w.soup = "0c0c", "2026-11-20 17:31:04", "All about delivery", !w.soup
			w.menu = append(w.menu, "Careers")
		}},
	}
	for _, d := range deploys {
		for _, looks := range []int{1, 5} {
			t.Run(fmt.Sprintf("%s, %d looks before", d.name, looks), func(t *testing.T) {
				templates(t, func(t *testing.T, soup bool) {
					w := newWebsite(soup, 40)
					w.rounds(looks)
					d.deploy(w)
					w.rounds(5)
					if n := w.changes(); n != 0 {
						t.Errorf("%d of %d pages restamped", n, len(w.pages))
					}
				})
			})
		}
	}
}

func TestAnEditAmongADeployIsFound(t *testing.T) {
	templates(t, func(t *testing.T, soup bool) {
		w := newWebsite(soup, 40)
		w.rounds(3)
		w.build, w.stamp, w.footer = "0c0c", "2026-11-20 17:31:04", "All about delivery"
		w.menu = append(w.menu, "Careers")
		wantFound(t, w, func(a *article) { a.sections[7] += " And so it was decided." })
	})
}
