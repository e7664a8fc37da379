package files

import (
	"testing"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/rate"
)

func TestRulesHideWhatIsStored(t *testing.T) {
	s := newShelf(t, func(c *Config) { c.Allowed = func(l string) bool { return l != "/hidden" } })
	s.list(book.Entry{}, "/a", "/hidden")
	s.render()
	s.want("sitemap.xml", "/a")
}

func TestRulesReplaceWhatIsStored(t *testing.T) {
	s := newShelf(t, func(c *Config) {
		c.Override = func(l string) (string, uint8) {
			switch l {
			case "/both":
				return "hourly", 10
			case "/priority":
				return "", 3
			}
			return "", 0
		}
	})
	s.list(book.Entry{Freq: rate.Weekly}, "/both", "/none", "/priority")
	s.render()
	s.wantEntries("sitemap.xml", `<url><loc>https://example.com/both</loc><changefreq>hourly</changefreq><priority>1.0</priority></url>
<url><loc>https://example.com/none</loc><changefreq>weekly</changefreq></url>
<url><loc>https://example.com/priority</loc><changefreq>weekly</changefreq><priority>0.3</priority></url>
`)
}

func TestAPriorityOfARuleGoesFirst(t *testing.T) {
	for _, tt := range []struct {
		name  string
		infer bool
		want  string
	}{
		{"asked for", true, "<url><loc>https://example.com/a</loc><priority>0.7</priority></url>\n<url><loc>https://example.com/rule</loc><priority>0.3</priority></url>\n"},
		{"not asked for", false, "<url><loc>https://example.com/a</loc></url>\n<url><loc>https://example.com/rule</loc><priority>0.3</priority></url>\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShelf(t, func(c *Config) {
				c.InferPriority = tt.infer
				c.Override = func(l string) (string, uint8) {
					if l == "/rule" {
						return "", 3
					}
					return "", 0
				}
			})
			s.list(book.Entry{Priority: 7}, "/a", "/rule")
			s.render()
			s.wantEntries("sitemap.xml", tt.want)
		})
	}
}
