package page

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
// stops at a script with a comment, which may hold another script there.
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
		if within.name() == "script" && bytes.Contains(z.Raw(), []byte("<!--")) {
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
			compareTag(t, page, &s, z, got, want == html.SelfClosingTagToken)
			if within = unknown; s.el.name() == "noscript" {
				z.NextIsNotRawText()
			} else if s.el.traits()&raw != 0 {
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

// compareText compares a text inside an element that cannot contain elements, if that is known.
func compareText(t *testing.T, s *scanner, z *html.Tokenizer, got token, within element) {
	t.Helper()
	text := normalized(s.raw())
	switch {
	case within == unknown:
		text = bytes.ReplaceAll(bytes.ReplaceAll(s.raw(), []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		text = appendDecoded(nil, text, false)
	case within.name() == "title" || within.name() == "textarea":
		text = appendDecoded(nil, text, false)
	}
	if want := z.Text(); got != textToken || !bytes.Equal(text, want) {
		t.Fatalf("%q is %d and says %q, want %q", s.raw(), got, text, want)
	}
}

func compareTag(t *testing.T, page []byte, s *scanner, z *html.Tokenizer, got token, selfClosing bool) {
	t.Helper()
	name, more := z.TagName()
	if got != startToken || s.el != elementOf(name) || !bytes.EqualFold(normalized(s.name), name) {
		t.Fatalf("%q is %d, not the start tag %q", s.raw(), got, name)
	}
	if s.el.traits()&(open|reads) == 0 {
		return
	}
	distinct := 0
	for i := range s.attrs.attrs {
		a := &s.attrs.attrs[i]
		key := page[a.key:a.keyEnd]
		if name := lower(key); s.attrs.find(name) == &s.attrs.attrs[i] {
			if distinct++; !more {
				t.Fatalf("%q has an attribute %q too many", s.raw(), key)
			}
			var val []byte
			key, val, more = z.TagAttr()
			if got := s.attrs.get(name); !bytes.EqualFold(normalized([]byte(name)), key) || !bytes.Equal(got, val) {
				t.Fatalf("%q has an attribute %q with the value %q, want %q with %q", s.raw(), name, got, key, val)
			}
		}
	}
	// If an attribute is repeated, the other tokenizer takes a slash at the end of its value for
	// one that ends the tag.
	if more || s.selfClosing != selfClosing && distinct == len(s.attrs.attrs) {
		t.Fatalf("%q ends itself: %v; it has an attribute more: %v", s.raw(), s.selfClosing, more)
	}
}

// lower returns a name with its ASCII letters in lower case, whatever else is in it.
func lower(name []byte) string {
	b := bytes.Clone(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
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
