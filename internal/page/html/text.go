package html

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/zeebo/xxh3"
)

// textBlock is a block of text while the page is being read.
type textBlock struct {
	Block
	where    trait  // the regions that it lies in
	lastLink uint32 // the number of the last link
	bare     bool   // whether some of its text is in no link
	parts    bool   // whether all of its text is in links to parts of the page
}

// note counts the link of the characters that follow, or 0 for none.
func (b *textBlock) note(link uint32) {
	b.bare = b.bare || link == 0
	if link != b.lastLink {
		b.Links, b.lastLink = b.Links+1, link
	}
}

// region returns those of an element's traits that say where something in it lies.
func region(t trait) trait {
	if t&boilerplate == 0 {
		t |= inBody
	}
	return t&(inMain|inArticle|inBody|cell|heading) | inPage
}

// text collects the visible text: blocks with single spaces between words.
type text struct {
	blocks []textBlock
	buf    []byte // the text of the open block, empty if none is open
	space  bool   // whether white space has been read since the last character
	link   uint32 // the number of the open link, or 0
	inLink bool   // an a element is open
	inside bool   // it leads to a part of the page
	toFile bool   // it leads to a picture or a video
	begun  uint32 // how many links have begun

	beside []textBlock
}

// add appends characters at a place, with the traits t. A sign that links to a heading is no part of it.
func (x *text) add(s []byte, place uint64, t trait) {
	if x.inLink && t&heading != 0 && !says(s) {
		return
	}
	before := len(x.buf)
	if x.buf, x.space = appendCollapsed(x.buf, s, x.space); len(x.buf) == before {
		return
	}
	if before == 0 {
		x.blocks = append(x.blocks, textBlock{Block: Block{Place: place}, parts: true})
	}
	b := &x.blocks[len(x.blocks)-1]
	b.where |= region(t)
	b.note(x.link)
	b.parts = b.parts && x.inLink && x.inside && t&heading == 0
}

// says reports whether some characters have a letter or a digit.
func says(s []byte) bool {
	return bytes.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
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

// appendCollapsed appends s to dst, with a single space for each run of white space between characters. A no-break
// space counts, since a reader sees no difference. space says that there was white space before s, and in the result
// that there is some after the last character.
func appendCollapsed[T string | []byte](dst []byte, s T, space bool) ([]byte, bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == 0xC2 && i+1 < len(s) && s[i+1] == 0xA0 {
			c, i = ' ', i+1
		}
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' {
			space = true
			continue
		}
		if space && len(dst) > 0 {
			dst = append(dst, ' ')
		}
		dst, space = append(dst, c), false
	}
	return dst, space
}

// PlainText returns s without invalid UTF-8, with single spaces between words, cut to limit bytes.
func PlainText[T string | []byte](s T, limit int) string {
	out, _ := appendCollapsed(nil, s[:min(len(s), 8*limit)], false)
	return strings.TrimSuffix(strings.ToValidUTF8(string(out[:min(len(out), limit)]), ""), " ")
}

// mainShare is 8: <main> or <article> must hold at least an eighth of the body's text to be the
// main text. Some templates put them around a few words only.
const mainShare = 8

// main returns the region that is the main text.
func (x *text) main() trait {
	size := func(w trait) (n int) {
		for i := range x.blocks {
			if x.blocks[i].where&w != 0 {
				n += len(x.blocks[i].Text)
			}
		}
		return n
	}
	body := size(inBody)
	for _, w := range [...]trait{inMain, inArticle, inBody} {
		if n := size(w); n > 0 && n*mainShare >= body {
			return w
		}
	}
	return inPage
}

// finished returns blocks with what is known of them at the end of the page. main is the region of the main text.
func finished(all []textBlock, main trait) (list []Block) {
	said := map[string]bool{} // in letters, by blocks that do not consist of links to parts of the page
	if slices.ContainsFunc(all, func(b textBlock) bool { return b.parts }) {
		for i := range all {
			if text := letters(all[i].Text); text != "" && !all[i].parts {
				said[text] = true
			}
		}
	}
	for i := range all {
		b, w := all[i].Block, all[i].where
		b.Hash = xxh3.HashString(b.Text)
		b.Main = w&main != 0
		b.Boilerplate = w&inBody == 0
		b.Repeats = b.Repeats || all[i].parts && said[letters(b.Text)]
		b.Cell, b.Heading = w&cell != 0, w&heading != 0
		if all[i].bare {
			b.Links = 0
		}
		list = append(list, b)
	}
	return list
}

// letters returns the letters of a text in lower case, without the numbers and signs that a template adds.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// fewLetters is how little a page says in which a program has still to write, or which only asks for a password.
const fewLetters = 300

// Brief reports whether the text says little.
func (t *Text) Brief() bool { return t.Letters() < fewLetters }

// dense are the scripts of which a letter says as much as some of others do.
var dense = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}

// Letters counts the letters of the text, without menus. One of Chinese, Japanese or Korean counts as three.
func (t *Text) Letters() (n int) {
	for _, b := range t.Blocks {
		if b.Boilerplate && !b.Main {
			continue
		}
		for _, r := range b.Text {
			switch {
			case unicode.In(r, dense...):
				n += 3
			case unicode.IsLetter(r):
				n++
			}
		}
	}
	return n
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
