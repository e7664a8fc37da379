package ledger

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// inLanguages is a page that names itself in other languages, as "de=/de".
func inLanguages(text string, alternates ...string) string {
	var b strings.Builder
	b.WriteString("<html><head>")
	for _, a := range alternates {
		lang, href, _ := strings.Cut(a, "=")
		fmt.Fprintf(&b, `<link rel="alternate" hreflang="%s" href="%s">`, lang, href)
	}
	fmt.Fprintf(&b, "</head><body><main>%s</main></body></html>", text)
	return b.String()
}

func (r *rig) wantAlternates(location string, want ...string) {
	r.Helper()
	var got []string
	for _, a := range r.page(location).Alternates {
		got = append(got, a.Lang+"="+a.Location)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		r.Errorf("%s has the alternates %q, want %q", location, got, want)
	}
}

func TestAlternates(t *testing.T) {
	all := []string{"en=/en", "de-AT=/de", "x-default=/en", "fr=/fr", "es=https://other.example/es"}
	start := func(r *rig) {
		r.sight("/", html("home", "/en", "/de", "/fr"))
		r.sight("/en", inLanguages("hello", all...))
		r.wantAlternates("/en")
		r.sight("/de", inLanguages("hallo", all...))
	}
	runInBubble(t, "kept when reciprocal and listed", Config{}, func(r *rig) {
		start(r)
		r.wantAlternates("/en", "de-at=/de")
		r.wantAlternates("/de", "en=/en", "x-default=/en")
		r.sight("/fr", inLanguages("salut")) // names nobody
		r.wantAlternates("/en", "de-at=/de")
		r.restart()
		r.wantAlternates("/en", "de-at=/de")
	})
	runInBubble(t, "not while one is not listed", Config{}, func(r *rig) {
		start(r)
		r.answer("/de", 410)
		r.wantAlternates("/en")
		r.sight("/de", inLanguages("hallo", all...))
		r.wantAlternates("/en", "de-at=/de")
		r.forget("/de")
		r.wantAlternates("/en")
		r.wantNoTrace("/de")
	})
	runInBubble(t, "not when one no longer says so", Config{}, func(r *rig) {
		start(r)
		r.sight("/de", inLanguages("hallo"))
		r.wantAlternates("/en")
		r.wantAlternates("/de")
	})
	runInBubble(t, "when it becomes listed later", Config{}, func(r *rig) {
		r.sight("/", html("home", "/en"))
		r.sight("/en", inLanguages("hello", all...))
		r.sight("/de", inLanguages("hallo", all...))
		r.wantAlternates("/en")
		time.Sleep(time.Hour)
		r.sight("/", html("home", "/en", "/de"))
		r.sight("/de", inLanguages("hallo", all...))
		r.wantAlternates("/en", "de-at=/de")
		r.wantAlternates("/de", "en=/en", "x-default=/en")
	})
}
