package testkit

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// HTML is a page with more in its head, a text and links. Pages of different
// texts are no copies of each other, and each is long enough to
// be recognised, and to have changed at the first look that shows another one.
func HTML(head, text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>%s</title>%s</head><body><main><p>%[1]s.", text, head)
	b.WriteString(strings.Repeat(" This page is about "+text+", and about nothing else at all, and says so at some length.", 6) + "</p>")
	for _, l := range links {
		fmt.Fprintf(&b, `<a href="%s">more</a> `, l)
	}
	return b.String() + "</main></body></html>"
}

// Page answers with a page of a text and links.
func Page(text string, links ...string) http.HandlerFunc {
	return Reply(http.StatusOK, HTML("", text, links...))
}

// PageOfItsURL answers each location with a page of its own, and the same links.
func PageOfItsURL(links ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { Page(r.URL.RequestURI(), links...)(w, r) }
}

// Reply answers with a status and HTML. Lines are names and values of header
// lines.
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

// Paths serves each path by a handler of its own, and answers 404 for others.
type Paths map[string]http.HandlerFunc

// ServeHTTP serves a path.
func (p Paths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := p[r.URL.Path]; h != nil {
		h(w, r)
		return
	}
	http.NotFound(w, r)
}
