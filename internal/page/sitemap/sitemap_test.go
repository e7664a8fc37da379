package sitemap

import (
	"strings"
	"testing"
)

const november = 1_795_222_923 // 2026-11-21T01:02:03Z

func TestURLSetIsAsValidatorsExpect(t *testing.T) {
	file := []byte(URLSetOpen(` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`))
	for _, u := range []URL{
		{Loc: "https://example.com/"},
		{Loc: "https://example.com/a", LastMod: november},
		{Loc: "https://example.com/a'b&c?x=1&y=%22", LastMod: november, ChangeFreq: "daily"},
		{Loc: "https://example.com/b", ChangeFreq: "never"},
		{Loc: "https://example.com/c", LastMod: november, ChangeFreq: "daily", Priority: 8},
		{Loc: "https://example.com/d", Priority: 1},
		{Loc: "https://example.com/e", Priority: 10, Extensions: []byte("<image:image/>")},
	} {
		var ok bool
		if file, ok = AppendURL(file, u); !ok {
			t.Fatalf("%+v was refused", u)
		}
	}
	file = append(file, URLSetClose...)
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>https://example.com/</loc></url>
<url><loc>https://example.com/a</loc><lastmod>2026-11-21T01:02:03Z</lastmod></url>
<url><loc>https://example.com/a&#39;b&amp;c?x=1&amp;y=%22</loc><lastmod>2026-11-21T01:02:03Z</lastmod><changefreq>daily</changefreq></url>
<url><loc>https://example.com/b</loc><changefreq>never</changefreq></url>
<url><loc>https://example.com/c</loc><lastmod>2026-11-21T01:02:03Z</lastmod><changefreq>daily</changefreq><priority>0.8</priority></url>
<url><loc>https://example.com/d</loc><priority>0.1</priority></url>
<url><loc>https://example.com/e</loc><priority>1.0</priority><image:image/></url>
</urlset>
`
	if string(file) != want {
		t.Errorf("got\n%s\nwant\n%s", file, want)
	}
}

func TestIndexIsAsValidatorsExpect(t *testing.T) {
	file := []byte(IndexOpen)
	file, _ = AppendSitemap(file, "https://example.com/sitemap-1.xml", november)
	file, ok := AppendSitemap(file, "https://example.com/sitemap 2.xml", november)
	if ok {
		t.Error("an address with a space was accepted")
	}
	file, _ = AppendSitemap(file, "https://example.com/sitemap-3.xml?a&b", 0)
	file = append(file, IndexClose...)
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>https://example.com/sitemap-1.xml</loc><lastmod>2026-11-21T01:02:03Z</lastmod></sitemap>
<sitemap><loc>https://example.com/sitemap-3.xml?a&amp;b</loc></sitemap>
</sitemapindex>
`
	if string(file) != want {
		t.Errorf("got\n%s\nwant\n%s", file, want)
	}
}

func TestAppendURLRefusesInvalidEntries(t *testing.T) {
	for _, tt := range []struct {
		name string
		u    URL
	}{
		{"no address", URL{}},
		{"raw UTF-8", URL{Loc: "https://example.com/é"}},
		{"too long", URL{Loc: strings.Repeat("a", maxLoc+1)}},
		{"freq in upper case", URL{Loc: "https://example.com/", ChangeFreq: "Daily"}},
		{"priority above one", URL{Loc: "https://example.com/", Priority: 11}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := AppendURL([]byte("before"), tt.u)
			if ok || string(got) != "before" {
				t.Errorf("AppendURL = %q, %v; want dst unchanged and false", got, ok)
			}
			if tt.u.ChangeFreq != "" || tt.u.Priority != 0 {
				return
			}
			got, ok = AppendSitemap([]byte("before"), tt.u.Loc, 0)
			if ok || string(got) != "before" {
				t.Errorf("AppendSitemap = %q, %v; want dst unchanged and false", got, ok)
			}
		})
	}
}

func TestEntriesNeedNoMoreThanMaxEntryOverhead(t *testing.T) {
	most := 0
	for _, freq := range []string{"", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"} {
		loc := `https://example.com/&'"<>`
		u := URL{Loc: loc, LastMod: november, ChangeFreq: freq, Priority: MaxPriority}
		entry, ok := AppendURL(nil, u)
		if !ok {
			t.Fatalf("%q was refused", freq)
		}
		most = max(most, len(entry)-EscapedLen(loc))
	}
	if most != MaxEntryOverhead {
		t.Errorf("the longest entry takes %d bytes beyond its address, MaxEntryOverhead is %d", most, MaxEntryOverhead)
	}
	entry, _ := AppendSitemap(nil, "https://example.com/sitemap-1.xml", november)
	if over := len(entry) - EscapedLen("https://example.com/sitemap-1.xml"); over > MaxEntryOverhead {
		t.Errorf("an entry of an index takes %d bytes beyond its address, MaxEntryOverhead is %d", over, MaxEntryOverhead)
	}
}

func TestAppendURLAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 4096)
	u := URL{Loc: "https://example.com/a?b=c", LastMod: november, ChangeFreq: "monthly", Priority: 5}
	if n := testing.AllocsPerRun(100, func() { AppendURL(buf, u) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
