package extension

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/servemap/servemap/store"
)

// everything has something for each extension.
const everything = `<html lang=de-AT><head><link rel=alternate hreflang=de-AT href=b><link rel=alternate hreflang=en href="/en&amp;more">
	<script type="application/ld+json">{"@type":"NewsArticle","headline":"Tom & Jerry","datePublished":"2026-11-20T10:00:00Z",
	"video":{"@type":"VideoObject","name":"Tom & Jerry","description":"D","thumbnailUrl":"/t.jpg","contentUrl":"/v.mp4"}}</script></head><body><main>text<img src="/a.jpg?b&amp;c='d'"></main>`

// The numbers are stored, so they must stay.
func TestExtensionsKeepTheirNumbers(t *testing.T) {
	if got, want := []Kind{Alternates, News, Images, Videos}, []Kind{0, 1, 2, 3}; !slices.Equal(got, want) ||
		len(registered) != len(want) {
		t.Errorf("the %d extensions have the numbers %v, want %v", len(registered), got, want)
	}
}

func TestOnlyWhatIsWantedIsFound(t *testing.T) {
	p := pageOf(t, everything)
	for want := range All() + 1 {
		got := want.Read(p)
		for k := range Kind(len(registered)) {
			if _, is := got[k]; is != want.Has(k) {
				t.Errorf("with %b the extension %d is there: %t", want, k, is)
			}
		}
	}
}

// view shows all pages but one.
var view = View{
	URL:   func(location string) string { return site + location },
	Shows: func(location string) bool { return location != "/gone" },
}

func TestElementsAreWrittenInTheirOrder(t *testing.T) {
	all := All()
	got := string(all.Read(pageOf(t, everything)).Append(nil, all.Entries(), &view))
	const want = "\n" + `<xhtml:link rel="alternate" hreflang="de-at" href="https://example.com/a/b"/>` + "\n" +
		`<xhtml:link rel="alternate" hreflang="en" href="https://example.com/en&amp;more"/>` + "\n" +
		`<image:image><image:loc>https://example.com/a.jpg?b&amp;c=&#39;d&#39;</image:loc></image:image>` +
		`<video:video><video:thumbnail_loc>https://example.com/t.jpg</video:thumbnail_loc><video:title>Tom &amp; Jerry</video:title>` +
		`<video:description>D</video:description><video:content_loc>https://example.com/v.mp4</video:content_loc>` +
		`</video:video>`
	if got != want {
		t.Errorf("the entry has\n%s\nwant\n%s", got, want)
	}
	const declared = ` xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"` +
		` xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"`
	if got := all.Entries().Namespaces(); got != declared {
		t.Errorf("declared are %s, want %s", got, declared)
	}
	if got := (Values{Videos: []byte("v")}).Append(nil, all&^Of(Videos), &view); len(got) != 0 {
		t.Errorf("an extension that is off writes %s", got)
	}
}

func TestNewsHaveTheOwnersPublication(t *testing.T) {
	stored := Of(News).Read(pageOf(t, everything))
	mine := view
	mine.Publication = "Paper & Co"
	got := string(stored.Append(nil, Of(News), &mine))
	const want = `<news:news><news:publication><news:name>Paper &amp; Co</news:name><news:language>de</news:language></news:publication>` +
		`<news:publication_date>2026-11-20T10:00:00Z</news:publication_date><news:title>Tom &amp; Jerry</news:title></news:news>`
	if got != want {
		t.Errorf("the article is\n%s\nwant\n%s", got, want)
	}
	if got := stored.Append(nil, Of(News), &view); len(got) != 0 {
		t.Errorf("an article of no publication is shown: %s", got)
	}
	if at := Of(News).Asides()[News].At(stored[News]); at.Unix() != 1795168800 {
		t.Errorf("it is of %v", at)
	}
}

func TestArticlesThatAreNoNewsAreNotFound(t *testing.T) {
	p := pageOf(t, everything)
	for _, tt := range []struct {
		name string
		at   time.Duration // since it was published
		is   bool
	}{{"new", time.Hour, true}, {"two days old", 48 * time.Hour, false}, {"ahead by a time zone", -12 * time.Hour, true},
		{"far ahead", -24 * time.Hour, false}} {
		p.At = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC).Add(tt.at)
		if _, is := Of(News).Read(p)[News]; is != tt.is {
			t.Errorf("%s: found %t, want %t", tt.name, is, tt.is)
		}
	}
}

func TestAlternatesThatMayNotBeNamedAreLeftOut(t *testing.T) {
	for _, tt := range []struct {
		name string
		own  []string
		all  []Alternate
		want string
	}{
		{"one of two is gone", []string{"en"}, []Alternate{{"de", "/gone"}, {"fr", "/fr"}}, "en=/a fr=/fr"},
		{"the other is gone", []string{"en"}, []Alternate{{"de", "/gone"}}, ""},
		{"only itself, twice", []string{"en", "x-default"}, []Alternate{{"de", "/gone"}}, ""},
		{"it does not name itself", nil, []Alternate{{"fr", "/fr"}}, ""},
		{"in the same order for each", []string{"x-default", "de"}, []Alternate{{"fr", "/fr"}, {"de-at", "/at"}},
			"de=/a de-at=/at fr=/fr x-default=/a"},
	} {
		var doc struct {
			Link []struct {
				Lang string `xml:"hreflang,attr"`
				Href string `xml:"href,attr"`
			} `xml:"link"`
		}
		got := Values{Alternates: Languages(tt.own, "/a", tt.all)}.Append(nil, Of(Alternates), &view)
		if err := xml.Unmarshal([]byte("<x>"+string(got)+"</x>"), &doc); err != nil {
			t.Fatal(err)
		}
		var links []string
		for _, l := range doc.Link {
			links = append(links, l.Lang+"="+strings.TrimPrefix(l.Href, site))
		}
		if strings.Join(links, " ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, links, tt.want)
		}
	}
}

