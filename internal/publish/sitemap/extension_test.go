package sitemap

import (
	"encoding/xml"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const (
	page  = "https://example.com/a"
	image = "https://example.com/a.jpg?b&c"
	all   = Alternates | Images | NewsItem | Videos
)

func soundNews() *News {
	return &News{Publication: "The <Example>", Language: "en", Published: november, Title: "Tom & Jerry"}
}

func soundVideo() Video {
	return Video{Thumbnail: image, Title: "A film", Description: "What it shows", Content: "https://example.com/v.mp4",
		Player: "https://example.com/embed?v=1&w=2", Seconds: 90, Published: november}
}

func soundExtension() *Extension {
	return &Extension{
		Alternates: []Alternate{{"en", page}, {"de-AT", "https://example.com/de/a?b&c"}, {"x-default", page}},
		Images:     []string{image, "https://cdn.example.com/b.png"},
		News:       soundNews(),
		Videos:     []Video{soundVideo(), {Thumbnail: image, Title: "B", Description: "b", Player: "https://example.com/embed"}},
	}
}

func TestExtendedFileIsAsValidatorsExpect(t *testing.T) {
	file := AppendURLSetOpen(nil, all)
	file, ok := AppendExtended(file, URL{Loc: page, LastMod: november, ChangeFreq: "daily", Priority: 5}, soundExtension(), all)
	if !ok {
		t.Fatal("the entry was refused")
	}
	file, _ = AppendExtended(file, URL{Loc: page}, nil, all)
	file = append(file, URLSetClose...)
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"` +
		` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"` +
		` xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
<url><loc>https://example.com/a</loc><lastmod>2026-11-21T01:02:03Z</lastmod><changefreq>daily</changefreq><priority>0.5</priority>` + "\n" +
		`<xhtml:link rel="alternate" hreflang="en" href="https://example.com/a"/>` + "\n" +
		`<xhtml:link rel="alternate" hreflang="de-AT" href="https://example.com/de/a?b&amp;c"/>` + "\n" +
		`<xhtml:link rel="alternate" hreflang="x-default" href="https://example.com/a"/>` + "\n" +
		`<image:image><image:loc>https://example.com/a.jpg?b&amp;c</image:loc></image:image>` +
		`<image:image><image:loc>https://cdn.example.com/b.png</image:loc></image:image>` +
		`<news:news><news:publication><news:name>The &lt;Example&gt;</news:name><news:language>en</news:language></news:publication>` +
		`<news:publication_date>2026-11-21T01:02:03Z</news:publication_date><news:title>Tom &amp; Jerry</news:title></news:news>` +
		`<video:video><video:thumbnail_loc>https://example.com/a.jpg?b&amp;c</video:thumbnail_loc><video:title>A film</video:title>` +
		`<video:description>What it shows</video:description><video:content_loc>https://example.com/v.mp4</video:content_loc>` +
		`<video:player_loc>https://example.com/embed?v=1&amp;w=2</video:player_loc><video:duration>90</video:duration>` +
		`<video:publication_date>2026-11-21T01:02:03Z</video:publication_date></video:video>` +
		`<video:video><video:thumbnail_loc>https://example.com/a.jpg?b&amp;c</video:thumbnail_loc><video:title>B</video:title>` +
		`<video:description>b</video:description><video:player_loc>https://example.com/embed</video:player_loc></video:video></url>
<url><loc>https://example.com/a</loc></url>
</urlset>
`
	if string(file) != want {
		t.Errorf("got\n%s\nwant\n%s", file, want)
	}
}

func TestFileDeclaresTheNamespacesInUse(t *testing.T) {
	if got := string(AppendURLSetOpen(nil, 0)); got != URLSetOpen {
		t.Errorf("without extensions a file begins with\n%s", got)
	}
	x := soundExtension()
	for _, tt := range []struct {
		name string
		x    *Extension
		want Namespaces
	}{
		{"nil", nil, 0},
		{"none", &Extension{}, 0},
		{"alternates", &Extension{Alternates: x.Alternates}, Alternates},
		{"images", &Extension{Images: x.Images}, Images},
		{"news", &Extension{News: x.News}, NewsItem},
		{"videos", &Extension{Videos: x.Videos}, Videos},
		{"all", x, all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.x.Namespaces(); got != tt.want {
				t.Errorf("Namespaces() = %b, want %b", got, tt.want)
			}
			open := string(AppendURLSetOpen(nil, tt.want))
			if n := strings.Count(open, "xmlns:"); n != strings.Count(strconv.FormatInt(int64(tt.want), 2), "1") {
				t.Errorf("%d declarations in\n%s", n, open)
			}
			if _, ok := AppendExtended(nil, URL{Loc: page}, tt.x, tt.want); !ok {
				t.Error("refused although its extensions are declared")
			}
			if got, ok := AppendExtended([]byte("before"), URL{Loc: page}, tt.x, all&^tt.want); ok && tt.want != 0 || tt.want != 0 && string(got) != "before" {
				t.Errorf("AppendExtended = %q, %v although its extensions are not declared", got, ok)
			}
		})
	}
}

