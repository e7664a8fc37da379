package html

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// row is a page and what a test expects of it.
type row[T any] struct {
	name, html string
	want       T
}

// checkRows compares a fact of each page.
func checkRows[T any](t *testing.T, rows []row[T], fact func(Facts) T) {
	t.Helper()
	checkRead(t, Read, rows, fact)
}

// checkHeadRows is checkRows for Head.
func checkHeadRows[T any](t *testing.T, rows []row[T], fact func(Facts) T) {
	t.Helper()
	checkRead(t, Head, rows, fact)
}

func checkRead[T any](t *testing.T, read func([]byte, Options) Facts, rows []row[T], fact func(Facts) T) {
	t.Helper()
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			f := read([]byte(tt.html), Options{})
			checkBounds(t, f)
			if got := fact(f); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// hostile are inputs that cost much if any step is not linear. Half a megabyte of each would then take minutes.
var hostile = []struct {
	name string
	make func(n int) string
}{
	{"brackets", func(n int) string { return strings.Repeat("<", n) }},
	{"deep nesting", func(n int) string { return strings.Repeat("<div>", n/5) }},
	{"deep nesting and stray end tags", func(n int) string {
		return strings.Repeat("<div><table><tr><td><section>", n/60) + strings.Repeat("</div></ul>", n/22)
	}},
	{"unclosed items", func(n int) string { return strings.Repeat("<li><p>", n/7) }},
	{"long attribute", func(n int) string { return `<a href="` + strings.Repeat("a", n) + `">x</a>` }},
	{"many attributes", func(n int) string {
		var b strings.Builder
		b.WriteString("<div")
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, " a%d=%d", i, i)
		}
		return b.String() + ">x"
	}},
	{"unclosed title", func(n int) string { return "<title>" + strings.Repeat("</titl ", n/7) }},
	{"unclosed script", func(n int) string { return "<script>" + strings.Repeat("<!--<script", n/11) }},
	{"unclosed noscript", func(n int) string { return strings.Repeat("<noscript>", n/10) }},
	{"ampersand and letters", func(n int) string { return "&" + strings.Repeat("a", n) }},
	{"entities in attributes", func(n int) string { return strings.Repeat(`<a href="&amp;">`, n/16) }},
	{"robots rules", func(n int) string {
		return `<meta name=robots content="` + strings.Repeat("unavailable_after:,", n/19) + `">`
	}},
	{"structured data", func(n int) string {
		return `<script type=application/ld+json>{"dateModified":` + strings.Repeat("[", n) + "</script>"
	}},
	{"distinct links", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "<a href=%d>", i)
		}
		return b.String()
	}},
}

// checkBounds fails if facts exceed their documented bounds.
func checkBounds(t *testing.T, f Facts) {
	t.Helper()
	if len(f.Title) > maxTitle || !utf8.ValidString(f.Title) {
		t.Errorf("title of %d bytes: %q", len(f.Title), f.Title)
	}
	if len(f.Canonical) > maxHref || len(f.Base) > maxHref {
		t.Error("a location is too long")
	}
	if len(f.Links) > MaxLinks || len(f.Pictures) > maxImages || len(f.Alternates) > maxAlternates ||
		len(f.Blocks) > maxBlocks {
		t.Errorf("%d links, %d images, %d alternates, %d blocks", len(f.Links), len(f.Pictures), len(f.Alternates),
			len(f.Blocks))
	}
	seen := make(map[string]bool)
	for _, l := range f.Links {
		if l.Href == "" || len(l.Href) > maxHref || seen[l.Href] {
			t.Fatalf("link %q is empty, too long or there twice", l.Href)
		}
		seen[l.Href] = true
	}
	hasMain := false
	for _, b := range f.Blocks {
		if b.Text == "" || strings.Trim(b.Text, " ") != b.Text {
			t.Fatalf("block %q is empty or not trimmed", b.Text)
		}
		if b.Hash != xxh3.HashString(b.Text) {
			t.Fatalf("the hash of block %q is not that of its text", b.Text)
		}
		hasMain = hasMain || b.Main
	}
	if hasMain != (len(f.Blocks) > 0) {
		t.Errorf("%d blocks, main text %v", len(f.Blocks), hasMain)
	}
	if f.CanonicalConflict && f.Canonical == "" {
		t.Error("conflict without a canonical location")
	}
}

