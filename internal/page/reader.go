package page

import (
	"bytes"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"
)

// reader reads one page. It is used again for the next one, so that its
// buffers are made once.
type reader struct {
	scan   scanner
	facts  Facts
	rules  rules
	jsonLD dates

	headOnly bool // for Head
	xhtml    bool // a slash ends an element
	inHead   bool
	headShut bool // its end tag was read; what may stand in it is put there until the body begins
	tail     int  // bytes left to read after the head, for Head

	raw       element // the element whose characters the next token holds
	rawJSON   bool    // whether it is a script of structured data
	jsonLeft  int     // bytes of structured data that may still be read
	titleSeen bool
	inLink    uint32 // the number of the link that is open, 0 if none is
	linkCount uint32

	stack   stack
	text    text
	media   *media // nil unless the facts for extensions are asked for
	links   hrefs
	images  hrefs
	scratch []byte
	decoded []byte
	hasher  *xxh3.Hasher
}

// readers keeps readers for use.
var readers = sync.Pool{New: func() any { return &reader{hasher: xxh3.New()} }}

// maxKept is the size of buffers above which a reader is not kept.
const maxKept = 4 << 20

func read(body []byte, opts Options, headOnly bool) Facts {
	r := readers.Get().(*reader)
	r.reset(toUTF8(body, opts), opts, headOnly)
	r.run()
	f := r.finish(opts.Truncated)
	r.scan.reset(nil)
	r.facts, r.media = Facts{}, nil
	if cap(r.text.buf)+cap(r.links.buf)+cap(r.images.buf)+cap(r.decoded)+cap(r.scan.attrs.buf) <= maxKept {
		readers.Put(r)
	}
	return f
}

func (r *reader) reset(body []byte, opts Options, headOnly bool) {
	r.scan.reset(body)
	r.facts, r.rules, r.jsonLD = Facts{}, rules{}, dates{}
	r.headOnly = headOnly
	r.media = newMedia(opts, headOnly)
	r.xhtml = isXHTML(opts.ContentType)
	r.inHead, r.headShut, r.tail = true, false, headTail
	r.raw, r.rawJSON, r.jsonLeft, r.titleSeen = unknown, false, maxJSONLD, false
	r.inLink, r.linkCount = 0, 0
	r.stack.reset()
	r.text.reset()
	r.links.reset()
	r.images.reset()
}

func isXHTML(contentType string) bool {
	t, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(t), "application/xhtml+xml")
}

// run reads tokens to the end of the page or, for Head, of what it reads.
func (r *reader) run() {
	for {
		switch r.scan.next() {
		case noToken:
			return
		case textToken:
			r.characters()
		case startToken:
			r.startTag()
		case endToken:
			r.endTag()
		}
		if r.headOnly && !r.inHead {
			if r.tail -= len(r.scan.raw()); r.tail < 0 {
				return
			}
		}
	}
}

// finish returns the facts.
func (r *reader) finish(truncated bool) Facts {
	f := &r.facts
	f.NoIndex, f.NoFollow, f.UnavailableAfter = r.rules.noIndex, r.rules.noFollow, r.rules.after
	f.Truncated = truncated
	f.HeadSeen = !r.inHead
	r.finishDates()
	if r.headOnly {
		return *f
	}
	r.text.cut()
	var main where
	f.Region, main = r.text.region()
	f.Blocks = r.text.blocks(main)
	f.VisibleHash, f.MainHash = r.text.hashes(main, r.hasher)
	f.Links = r.links.links(main)
	f.Images = r.images.sources(main)
	r.media.finish(f, main)
	return *f
}

// finishDates fills in the dates of structured data.
func (r *reader) finishDates() {
	f := &r.facts
	if !r.jsonLD.modified.IsZero() && (f.ModifiedSource == DateNone || f.ModifiedSource > DateJSONLD) {
		f.Modified, f.ModifiedSource = r.jsonLD.modified, DateJSONLD
	}
	if f.Published.IsZero() {
		f.Published = r.jsonLD.published
	}
}

func (r *reader) startTag() {
	r.raw, r.rawJSON = unknown, false
	el := r.scan.el
	t := traits[el]
	if t&block != 0 {
		r.text.cut()
		r.stack.imply(el)
	}
	_, in := r.stack.top()
	if r.inHead && in&noText == 0 && (t&inHead == 0 || r.headShut && el == elNoscript) {
		r.inHead = false
	}
	if el == unknown {
		return
	}
	if (el == elHTML || el == elTitle) && in&(noText|inert) == 0 {
		r.facts.Document = true
	}
	t |= r.attributes(el, in)
	switch {
	case r.scan.selfClosing && (r.xhtml || el == elSVG || el == elMath || t&raw != 0 && r.stack.foreign()):
	case t&raw != 0:
		r.scan.readRaw()
		r.raw = el
	case t&open != 0:
		r.stack.push(el, r.scan.name, t)
		if el == elNoscript {
			r.scan.fence()
		}
	}
}