func TestAppendExtendedRefusesInvalidEntries(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(u *URL, x *Extension)
	}{
		{"address of the page", func(u *URL, _ *Extension) { u.Loc = "https://example.com/ü" }},
		{"freq", func(u *URL, _ *Extension) { u.ChangeFreq = "Daily" }},
		{"no language", func(_ *URL, x *Extension) { x.Alternates[1].Lang = "" }},
		{"language that is markup", func(_ *URL, x *Extension) { x.Alternates[1].Lang = `en"/>` }},
		{"relative alternate", func(_ *URL, x *Extension) { x.Alternates[2].Loc = "/a" }},
		{"too many alternates", func(_ *URL, x *Extension) { x.Alternates = repeat(x.Alternates[0], maxAlternates+1) }},
		{"relative image", func(_ *URL, x *Extension) { x.Images[1] = "/a.jpg" }},
		{"image that is markup", func(_ *URL, x *Extension) { x.Images[1] = page + "</image:loc>" }},
		{"too many images", func(_ *URL, x *Extension) { x.Images = repeat(image, maxImages+1) }},
		{"news without a publication", func(_ *URL, x *Extension) { x.News.Publication = " \x00" }},
		{"news without a title", func(_ *URL, x *Extension) { x.News.Title = "\xff" }},
		{"news without a date", func(_ *URL, x *Extension) { x.News.Published = 0 }},
		{"news without a language", func(_ *URL, x *Extension) { x.News.Language = "" }},
		{"language of news with a region", func(_ *URL, x *Extension) { x.News.Language = "en-gb" }},
		{"video without an image", func(_ *URL, x *Extension) { x.Videos[0].Thumbnail = "" }},
		{"video without a title", func(_ *URL, x *Extension) { x.Videos[0].Title = "" }},
		{"video without a description", func(_ *URL, x *Extension) { x.Videos[0].Description = "\n" }},
		{"video without a file and a player", func(_ *URL, x *Extension) { x.Videos[0].Content, x.Videos[0].Player = "", "" }},
		{"relative video", func(_ *URL, x *Extension) { x.Videos[0].Content = "v.mp4" }},
		{"relative player", func(_ *URL, x *Extension) { x.Videos[1].Player = "/embed" }},
		{"too many videos", func(_ *URL, x *Extension) { x.Videos = repeat(soundVideo(), maxVideos+1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, x := URL{Loc: page}, soundExtension()
			tt.spoil(&u, x)
			got, ok := AppendExtended([]byte("before"), u, x, all)
			if ok || string(got) != "before" {
				t.Errorf("AppendExtended = %q, %v; want dst unchanged and false", got, ok)
			}
			if valid := x.Valid(); ExtensionLen(x) > 0 != valid || valid != (tt.name == "address of the page" || tt.name == "freq") {
				t.Errorf("ExtensionLen = %d, valid %v", ExtensionLen(x), valid)
			}
		})
	}
}

func repeat[T any](v T, n int) (list []T) {
	for range n {
		list = append(list, v)
	}
	return list
}

// The shape of an entry with extensions, as any reader of XML sees it.
type (
	xmlExtendedSet struct {
		XMLName xml.Name      `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []xmlExtended `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
	}
	xmlExtended struct {
		xmlURL
		Links  []xmlLink  `xml:"http://www.w3.org/1999/xhtml link"`
		Images []string   `xml:"http://www.google.com/schemas/sitemap-image/1.1 image>loc"`
		News   []xmlNews  `xml:"http://www.google.com/schemas/sitemap-news/0.9 news"`
		Videos []xmlVideo `xml:"http://www.google.com/schemas/sitemap-video/1.1 video"`
	}
	xmlLink struct {
		Rel  string `xml:"rel,attr"`
		Lang string `xml:"hreflang,attr"`
		Href string `xml:"href,attr"`
	}
	xmlNews struct {
		Name      string `xml:"publication>name"`
		Language  string `xml:"publication>language"`
		Published string `xml:"publication_date"`
		Title     string `xml:"title"`
	}
	xmlVideo struct {
		Thumbnail   string `xml:"thumbnail_loc"`
		Title       string `xml:"title"`
		Description string `xml:"description"`
		Content     string `xml:"content_loc"`
		Player      string `xml:"player_loc"`
		Duration    string `xml:"duration"`
		Published   string `xml:"publication_date"`
	}
)

