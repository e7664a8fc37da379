package html

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"

	"github.com/zeebo/xxh3"
)

// outline writes blocks as lines: + and the text for main text, - and the text for other text, and
// ~ for boilerplate.
func outline(f Facts) []string {
	var lines []string
	for _, b := range f.Blocks {
		line := "-"
		if b.Main {
			line = "+"
		}
		if b.Boilerplate {
			line += "~"
		}
		if b.Repeats {
			line += "="
		}
		lines = append(lines, line+b.Text)
	}
	return lines
}

func TestMainTextIsToldFromBoilerplate(t *testing.T) {
	checkRows(t, []row[[]string]{
		{"main", `<nav>menu</nav><main><h1>Title</h1><p>text</p></main><footer>foot</footer>`,
			[]string{"-~menu", "+Title", "+text", "-~foot"}},
		{"boilerplate in main stays", `<main>text<nav>toc</nav></main>`, []string{"+text", "+~toc"}},
		{"body without boilerplate", `<header>a</header><nav>b</nav><div>c</div><aside>d</aside><form>e</form><button>f</button><select><option>g<option>h</select><footer>i</footer>`, []string{"-~a", "-~b", "+c", "-~d", "-~e", "-~f", "-~g", "-~h", "-~i"}},
		{"links to parts of the page", `<ul><li><a href="#a">a part</a><li>what <a href="#b">b</a> is<li><a href=c#d>c</a></ul><h2><a href="#a">a part</a></h2>`, []string{"+=a part", "+what b is", "+c", "+a part"}},
		{"boilerplate by role", `<div role=banner>a</div><div role=contentinfo>b</div><div role=complementary>c</div><div role=search>d</div><div role=note>e</div>`, []string{"-~a", "-~b", "-~c", "-~d", "+e"}},
		{"main with an eighth of the text", `<main>text</main><p>this text has 28 characters</p>`,
			[]string{"+text", "-this text has 28 characters"}},
		{"main with less", `<main>text</main><p>this text has more than 28 characters</p>`,
			[]string{"+text", "+this text has more than 28 characters"}},
		{"hidden text", `<p>a</p><p hidden>b</p><div hidden=until-found>c</div>`, []string{"+a", "+c"}},
		{"invisible text", `<p>a<script>b</script><style>c</style><noscript>d</noscript><template><p>e</p></template><svg><text>f</text></svg><iframe>g</iframe><!-- h --><video>i</video></p>`, []string{"+a"}},
		{"parts of an article", `<article><header>Title</header>text<footer>by</footer></article>`,
			[]string{"+Title", "+text", "+~by"}},
	}, outline)
}

func TestLinksThatMakeUpABlockAreCounted(t *testing.T) {
	checkRows(t, []row[[]int]{
		{"three", `<p><a href=/a>one</a> <a href=/b>two</a><a href=/c><b>three</b> and</a></p>`, []int{3}},
		{"an anchor", `<p><a name=x>no link</a></p>`, []int{0}},
		{"a heading that links to itself, a list of contents",
			`<h2 id=a><a href=#a>Title</a></h2><p><a href=#a>Title</a></p>`, []int{0, 1}},
		{"a link around blocks", `<a href=/d><p>a link around</p><p>two blocks</p></a><p>after it</p>`, []int{1, 1, 0}},
	}, func(f Facts) (links []int) {
		for _, b := range f.Blocks {
			links = append(links, b.Links)
		}
		return links
	})
}

func TestBlocksAreCutWhereABrowserBreaksTheLine(t *testing.T) {
	checkRows(t, []row[[]string]{
		{"inline elements do not cut", `<p>one <b>t</b>wo <a href=x>three</a></p>`, []string{"one two three"}},
		{"line breaks cut", `one<br>two<hr>three`, []string{"one", "two", "three"}},
		{"space is collapsed", "<p>\n one \t\r\n two\u00a0\u00a0three \n</p>", []string{"one two three"}},
		{"cells", `<table><caption>c<tr><th>one<td>two<tr><td>three</table>four`,
			[]string{"c", "one", "two", "three", "four"}},
		{"lines of preformatted text", "<pre><code>a <b>line</b> of a program\nmain\n{\n<i>  another line of " +
			"it\n</i>end\n</code></pre>after it", []string{"a line of a program", "main { another line of it", "end",
			"after it"}},
		{"cut in a tag", `<p>one</p><p class="tw`, []string{"one"}},
	}, func(f Facts) (texts []string) {
		for _, b := range f.Blocks {
			texts = append(texts, b.Text)
		}
		return texts
	})
}

