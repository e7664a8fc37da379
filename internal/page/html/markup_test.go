package html

import (
	"fmt"
	"strings"
	"testing"
)

// markup is a corpus of markup that is easy to misread. Each want is what the page says: its title,
// its links in brackets and its blocks, with a bar between them.
var markup = []row[string]{
	{"nothing", "", ""},
	{"a bracket at the end", "a<", "a<"},
	{"an end tag that is cut off", "a</", "a</"},
	{"a tag that is cut off", "a<a", "a"},
	{"a value that is cut off", `a<a href="x`, "a"},
	{"brackets that open no tag", "a<1<b>c", "a<1c"},
	{"two brackets", "<<a href=x>y", "<y|[x]"},
	{"an end tag without a name", "</>x", "x"},
	{"an end tag that is a comment", "</ x>y</1>z", "yz"},
	{"comments that end early", "<!>a<!-->b<!--->c<!---->d", "abcd"},
	{"comments that end oddly", "<!--a--!>b<!--a--!->c-->d", "bd"},
	{"a bracket in a comment", "<!--a->b--c-->d", "d"},
	{"declarations", "<!doctype html>a<!docty>b<![CDATA[c>d]]>e<?xml a='>'?>f", "abd]]>e'?>f"},
	{"a bracket in a value", `<a b="x>y" c='>' href=z>a`, "a|[z]"},
	{"slashes between attributes", "<a/b/href=x/>a", "a|[x/]"},
	{"quotes without space", `<a b="1"href="x"rel="nofollow">a`, "a|[x nofollow]"},
	{"space around the equals sign", "<a\n\t\f\rhref\n=\n1\n>a", "a|[1]"},
	{"a name that begins with an equals sign", "<a =href=b href=c>a", "a|[c]"},
	{"the first of two attributes", "<a href=x HREF=y>a", "a|[x]"},
	{"an attribute without value", "<a href=>a", "a"},
	{"a name in upper case", "<TITLE>a</TitLE >b", "title a|b"},
	{"an end tag in a title", "<title>a</titl>b</title/x>c", "title a</titl>b|c"},
	{"a title that never ends", "<title>a</title", "title a</title"},
	{"markup in a textarea", "<textarea><p>&amp;</textarea>a", "<p>&|a"},
	{"plain text", "<plaintext></plaintext><p>&amp;", "</plaintext><p>&amp;"},
	{"a listing", "<xmp><p>&amp;</xmp>a", "<p>&amp;|a"},
	{"a style with an end tag of another name", "<style></styl></style\t>a", "a"},
	{"a script", "<script>1</2</script>a", "a"},
	{"a script in a comment in a script", "<script><!--<script></script>--></script>a", "a"},
	{"a comment in a script that ends", "<script><!--<script>--></script>a", "a"},
	{"a comment in a script that does not end", "<script><!--</script>a", "a"},
	{"a script in capitals", "<script><!--<SCRIPT/</SCRIPT >--</script>a", "a"},
	{"a script that never ends", "a<script>b</script", "a"},
	{"links for visitors without scripts", "<noscript><a href=x>a</a></noscript>b", "b|[x]"},
	{"noscript in noscript", "<noscript><noscript><a href=x>a</noscript>b", "b|[x]"},
	{"noscript that never ends", "<noscript><a href=x>a</a><p>b", "[x]"},
	{"line ends and a zero byte in a title", "<title>a\r\nb\x00c</title>", "title a b\ufffdc"},
	{"references", "&lt;&#65;&#x42;&amp;copy;&notit;&;&#;&", "<AB&copy;\u00acit;&;&#;&"},
	{"references without semicolon", "a&amp=b&ampx &copy", "a&=b&x \u00a9"},
	{"references that are wrong", "&#x80;&#xD800;&#99999999999;&nonsense;", "\u20ac\ufffd\ufffd&nonsense;"},
	{"references in a title", "<title>&lt;b&gt; &notin; &NotEqualTilde;</title>", "title <b> \u2209 \u2242\u0338"},
	{"references in a link", `<a href="?a=1&amp;b&copy=2&lt;&#51;&para">a`, "a|[?a=1&b&copy=2<3\u00b6]"},
	{"references in a link without quotes", "<a href=?a&amp;b&ampx>a", "a|[?a&b&ampx]"},
}

func TestMarkupIsReadAsBrowsersReadIt(t *testing.T) {
	checkRows(t, markup, func(f Facts) string {
		var says []string
		if f.Title != "" {
			says = append(says, "title "+f.Title)
		}
		for _, b := range f.Blocks {
			says = append(says, b.Text)
		}
		for _, l := range f.Links {
			if says = append(says, fmt.Sprintf("[%s]", l.Href)); l.NoFollow {
				says[len(says)-1] = fmt.Sprintf("[%s nofollow]", l.Href)
			}
		}
		return strings.Join(says, "|")
	})
}
