package laws

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// Addresses of clients, each in another network. Oscar helps Mallory.
const mallory, oscar = "5.5.5.5", "6.6.6.6"

var (
	both  = []string{mallory, oscar}
	crowd = []string{"8.8.8.8", "9.9.9.9", "1.1.1.1", "4.4.4.4", "7.7.7.7", "2a01:4f8:1::1", "2a02:8:1::1", "3.3.3.3"}
)

// named returns paths for so many pages. They differ in words, since all numbers are alike to the mark.
func named(format string) (paths []string) {
	for what := range strings.FieldsSeq("green old northern dwarf weeping golden mountain common") {
		for tree := range strings.FieldsSeq("oak willow maple cherry spruce") {
			paths = append(paths, fmt.Sprintf(format, what, tree))
		}
	}
	return paths
}

var trees = named("/page/%s-%s")

// world is a site on trial.
type world struct {
	*testkit.Site
	trial
	began  time.Time         // when the case began; zero before
	before map[string]string // the dates of what was listed then
	rounds int               // of visits
}

// part is a part of the site's program. It answers a request, or leaves it to the next part.
type part func(*world, http.ResponseWriter, *http.Request) bool

// program answers with the first part that does, and else with a page.
func (w *world) program(rw http.ResponseWriter, r *http.Request) {
	i := slices.Index(w.pages, r.URL.Path)
	switch {
	case slices.ContainsFunc(w.parts, func(answers part) bool { return answers(w, rw, r) }):
	case i < 0:
		answer("404")(w, rw, r)
	case i%2 == 0:
		answer("")(w, rw, r)
	default: // every second page has a date of its own
		answer("", lastModified(time.Date(1999, 12, 1, 5*i, 0, 0, 0, time.UTC)))(w, rw, r)
	}
}

func lastModified(at time.Time) string { return "Last-Modified: " + at.UTC().Format(http.TimeFormat) }

const (
	english = "<p>This page tells you all about the %[1]s, from the roots up to the crown.</p><p>Nobody knows how old a " +
		"%[1]s becomes in a " +
		"good soil.</p><p>A bag of seeds of the %[1]s costs €12.50 with us.</p><p>Birds love the %[1]s, and so do we.</p>"
	german = "<p>Auf dieser Seite steht alles über %[1]s, von der Wurzel bis zur Krone.</p><p>Niemand weiß, wie alt " +
		"%[1]s in gutem Boden " +
		"wird.</p><p>Ein Beutel Samen von %[1]s kostet bei uns 12,50 €.</p><p>Vögel lieben %[1]s, und wir auch.</p>"
)

// What answers have that are no pages: a line of the header, something in the head, another text or a whole other body.
var (
	lines = map[string]string{
		"noindex": "X-Robots-Tag: noindex", "304": "X-Robots-Tag: noindex",
		"expired": "X-Robots-Tag: unavailable_after: 25 Jun 1999 15:00:00 GMT",
		"private": "Cache-Control: private", "no-store": "Cache-Control: no-store", "login": "Location: /login?next=x",
		"301": "Location: /", "302": "Location: /", "307": "Location: /", "disallow": "Content-Type: text/plain",
		"allow": "Content-Type: text/plain",
	}
	heads = map[string]string{
		"meta": `<meta name="robots" content="noindex">`, "canonical": `<link rel="canonical" href="/page/old-oak">`,
		"refresh": `<meta http-equiv="refresh" content="0; url=/">`,
	}
	texts = map[string]string{
		"language": german, "currency": strings.Replace(english, "€12.50", "$13.90", 1),
		"greeting": "<p>Welcome back, dear friend of the %[1]s from the far north, it is good to see you here.</p>" + english,
		"edit":     english + "<p>Since yesterday we know that moths love the %[1]s too, and have done so for long.</p>",
	}
	bodies = map[string]string{
		"empty": "", "304": "", "disallow": "User-agent: *\nDisallow: /\n", "allow": "User-agent: *\nAllow: /\n",
		"password": "<html><head><title>Who are you?</title></head><body><form method=post><input type=password " +
			"name=p></form></body></html>",
		"challenge": "<html><head><title>One moment</title></head><body><p>We make sure that you are no robot. This takes " +
			"some seconds.</p></body></html>",
	}
)

