package live

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// grove is a site with its pages. It is the program behind the middleware.
type grove struct {
	layout    string // "shop" or "docs"
	seed      uint64
	pages     []*page // the home page, the sections, and the others
	furniture []kind  // of all pages
	requests  uint64
}

// sections is how many pages list the others.
const sections = 6

// page is a page, with what happens to it.
type page struct {
	path, title, links string
	kind               kind
	moment             time.Time   // of the change of its kind
	visits             []time.Time // of people
	dates              []time.Time // that the sitemap published
	asked              int         // requests for it
	looks, right, near int         // at its date before each visit, if it is a home page of news
	text               string      // that always stays, with a place for more
}

// newGrove makes a site of a page for each kind, with the pages that list these before them.
func newGrove(layout string, seed uint64, kinds []kind) *grove {
	g := &grove{layout: layout, seed: seed + kit.Hash(layout)}
	random := rand.New(rand.NewPCG(g.seed, 0))
	titles := named(random, len(kinds))
	random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	home := &page{path: "/", title: "The Grove", kind: plain}
	g.pages = append(g.pages, home)
	for n := range sections {
		s := &page{path: fmt.Sprintf("/section-%c/", 'a'+n), title: "Section " + string(rune('A'+n)), kind: plain}
		home.links += fmt.Sprintf("<li><a href=%q>All that belongs to the %s</a></li>", s.path, s.title)
		g.pages = append(g.pages, s)
	}
	for i, k := range kinds {
		s := g.pages[1+i%sections]
		p := &page{path: s.path + strings.ReplaceAll(strings.ToLower(titles[i]), " ", "-"), title: titles[i], kind: k}
		s.links += fmt.Sprintf("<li><a href=%q>%s</a></li>", p.path, p.title)
		g.pages = append(g.pages, p)
	}
	return g
}

// named returns titles of two words, each of which comes once.
func named(random *rand.Rand, n int) (titles []string) {
	for i := range n {
		first, second := nouns[i%len(nouns)], nouns[(7*i+i/len(nouns)*5+13)%len(nouns)]
		titles = append(titles, strings.ToUpper(first[:1])+first[1:]+" "+strings.ToUpper(second[:1])+second[1:])
	}
	random.Shuffle(n, func(i, j int) { titles[i], titles[j] = titles[j], titles[i] })
	return titles
}

// ServeHTTP answers with a page.
func (g *grove) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i := slices.IndexFunc(g.pages, func(p *page) bool { return p.path == r.URL.Path })
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	g.requests++
	w.Header().Set("Content-Type", kit.HTML)
	_, _ = w.Write([]byte(g.html(i, r)))
}

// layouts are the frames of the pages, with the places where kinds add their text.
var layouts = map[string]string{
	"shop": `<body><header><a href="/">The Grove</a>
<nav><a href="/section-a/">Section A</a> <a href="/section-b/">Section B</a></nav></header>
<div id=wrap><div class=top>[top]</div><div class=content><h1>[h1]</h1>[text]</div>[end]</div>
<aside><h3>About us</h3><p>We have planted trees here since the old days, and still do.</p></aside>
<footer><p>© The Grove. All rights are ours.</p></footer></body>`,
	"docs": `<body><nav class=side><ul><li><a href="/">Home</a></li><li><a href="/section-a/">Section A</a></li></ul></nav>
<main>[top]<article><h1>[h1]</h1>[text]</article>[end]</main><footer>Built with care</footer></body>`,
}