// TestPlaceIsThatOfSiblings compares the places of the last blocks of two pages.
func TestPlaceIsThatOfSiblings(t *testing.T) {
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"siblings", `<div><p>a</p></div>`, `<div><p>b</p><p>a</p></div>`, true},
		{"other element", `<div><p>a</p></div>`, `<div><h2>a</h2></div>`, false},
		{"names are not run together", `<div><p>a`, `<d><ivp>a`, false},
		{"stray end tags", `<div>a</div>`, `</p></section></td><div></ul>a</div>`, true},
		{"unclosed paragraph", `<div><p>x</p><p>a</p></div>`, `<div><p>x<p>a</div>`, true},
		{"paragraph in a cell in a paragraph", `<table><tr><td><p>a`, `<p><table><tr><td><p>a`, true},
		{"end tag does not leave a cell", `<div><table><tr><td></div>a`, `<div><table><tr><td>a`, true},
		{"end tag closes what is open in it", `<p>a</p>`, `<section><div><ul><li>x</section><p>a</p>`, true},
		{"after an empty picture", `<p>a</p>`, `<svg/><p>a</p>`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base.Equal(t, lastPlace(t, tt.a) == lastPlace(t, tt.b), tt.same, "same place")
		})
	}
}

func lastPlace(t *testing.T, html string) uint64 {
	t.Helper()
	blocks := Read([]byte(html), Options{}).Blocks
	if len(blocks) == 0 || blocks[len(blocks)-1].Text != "a" {
		t.Fatalf("last block of %q is not a: %v", html, blocks)
	}
	return blocks[len(blocks)-1].Place
}

// TestStoredPlacesStay checks the values that earlier releases stored.
func TestStoredPlacesStay(t *testing.T) {
	for html, want := range map[string]uint64{
		`a`:          0xcbf29ce484222325,
		`<main><p>a`: 0x390e4f5f61e4c20,
		`<p>a`:       0x8d57907b575b7c0,
	} {
		base.Equal(t, lastPlace(t, html), want, "place in %q is", html)
	}
}

func TestMainHashFollowsTheMainTextAlone(t *testing.T) {
	checkRows(t, []row[bool]{
		{"the same", `<nav>menu</nav><main><p>one two</p><p>three</p></main>`, true},
		{"other markup", `<nav class=x><b>menu</b></nav><div role=main>one<br>two<ul><li>three</ul></div>`, true},
		{"other boilerplate", `<nav>menus</nav><main><p>one two</p><p>three</p></main>`, true},
		{"other main text", `<nav>menu</nav><main><p>one two</p><p>four</p></main>`, false},
	}, func(f Facts) bool { return f.MainHash == xxh3.HashString("one two three") })
	if f := Read([]byte(`<main></main>`), Options{}); f.MainHash != 0 {
		t.Error("the hash without text is not zero")
	}
}

func TestXHTMLClosesElementsByASlash(t *testing.T) {
	const html = `<div/><script/><p>a</p><title/><p>b</p>`
	f := Read([]byte(html), Options{ContentType: "Application/XHTML+XML; charset=utf-8"})
	if got := outline(f); !slices.Equal(got, []string{"+a", "+b"}) {
		t.Errorf("blocks %q", got)
	}
	if f := Read([]byte(html), Options{ContentType: "text/html"}); len(f.Blocks) != 0 {
		t.Errorf("in HTML a slash ends no script, but there are blocks %q", outline(f))
	}
}

func TestBlocksAreBounded(t *testing.T) {
	var html strings.Builder
	for i := range maxBlocks + 100 {
		fmt.Fprintf(&html, "<p>%d", i)
	}
	f := Read([]byte(html.String()), Options{})
	if len(f.Blocks) != maxBlocks {
		t.Fatalf("%d blocks, want %d", len(f.Blocks), maxBlocks)
	}
	last := f.Blocks[maxBlocks-1].Text
	if !strings.HasPrefix(last, "19999 20000 ") || !strings.HasSuffix(last, " 20099") {
		t.Errorf("the last block does not take the rest: %.40q", last)
	}
}