// wantExtended returns what a reader must see of an entry.
func wantExtended(u URL, x *Extension) xmlExtended {
	want := xmlExtended{xmlURL: xmlURL{u.Loc, wantDate(u.LastMod), u.ChangeFreq, wantPriority(u.Priority)}, Images: x.Images}
	for _, a := range x.Alternates {
		want.Links = append(want.Links, xmlLink{"alternate", a.Lang, a.Loc})
	}
	if n := x.News; n != nil {
		want.News = []xmlNews{{wantText(n.Publication, MaxName), n.Language, wantDate(n.Published), wantText(n.Title, maxTitle)}}
	}
	for _, v := range x.Videos {
		duration := ""
		if v.Seconds >= 1 && v.Seconds <= 28_800 {
			duration = strconv.Itoa(v.Seconds)
		}
		want.Videos = append(want.Videos, xmlVideo{v.Thumbnail, wantText(v.Title, maxTitle), wantText(v.Description, maxDescription),
			v.Content, v.Player, duration, wantDate(v.Published)})
	}
	return want
}

// wantText cleans a text in the simplest way.
func wantText(s string, limit int) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && !unicode.IsSpace(c) || c == 0xFFFE || c == 0xFFFF {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, ""))
	runes := []rune(strings.Join(strings.Fields(s), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), limit)]))
}

// FuzzAppendURL writes an entry with every extension. A reader must see it as it was put
// in, or the entry must be refused.
func FuzzAppendURL(f *testing.F) {
	v := soundVideo()
	f.Add(page, int64(november), "daily", "en", image, "The Example", "Tom & Jerry", v.Description, v.Content, v.Player, 90, 2, uint8(0))
	f.Add(page, int64(1), "", "x-default", image, "\x00a", " a\r\n]]>\u00a0b ", "\xff<!--", "", v.Player, 0, 0, uint8(5))
	f.Add("]]></loc>", int64(-1), "", `"`, "javascript:x", "", "", "", "", "", -1, 201, uint8(255))
	f.Add(page, int64(9), "never", "zh-tw", "https://a/%2", "\ufffe", strings.Repeat("ü ", 400), strings.Repeat("a", 3000), "http://b/'", "", 28_801, 1, uint8(10))
	f.Fuzz(func(t *testing.T, loc string, unix int64, freq, lang, address, name, title, description, content, player string, seconds, count int, mix uint8) {
		u := URL{Loc: loc, LastMod: unix, ChangeFreq: freq, Priority: mix % 12}
		x := &Extension{}
		if mix&1 == 0 {
			x.Alternates = repeat(Alternate{lang, address}, min(max(count, 0), maxAlternates+1))
		}
		if mix&2 == 0 {
			x.Images = repeat(address, min(max(count, 0), maxImages+1))
		}
		if mix&4 == 0 {
			x.News = &News{name, lang, unix, title}
		}
		if mix&8 == 0 {
			x.Videos = repeat(Video{address, title, description, content, player, seconds, unix}, min(max(count, 0), maxVideos+1))
		}
		open := AppendURLSetOpen(nil, all)
		file, ok := AppendExtended(open, u, x, all)
		bare, listed := AppendURL(nil, u)
		if taken := len(file) - len(open); ok && taken != len(bare)+ExtensionLen(x) || ok != (listed && x.Valid()) || ok != (taken > 0) {
			t.Fatalf("%v, %d bytes, ExtensionLen says %d", ok, taken, ExtensionLen(x))
		}
		var set xmlExtendedSet
		if err := xml.Unmarshal(append(file, URLSetClose...), &set); err != nil {
			t.Fatalf("%v in\n%s", err, file)
		}
		var want []xmlExtended
		if ok {
			want = []xmlExtended{wantExtended(u, x)}
		}
		if !reflect.DeepEqual(set.URLs, want) {
			t.Fatalf("read %+q, want %+q", set.URLs, want)
		}
	})
}
