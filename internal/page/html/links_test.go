package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestLinksAreReadHoweverTheyAreWritten(t *testing.T) {
	checkRows(t, []row[[]Link]{
		{"a and area", `<a href="/a">x</a><map><area href=/b></map>`, []Link{{"/a", false, true, false},
			{"/b", false, true, false}}},
		{"nofollow", `<a rel="noopener NoFollow" href=/a>x</a><a rel=ugc href=/b>x</a><a rel=sponsored href=/c>x</a><a rel=noopener href=/d>x`, []Link{{"/a", true, true, false}, {"/b", true, true, false}, {"/c", true, true, false}, {"/d", false, true, false}}},
		{"a second one without nofollow", `<a rel=nofollow href=/a>x</a><a href=/a>x`, []Link{{"/a", false, true, false}}},
		{"acts by a script", `<a href=/a data-method=delete>x</a><a href=/b data-turbo-method=POST>x</a><a href=/c hx-delete=/c>x</a><a href=/d onclick="return confirm('?')">x</a><a href=/e data-confirm=sure>x</a>`,
			[]Link{{"/a", false, true, true}, {"/b", false, true, true}, {"/c", false, true, true}, {"/d", false, true, true},
				{"/e", false, true, true}}},
		{"acts by another tool's script", `<a href=/a data-ajax-method=PATCH>x</a><a href=/b data-method=get data-turbo-method=put>x</a><a href=/c data-hx-delete=/c>x</a><a href=/d wire:click="if (confirm('?')) go()">x</a><a href=/e data-turbo-confirm=sure>x</a><a href=/f hx-confirm=sure>x</a><a href=/g formaction=/g>x</a>`,
			[]Link{{"/a", false, true, true}, {"/b", false, true, true}, {"/c", false, true, true}, {"/d", false, true, true},
				{"/e", false, true, true}, {"/f", false, true, true}, {"/g", false, true, true}}},
		{"forms", `<form action=/a method=post><button formaction=/b>x</button></form><form action=/c><input type=submit></form>`, nil},
		{"a script that visits", `<a href=/a data-method=get>x</a><a href=/b hx-get=/b>x</a><a href=/c onclick="track()">x</a>`, []Link{{"/a", false, true, false}, {"/b", false, true, false}, {"/c", false, true, false}}},
		{"one of two acts", `<a href=/a>x</a><a href=/a onclick="return confirm('?')">x</a><a href=/b data-method=put>x</a><a href=/b>x</a>`, []Link{{"/a", false, true, true}, {"/b", false, true, true}}},
		{"main text", `<nav><a href=/a>x</a><a href=/b>x</a></nav><main><a href=/b>x</a></main>`,
			[]Link{{"/a", false, false, false}, {"/b", false, true, false}}},
		{"other schemes", `<a href="javascript:x()">x</a><a href=mailto:a@example.com>x</a><a href=tel:1>x</a><a href="data:text/html,x">x</a><a href="JAVA
script:x()">x</a><a href=ftp://example.com/>x</a>`, nil},
		{"colon that is no scheme", `<a href=/a:b>x</a><a href=?a:b>x</a><a href=1:2>x</a><a href=a/b:c>x</a>`,
			[]Link{{"/a:b", false, true, false}, {"?a:b", false, true, false}, {"1:2", false, true, false},
				{"a/b:c", false, true, false}}},
		{"fragments and nothing", `<a href="#top">x</a><a href="">x</a><a>x</a><a href>x</a>`, nil},
		{"hidden", `<a hidden href=/a>x</a><div hidden><a href=/b>x</a></div><template><a href=/c>x</a></template><!-- <a href=/d>x</a> -->`, nil},
		{"for visitors without scripts", `<noscript><a href=/a>x</a></noscript>`, []Link{{"/a", false, true, false}}},
	}, func(f Facts) []Link { return f.Links })
}

func TestLinksAreBounded(t *testing.T) {
	var html strings.Builder
	for i := range MaxLinks + 100 {
		fmt.Fprintf(&html, "<a rel=nofollow href=/%d>x</a><img src=/%d>", i, i)
	}
	for i := range MaxLinks + 100 {
		fmt.Fprintf(&html, "<a href=/%d>x</a>", i)
	}
	f := Read([]byte(html.String()), Options{})
	if len(f.Links) != MaxLinks || f.Links[MaxLinks-1] != (Link{"/4999", false, true, false}) {
		t.Errorf("%d links, the last is %v", len(f.Links), f.Links[len(f.Links)-1])
	}
	base.Equal(t, len(f.Pictures), maxImages, "images")
}

func TestImagesOfTheMainTextAreRead(t *testing.T) {
	checkRows(t, []row[[]Picture]{{
		"in the main text",
		`<header><img src=/logo.png></header><article>text<img src="/a.jpg"><IMG SRC='b.jpg?x&amp;y'><img src="data:image/png;base64,x">
			<img src=/a.jpg><img alt=x><noscript><img src=/lazy.jpg></noscript><template><img src=/t.jpg></template></article><img src=/ad.png>`,
		[]Picture{{"/a.jpg", false}, {"b.jpg?x&y", false}, {"/a.jpg", false}, {"/lazy.jpg", false}},
	}, {
		"what a script loads later, and icons",
		`<img src=/blank.gif data-original=/o.jpg data-lazy-src=/l.jpg><img src=/i.png width=16><img src=/p.png height=" 31px">`,
		[]Picture{{"/l.jpg", false}, {"/i.png", true}, {"/p.png", true}},
	}}, func(f Facts) []Picture { return f.Pictures })
}

func TestLinkHeaderGivesCanonicals(t *testing.T) {
	tests := []struct {
		name   string
		values []string
		want   []string
	}{
		{"none", nil, nil},
		{"in a list", []string{`</s.css>; rel=preload; as=style, </a>; rel=canonical`}, []string{"/a"}},
		{"comma and semicolon in the target", []string{`</a,b;c>; rel=canonical`}, []string{"/a,b;c"}},
		{"comma in a parameter", []string{`</x>; title="a, <b>; \"c\""; rel=next, </a>; rel=canonical`}, []string{"/a"}},
		{"different", []string{`</a>; rel=canonical`, `</b>; rel=canonical`}, []string{"/a", "/b"}},
		{"rev is no rel", []string{`</a>; rev=canonical`, `</b>; rel; rev=canonical`, `</c>`}, nil},
		{"other context, which is unclear", []string{`</a>; rel=canonical; anchor="/b"`}, []string{"/a"}},
		{"never unquoted", []string{`</a>; rel="canonical`}, []string{"/a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base.EqualLists(t, LinkCanonicals(tt.values), tt.want, "canonicals")
		})
	}
}