func TestAlternatesAreReadWhereTheyLeadToPages(t *testing.T) {
	link := func(lang, href string) string {
		return `<link rel="alternate" hreflang="` + lang + `" href="` + href + `">`
	}
	long := strings.Repeat("a", 36)
	page := pageOf(t, "<head>"+link("DE-at", "/de")+link("de-AT", "/de")+link("x-default", "c")+link("en_GB", "/en")+
		link("1e", "/e")+
		link(long, "/f")+link("fr", "https://other.example/fr")+link("es", "/?sid=1"))
	got := page.Alternates()
	if want := []Alternate{{"de-at", "/de"}, {"x-default", "/a/c"}}; len(got) != 2 || got[0] != want[0] ||
		got[1] != want[1] {
		t.Errorf("alternates are %v, want %v", got, want)
	}
}

// FuzzRead looks for pages whose findings a sitemap could not express.
func FuzzRead(f *testing.F) {
	f.Add(everything)
	f.Add(`<img srcset="a 1x, b 2x" width=40 data-src="&amp;">`)
	for _, tt := range newsTests {
		f.Add(tt.html)
	}
	for _, tt := range videoTests {
		f.Add(tt.html)
	}
	f.Fuzz(func(t *testing.T, input string) {
		p := pageOf(t, input)
		images, videos := readImages(p), readVideos(p)
		if len(images) > maxImages || len(videos) > maxVideos {
			t.Fatalf("%d images, %d videos", len(images), len(videos))
		}
		for _, v := range videos {
			checkText(t, v.Title, maxText)
			checkText(t, v.Description, maxDescription)
			if v.Seconds < 0 || !v.complete() {
				t.Fatalf("%+v", v)
			}
		}
		if a := readArticle(p); a != (article{}) {
			checkText(t, a.Title, maxText)
			if len(a.Publication) > MaxPublication || newsLanguage(a.Language) != a.Language || a.Published == 0 {
				t.Fatalf("news %+v", a)
			}
		}
		all := All()
		elements := all.Read(p).Append(nil, all, &view)
		if err := xml.Unmarshal([]byte("<x"+all.Namespaces()+">"+string(elements)+"</x>"), new(struct{})); err != nil {
			t.Fatalf("%v in %s", err, elements)
		}
	})
}

// checkText fails for a text that is empty, too long, or not UTF-8.
func checkText(t *testing.T, s string, limit int) {
	t.Helper()
	if s == "" || len(s) > limit || !utf8.ValidString(s) {
		t.Fatalf("text %q of %d bytes", s, len(s))
	}
}

// What is escaped for XML is several times as long, and what is stored of a page with all extensions
// must still fit a value of the store, with 4 KiB to spare for the rest of the entry.
func TestAllThatIsStoredOfAPageFitsAValue(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<html lang=en><head>` +
		jsonLD(fmt.Sprintf(`{"@type":"Article","headline":"%s","publisher":"%s","datePublished":"2026-11-20T10:00:00Z"}`,
			strings.Repeat("'", maxText), strings.Repeat("'", MaxPublication))))
	for i := range AlternatesKept {
		fmt.Fprintf(&b, `<link rel=alternate hreflang=en-x%d href="/%s">`, i, strings.Repeat("&amp;", 500))
	}
	for i := range maxVideos {
		b.WriteString(jsonLD(fmt.Sprintf(`{"@type":"VideoObject","name":"n%d","description":"%s","thumbnailUrl":"/t%d.jpg","contentUrl":"/v%d.mp4"}`, i, strings.Repeat("'", 1900), i, i)))
	}
	b.WriteString(`</head><body><main><p>text`)
	for i := range maxImages {
		fmt.Fprintf(&b, `<img src="/%d%s.jpg">`, i, strings.Repeat("&amp;", 400))
	}
	stored := All().Read(pageOf(t, b.String()))
	total := 0
	for k, one := range stored {
		t.Logf("extension %d takes %d bytes", k, len(one))
		total += len(one)
	}
	if len(stored) != len(registered) || total > store.MaxValue-4<<10 {
		t.Errorf("%d extensions take %d of %d bytes, want all, and room for the rest", len(stored), total, store.MaxValue)
	}
	for name, one := range map[string]string{"image:image": string(stored[Images]),
		"video:video": string(stored[Videos])} {
		if n := strings.Count(one, "<"+name+">"); n == 0 || n != strings.Count(one, "</"+name+">") {
			t.Errorf("%d whole elements %s, want at least one", n, name)
		}
	}
}
