package html

import (
	"bytes"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// textBlock is a block of text while the page is being read.
type textBlock struct {
	Block
	where    where
	lastLink uint32 // the number of the last link
	bare     bool   // whether some of its text is in no link
}

// note counts the link of the characters that follow, or 0 for none.
func (b *textBlock) note(link uint32) {
	b.bare = b.bare || link == 0
	if link != b.lastLink {
		b.Links, b.lastLink = b.Links+1, link
	}
}

// where says in which regions something lies.
type where uint8

const (
	whereMain where = 1 << iota
	whereArticle
	whereBody // neither boilerplate nor hidden
	whereAll
	whereHeading
	whereCell
)

func whereOf(t trait) where {
	w := whereAll
	if t&inMain != 0 {
		w |= whereMain
	}
	if t&inArticle != 0 {
		w |= whereArticle
	}
	if t&boilerplate == 0 {
		w |= whereBody
	}
	if t&heading != 0 {
		w |= whereHeading
	}
	if t&cell != 0 {
		w |= whereCell
	}
	return w
}

// text collects the visible text: blocks with single spaces between words.
type text struct {
	blocks []textBlock
	buf    []byte // the text of the open block, empty if none is open
	space  bool   // whether white space has been read since the last character
	link   uint32 // the number of the open link, or 0
	begun  uint32 // how many links have begun
}

// add appends characters at a place, with the traits t.
func (x *text) add(s []byte, place uint64, t trait) {
	i := skipSpace(s)
	x.space = x.space || i > 0
	if s = s[i:]; len(s) == 0 {
		return
	}
	if len(x.buf) == 0 {
		x.blocks = append(x.blocks, textBlock{Block: Block{Place: place}})
	} else if x.space {
		x.buf = append(x.buf, ' ')
	}
	b := &x.blocks[len(x.blocks)-1]
	b.where |= whereOf(t)
	b.note(x.link)
	x.buf, x.space = appendCollapsed(x.buf, s)
}

// cut ends the open block, if there is one. Once there are maxBlocks, the last one takes all further
// text.
func (x *text) cut() {
	if x.space = len(x.blocks) == maxBlocks; !x.space {
		x.end()
	}
}

// leastLine is the length in bytes from which a line of preformatted text is a block of its own. A
// shorter one belongs to the next.
const leastLine = 16

// endLine ends a line of preformatted text.
func (x *text) endLine() {
	if x.space = true; len(x.buf) >= leastLine {
		x.cut()
	}
}

func (x *text) end() {
	if len(x.buf) > 0 {
		x.blocks[len(x.blocks)-1].Text = string(x.buf)
		x.buf = x.buf[:0]
	}
}

// skipSpace returns how much white space s begins with. A no-break space counts,
// since a reader sees no difference.
func skipSpace(s []byte) int {
	i := 0
	for i < len(s) {
		switch {
		case isSpace(s[i]):
			i++
		case s[i] == 0xC2 && i+1 < len(s) && s[i+1] == 0xA0:
			i += 2
		default:
			return i
		}
	}
	return i
}

// appendCollapsed appends s to dst, with a single space for each run of white space. s does not
// begin with white space. White space at the end is not appended but reported. Words with single
// spaces between them are copied at once.
func appendCollapsed(dst, s []byte) (out []byte, space bool) {
	start := 0
	for i := 0; i < len(s); i++ {
		if !maySpace(s[i]) || s[i] == ' ' && i+1 < len(s) && !maySpace(s[i+1]) {
			continue
		}
		n := skipSpace(s[i:])
		if n == 0 {
			continue
		}
		dst = append(dst, s[start:i]...)
		if start = i + n; start == len(s) {
			return dst, true
		}
		dst = append(dst, ' ')
		i = start - 1
	}
	return append(dst, s[start:]...), false
}

// maySpace reports whether white space may begin with c.
func maySpace(c byte) bool { return c <= ' ' || c == 0xC2 }

// isSpace reports whether c is white space in HTML.
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// PlainText returns s without invalid UTF-8, with single spaces between words, cut to limit bytes.
func PlainText[T string | []byte](s T, limit int) string {
	b := []byte(s[:min(len(s), 8*limit)])
	out, _ := appendCollapsed(nil, b[skipSpace(b):])
	if len(out) > limit {
		n := limit
		for n > 0 && !utf8.RuneStart(out[n]) {
			n--
		}
		out = bytes.TrimSuffix(out[:n], []byte(" "))
	}
	return string(bytes.ToValidUTF8(out, nil))
}

// mainShare is 8: <main> or <article> must hold at least an eighth of the body's text to be the
// main text. Some templates put them around a few words only.
const mainShare = 8

// main returns the region that is the main text.
func (x *text) main() where {
	size := func(w where) (n int) {
		for i := range x.blocks {
			if x.blocks[i].where&w != 0 {
				n += len(x.blocks[i].Text)
			}
		}
		return n
	}
	body := size(whereBody)
	for _, w := range [...]where{whereMain, whereArticle, whereBody} {
		if n := size(w); n > 0 && n*mainShare >= body {
			return w
		}
	}
	return whereAll
}

// list returns the blocks. main is the region of the main text.
func (x *text) list(main where) (list []Block) {
	for i := range x.blocks {
		b, w := x.blocks[i].Block, x.blocks[i].where
		b.Hash = xxh3.HashString(b.Text)
		b.Main = w&main != 0
		b.Boilerplate = w&whereBody == 0
		b.Heading = w&whereHeading != 0
		b.Cell = w&whereCell != 0
		if x.blocks[i].bare {
			b.Links = 0
		}
		list = append(list, b)
	}
	return list
}

// mainHash returns the hash of the main text.
func mainHash(blocks []Block) uint64 {
	if len(blocks) == 0 {
		return 0
	}
	var h xxh3.Hasher
	space := ""
	for i := range blocks {
		if blocks[i].Main {
			_, _ = h.WriteString(space) // it never fails
			_, _ = h.WriteString(blocks[i].Text)
			space = " "
		}
	}
	return h.Sum64()
}
