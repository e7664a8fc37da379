package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// extended reads a page for all that extensions are made of.
func extended(html string) Facts {
	return Read([]byte(html), Options{Extensions: true})
}

func TestMainImages(t *testing.T) {
	tests := []struct {
		name, html string
		want       []string
	}{
		{"as written", `<img src="/a.jpg?x&amp;copy=1"><img src=https://cdn.example.com/b.png>`, []string{"/a.jpg?x&copy=1", "https://cdn.example.com/b.png"}},
		{"ambiguous reference", `<img src="/a.jpg?x&copy=1">`, []string{"/a.jpg?x&copy=1"}},
		{"upper case", `<IMG SRC=/a.jpg>`, []string{"/a.jpg"}},
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
		{"furniture", `<header><img src=/logo.png></header><nav><img src=/menu.png></nav><aside><img src=/ad.png></aside><img src=/a.jpg>`, []string{"/a.jpg"}},
		{"hidden", `<img hidden src=/a.jpg><div hidden><img src=/b.jpg></div><template><img src=/c.jpg></template>`, nil},
		{"for visitors without scripts", `<noscript><img src=/a.jpg></noscript>`, []string{"/a.jpg"}},
		{"another encoding", "<img src=/\xff.jpg>", []string{"/ÿ.jpg"}},
		{"too long", `<img src=/` + strings.Repeat("a", maxHref) + `>`, nil},
		{"set that is too long", `<img src=/a.jpg srcset="/b.jpg 2x` + strings.Repeat(" ", maxSrcset) + `">`, []string{"/a.jpg"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := extended("<p>text</p>" + tt.html).MainImages
			if !slices.Equal(got, tt.want) {
				t.Errorf("images %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMainImagesOfRegion(t *testing.T) {
	f := extended(`<img src=/out.jpg><main>text<img src=/in.jpg></main><img src=/in.jpg>`)
	if want := []string{"/in.jpg"}; !slices.Equal(f.MainImages, want) {
		t.Errorf("images %q, want %q", f.MainImages, want)
	}
}

// everything has all facts of extensions.
const everything = `<html lang=de-AT><head><meta property="og:title" content="T"><meta property="og:image" content="/t.jpg">
	<meta property="og:description" content="D"><meta property="og:video" content="/v.mp4">
	<meta property="article:published_time" content="2026-11-20T10:00:00Z"></head><body><main>text<img src=/a.jpg></main>`

func TestExtensionsOnlyWhenAsked(t *testing.T) {
	asked := extended(everything)
	if len(asked.MainImages) != 1 || asked.News == nil || len(asked.Videos) != 1 {
		t.Fatalf("images %q, news %v, videos %v", asked.MainImages, asked.News, asked.Videos)
	}
	for name, f := range map[string]Facts{
		"Read": Read([]byte(everything), Options{}),
		"Head": Head([]byte(everything), Options{Extensions: true}),
		"next": Read([]byte("<p>text"), Options{Extensions: true}),
	} {
		if f.MainImages != nil || f.News != nil || f.Videos != nil {
			t.Errorf("%s: images %q, news %v, videos %v", name, f.MainImages, f.News, f.Videos)
		}
	}
}

func TestExtensionsLeaveOtherFacts(t *testing.T) {
	with, without := extended(everything), Read([]byte(everything), Options{})
	with.MainImages, with.News, with.Videos = nil, nil, nil
	if fmt.Sprintf("%+v", with) != fmt.Sprintf("%+v", without) {
		t.Errorf("facts differ:\n%+v\n%+v", with, without)
	}
}

func TestMainImageLimit(t *testing.T) {
	var html strings.Builder
	for i := range 3 * maxMainImages {
		fmt.Fprintf(&html, "<p>text<img src=/%d>", i)
	}
	got := extended(html.String()).MainImages
	if len(got) != maxMainImages || got[0] != "/0" {
		t.Errorf("%d images, want %d, the first is %q", len(got), maxMainImages, got[0])
	}
}

// FuzzExtensions looks for pages whose facts are not as promised.
func FuzzExtensions(f *testing.F) {
	f.Add(everything)
	f.Add(`<img srcset="a 1x, b 2x" width=40 data-src="&amp;">`)
	for _, tt := range newsTests {
		f.Add(tt.html)
	}
	for _, tt := range videoTests {
		f.Add(tt.html)
	}
	f.Fuzz(func(t *testing.T, html string) {
		facts := extended(html)
		if len(facts.MainImages) > maxMainImages || len(facts.Videos) > maxVideos {
			t.Fatalf("%d images, %d videos", len(facts.MainImages), len(facts.Videos))
		}
		refs := slices.Clone(facts.MainImages)
		for _, v := range facts.Videos {
			refs = append(refs, v.Thumbnail)
			refs = append(refs, strings.Fields(v.Content + " " + v.Player)[0])
			checkText(t, v.Title, maxTitle)
			checkText(t, v.Description, maxDescription)
			if v.Seconds < 0 {
				t.Fatalf("%d seconds", v.Seconds)
			}
		}
		for _, ref := range refs {
			if ref == "" || len(ref) > maxHref || !webHref(ref) || !utf8.ValidString(ref) {
				t.Fatalf("reference %q", ref)
			}
		}
		if n := facts.News; n != nil {
			checkText(t, n.Title, maxTitle)
			if len(n.Publication) > maxPublication || len(n.Language) > 35 || n.Published.IsZero() {
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
