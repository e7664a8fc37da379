package html

import (
	"fmt"
	"strings"
	"testing"
)

// markup is easy to misread; the tokenizer has more in its own tests. Each want is what the page says: its title,
// its links in brackets and its blocks, with a bar between them.
var markup = []row[string]{
	{"brackets that open no tag", "a<1<b>c", "a<1c"},
	{"an end tag that is a comment", "</ x>y</1>z", "yz"},
	{"comments that end early", "<!>a<!-->b<!--->c<!---->d", "abcd"},
	{"declarations", "<!doctype html>a<!docty>b<![CDATA[c>d]]>e<?xml a='>'?>f", "abd]]>e'?>f"},
	{"a bracket in a value", `<a b="x>y" c='>' href=z>a`, "a|[z]"},
	{"a title that never ends", "<title>a</title", "title a</title"},
	{"plain text", "<plaintext></plaintext><p>&amp;", "</plaintext><p>&amp;"},
	{"a script in a comment in a script", "<script><!--<script></script>--></script>a", "a"},
	{"a script that never ends", "a<script>b</script", "a"},
	{"links for visitors without scripts", "<noscript><a href=x>a</a></noscript>b", "b|[x]"},
	{"noscript that never ends", "<noscript><a href=x>a</a><p>b", "[x]"},
	{"line ends and a zero byte in a title", "<title>a\r\nb\x00c</title>", "title a b\ufffdc"},
	{"references", "&lt;&#65;&#x42;&amp;copy;&notit;&;&#;&", "<AB&copy;\u00acit;&;&#;&"},
	{"references in a link", `<a href="?a=1&amp;b&copy=2&lt;&#51;&para">a`, "a|[?a=1&b&copy=2<3\u00b6]"},
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