// attributes reads what the attributes of a start tag say. It returns the
// traits that they give the element.
func (r *reader) attributes(el element, in trait) trait {
	t := &r.scan.attrs
	if t.have == 0 && traits[el]&open != 0 {
		return 0
	}
	switch el {
	case elA, elArea, elImg, elInput:
		if !r.headOnly {
			r.reference(el, t, in)
		}
	case elMeta:
		r.meta(t, in)
	case elLink:
		if r.inHead && in&(noText|inert) == 0 {
			r.headLink(t)
		}
	case elBase:
		r.base(t, in)
	case elHTML:
		r.lang(t)
	case elScript:
		r.rawJSON = !r.headOnly && in&inert == 0 && isJSONLD(t.get(attrType))
	default:
		return givenTraits(t)
	}
	return 0
}

// reference reads what an element in the body refers to.
func (r *reader) reference(el element, t *tag, in trait) {
	switch el {
	case elA:
		r.openLink(t)
		r.link(t, in)
	case elArea:
		r.link(t, in)
	case elImg:
		r.image(t, in)
	case elInput:
		if strings.EqualFold(string(t.get(attrType)), "password") {
			r.facts.Password = true
		}
	}
}

// openLink notes that the text which follows is that of a link, if the a
// element is one.
func (r *reader) openLink(t *tag) {
	r.inLink = 0
	if t.has(attrHref) {
		r.linkCount++
		r.inLink = r.linkCount
	}
}

// isJSONLD reports whether a script of that type is structured data.
func isJSONLD(typ []byte) bool {
	if len(typ) < len("application/ld+json") {
		return false
	}
	t, _, _ := strings.Cut(string(typ), ";")
	return strings.EqualFold(strings.TrimSpace(t), "application/ld+json")
}

// givenTraits returns the traits that the attributes role and hidden give.
func givenTraits(t *tag) trait {
	var given trait
	if t.has(attrHidden) && !strings.EqualFold(string(t.get(attrHidden)), "until-found") {
		given = noText | inert
	}
	if len(t.get(attrRole)) == 0 {
		return given
	}
	switch strings.ToLower(strings.TrimSpace(string(t.get(attrRole)))) {
	case "main":
		given |= inMain
	case "navigation", "banner", "contentinfo", "complementary", "search":
		given |= furniture
	}
	return given
}

func (r *reader) endTag() {
	r.raw, r.rawJSON = unknown, false
	el := r.scan.el
	switch el {
	case elA:
		r.inLink = 0
	case elHead, elBody, elHTML, elBr:
		if _, in := r.stack.top(); in&noText != 0 {
			break
		}
		r.headShut = true
		r.inHead = r.inHead && el == elHead
	}
	t := traits[el]
	if t&block != 0 {
		r.text.cut()
	}
	if t&open != 0 {
		r.stack.end(el)
	}
}

// characters takes a text token.
func (r *reader) characters() {
	el, isJSON := r.raw, r.rawJSON
	r.raw, r.rawJSON = unknown, false
	place, in := r.stack.top()
	if el != unknown {
		r.rawCharacters(el, isJSON, place, in)
		return
	}
	if in&noText != 0 || r.headOnly && !r.inHead {
		return
	}
	s := r.scan.raw()
	if skipSpace(s) == len(s) { // as between most tags
		r.text.space = true
		return
	}
	if bytes.IndexByte(s, '&') >= 0 {
		r.decoded = appendDecoded(r.decoded[:0], s, false)
		s = r.decoded
	}
	if r.inHead && skipSpace(s) < len(s) {
		r.inHead = false
	}
	if !r.headOnly {
		r.text.add(s, place, in, r.inLink)
	}
}

// rawCharacters takes the characters of an element that holds no others.
func (r *reader) rawCharacters(el element, isJSON bool, place uint64, in trait) {
	s := normalized(r.scan.raw())
	if el == elTitle || el == elTextarea {
		r.decoded = appendDecoded(r.decoded[:0], s, false)
		s = r.decoded
	}
	switch {
	case el == elTitle:
		if in&(noText|inert) == 0 {
			r.title(s)
		}
	case isJSON:
		if len(s) <= r.jsonLeft {
			r.jsonLeft -= len(s)
			r.jsonLD.add(readJSONLD(s))
			r.media.readData(s)
			r.facts.DataHash += hashData(s)
		}
	case (in|traits[el])&noText == 0 && !r.headOnly:
		r.text.add(s, place, in|traits[el]&inherited, r.inLink)
		r.text.cut()
	}
}
