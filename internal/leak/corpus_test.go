package leak_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/testkit"
)

// corpus returns the scenarios. Each call gives their pages other names.
func corpus() (rows []*row) {
	rows = slices.Concat(fromFile(), oddRows(), personalRows(), alternateRows())
	for _, r := range rows {
		if r.canaries == nil {
			r.canaries = []string{words()}
		}
	}
	return rows
}

// fromFile returns the rows of a file, which says how they are written.
func fromFile() (rows []*row) {
	text, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "MARKER", marker)) {
		if line[0] == '#' {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), " | ")
		r := &row{name: fields[0], headers: http.Header{}, response: http.Header{}}
		for _, field := range fields[1:] {
			what, value, _ := strings.Cut(field, " ")
			r.set(what, value)
		}
		rows = append(rows, r)
	}
	return rows
}

// set sets a field to what the file says.
func (r *row) set(what, value string) {
	texts := map[string]*string{
		"route": &r.route, "path": &r.path, "loc": &r.loc, "method": &r.method, "head": &r.head, "want": &r.want,
		"says": &r.says,
	}
	name, of, _ := strings.Cut(value, ": ")
	switch what {
	case "linked":
		r.linked = true
	case "was":
		r.was = true
	case "name":
		r.canaries = []string{value}
	case "names":
		n, _ := strconv.Atoi(value)
		r.canaries = many(n)
	case "send":
		r.headers[name] = append(r.headers[name], of)
	case "gives":
		r.response[name] = append(r.response[name], of)
	case "answers":
		r.answer = answers(value)
	case "later":
		r.late = answers(value)
	default:
		*texts[what] = value
	}
}

// answers returns what answers with a header, or a status, and perhaps where that leads to.
func answers(how string) func(http.ResponseWriter, *http.Request, string) {
	return func(rw http.ResponseWriter, r *http.Request, html string) {
		status, to, _ := strings.Cut(how, " ")
		code, err := strconv.Atoi(status)
		switch name, value, _ := strings.Cut(how, ": "); {
		case err != nil:
			rw.Header().Set(name, value)
		case to != "":
			http.Redirect(rw, r, to, code)
			return
		default:
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			rw.WriteHeader(code)
		}
		io.WriteString(rw, html)
	}
}

