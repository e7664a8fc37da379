package html

import (
	"bytes"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// run is a block of text while the page is being read.
type run struct {
	place      uint64
	start, end int // offsets in text.buf
	where      where
	links      int    // how many links it consists of, or -1 if some of it is in none
	lastLink   uint32 // the number of the last link
}

// note counts the link of the characters that follow, or 0 for none.
func (r *run) note(link uint32) {
	switch {
	case link == 0:
		r.links = -1
	case link != r.lastLink && r.links >= 0:
		r.links, r.lastLink = r.links+1, link
	}
}

// where says in which regions something lies.
type where uint8

const (
	whereMain where = 1 << iota
	whereArticle
	whereBody // neither furniture nor hidden
	whereAll
	whereHeading
)

func whereOf(t trait) where {
	w := whereAll
	if t&inMain != 0 {
		w |= whereMain
	}
	if t&inArticle != 0 {
		w |= whereArticle
	}
	if t&furniture == 0 {
		w |= whereBody
	}
	if t&heading != 0 {
		w |= whereHeading
	}
	return w
}

// text collects the visible text: blocks with single spaces between words.
type text struct {
	buf   []byte
	runs  []run
	open  bool // whether the last run still grows
	space bool // whether white space has been read since the last character

	link  uint32 // the number of the open link, or 0
	begun uint32 // how many links have begun
}

// add appends characters at a place, with the traits t.
func (x *text) add(s []byte, place uint64, t trait) {
	i := skipSpace(s)
	if i > 0 {
		x.space = true
		s = s[i:]
	}
	if len(s) == 0 {
		return
	}
	if !x.open {
		x.begin(place, whereOf(t))
	} else if x.space {
		x.buf = append(x.buf, ' ')
	}
	x.runs[len(x.runs)-1].note(x.link)
	x.space = false
	x.buf, x.space = appendCollapsed(x.buf, s)
}

// begin opens a run. Once there are maxBlocks, the last one takes all further text.
func (x *text) begin(place uint64, w where) {
	if len(x.buf) > 0 {
		x.buf = append(x.buf, ' ')
	}
	x.open = true
	if len(x.runs) == maxBlocks {
		x.runs[maxBlocks-1].where |= w
		return
	}
	x.runs = append(x.runs, run{place: place, start: len(x.buf), where: w})
}

// cut ends the open run, if there is one.
func (x *text) cut() {
	if x.open {
		x.runs[len(x.runs)-1].end = len(x.buf)
		x.open = false
	}
	x.space = false
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
// begin with white space. White space at the end is not appended but reported.
func appendCollapsed(dst, s []byte) (out []byte, space bool) {
	for {
		n := wordLen(s)
		dst = append(dst, s[:n]...)
		s = s[n:]
		n = skipSpace(s)
		if s = s[n:]; len(s) == 0 {
			return dst, n > 0
		}
		dst = append(dst, ' ')
	}
}

// wordLen returns how much of s comes before its first white space.
func wordLen(s []byte) int {
	for i, c := range s {
		if (c <= ' ' || c == 0xC2) && skipSpace(s[i:]) > 0 {
			return i
		}
	}
	return len(s)
}

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
		for _, r := range x.runs {
			if r.where&w != 0 {
				n += r.end - r.start
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

// blocks returns the runs as blocks. Their texts share one string.
func (x *text) blocks(main where) []Block {
	if len(x.runs) == 0 {
		return nil
	}
	all := string(x.buf)
	list := make([]Block, len(x.runs))
	for i, r := range x.runs {
		s := all[r.start:r.end]
		list[i] = Block{
			Place:     r.place,
			Hash:      xxh3.HashString(s),
			Text:      s,
			Main:      r.where&main != 0,
			Furniture: r.where&whereBody == 0,
			Headline:  r.where&(whereHeading|whereArticle) == whereHeading|whereArticle,
			Links:     max(r.links, 0),
		}
	}
	return list
}

// hash returns the hash of the main text.
func (x *text) hash(main where) uint64 {
	if len(x.runs) == 0 {
		return 0
	}
	var hasher xxh3.Hasher
	begun := false
	for _, r := range x.runs {
		if r.where&main == 0 {
			continue
		}
		if begun {
			r.start-- // the space before the run
		}
		hasher.Write(x.buf[r.start:r.end])
		begun = true
	}
	return hasher.Sum64()
}