// checkHead fails if the facts of the head contradict the facts of the whole page.
func checkHead(t *testing.T, head, page Facts) {
	t.Helper()
	if head.HeadSeen != page.HeadSeen || head.Canonical != page.Canonical ||
		head.CanonicalConflict != page.CanonicalConflict ||
		!reflect.DeepEqual(head.Alternates, page.Alternates) {
		t.Errorf("head: %+v\npage: %+v", head, page)
	}
	if head.Title != "" && head.Title != page.Title || head.Base != "" && head.Base != page.Base {
		t.Errorf("head: %+v\npage: %+v", head, page)
	}
	if head.NoIndex && !page.NoIndex || head.NoFollow && !page.NoFollow {
		t.Error("a rule of the head is not one of the page")
	}
}

// TestHostilePagesTakeMemoryInProportion checks that inputs of half a megabyte stay within the
// bounds, and that memory is in proportion to their length.
func TestHostilePagesTakeMemoryInProportion(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			for _, n := range []int{1 << 16, 1 << 19} {
				body := []byte(h.make(n))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				f := Read(body, Options{})
				runtime.ReadMemStats(&after)
				checkBounds(t, f)
				checkHead(t, Head(body, Options{}), f)
				if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(32*n+4<<20); got > limit {
					t.Errorf("%d bytes cost %d bytes of memory, more than %d", n, got, limit)
				}
			}
		})
	}
}

// TestElementsThatAreTooDeepLeaveTheOthersOpen opens and closes more elements than are kept.
func TestElementsThatAreTooDeepLeaveTheOthersOpen(t *testing.T) {
	const n = 100_000
	page := "<main>" + strings.Repeat("<div>", n) + "<p>deep</p>" + strings.Repeat("</div>", n) + "main</main>beside"
	checkRows(t, []row[[]string]{{"deep", page, []string{"+deep", "+main", "-beside"}}}, outline)
}

func FuzzRead(f *testing.F) {
	for _, h := range hostile {
		f.Add([]byte(h.make(200)), "")
	}
	for _, tt := range markup {
		f.Add([]byte(tt.html), "")
	}
	f.Add([]byte(`<head><META CONTENT='NoIndex,follow' NAME=Robots><link rel=canonical href=/a></head><main><p>x</main>`),
		"text/html; charset=utf-8")
	f.Add([]byte("<div hidden><title>x"), "")
	f.Add([]byte("<TITLE>A &amp; B</TITLE><a HREF='\n/a?b&amp;c\t'>x\r\ny &lt;</a><p hidden>\x00"), "")
	f.Add([]byte("\xff\xfe<\x00p\x00>\x00x\x00"), "text/html; charset=utf-16")
	f.Add([]byte(`<script type=application/ld+json>{"a":"b\"","c":[1,true,null]}</script>`), "")
	f.Add([]byte(`googlebot: max-snippet:none, unavailable_after: 25-Jun-10 15:00:00 PST; </s.css>; rel=preload, <https://e.x/a>; rel="canonical"; title="a, \"b\""`), "")
	f.Add([]byte(`<br/><div hidden/><title/>x<svg/><template>y`), "application/xhtml+xml")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		opts := Options{ContentType: contentType}
		before := bytes.Clone(body)
		facts := Read(body, opts)
		checkBounds(t, facts)
		Robots([]string{string(body)})
		for _, href := range LinkCanonicals([]string{string(body)}) {
			if href == "" || !IsWeb(href) {
				t.Fatalf("canonical %q", href)
			}
		}
		checkHead(t, Head(body, opts), facts)
		if !bytes.Equal(body, before) {
			t.Fatal("the body was changed")
		}
		if again := Read(body, opts); !reflect.DeepEqual(facts, again) {
			t.Fatalf("read again: %+v\nread first: %+v", again, facts)
		}
	})
}
