package explore

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/response"
)

// askNowhere learns what the site shows where it has no page, if it answers 200 there: the main text at an address that
// nobody can have linked to. Pages that show the same are taken back, however few they are. The address has a query
// without a value, which is no page either.
func (e *explorer) askNowhere(ctx context.Context) {
	loc := e.Normalizer.Origin().Folder() + "no-page-" + rand.Text() + "?no-page"
	if !e.robots.Allows(loc) {
		return
	}
	a := e.request(ctx, loc, "")
	if a.status == http.StatusOK && response.IsHTML(a.header.Get("Content-Type")) {
		e.nowhere = html.Read(a.body, html.Options{ContentType: a.header.Get("Content-Type")}).MainHash
	}
}

// isNowhere reports whether a page shows that. The home page may be shown there, so an entry is a page all the same.
func (e *explorer) isNowhere(loc string, text uint64) bool {
	return text != 0 && text == e.nowhere && !slices.Contains(e.Entries, loc)
}
