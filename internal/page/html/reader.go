package html

import (
	"bytes"
	"strings"
	"sync"
)

// reader reads one page. It is reused for later pages to keep its buffers.
type reader struct {
	scan  scanner
	facts Facts

	headOnly bool // whether Head called it
	xhtml    bool // whether a slash ends an element
	inHead   bool
	headShut bool // the head's end tag was read; until the body begins, head elements still belong to the head
	tail     int  // bytes that Head may still read after the head

	raw        element    // the element whose characters are the next token
	rawData    bool       // whether those characters are a script of structured data
	dataLeft   int        // bytes of structured data that may still be read
	modifiedBy dateSource // the source of facts.Modified
	titleSeen  bool
	inLink     uint32 // the number of the open link, or 0
	linkCount  uint32

	stack    stack
	text     text
	links    hrefs
	images   hrefs
	pictures []picture
	decoded  []byte
}

// readers are the readers not in use.
var readers = sync.Pool{New: func() any { return new(reader) }}

// maxKept bounds the buffers of a reader that is reused, in bytes.
const maxKept = 4 << 20

func read(body []byte, opts Options, headOnly bool) Facts {
	r := readers.Get().(*reader)
	r.reset(toUTF8(body, opts), opts, headOnly)
	r.run()
	r.finish()
	f := r.facts
	r.scan.reset(nil)
	r.facts, r.pictures = Facts{}, nil
	if cap(r.text.buf)+cap(r.links.buf)+cap(r.images.buf)+cap(r.decoded)+cap(r.scan.attrs.buf) <= maxKept {
		readers.Put(r)
	}
	return f
}

func (r *reader) reset(body []byte, opts Options, headOnly bool) {
	r.scan.reset(body)
	r.facts = Facts{}
	if opts.Extensions && !headOnly {
		r.facts.Media = new(Media)
	}
	r.headOnly = headOnly
	r.xhtml = isMediaType(opts.ContentType, "application/xhtml+xml")
	r.inHead, r.headShut, r.tail = true, false, headTail
	r.raw, r.rawData, r.titleSeen = unknown, false, false
	r.dataLeft, r.modifiedBy = maxData, dateNowhere
	r.inLink, r.linkCount = 0, 0
	r.stack.reset()
	r.text.reset()
	r.links.reset()
	r.images.reset()
}

// isMediaType reports whether the value of a header or an attribute has a media
// type, in any case and with any parameters.
func isMediaType(value, name string) bool {
	typ, _, _ := strings.Cut(value, ";")
	return strings.EqualFold(strings.TrimSpace(typ), name)
}

// run reads tokens to the end of the page, or as far as Head reads.
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

// finish fills in the facts that are known at the end of the page.
func (r *reader) finish() {
	f := &r.facts
	f.HeadSeen = !r.inHead
	if r.headOnly {
		return
	}
	r.text.cut()
	main := r.text.main()
	f.Blocks = r.text.blocks(main)
	f.MainHash = r.text.hash(main)
	f.Links = r.links.links(main)
	f.Images = r.images.sources(main)
	r.finishMedia(main)
}

func (r *reader) startTag() {
	r.raw, r.rawData = unknown, false
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

// attributes reads the attributes of a start tag and returns the traits that they give its element.
func (r *reader) attributes(el element, in trait) trait {
	t := &r.scan.attrs
	if t.have == 0 && traits[el]&open != 0 {
		return 0
	}
	switch el {
	case elA, elArea:
		r.link(el, t, in)
	case elImg:
		r.image(t, in)
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
		r.rawData = !r.headOnly && in&inert == 0 && isMediaType(string(t.get(attrType)), "application/ld+json")
	default:
		return givenTraits(t)
	}
	return 0
}

// consentTools are the first letters of the ids and classes that common consent tools give their
// containers.
var consentTools = [...]string{
	"onetrust-", "ot-sdk-", "cybotcookiebot", "usercentrics-", "didomi-", "qc-cmp2-", "truste-", "cmplz-", "cookie-law-info-", "cky-consent",
	"borlabscookie", "iubenda-cs-", "klaro", "cookiescript_", "termly-", "sp_message_container", "cmpbox", "cc-window", "hs-eu-cookie",
}

// isConsent reports whether an id or a class belongs to a tool that asks for consent.
func isConsent(name []byte) bool {
	for _, tool := range consentTools {
		if len(name) >= len(tool) && name[0]|0x20 == tool[0] && isName(name[:len(tool)], tool) {
			return true
		}
	}
	return false
}

// givenTraits returns the traits that the attributes role, hidden, id and class give.
func givenTraits(t *tag) trait {
	var given trait
	if t.has(attrHidden) && !strings.EqualFold(string(t.get(attrHidden)), "until-found") {
		given = noText | inert
	}
	if isConsent(t.get(attrID)) || isConsent(t.get(attrClass)) {
		given |= furniture
	}
	if len(t.get(attrRole)) == 0 {
		return given
	}
	switch strings.ToLower(strings.TrimSpace(string(t.get(attrRole)))) {
	case "main":
		given |= inMain
	case "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog":
		given |= furniture
	}
	return given
}

func (r *reader) endTag() {
	r.raw, r.rawData = unknown, false
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
	el, isJSON := r.raw, r.rawData
	r.raw, r.rawData = unknown, false
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

// rawCharacters takes the characters of an element that cannot contain elements.
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
		r.data(s)
	case (in|traits[el])&noText == 0 && !r.headOnly:
		r.text.add(s, place, in|traits[el]&inherited, r.inLink)
		r.text.cut()
	}
}
