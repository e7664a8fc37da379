package explore

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/response"
)

// nothing is what a site shows where it has no page, if it answers 200 there: the main text at an address that nobody
// can have linked to. Pages that show the same are taken back, however few they are.
type nothing struct {
	text  uint64   // hash of the main text, 0 if the site answers with an error as it should
	pages []string // the locations that show it
}

// askNowhere learns what the site shows where it has no page. The address has a query without a value, which is no
// page either.
func (e *explorer) askNowhere(ctx context.Context) {
	loc := e.Normalizer.Origin().Folder() + "no-page-" + rand.Text() + "?no-page"
	if !e.robots.Allows(loc) {
		return
	}
	a := e.request(ctx, loc, "")
	if a.status == http.StatusOK && response.IsHTML(a.header.Get("Content-Type")) {
		facts := html.Read(a.body, html.Options{ContentType: a.header.Get("Content-Type")})
		e.nothing.text = facts.MainHash
	}
}

// is reports whether a page shows what the site shows where it has no page. The home page may be shown there, so an
// entry is a page all the same.
func (n *nothing) is(loc string, facts *html.Facts, entries []string) bool {
	return n.text != 0 && n.text == facts.MainHash && !slices.Contains(entries, loc)
}
