package html

import (
	"bytes"
	"math"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// hard are pages whose tokens are easy to get wrong.
var hard = []string{
	"", "<", "a<", "</", "a</", "<!", "<!-", "<!--", "<?", "<a", "<a ", "<a b", "<a b=", "<a b='", "</a", "a<1<b>", "<<a>", "</>x", "</ x>y", "</1>z",
	"<!>x", "<!->x", "<!-->x", "<!--->x", "<!---->x", "<!--a--!>x", "<!--a--!->x-->y", "<!--!>x-->y", "<!----!>x", "<!--a->b--c-->d", "<!--!--!!>-->",
	"<!doctype html>x", "<!DOCTYPE", "<!docty>x", "<![CDATA[a>b]]>c", "<?xml a='>'?>b",
	`<a b="x>y" c='>' d=>z`, `<a/b/c=d/>`, `<br/>`, `<br a=/>`, `<br a=b/ />`, `<br "/">`, `<a =b=c>`, `<a b="1"c>`, "<a\nb\f=\rc>", `<a b=1 B=2>`, "<a b\x00=\x00>",
	`<a href=1 rel='2' lang="3" hidden>`, `<a href = 1 rel= "x>y" />`, `<a/href/rel=1/>`, `<a href=>`, `<a =href=b rel=c>`,
	"<a\n\t\f\rhref\n=\n1\n>", `<a href="never closed`, `<a href="1"rel="2">`,
	"<title>a</titl>b</TITLE >c", "<title></title>", "<title>a", "<TITLE>&lt;\r\n\x00</title/x>", "<textarea><p>&amp;</textarea>", "<style></styl</style\t>", "<plaintext></plaintext><p>",
	"<noscript><p></noscript>", "<xmp></xmp></xmp>", "<iframe></iframe", "<title></title", "<title></</title>",
	"<script></script>", "<script>a</script", "<script><!--</script>a", "<script><!--<script></script>--></script>a", "<script><!--<script>--></script>a",
	"<script><!--><script></script>a", "<script><!---><script></script>a", "<script><!-- < <script></script>a", "<script><!--<script</script>a</script>b",
	"<script><!--<scriptx></script>a", "<script><!--<SCRIPT/</SCRIPT >--</script>a", "<script><!--a--b-->c</script>", "<script><!--a-<b--></script>", "<script><!-<script></script>",
	"<script><!--<script></script</script></script>x", "<script><!--<script><!--</script></script>x", "<script></Script\n>x",
}

// references are texts whose character references are easy to get wrong.
var references = []string{
	"&", "&;", "&#", "&#;", "&#x", "&#xg", "&#0;", "&#65", "&#65;b", "&#65b", "&#x41;", "&#x80;", "&#xD800;", "&#99999999999;", "&amp", "&amp=", "&amp;=", "&ampx", "&ampx;", "&notit;",
	"&not=", "&notin;", "&NotEqualTilde;", "&NotEqualTilde", "&semi;", "&semi", "&lt;&gt;&quot;&#39;&apos;&nbsp;&#160;&#34;&#x27;", "a&b=c&copy=d&copy;e", "&&amp;&", "&\x00amp;", "&amp\r\n;", "&AMP;&Amp;", "&frac12x", "&a b",
}

// FuzzScanner checks that a page's tokens and attributes are those of golang.org/x/net/html. It
// stops at a script in which that package is known to leave the standard.
func FuzzScanner(f *testing.F) {
	for _, page := range hard {
		f.Add([]byte(page))
	}
	for _, s := range references {
		f.Add([]byte(s))
		f.Add([]byte("<title>" + s + "</title>"))
		f.Add([]byte(`<a href="` + s + `" rel='` + s + `'>`))
		f.Add([]byte(`<a href=` + s + `>`))
	}
	for _, h := range hostile {
		f.Add([]byte(h.make(300)))
	}
	f.Fuzz(func(t *testing.T, page []byte) { compareTokens(t, page) })
}

// compareTokens reads a page with both tokenizers.
func compareTokens(t *testing.T, page []byte) {
	t.Helper()
	var s scanner
	s.reset(page)
	z := html.NewTokenizer(bytes.NewReader(page))
	for within := unknown; ; {
		want, got := z.Next(), s.next()
		if want == html.ErrorToken {
			if got != noToken || s.next() != noToken {
				t.Fatalf("%q has a token %q at %d, want none", page, s.raw(), s.start)
			}
			return
		}
		if within == elScript && got == textToken && endsEarly(z.Raw(), s.raw()) {
			return
		}
		if got == noToken || !bytes.Equal(s.raw(), z.Raw()) {
			t.Fatalf("%q has the token %q at %d, want %q", page, s.raw(), s.start, z.Raw())
		}
		switch want {
		case html.TextToken:
			compareText(t, &s, z, got, within)
			within = unknown
		case html.StartTagToken, html.SelfClosingTagToken:
			compareTag(t, &s, z, got, want == html.SelfClosingTagToken)
			if within = unknown; s.el == elNoscript {
				z.NextIsNotRawText()
			} else if traits[s.el]&raw != 0 {
				s.readRaw()
				within = s.el
			}
		case html.EndTagToken:
			within = unknown
			if name, _ := z.TagName(); got != endToken || s.el != elementOf(name) {
				t.Fatalf("%q is %d, not an end tag, or of another element", s.raw(), got)
			}
		default:
			within = unknown
			if got != otherToken {
				t.Fatalf("%q is %d, want a comment or a declaration", s.raw(), got)
			}
		}
	}
}

// endsEarly reports whether the other tokenizer ended a script too early: before another script in
// its comment, because of a bracket that begins no tag. By section 13.2.5.23 of the standard, that
// bracket does not end the comment.
func endsEarly(other, script []byte) bool {
	if len(other) >= len(script) || !bytes.HasPrefix(script, other) {
		return false
	}
	_, comment, _ := bytes.Cut(other, []byte("<!--"))
	for i, c := range comment[:max(0, len(comment)-1)] {
		if c == '<' && comment[i+1] != '/' && !isLetter(comment[i+1]) {
			return true
		}
	}
	return false
}

func TestBracketDoesNotEndTheCommentInAScript(t *testing.T) {
	for _, script := range []string{
		"<!-- < <script></script> -->", "<!--<!--<script></script>-->", "<!-- if (a<1) <script>\n</script> <a href=/b> -->", "<!--<<script></script>--",
	} {
		var s scanner
		s.reset([]byte("<script>" + script + "</script><p>"))
		s.next()
		s.readRaw()
		if s.next() != textToken || string(s.raw()) != script {
			t.Errorf("the script %q is read as %q", script, s.raw())
		}
	}
}

// compareText compares a text inside an element that cannot contain elements, if that is known.
func compareText(t *testing.T, s *scanner, z *html.Tokenizer, got token, within element) {
	t.Helper()
	text := normalized(s.raw())
	switch within {
	case unknown:
		text = bytes.ReplaceAll(bytes.ReplaceAll(s.raw(), []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		text = appendDecoded(nil, text, false)
	case elTitle, elTextarea:
		text = appendDecoded(nil, text, false)
	}
	if want := z.Text(); got != textToken || !bytes.Equal(text, want) {
		t.Fatalf("%q is %d and says %q, want %q", s.raw(), got, text, want)
	}
}

func compareTag(t *testing.T, s *scanner, z *html.Tokenizer, got token, selfClosing bool) {
	t.Helper()
	name, more := z.TagName()
	if got != startToken || s.el != elementOf(name) || !bytes.EqualFold(normalized(s.name), name) {
		t.Fatalf("%q is %d, not the start tag %q", s.raw(), got, name)
	}
	var want tag
	distinct := 0
	for ; more; distinct++ {
		var key, val []byte
		key, val, more = z.TagAttr()
		if a := attrOf(key); a != noAttr && readsAttributes(s.el) {
			want.have |= 1 << a
			want.vals[a] = val
		}
	}
	if s.attrs.have != want.have {
		t.Fatalf("%q has attributes %b, want %b", s.raw(), s.attrs.have, want.have)
	}
	for a := range attrs {
		if !bytes.Equal(s.attrs.get(a), want.get(a)) {
			t.Fatalf("attribute %d of %q is %q, want %q", a, s.raw(), s.attrs.get(a), want.get(a))
		}
	}
	// If an attribute is repeated, the other tokenizer takes a slash at the end of its value for
	// one that ends the tag.
	if s.selfClosing != selfClosing && distinct == countAttributes(s) {
		t.Fatalf("%q ends itself: %v", s.raw(), s.selfClosing)
	}
}

func countAttributes(s *scanner) (n int) {
	a := attrScanner{b: s.raw(), i: len("<") + len(s.name)}
	for {
		if _, _, ok := a.next(); !ok {
			return n
		}
		n++
	}
}

// TestHostilePagesTakeLinearTime reads each input at two sizes. Eight times the bytes take a linear
// reader eight times as long, and a quadratic one 64 times. Other programs slow the machine, so the
// test takes the shortest of many tries.
func TestHostilePagesTakeLinearTime(t *testing.T) {
	const small, times, most, enough, patience = 1 << 15, 8, 32, 3, 60
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			few, more := []byte(h.make(small)), []byte(h.make(times*small))
			one, many := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for try := range patience {
				one, many = min(one, reading(few)), min(many, reading(more))
				if try >= enough && many <= most*max(one, 50*time.Microsecond) {
					return
				}
			}
			t.Errorf("%d bytes take %v, %d times as many %v", small, one, times, many)
		})
	}
}

func reading(body []byte) time.Duration {
	begun := time.Now()
	Read(body, Options{})
	return time.Since(begun)
}
