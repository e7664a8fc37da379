package leak_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// TestPublicPagesAreListed shows a site hundreds of public pages, and wants nearly all of them in the
// sitemap: a site that lists nothing leaks nothing either.
func TestPublicPagesAreListed(t *testing.T) {
	base.OneByOne(t)
	const least = 0.99
	s := newScene(t, setup{router: "ServeMux", proto: "HTTP/2.0", rounds: 4}, publicRows(t))
	s.brief = true
	s.visitAll()
	missed := 0
	for _, p := range s.pages {
		if problem := s.check(p); problem != "" {
			missed++
			t.Logf("%s: %s: %s", p.name, p.location, problem)
		}
	}
	n, of := len(s.pages)-missed, len(s.pages)
	t.Logf("%d of %d are listed, %.4f", n, of, float64(n)/float64(of))
	if of < 500 || float64(n) < least*float64(of) {
		t.Errorf("%d of %d public pages are listed, want %.2f of at least 500", n, of, least)
	}
	s.report(t, s.leaks())
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
		rows = append(rows, &row{name: what, route: route, path: path, canaries: names, linked: true, want: "listed: link"})
	}
	return rows
}