// answer is a part that answers as its name says, with more lines in the header.
func answer(kind string, header ...string) part {
	return func(w *world, rw http.ResponseWriter, r *http.Request) bool {
		path, code, links, header := r.URL.Path, http.StatusOK, []string{"/"}, append([]string{lines[kind]}, header...)
		if strings.HasPrefix(header[0], "Location") {
			code = http.StatusFound
		}
		switch n, err := strconv.Atoi(kind); {
		case err == nil:
			path, code = "/an error", n
		case kind == "closes":
			panic(http.ErrAbortHandler)
		case kind == "https":
			code, header[0] = http.StatusMovedPermanently, "Location: "+testkit.Origin+path
		case kind == "moved":
			code, header[0] = http.StatusMovedPermanently, "Location: "+strings.Replace(path, "/page/", "/tree/", 1)
		case kind == "dated":
			header[0] = lastModified(time.Now().Add(-2 * time.Hour))
		case kind == "home", path == "/":
			path, links = "/", w.pages
		}
		body, is := bodies[kind]
		if !is {
			body = strings.Replace(page(path, kind, anchors("", links...)), "<head>", "<head>"+heads[kind], 1)
		}
		return write(rw, code, body, header...)
	}
}

// page is the page at a path, with HTML at its end.
func page(path, kind, end string) string {
	text, is := texts[kind]
	if !is {
		text = english
	}
	subject := strings.ReplaceAll(path[strings.LastIndexByte(path, '/')+1:], "-", " ")
	return fmt.Sprintf("<!DOCTYPE html><html lang=en><head><title>%s</title></head><body><main>"+text+
		"%s</main></body></html>", subject, end)
}

func anchors(rel string, links ...string) (html string) {
	for _, l := range links {
		html += fmt.Sprintf(`<a rel="%s" href="%s">more</a> `, rel, l)
	}
	return html
}

func write(rw http.ResponseWriter, code int, body string, header ...string) bool {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	for _, line := range header {
		if name, value, is := strings.Cut(line, ": "); is {
			rw.Header().Set(name, value)
		}
	}
	rw.WriteHeader(code)
	_, _ = fmt.Fprint(rw, body)
	return true
}

// home is the home page with more links, once the case has begun.
func home(rel string, links ...string) part {
	return when(func(w *world, rw http.ResponseWriter, _ *http.Request) bool {
		return write(rw, http.StatusOK, page("/", "", anchors("", w.pages...)+anchors(rel, links...)))
	}, begun, on("/"))
}

// cond says when a part answers.
type cond func(*world, *http.Request) bool

// when lets a part answer if all conditions hold.
func when(answers part, conds ...cond) part {
	return func(w *world, rw http.ResponseWriter, r *http.Request) bool {
		return !slices.ContainsFunc(conds, func(holds cond) bool { return !holds(w, r) }) && answers(w, rw, r)
	}
}

// on holds for paths, and for what is below those that end with a star.
func on(paths ...string) cond {
	return func(_ *world, r *http.Request) bool {
		return slices.ContainsFunc(paths, func(p string) bool {
			folder, is := strings.CutSuffix(p, "*")
			return r.URL.Path == p || is && strings.HasPrefix(r.URL.Path, folder)
		})
	}
}

func begun(w *world, _ *http.Request) bool { return !w.began.IsZero() }

// own holds for requests that the site makes itself.
func own(_ *world, r *http.Request) bool { return servemap.Exploring(r) }

func from(addrs ...string) cond {
	return func(_ *world, r *http.Request) bool {
		return slices.Contains(addrs, strings.TrimSuffix(r.RemoteAddr, ":4711"))
	}
}

// trait is what a stranger's requests have: a line of the header, or "address", "path" or "query" and a value.
type trait struct{ name, value string }

func newTrait(line string) trait {
	name, value, _ := strings.Cut(line, ": ")
	return trait{name, value}
}

// ask asks for a path with the trait.
func (t trait) ask(w *world, addr, path string) {
	switch t.name {
	case "address":
		w.From(addr, path)
	case "path":
		w.From(addr, strings.Replace(path, "/p", t.value, 1))
	case "query":
		w.From(addr, path+"?"+t.value)
	default:
		w.From(addr, path, t.name, t.value)
	}
}

// everywhere makes Mallory ask for each page.
func (t trait) everywhere(w *world) {
	for _, p := range w.pages {
		t.ask(w, mallory, p)
	}
}

// shown holds for a request with the trait.
func (t trait) shown(w *world, r *http.Request) bool {
	switch t.name {
	case "everybody":
		return true
	case "address":
		return from(both...)(w, r)
	case "path":
		return strings.HasPrefix(r.RequestURI, t.value)
	case "query":
		return r.URL.RawQuery == t.value
	case "Host":
		return r.Host == t.value
	}
	return r.Header.Get(t.name) == t.value
}

// visit lets visitors get all pages, and more of them, each by another one, with lines of the header.
func (w *world) visit(more []string, lines ...string) {
	w.rounds++
	for i, p := range slices.Concat(w.pages, more) {
		w.From(crowd[(w.rounds+i)%len(crowd)], p, lines...)
	}
}
