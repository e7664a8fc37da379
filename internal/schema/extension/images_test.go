package extension

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
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

// found is what was read for the extensions.
type found struct {
	Images []string
	News   *article // nil for none
	Videos []video
}

// pageOf returns the page at /a/b, as it was read.
func pageOf(t testing.TB, source string) *Page {
	facts := html.Read([]byte(source), html.Options{})
	return &Page{Facts: &facts, Norm: normalizer(t), Location: "/a/b", At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
}

// read returns what is found on a page at /a/b. It cuts scheme and host from URLs of the site.
func read(t testing.TB, source string) (f found) {
	t.Helper()
	p := pageOf(t, source)
	for _, one := range readImages(p) {
		f.Images = append(f.Images, one.Loc)
	}
	f.Videos = readVideos(p)
	if a := readArticle(p); a != (article{}) {
		f.News = &a
	}
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
		{"as written", `<img src="/a.jpg?x&amp;copy=1"><img src=https://cdn.example.net/b.png>`,
			[]string{"/a.jpg?x&copy=1", "https://cdn.example.net/b.png"}},
		{"lazy with a placeholder", `<img src=/blank.gif data-src=/a.jpg><img src=/blank.gif data-lazy-src=/b.jpg><img src=/blank.gif data-original=/c.jpg>`, []string{"/a.jpg", "/b.jpg", "/c.jpg"}},
		{"pixels and icons", `<img src=/a.gif width=1 height=1><img src=/b.gif width=0><img src=/c.png height=24px><img src=/d.png width=" 16 ">`, nil},
		{"part of a sprite", `<img src="/sprite.svg#star">`, nil},
		{"other schemes", `<img src="javascript:x()"><img src=blob:x><img src=cid:1><img src=ftp://example.com/a.jpg>`, nil},
		{"as many as are kept", many, wantMany},
		{"relative to a base that is a folder", `<base href=/c/><img src=a.jpg>`, []string{"/c/a.jpg"}},
		{"relative to a public host", `<base href=https://cdn.example.net/><img src=a.jpg>`,
			[]string{"https://cdn.example.net/a.jpg"}},
		{"relative to a name of the network", `<base href=http://backend:8080/><img src=a.jpg>`, nil},
		{"of the main text", `<img src=/out.jpg><main>text<img src=/in.jpg></main><img src=/in.jpg>`, []string{"/in.jpg"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(t, "<p>text</p>"+tt.html).Images; !slices.Equal(got, tt.want) {
				t.Errorf("images %q, want %q", got, tt.want)
			}
		})
	}
}