// oddRows are the rows whose request or answer has code of its own, such as a client certificate, or HTML in two
// writes.
func oddRows() []*row {
	return []*row{
		{name: "L04 one client that says it is Googlebot", route: "/posts/{slug}", visit: byOne,
			headers: header("User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"),
			want:    "waiting: no-evidence"},
		{name: "L15 a client certificate", route: "/desk/{c}", visit: byCertificate, want: "unknown: none"},
		{name: "L21 a meta element in two writes", route: "/essays/{c}", head: "<META CONTENT='NoIndex,follow' NAME=Robots>",
			answer: split("NoIndex"), want: "excluded: noindex"},
		{name: "L22 noindex far into the head", route: "/scrolls/{c}",
			head: "<style>" + strings.Repeat("a{} ", 25_000) + "</style><meta name=robots content=noindex>",
			want: "excluded: noindex"},
		{name: "L22 a head without end", route: "/rolls/{c}", visit: func(w *world, p *page, n int) {
			if n < 4 {
				w.visit(n, p.target)
			}
		}, head: "<style>" + strings.Repeat("a{} ",
			600_000) + "</style><meta name=robots content=noindex>", want: "held: head-not-seen"},
		{name: "L38 another host", route: "/hosts/{c}", visit: byHost("evil-" + marker + ".example"), want: "unknown: none"},
		{name: "L41 a page not found that says 200", path: "/{c}", canaries: many(100),
			answer: func(rw http.ResponseWriter, _ *http.Request, _ string) {
				io.WriteString(rw, testkit.HTML("", "Not found"))
			}, want: "waiting: no-evidence"},
		{name: "L45 panics after a part, caught outside", route: "/broken/{c}",
			answer: func(rw http.ResponseWriter, _ *http.Request, html string) { io.WriteString(rw, html); panic(marker) },
			want:   "unknown: none"},
		{name: "L45 panics after a part, caught inside", route: "/cracked/{c}", answer: recovered, want: "unknown: none"},
		{name: "L46 the client leaves", route: "/parted/{c}", visit: leaving, answer: stalled, want: "unknown: none"},
		{name: "L46 less than was declared", route: "/short/{c}",
			answer: func(rw http.ResponseWriter, _ *http.Request, html string) {
				rw.Header().Set("Content-Length", "100000")
				io.WriteString(rw, html)
			}, want: "unknown: none"},
		{name: "L46 a range", route: "/pieces/{c}", headers: header("Range", "bytes=0-99"),
			answer: func(rw http.ResponseWriter, r *http.Request, html string) {
				http.ServeContent(rw, r, "x.html", time.Time{}, strings.NewReader(html))
			}, want: "unknown: none"},
		{name: "L48 gzip inside", route: "/packed/{c}", answer: packed("gzip"), want: "listed: route"},
		{name: "L48 gzip inside, and noindex in it", route: "/packs/{c}", head: "<meta name=robots content=noindex>",
			answer: packed("gzip"), want: "excluded: noindex"},
		{name: "L48 an encoding nobody knows", route: "/scrambled/{c}", answer: packed("x-own"), want: "held: encoding"},
		{name: "L48 clients of a private network", route: "/nearby/{slug}", visit: byPrivate, want: "waiting: no-evidence"},
		{name: "a route that shows a part of a page", route: "/shards/{c}", want: "waiting: no-evidence",
			answer: func(rw http.ResponseWriter, _ *http.Request, html string) {
				_, body, _ := strings.Cut(html, "<body>")
				rw.Header().Set("Content-Type", "text/html; charset=utf-8")
				io.WriteString(rw, strings.TrimSuffix(strings.TrimSpace(body), "</html>"))
			}},
	}
}

// personalRows are locations that look public but are not.
func personalRows() []*row {
	return []*row{
		{name: "a link of each visitor's own", route: "/tables/{id}", canaries: tokens(uuids, rounds, 7), personal: true,
			want: "held: capability"},
		{name: "a session in the path", route: "/shop/{session}/home", path: "/shop/(S({c}))/home",
			canaries: tokens(of("abcdefghijklmnopqrstuvwxyz012345", 24), rounds, 8), personal: true, want: "held: capability"},
		{name: "a token in a parameter that is allowed", route: "/reader/{slug}", path: "/reader/leaf?page={c}",
			canaries: tokens(uuids, 1, 9), want: "excluded: query-not-canonical"},
		{name: "a token in a parameter that is allowed, of letters alone", route: "/readers/{slug}",
			path: "/readers/leaf?page={c}", canaries: tokens(of("abcdefghijklmnopqrstuvwxyz", 20), 1, 12),
			want: "waiting: no-evidence"},
		{name: "a token in a route of its own", route: "/hidden/{c}", canaries: tokens(uuids, 1, 10),
			want: "held: capability"},
		{name: "a linked page moves each visitor to one of his own", route: "/pads/{id}", canaries: tokens(uuids, rounds, 11),
			personal: true, moves: http.StatusMovedPermanently, want: "held: capability"},
		{name: "the same, to words", route: "/rooms/{id}", canaries: apart(rounds), personal: true,
			moves: http.StatusMovedPermanently, want: "held|waiting: no-evidence|capability"},
		{name: "the same for a while, to words", route: "/suites/{id}", canaries: apart(rounds), personal: true,
			moves: http.StatusSeeOther, want: "waiting: no-evidence"},
		{name: "pages that lead each visitor back", route: "/guestbooks/{slug}", canaries: guestbooks, linked: true,
			answer: leadsBack, want: "listed: link"},
		{name: "where visitors came from, a token", route: "/letters/{id}", canaries: tokens(uuids, 1, 13),
			visit: andSign(guestbooks[0], referred), want: "held: capability"},
		{name: "what a header of proxies says, a token", route: "/parcels/{id}", canaries: tokens(uuids, 1, 17),
			visit: andSign(guestbooks[4], func(r *http.Request, target string) { r.Header.Set("X-Forwarded-Server", target) }),
			want:  "held: capability"},
		{name: "where visitors came from, words", route: "/diaries/{slug}", visit: andSign(guestbooks[1], referred),
			want: "waiting: no-evidence"},
		{name: "where visitors came from, a number", route: "/invoices/{id}", canaries: []string{"100234977"},
			visit: andSign(guestbooks[2], referred), want: "waiting: no-evidence"},
		{name: "where visitors came from, in the query", route: "/memos/{id}", canaries: tokens(uuids, 1, 14),
			visit: andSign(guestbooks[3], func(r *http.Request,
				target string) {
				r.URL.RawQuery = "from=" + url.QueryEscape(target)
			}),
			want: "held: capability"},
	}
}

