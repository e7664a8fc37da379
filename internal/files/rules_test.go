package files

import (
	"testing"

	"github.com/servemap/servemap/internal/admit"
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
		{"one is hidden", func(c *Config) { c.Rules = barring("/b") }, url + "/a</loc><changefreq>weekly</changefreq></url>\n"},
		{"a frequency and a priority", func(c *Config) { c.Rules = compile(admit.Rule{Pattern: "/a", ChangeFreq: "hourly", Priority: 1}) },
			url + "/a</loc><changefreq>hourly</changefreq><priority>1.0</priority></url>\n" + url + "/b</loc><changefreq>weekly</changefreq></url>\n"},
		{"a priority, where they are inferred", func(c *Config) { c.InferPriority, c.Rules = true, compile(admit.Rule{Pattern: "/a", Priority: 0.3}) },
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
