package testkit

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// HTML returns a page with head inside its head, a text and links. Pages with different texts are
// not copies of each other. Each is long enough to be recognised, and to count as changed at the
// first observation that shows another text.
func HTML(head, text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>%s</title>%s</head><body><main><p>%[1]s.", text, head)
	b.WriteString(strings.Repeat(" This page is about "+text+
		", and about nothing else at all, and says so at some length.", 6) + "</p>")
	for _, l := range links {
		fmt.Fprintf(&b, `<a href="%s">more</a> `, l)
	}
	return b.String() + "</main></body></html>"
}

// Page answers with a page of a text and links.
func Page(text string, links ...string) http.HandlerFunc {
	return Reply(http.StatusOK, HTML("", text, links...))
}

// PageOfItsURL answers each location with its own page, and always the same links.
func PageOfItsURL(links ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { Page(r.URL.RequestURI(), links...)(w, r) }
}

// Reply answers with a status and HTML. lines are names and values of header lines.
func Reply(status int, html string, lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i := 0; i < len(lines); i += 2 {
			w.Header().Set(lines[i], lines[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, html)
	}
}

// Paths serves each path with its handler, and answers 404 for others.
type Paths map[string]http.HandlerFunc

// ServeHTTP serves a path.
func (p Paths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := p[r.URL.Path]; h != nil {
		h(w, r)
		return
	}
	http.NotFound(w, r)
}