// guestbooks are pages that lead each visitor back. Each row that visits one has its own.
var guestbooks = []string{"of-the-harbour", "of-the-lighthouse", "of-the-old-mill", "of-the-orchard", "of-the-castle"}

// leadsBack links to the page that the visitor came from, if the request names it.
func leadsBack(rw http.ResponseWriter, r *http.Request, _ string) {
	io.WriteString(rw, testkit.HTML("", "guests of "+r.URL.Path, r.Referer(), r.URL.Query().Get("from"),
		r.Header.Get("X-Forwarded-Server")))
}

// andSign goes on from the page to a guestbook.
func andSign(book string, how func(r *http.Request, target string)) func(*world, *page, int) {
	return func(w *world, p *page, n int) {
		w.visit(n, p.target)
		r := w.request(n, http.MethodGet, "/guestbooks/"+book, nil)
		how(r, p.target)
		w.do(w.client, r)
	}
}

func referred(r *http.Request, target string) { r.Header.Set("Referer", testkit.Origin+target) }

// alternateRows are pages in two languages that name each other, but for the first, which only the other one names.
func alternateRows() []*row {
	secret, open, left, stays := words(), words(), words(), words()
	link := func(lang, to string) string {
		return fmt.Sprintf(`<link rel="alternate" hreflang="%s" href="%s">`, lang, to)
	}
	return []*row{
		{name: "the alternate of a public page, which does not agree", route: "/deutsch/{slug}", canaries: []string{secret},
			want: "waiting: no-evidence"},
		{name: "a page with a private alternate", route: "/english/{slug}", canaries: []string{open}, linked: true,
			head: link("de", "/deutsch/"+secret) + link("en", "/english/"+open), want: "listed: link"},
		{name: "an alternate that turns noindex", route: "/svenska/{slug}", canaries: []string{left}, linked: true,
			late: answers("X-Robots-Tag: noindex"), head: link("sv", "/svenska/"+left) + link("fi", "/suomi/"+stays),
			want: "excluded: noindex",
			was:  true},
		{name: "a page whose alternate turns noindex", route: "/suomi/{slug}", canaries: []string{stays}, linked: true,
			head: link("sv", "/svenska/"+left) + link("fi", "/suomi/"+stays), want: "listed: link"},
	}
}

// recovered writes a part, panics and recovers, like middleware inside the site.
func recovered(rw http.ResponseWriter, _ *http.Request, html string) {
	defer func() {
		if recover() != nil {
			rw.WriteHeader(http.StatusInternalServerError)
		}
	}()
	io.WriteString(rw, html)
	panic(marker)
}

// packed compresses the page with gzip, and calls the coding name.
func packed(name string) func(http.ResponseWriter, *http.Request, string) {
	return func(rw http.ResponseWriter, _ *http.Request, html string) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Header().Set("Content-Encoding", name)
		zw := gzip.NewWriter(rw)
		io.WriteString(zw, html)
		zw.Close()
	}
}
