package media

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/publish/sitemap"
)

const site = "https://example.com"

func normalizer(t testing.TB) *location.Normalizer {
	t.Helper()
	origin, err := location.ParseOrigin(site)
	if err != nil {
		t.Fatal(err)
	}
	norm, err := location.New(origin, location.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return norm
}

// read returns what is found on a page at /a/b. It cuts scheme and host from URLs of the site.
func read(t testing.TB, source string, want sitemap.Namespaces) Found {
	t.Helper()
	facts := html.Read([]byte(source), html.Options{Extensions: true})
	f := Read(normalizer(t), "/a/b", &facts, want)
	for i := range f.Images {
		f.Images[i] = strings.TrimPrefix(f.Images[i], site)
	}
	for i := range f.Videos {
		v := &f.Videos[i]
		for _, u := range []*string{&v.Thumbnail, &v.Content, &v.Player} {
			*u = strings.TrimPrefix(*u, site)
		}
	}
	return f
}

func jsonLD(s string) string { return `<script type="application/ld+json">` + s + `</script>` }

func meta(property, content string) string {
	return fmt.Sprintf(`<meta property="%s" content="%s">`, property, content)
}

func TestImagesOfTheMainTextAreRead(t *testing.T) {
	many, wantMany := "", []string(nil)
	for i := range 3 * maxImages {
		many += fmt.Sprintf("<img src=/%d>", i)
		if i < maxImages {
			wantMany = append(wantMany, fmt.Sprintf("/%d", i))
		}
	}
	for _, tt := range []struct {
		name, html string
		want       []string
	}{
		{"as written", `<img src="/a.jpg?x&amp;copy=1"><img src=https://cdn.example.net/b.png>`, []string{"/a.jpg?x&copy=1", "https://cdn.example.net/b.png"}},
		{"once", `<img src=/a.jpg><img src=/a.jpg>`, []string{"/a.jpg"}},
		{"widest", `<img src=/s.jpg srcset="/s.jpg 400w, /l.jpg 1600w,/m.jpg 800w">`, []string{"/l.jpg"}},
		{"densest", `<img src=/1.jpg srcset="/1.jpg, /2.jpg 2x, /1.5.jpg 1.5x">`, []string{"/2.jpg"}},
		{"commas in addresses", `<img srcset="/w_400,h_300/a.jpg 400w, /w_800,h_600/a.jpg 800w">`, []string{"/w_800,h_600/a.jpg"}},
		{"no descriptors", `<img srcset="/a.jpg, /b.jpg">`, []string{"/a.jpg"}},
		{"bad descriptors", `<img srcset="/a.jpg -1w, /b.jpg NaNx, /c.jpg 1e9w, /d.jpg wide" src=/e.jpg>`, []string{"/e.jpg"}},
		{"embedded candidate", `<img srcset="data:image/gif;base64,R0lGOD 1x" data-srcset="/a.jpg 1x">`, []string{"/a.jpg"}},
		{"lazy", `<img src="data:image/gif;base64,R0lGOD" data-src=/a.jpg>`, []string{"/a.jpg"}},
		{"lazy with a placeholder", `<img src=/blank.gif data-src=/a.jpg><img src=/blank.gif data-lazy-src=/b.jpg><img src=/blank.gif data-original=/c.jpg>`, []string{"/a.jpg", "/b.jpg", "/c.jpg"}},
		{"lazy srcset", `<img src=/blank.gif data-srcset="/a.jpg 1x, /b.jpg 2x">`, []string{"/b.jpg"}},
		{"pixels and icons", `<img src=/a.gif width=1 height=1><img src=/b.gif width=0><img src=/c.png height=24px><img src=/d.png width=" 16 ">`, nil},
		{"sizes that are large or unknown", `<img src=/a.png width=32 height=32><img src=/b.png width=100% height=auto>`, []string{"/a.png", "/b.png"}},
		{"part of a sprite", `<img src="/sprite.svg#star"><img srcset="/sprite.svg#star 2x">`, nil},
		{"other schemes", `<img src="javascript:x()"><img src=blob:x><img src=cid:1><img src=ftp://example.com/a.jpg>`, nil},
		{"nothing", `<img><img src><img src=""><img src="#"><img src=" ">`, nil},
		{"another encoding", "<img src=/\xff.jpg>", []string{"/%C3%BF.jpg"}},
		{"too long", `<img src=/` + strings.Repeat("a", 2048) + `>`, nil},
		{"set that is too long", `<img src=/a.jpg srcset="/b.jpg 2x` + strings.Repeat(" ", 16<<10) + `">`, []string{"/a.jpg"}},
		{"as many as are kept", many, wantMany},
		{"relative to a base that is a folder", `<base href=/c/><img src=a.jpg>`, []string{"/c/a.jpg"}},
		{"relative to a base that is the site", `<base href=https://example.com/c/><img src=a.jpg>`, []string{"/c/a.jpg"}},
		{"relative to a public host", `<base href=https://cdn.example.net/><img src=a.jpg>`, []string{"https://cdn.example.net/a.jpg"}},
		{"relative to a name of the network", `<base href=http://backend:8080/><img src=a.jpg>`, nil},
		{"relative to an address", `<base href=http://10.0.0.7/><img src=a.jpg>`, nil},
		{"of the main text", `<img src=/out.jpg><main>text<img src=/in.jpg></main><img src=/in.jpg>`, []string{"/in.jpg"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(t, "<p>text</p>"+tt.html, sitemap.Images).Images; !slices.Equal(got, tt.want) {
				t.Errorf("images %q, want %q", got, tt.want)
			}
		})
	}
}

// everything has something for each extension.
const everything = `<html lang=de-AT><head><meta property="og:title" content="T"><meta property="og:image" content="/t.jpg">
	<meta property="og:description" content="D"><meta property="og:video" content="/v.mp4">
	<meta property="article:published_time" content="2026-11-20T10:00:00Z"></head><body><main>text<img src=/a.jpg></main>`

func TestOnlyWhatIsWantedIsFound(t *testing.T) {
	for want := range Extensions + 1 {
		f := read(t, everything, want)
		if len(f.Images) == 1 != (want&sitemap.Images != 0) || (f.News != nil) != (want&sitemap.NewsItem != 0) ||
			len(f.Videos) == 1 != (want&sitemap.Videos != 0) {
			t.Errorf("with %b: %+v", want, f)
		}
	}
	facts := html.Read([]byte(everything), html.Options{})
	if f := Read(normalizer(t), "/", &facts, Extensions); len(f.Images)+len(f.Videos) > 0 || f.News != nil {
		t.Errorf("of a page that was read without its media: %+v", f)
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
	norm := normalizer(f)
	f.Fuzz(func(t *testing.T, input string) {
		facts := html.Read([]byte(input), html.Options{Extensions: true})
		got := Read(norm, "/a/b", &facts, Extensions)
		if len(got.Images) > maxImages || len(got.Videos) > maxVideos {
			t.Fatalf("%d images, %d videos", len(got.Images), len(got.Videos))
		}
		if x := (sitemap.Extension{Images: got.Images, Videos: got.Videos}); !x.Valid() {
			t.Fatalf("no sitemap can name %+v", x)
		}
		for _, v := range got.Videos {
			checkText(t, v.Title, maxText)
			checkText(t, v.Description, maxDescription)
			if v.Seconds < 0 {
				t.Fatalf("%d seconds", v.Seconds)
			}
		}
		if n := got.News; n != nil {
			checkText(t, n.Title, maxText)
			if len(n.Publication) > maxPublication || sitemap.NewsLanguage(n.Language) != n.Language || n.Published == 0 {
				t.Fatalf("news %+v", n)
			}
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
