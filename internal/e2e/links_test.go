package e2e

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// uuidPage is a location that lets in whoever knows it.
const uuidPage = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"

// leadsBack is a page that links back to where its visitor came from, if the request says so.
func leadsBack(w http.ResponseWriter, r *http.Request) {
	links := []string{"/"}
	if from := r.Referer(); from != "" {
		links = append(links, from)
	}
	for _, values := range r.URL.Query() {
		links = append(links, values...)
	}
	testkit.Page("what we do", links...)(w, r)
}

func TestLinkThatRepeatsTheRequestIsNoEvidence(t *testing.T) {
	const invoice, note, escaped = "/invoice/100234", "/p/bluebird", "https%3A%2F%2Fexample.com%2Finvoice%2F100234"
	for _, tt := range []struct {
		name    string
		private string // the page that must not be listed
		target  string // the page that links back
		referer string
	}{
		{"a token in the Referer", uuidPage, "/about", testkit.Origin + uuidPage},
		{"a word in the Referer", invoice, "/about", testkit.Origin + invoice},
		{"a word in the query, as a URL", invoice, "/about?utm_content=" + escaped, ""},
		{"in the query of the Referer", note, "/about?utm_content=" + note, testkit.Origin + "/login?next=" + url.QueryEscape(note)},
		{"a permanent redirect back", uuidPage, "/theme", testkit.Origin + uuidPage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pages := testkit.Paths{
				"/": testkit.Page("the home page", "/about", "/theme"), "/about": leadsBack, tt.private: testkit.Page("only for those who have the link"),
				"/theme": func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, r.Referer(), http.StatusMovedPermanently)
				},
			}
			var headers []string
			if tt.referer != "" {
				headers = []string{"Referer", tt.referer}
			}
			inCrowd(t, pages, servemap.Options{}, func(c crowd) {
				c.visit(ann, "/")
				for _, from := range []string{ann, bob, carl} {
					c.visit(from, tt.private)
					c.visit(from, tt.target, headers...)
					time.Sleep(25 * time.Hour)
				}
				c.visit(dora, tt.private)
				listed := c.LastMods()
				_, home := listed["/"]
				if _, private := listed[tt.private]; private || !home {
					c.Errorf("the sitemap lists %v", listed)
				}
				c.WantNoTrace(tt.private[3:])
			})
		})
	}
}
