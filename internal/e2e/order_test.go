package e2e

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/servemap/servemap"
)

// A visitor follows a link as soon as a page is there. The handler of that page
// may still be at work, so the page that it links to is seen first.
func TestAPageSeenBeforeTheOneThatLinksToItLeadsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages := map[string]string{
			"/":         document("", "the site", "/list", "/docs"),
			"/list":     document("", "a list", "/list/sub", "/list/a"),
			"/list/sub": document("", "more of the list", "/list/b"),
			"/list/a":   document("", "the thing a"),
			"/list/b":   document("", "the thing b"),
			"/docs/":    document("", "the manual", "/docs/a"),
			"/docs/a":   document("", "the first chapter"),
			"/share/x":  document("", "what is shared", "/of-one"),
			"/of-one":   document("", "what is somebody's own"),
		}
		work := make(chan struct{}) // what the handler of the root does after the last byte
		o := open(t, nil, func(site *servemap.Site) http.Handler {
			return site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				html, found := pages[r.URL.Path]
				switch {
				case r.URL.Path == "/docs":
					http.Redirect(w, r, "/docs/", http.StatusMovedPermanently)
				case !found:
					http.NotFound(w, r)
				default:
					answer(w, http.StatusOK, html)
				}
				_ = http.NewResponseController(w).Flush()
				if r.URL.Path == "/" {
					<-work
				}
			}))
		})
		for _, path := range []string{"/", "/list", "/list/sub", "/list/a", "/list/b", "/docs", "/docs/", "/docs/a", "/share/x", "/of-one"} {
			o.ask(path, true)
		}
		close(work)
		synctest.Wait()
		o.wantListed(true, "/", "/list", "/list/sub", "/list/a", "/list/b", "/docs/", "/docs/a")
		o.wantListed(false, "/share/x", "/of-one")
	})
}
