package sitemap

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"time"
)

const november = 1_795_222_923 // 2026-11-21T01:02:03Z

func TestURLSetIsAsValidatorsExpect(t *testing.T) {
	file := []byte(URLSetOpen(""))
	for _, u := range []URL{
		{Loc: "https://example.com/"},
		{Loc: "https://example.com/a", LastMod: november},
		{Loc: "https://example.com/a'b&c?x=1&y=%22", LastMod: november, ChangeFreq: "daily"},
		{Loc: "https://example.com/b", ChangeFreq: "never"},
		{Loc: "https://example.com/c", LastMod: november, ChangeFreq: "daily", Priority: 8},
		{Loc: "https://example.com/d", Priority: 1},
		{Loc: "https://example.com/e", Priority: 10},
	} {
		var ok bool
		if file, ok = AppendURL(file, u); !ok {
			t.Fatalf("%+v was refused", u)
		}
	}
	file = append(file, URLSetClose...)
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/</loc></url>
<url><loc>https://example.com/a</loc><lastmod>2026-11-21T01:02:03Z</lastmod></url>
<url><loc>https://example.com/a&#39;b&amp;c?x=1&amp;y=%22</loc><lastmod>2026-11-21T01:02:03Z</lastmod><changefreq>daily</changefreq></url>
<url><loc>https://example.com/b</loc><changefreq>never</changefreq></url>
<url><loc>https://example.com/c</loc><lastmod>2026-11-21T01:02:03Z</lastmod><changefreq>daily</changefreq><priority>0.8</priority></url>
<url><loc>https://example.com/d</loc><priority>0.1</priority></url>
<url><loc>https://example.com/e</loc><priority>1.0</priority></url>
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
		{"space", URL{Loc: "https://example.com/a b"}},
		{"raw UTF-8", URL{Loc: "https://example.com/é"}},
		{"too long", URL{Loc: strings.Repeat("a", maxLoc+1)}},
		{"freq in upper case", URL{Loc: "https://example.com/", ChangeFreq: "Daily"}},
		{"freq that is markup", URL{Loc: "https://example.com/", ChangeFreq: "</changefreq>"}},
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

// The shape of the two files, as any reader of XML sees them.
type (
	xmlURLSet struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []xmlURL `xml:"url"`
	}
	xmlURL struct {
		Loc        string `xml:"loc"`
		LastMod    string `xml:"lastmod,omitempty"`
		ChangeFreq string `xml:"changefreq,omitempty"`
		Priority   string `xml:"priority,omitempty"`
	}
	xmlIndex struct {
		XMLName  xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex"`
		Sitemaps []xmlURL `xml:"sitemap"`
	}
)

// FuzzFile writes a sitemap and an index, each with one sound entry and one arbitrary
// entry, and reads them back.
func FuzzFile(f *testing.F) {
	f.Add("https://example.com/a&b'c", int64(november), "daily", uint8(5))
	f.Add("]]></loc>", int64(-1), "", uint8(10))
	f.Add("https://example.com/\xff", int64(1)<<40, "</url>", uint8(0))
	f.Add("&amp;", int64(1), "never", uint8(11))
	f.Fuzz(func(t *testing.T, loc string, lastMod int64, freq string, priority uint8) {
		want := []xmlURL{{Loc: "https://example.com/"}}
		file, _ := AppendURL([]byte(URLSetOpen("")), URL{Loc: "https://example.com/"})
		before := len(file)
		file, ok := AppendURL(file, URL{Loc: loc, LastMod: lastMod, ChangeFreq: freq, Priority: priority})
		if ok {
			want = append(want, xmlURL{loc, wantDate(lastMod), freq, wantPriority(priority)})
		}
		taken := len(file) - before
		if taken > EscapedLen(loc)+MaxEntryOverhead {
			t.Fatalf("the entry takes %d bytes", taken)
		}
		var set xmlURLSet
		if err := xml.Unmarshal(append(file, URLSetClose...), &set); err != nil {
			t.Fatalf("%v in\n%s", err, file)
		}
		if fmt.Sprint(set.URLs) != fmt.Sprint(want) {
			t.Fatalf("read %q, want %q", set.URLs, want)
		}

		want = nil
		file, ok = AppendSitemap([]byte(IndexOpen), loc, lastMod)
		if ok {
			want = []xmlURL{{Loc: loc, LastMod: wantDate(lastMod)}}
		}
		var index xmlIndex
		if err := xml.Unmarshal(append(file, IndexClose...), &index); err != nil {
			t.Fatalf("%v in\n%s", err, file)
		}
		if fmt.Sprint(index.Sitemaps) != fmt.Sprint(want) {
			t.Fatalf("read %q, want %q", index.Sitemaps, want)
		}
	})
}

func wantDate(unix int64) string {
	if unix <= 0 || unix > maxTime {
		return ""
	}
	return time.Unix(unix, 0).UTC().Format(time.RFC3339)
}

func wantPriority(tenths uint8) string {
	if tenths == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", float64(tenths)/10)
}

func TestDeclarationsAndElementsOfExtensionsAreWritten(t *testing.T) {
	const declared = ` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`
	if got := URLSetOpen(declared); !strings.HasSuffix(got, `"`+declared+">\n") {
		t.Errorf("a sitemap begins with %s", got)
	}
	for _, u := range []URL{{}, {ChangeFreq: "daily"}, {Priority: 7}} {
		u.Loc, u.Extensions = "https://example.com/a", []byte("<image:image/>")
		if got, ok := AppendURL(nil, u); !ok || !strings.HasSuffix(string(got), "<image:image/></url>\n") {
			t.Errorf("the entry is %s", got)
		}
	}
}
