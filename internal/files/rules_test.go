package files

import (
	"testing"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/rate"
)

func TestRulesOutrankWhatIsStored(t *testing.T) {
	const url = "<url><loc>https://example.com"
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"no rule", func(*Config) {}, url + "/a</loc><changefreq>weekly</changefreq></url>\n" + url + "/b</loc><changefreq>weekly</changefreq></url>\n"},
		{"inferred priorities", func(c *Config) { c.InferPriority = true },
			url + "/a</loc><changefreq>weekly</changefreq><priority>0.7</priority></url>\n" + url + "/b</loc><changefreq>weekly</changefreq><priority>0.7</priority></url>\n"},
		{"one is hidden", func(c *Config) { c.Allowed = func(l string) bool { return l != "/b" } }, url + "/a</loc><changefreq>weekly</changefreq></url>\n"},
		{"a frequency and a priority", func(c *Config) { c.Override = ruleFor("/a", "hourly", 10) },
			url + "/a</loc><changefreq>hourly</changefreq><priority>1.0</priority></url>\n" + url + "/b</loc><changefreq>weekly</changefreq></url>\n"},
		{"a priority, where they are inferred", func(c *Config) { c.InferPriority, c.Override = true, ruleFor("/a", "", 3) },
			url + "/a</loc><changefreq>weekly</changefreq><priority>0.3</priority></url>\n" + url + "/b</loc><changefreq>weekly</changefreq><priority>0.7</priority></url>\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShelf(t, tt.change)
			s.list(book.Entry{Freq: rate.Weekly, Priority: 7}, "/a", "/b")
			s.render()
			s.wantEntries("sitemap.xml", tt.want)
		})
	}
}

func ruleFor(location, freq string, priority uint8) func(string) (string, uint8) {
	return func(l string) (string, uint8) {
		if l != location {
			return "", 0
		}
		return freq, priority
	}
}
