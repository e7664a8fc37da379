package strict

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// bounds counts what a reading hands over.
type bounds struct {
	t     *testing.T
	lines int // of the text
	depth int
	bytes int // of texts and values
}

func (b *bounds) Start(e xml.StartElement, line int) {
	b.depth++
	for _, a := range e.Attr {
		b.bytes += len(a.Value)
	}
	b.at(line)
}

func (b *bounds) Text(text string, line int) {
	b.bytes += len(text)
	b.at(line)
}

func (b *bounds) End() { b.depth-- }

func (b *bounds) Problem(text string, line int) {
	if text == "" {
		b.t.Error("a problem has no text")
	}
	b.at(line)
}

func (b *bounds) at(line int) {
	if line < 1 || line > b.lines || b.depth < 0 || b.depth > deepest {
		b.t.Fatalf("line %d of %d, %d elements within each other", line, b.lines, b.depth)
	}
}

// FuzzRead: whatever a stranger writes, it is unpacked to no more than it may be, elements end as they begin, none
// stands deeper than it may, and what entities stand for adds no more than they may.
func FuzzRead(f *testing.F) {
	var packed bytes.Buffer
	to := gzip.NewWriter(&packed)
	_, err := to.Write(make([]byte, 2<<20))
	base.Check(f, err)
	base.Check(f, to.Close())
	const doctype = `<!DOCTYPE urlset [<!ENTITY x "%s">]><urlset a="%[2]s">%[2]s</urlset>`
	for _, text := range []string{
		"\ufeff<?xml version='1.0'?>\n<urlset xmlns='u' xmlns:i='v'><url><loc>http://a&amp;b</loc><i:image/></url></urlset>",
		"Notice: x\n<?xml version='1.0' encoding='latin1'?><urlset>\xe9</urlset><urlset/>",
		"\xff\xfe<\x00u\x00r\x00l\x00s\x00e\x00t\x00/\x00>\x00",
		strings.Repeat("<a>", 2*deepest), fmt.Sprintf(doctype, "y", "&x;"), fmt.Sprintf(doctype, strings.Repeat("y", 8<<10),
			strings.Repeat("&x;", 4<<10)),
		packed.String(), packed.String()[:packed.Len()/2],
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		const most = 1 << 20
		text, _, _ := Unpack(body, most)
		if len(text) > max(most, len(body)) {
			t.Fatalf("%d bytes are unpacked to %d", len(body), len(text))
		}
		utf, _ := UTF8(text)
		if len(utf) > 4*len(text) {
			t.Fatalf("%d bytes are %d in UTF-8", len(text), len(utf))
		}
		b := &bounds{t: t, lines: 1 + bytes.Count(utf, []byte("\n"))}
		Read(t.Context(), utf, b)
		if b.bytes > len(utf)+mostExpanded {
			t.Errorf("of %d bytes, %d are read", len(utf), b.bytes)
		}
	})
}