// html is a page as somebody gets it now.
func (g *grove) html(i int, r *http.Request) string {
	p := g.pages[i]
	p.asked++
	at := map[string]string{"title": "{title}", "h1": "{title}"}
	functions := []func(string) string{}
	for _, k := range append([]kind{p.kind}, g.furniture...) {
		text := k.before
		switch now := time.Now(); {
		case p.moment.IsZero() || k.name != p.kind.name:
		case !now.Before(p.moment):
			text = k.after
		case k.between != "" && !now.Before(p.moment.Add(-7*day)):
			text = k.between
		}
		if f := whole[k.place]; f != nil {
			functions = append(functions, f)
		} else if text != "" && (k.place == "title" || k.place == "h1") {
			at[k.place] = text
		} else {
			at[k.place] += text
		}
	}
	v := view{g, p, i, r}
	if p.text == "" {
		p.text = v.expand(g.text(p))
	}
	page := "<!DOCTYPE html><html lang=en><head><title>[title]</title></head>\n" + layouts[g.layout] + "</html>"
	page = strings.Replace(page, "[text]", p.text, 1)
	for _, place := range []string{"title", "h1", "top", "mid", "end"} {
		page = strings.Replace(page, "["+place+"]", v.expand(strings.ReplaceAll(at[place], `\n`, "\n")), 1)
	}
	for _, f := range functions {
		page = f(page)
	}
	return page
}

// text makes the text of a page, with a place for more among its paragraphs.
func (g *grove) text(p *page) string {
	random := rand.New(rand.NewPCG(g.seed, kit.Hash(p.path)))
	var b strings.Builder
	n, length, parts := 100, 2, 1+random.IntN(5)
	if g.layout == "docs" {
		length, parts = 1, 2+random.IntN(8)
	}
	paragraph := func() {
		b.WriteString("<p>")
		for range length + random.IntN(3) {
			n++
			fmt.Fprintf(&b, "{s%d} ", n)
		}
		b.WriteString("</p>\n")
	}
	within := random.IntN(parts)
	for part := range parts {
		if part > 0 {
			fmt.Fprintf(&b, "<h2>%s {s%d:Uses;History;Care;Sources;Kinds}</h2>\n", p.title, part)
		}
		paragraph()
		if part == within {
			b.WriteString("[mid]\n")
		}
		paragraph()
		switch {
		case g.layout == "docs" && random.IntN(2) == 0:
			fmt.Fprintf(&b, "<pre><code>plant --tree %s\nwater --every {s%d:2;3;5;9}d</code></pre>\n", p.title, part)
		case random.IntN(2) == 0:
			fmt.Fprintf(&b, "<ul><li>{s%d}</li><li>{s%d}</li></ul>\n", 200+part, 300+part)
		}
	}
	if p.links != "" {
		b.WriteString("<ul>" + p.links + "</ul>")
	}
	return b.String()
}

// view is a page for one request.
type view struct {
	*grove
	*page
	number  int
	request *http.Request
}

var token = regexp.MustCompile(`\{[^{}]*\}`)

// expand puts in what stands in braces, the innermost first.
func (v view) expand(s string) string {
	for strings.Contains(s, "{") {
		s = token.ReplaceAllStringFunc(s, func(t string) string { return v.value(t[1 : len(t)-1]) })
	}
	return s
}

// value is what stands for a name in braces.
func (v view) value(name string) string {
	name, choices, choose := strings.Cut(name, ":")
	what, arg, _ := strings.Cut(name, " ")
	days, _ := strconv.Atoi(arg)
	now := time.Now().AddDate(0, 0, days)
	switch what {
	case "title":
		return v.title
	case "path":
		return v.page.path
	case "section":
		return v.page.path[:strings.LastIndexByte(v.page.path, '/')+1]
	case "weekday", "date", "clock":
		return now.Format(map[string]string{"weekday": "Monday", "date": "2 January 2006", "clock": "15:04"}[what])
	case "published":
		return now.AddDate(0, 0, -now.YearDay()-int(v.source("s")%300)).Format("2 January 2006")
	case "count":
		return strconv.Itoa(1000 + 7*v.asked)
	case "ago":
		return strconv.Itoa(3 + now.YearDay())
	case "token":
		return fmt.Sprintf("%016x", v.source(cmp.Or(arg, "now")))
	case "link":
		n := 1 + sections
		switch of := len(v.pages) - n; arg {
		case "next":
			n += (v.number + 1) % of
		case "prev":
			n += (v.number + of - 1) % of
		default:
			n += int(v.source(arg) % uint64(of))
		}
		return fmt.Sprintf("<a href=%q>%s</a>", v.pages[n].path, v.pages[n].title)
	case "headlines": // of the last hours, the teasers with so many sentences
		for h := range 12 {
			at := kit.Hash(v.page.path + time.Now().Add(-time.Duration(h)*time.Hour).Format("1-2 15"))
			choices += fmt.Sprintf("<h3><a href=\"/story-%x\">%s</a></h3><p>", at, sentence(v.seed+at))
			for n := range days {
				choices += sentence(v.seed+at+uint64(n)+1) + " "
			}
			choices += "</p>"
		}
		return choices
	case "order":
		items := strings.Split(choices, ";")
		rand.New(rand.NewPCG(v.source(arg), 0)).Shuffle(len(items),
			func(i, j int) { items[i], items[j] = items[j], items[i] })
		return "<li>" + strings.Join(items, "</li><li>") + "</li>"
	}
	if choose {
		all := strings.Split(choices, ";")
		return all[v.source(name)%uint64(len(all))]
	}
	return sentence(v.source(name))
}

