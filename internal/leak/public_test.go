package leak_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// TestPublicPagesAreListed shows a site hundreds of public pages, and wants nearly all of them in the
// sitemap: a site that lists nothing leaks nothing either.
func TestPublicPagesAreListed(t *testing.T) {
	base.OneByOne(t)
	const least = 0.99
	both := []setup{{router: "ServeMux", proto: "HTTP/2.0"}, {router: "mux", proto: "HTTP/1.1"}} // the other pairs
	for _, way := range both {
		t.Run(way.router+", "+way.proto, func(t *testing.T) {
			way.rounds = 4
			rows := publicRows(t)
			s := newScene(t, way, rows)
			s.brief = true
			s.visitAll()
			const told = 20
			missed := 0
			for _, p := range s.pages {
				if problem := s.check(p); problem == "" {
					continue
				} else if missed++; missed <= told {
					t.Logf("%s: %s: %s", p.name, p.location, problem)
				}
			}
			n, of := len(s.pages)-missed, len(s.pages)
			t.Logf("%d of %d are listed, %.4f", n, of, float64(n)/float64(of))
			if of < 500 || float64(n) < least*float64(of) {
				t.Errorf("%d of %d public pages are listed, want %.2f of at least 500", n, of, least)
			}
			s.report(t, s.leaks())
		})
	}
}

// slugs returns n names of two to five words, escaped as browsers do.
func slugs(words []string, n int) (all []string) {
	for i := range n {
		k := min(2+i%4, len(words)-1)
		at := (i * 3) % (len(words) - k)
		slug := strings.Join(words[at:at+k], "-")
		if i > 5 {
			slug += fmt.Sprintf("-%d", i)
		}
		all = append(all, (&url.URL{Path: "x" + slug}).EscapedPath()[1:])
	}
	return all
}

// publicRows are linked pages, by the lines of a file: a language and words of it, or a route, a path and names.
func publicRows(t *testing.T) (rows []*row) {
	text, err := os.ReadFile("testdata/public.txt")
	base.Check(t, err)
	for line := range strings.Lines(string(text)) {
		what, list, isRow := strings.Cut(line, ": ")
		if !isRow || line[0] == '#' {
			continue
		}
		route, path, isShelf := strings.Cut(what, " ")
		names := strings.Fields(list)
		if !isShelf {
			route, path, names = "/"+what+"/{slug}", "/"+what+"/{c}", slugs(names, 17)
		}
		rows = append(rows, &row{name: what, route: route, path: path, canaries: names, linked: true, visit: politely, answer: anyhow, want: "listed: link"})
	}
	return rows
}

// politely gets a page as one of many kinds of anonymous visitors do.
func politely(w *world, p *page, n int) {
	target, headers, methods := p.target, http.Header{}, []string{http.MethodGet}
	switch (p.chance + uint64(n)) % 8 {
	case 1:
		methods = []string{http.MethodHead, http.MethodGet}
	case 2:
		headers = header("Cookie", "_ga=GA1.2.3; _gid=GA1.4; OptanonConsent=x", "Referer", "https://www.example.org/")
	case 3:
		target += map[bool]string{true: "&", false: "?"}[strings.Contains(target, "?")] + "utm_source=news&utm_medium=mail&gclid=abc"
	case 4: // a browser that has the page asks whether it is new, and then another browser gets it
		w.do(w.client, w.request(n, http.MethodGet, target, header("If-None-Match", `"v1"`)))
	case 5:
		headers = header("Accept-Language", "fr-CH, fr;q=0.9", "Accept-Encoding", "gzip, br", "User-Agent", "Mozilla/5.0",
			"Dnt", "1", "Sec-Fetch-Mode", "navigate")
	case 6: // a logged-in visitor gets it first
		w.do(w.client, w.request(n, http.MethodGet, target, header("Cookie", "session="+marker)))
	case 7:
		w.do(w.client, w.request(n, http.MethodPost, target, nil))
	}
	for _, method := range methods {
		w.do(w.client, w.request(n, method, target, headers))
	}
}

// anyhow answers as one of many kinds of servers do.
func anyhow(rw http.ResponseWriter, r *http.Request, page string) {
	if r.Header.Get("If-None-Match") != "" {
		rw.WriteHeader(http.StatusNotModified)
		return
	}
	if r.Header.Get("Cookie") == "session="+marker {
		page = testkit.HTML("", "the same for members "+marker)
	}
	switch len(r.URL.Path) % 8 {
	case 1:
		http.SetCookie(rw, &http.Cookie{Name: "_csrf", Value: marker, HttpOnly: true})
		io.WriteString(rw, page)
	case 2:
		packed("gzip")(rw, r, page)
	case 3:
		inPieces(rw, r, page)
	case 4:
		rw.Header().Set("Cache-Control", "public, max-age=600, stale-while-revalidate=60")
		http.ServeContent(rw, r, "page.html", time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), strings.NewReader(page))
	case 5:
		rw.Header().Set("X-Robots-Tag", "max-snippet:-1, max-image-preview:none")
		rw.Header().Set("Cache-Control", "no-cache, must-revalidate")
		page = strings.Replace(page, "</head>", `<meta name="robots" content="index, follow"></head>`, 1)
		io.WriteString(rw, strings.Replace(page, "<body>", "<body><header><form><input type=password></form></header>", 1))
	case 6:
		rw.Header().Set("Content-Type", "application/xhtml+xml; charset=utf-8")
		io.WriteString(rw, page)
	case 7:
		rw.Header().Set("Vary", "Cookie, Accept-Language")
		rw.Header().Set("Content-Disposition", "inline")
		io.WriteString(rw, strings.Replace(page, "</head>", `<link rel="canonical" href="`+testkit.Origin+r.URL.EscapedPath()+query(r)+`"></head>`, 1))
	default:
		io.WriteString(rw, page)
	}
}

// inPieces writes a page cut at random points, and flushes some pieces. The first piece shows that
// it is HTML.
func inPieces(rw http.ResponseWriter, r *http.Request, html string) {
	chance := rand.New(rand.NewPCG(uint64(len(html)), uint64(len(r.URL.Path))))
	for first := 40; html != ""; first = 1 {
		n := min(len(html), first+chance.IntN(1+chance.IntN(400)))
		io.WriteString(rw, html[:n])
		if html = html[n:]; chance.IntN(3) == 0 {
			rw.(http.Flusher).Flush()
		}
	}
}

// query returns the part of the query that belongs to the page.
func query(r *http.Request) string {
	if n := r.URL.Query().Get("page"); n != "" {
		return "?page=" + n
	}
	return ""
}