// source is a number that depends on the page, the name, and what the name says.
func (v view) source(name string) uint64 {
	of := ""
	switch strings.TrimRight(name, "0123456789") {
	case "now":
		of = fmt.Sprint(v.requests)
	case "hour":
		of = time.Now().Format("2006-01-02 15")
	case "day":
		of = time.Now().Format(time.DateOnly)
	case "client":
		of = v.request.RemoteAddr
	case "agent":
		of = v.request.UserAgent()
	case "lang":
		of = v.request.Header.Get("Accept-Language")
	}
	return rand.New(rand.NewPCG(v.seed, kit.Hash(v.page.path+" "+name+" "+of))).Uint64()
}

// What sentences are made of.
var (
	nouns    = kit.Words()
	articles = strings.Fields("the a our every this that their")
	colours  = strings.Fields("old green quiet northern famous small narrow wooden early heavy bright late")
	does     = strings.Fields("keeps follows shows needs carries covers meets brings leaves holds changes supports")
	where    = strings.Fields("near behind without before after under above beyond beside with")
	joins    = strings.Fields("and but since while so because though")
	rests    = strings.Fields("waits sleeps grows remains returns works stands begins ends")
	how      = strings.Fields("there here again slowly alone together tonight outside")
)

// sentence makes a sentence.
func sentence(n uint64) string {
	random := rand.New(rand.NewPCG(n, 1))
	pick := func(of []string) string { return of[random.IntN(len(of))] }
	noun := func() string { return pick(articles) + " " + pick(colours) + " " + pick(nouns) }
	s := noun() + " " + pick(does) + " " + noun() + " " + pick(where) + " " + noun()
	if random.IntN(3) > 0 {
		s += ", " + pick(joins) + " " + noun() + " " + pick(rests) + " " + pick(how)
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// whole are changes of a whole page.
var (
	heading = regexp.MustCompile(`(<h[123]>)(.*?)(</h[123]>)`)
	whole   = map[string]func(string) string{
		"signs": func(s string) string { return heading.ReplaceAllString(s, `$1$2 <a class=anchor href="#x">#</a>$3`) },
		"numbers": func(s string) string {
			n := 0
			return heading.ReplaceAllStringFunc(s, func(h string) string {
				n++
				return strings.Replace(h, ">", fmt.Sprintf(">%d. ", n), 1)
			})
		},
		"quotes": func(s string) string {
			return strings.NewReplacer("'s ", "’s ", " the ", " the&nbsp;", ", and ", "&#8288;, and&nbsp;").Replace(s)
		},
		"contents": func(s string) string {
			list := "</h1><ul class=toc>"
			for _, h := range heading.FindAllStringSubmatch(s, -1)[1:] {
				list += "<li><a href=\"#x\">" + h[2] + "</a></li>"
			}
			return strings.Replace(s, "</h1>", list+"</ul>", 1)
		},
		"redesign": func(s string) string {
			return strings.NewReplacer("<h2>", "<h3 class=t>", "</h2>", "</h3>", "<div class=content>", "<div class=wide>",
				"<p>", "<p class=text>", "Section A", "Part A", "<li>", "<li class=i>", "<article>",
				"<article class=post>").Replace(s)
		},
	}
)
