package html

import (
	"bytes"
	"math"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// reader reads one page.
type reader struct {
	z     *html.Tokenizer
	facts Facts

	xhtml      bool // whether a slash ends an element
	inNoscript bool // z reads the inside of a noscript element
	head       head

	raw  *element // the element whose characters are the next token, or nil
	json bool     // whether those characters are a script of structured data
	runs bool     // whether a browser runs them

	dataLeft int // bytes of structured data that may still be read
	stack    stack
	tag      tag
	text     text
	forms    forms
	leads    string // where the first script that does nothing but lead on leads, "" for nowhere
	links    links
	pictures []picture
}

// forms are the forms of the page.
type forms struct {
	count  int      // how many were read
	open   Search   // the open form, as its fields have it
	keeps  bool     // the open form leads to no address with what was typed: it posts, or closes a dialog
	asks   int      // how much the open form asks for besides a password
	asking []asking // the forms that ask for a password
}

// asking is a form that asks for a password.
type asking struct {
	form   int  // its number, 0 for none
	beside bool // it stands beside what the page is for
	signUp bool // the password is chosen there, or typed twice, or the form asks for more than a log-in needs
}

// registers is how many fields besides the password a form has that registers somebody: more than a company and a name.
const registers = 3

// head is how far the head was read.
type head struct {
	open bool // the body has not begun
	shut bool // its end tag was read; until the body begins, head elements still belong to it
	only bool // Head reads no further than tail
	tail int  // bytes that Head may still read after it
}

func read(body []byte, opts Options, headOnly bool) Facts {
	r := &reader{dataLeft: maxData, head: head{open: true, only: headOnly, tail: headTail},
		xhtml: isMediaType(opts.ContentType, "application/xhtml+xml")}
	r.run(toUTF8(body, opts))
	r.finish()
	return r.facts
}

// isMediaType reports whether the value of a header or an attribute has a media
// type, in any case and with any parameters.
func isMediaType(value, name string) bool {
	typ, _, _ := strings.Cut(value, ";")
	return strings.EqualFold(strings.TrimSpace(typ), name)
}

// run reads tokens to the end of the page, or as far as Head reads. The tokenizer holds one token
// in memory, which is at most as long as the page.
func (r *reader) run(page []byte) {
	r.z = html.NewTokenizer(bytes.NewReader(page))
	for {
		token := r.z.Next()
		size := len(r.z.Raw())
		switch token {
		case html.ErrorToken:
			return
		case html.TextToken:
			r.characters()
		case html.StartTagToken, html.SelfClosingTagToken:
			r.startTag(token == html.SelfClosingTagToken)
		case html.EndTagToken:
			r.endTag()
		}
		if r.head.only && !r.head.open {
			if r.head.tail -= size; r.head.tail < 0 {
				return
			}
		}
	}
}

// finish fills in the facts that are known at the end of the page.
func (r *reader) finish() {
	f := &r.facts
	f.HeadSeen = !r.head.open
	r.text.end()
	main := r.text.main()
	if f.Modified.IsZero() {
		f.Modified = dataModified(f.Things)
	}
	r.titled()
	f.Blocks, f.Beside = finished(r.text.blocks, main), finished(r.text.beside, main)
	f.MainHash = mainHash(f.Blocks)
	r.logIn(main)
	if f.Refresh.Href == "" && r.leads != "" && !r.head.only && f.Letters() == 0 {
		f.Refresh = Refresh{Href: r.leads, Now: true, Script: true}
	}
	f.Links = r.links.list(main)
	f.Pictures = r.mainPictures(main)
}

// logIn fills in what the page asks of who wants to log in.
func (r *reader) logIn(main trait) {
	f := &r.facts
	for _, a := range r.forms.asking {
		if !a.signUp && (!a.beside || main == inPage) {
			f.LogIn.Forms++
		}
	}
	if f.LogIn.Forms > 0 {
		f.LogIn.Brief, f.LogIn.Text = f.Brief(), f.MainHash
	}
}

func (r *reader) startTag(selfClosing bool) {
	r.raw, r.json = nil, false
	name, more := r.z.TagName()
	el := elementOf(name)
	t := el.traits
	if t&block != 0 {
		r.text.cut()
		r.stack.imply(el)
	}
	_, in := r.stack.top()
	if r.head.open && in&noText == 0 && (t&inHead == 0 || r.head.shut && el.name == "noscript") {
		r.head.open = false
	}
	if (el.name == "html" || el.name == "title") && in&(noText|inert) == 0 {
		r.facts.Document = true
	}
	if t&(described|open) != 0 {
		r.tag.read(r.z, more)
		t |= r.attributes(el, in)
	}
	switch {
	case selfClosing && (r.xhtml || t&foreign != 0 || t&raw != 0 && in&foreign != 0):
		r.z.NextIsNotRawText()
	case t&raw != 0:
		r.raw = el
	case t&open != 0:
		r.stack.push(el, t)
		switch {
		case el.name != "noscript":
		case r.inNoscript:
			r.z.NextIsNotRawText()
		default: // all up to its end tag is one token, as in browsers with scripts: nothing in it reaches beyond
			r.raw = el
		}
	}
}

// noscript reads the inside of a noscript element.
func (r *reader) noscript(inside []byte) {
	z, open := r.z, r.stack
	r.inNoscript = true
	r.run(inside)
	r.inNoscript, r.z, r.stack, r.raw = false, z, open, nil
}

// attributes reads the attributes of a start tag and returns the traits that they give its element.
func (r *reader) attributes(el *element, in trait) trait {
	t := r.tag
	switch el.name {
	case "a", "area":
		r.link(el, t, in)
	case "img":
		r.image(t, in)
	case "iframe", "source":
		r.film(el, t, in)
	case "video":
		r.film(el, t, in)
		return givenTraits(t)
	case "meta":
		r.meta(t, in)
	case "link":
		if r.head.open && in&(noText|inert) == 0 {
			r.headLink(t)
		}
	case "base":
		r.base(t, in)
	case "html":
		r.lang(t)
	case "input":
		r.input(t, in)
	case "form":
		method := strings.ToLower(string(t.get("method")))
		r.forms.count++
		r.forms.keeps, r.forms.asks = method == "post" || method == "dialog", 0
		r.forms.open = Search{Action: strings.TrimSpace(string(t.get("action"))), Form: r.forms.count}
		return givenTraits(t)
	case "script":
		r.json = in&inert == 0 && isMediaType(string(t.get("type")), "application/ld+json")
		r.runs = in&(noText|inert) == 0 && !t.has("src") && runnable.Match(t.get("type"))
	default:
		return givenTraits(t)
	}
	return 0
}

// input reads a field of a form.
func (r *reader) input(t tag, in trait) {
	typ, fills := strings.ToLower(string(t.get("type"))), strings.ToLower(string(t.get("autocomplete")))
	if in&inert == 0 && (typ == "password" || strings.HasSuffix(fills, "-password")) { // or it shows what is typed
		chosen := strings.HasSuffix(fills, "new-password")
		here, all := asking{r.forms.open.Form, in&beside != 0, chosen}, r.forms.asking
		if n := len(all); n > 0 && all[n-1].form == here.form && all[n-1].beside == here.beside {
			all[n-1].signUp = true
		} else if n < maxSearches {
			r.forms.asking = append(all, here)
		}
		if strings.HasSuffix(fills, "current-password") {
			r.forms.asks = math.MinInt32 // who has a password does not register
		}
	} else if in&inert == 0 && r.forms.open.Form != 0 {
		r.forms.asks += asksFor(typ, fills, t)
	}
	if all := r.forms.asking; r.forms.asks >= registers && len(all) > 0 && all[len(all)-1].form == r.forms.open.Form {
		all[len(all)-1].signUp = true
	}
	if name := t.get("name"); !r.forms.keeps && len(name) > 0 && (typ == "" || typ == "text" || typ == "search") &&
		len(r.facts.Searches) < maxSearches {
		field := r.forms.open
		field.Name, field.Typed = string(name), typ == "search"
		r.facts.Searches = append(r.facts.Searches, field)
	}
}

// asksFor returns 1 for a field that a visitor fills in beside a password, else 0. fills is its autocomplete.
func asksFor(typ, fills string, t tag) int {
	switch typ {
	case "", "text", "email", "tel", "url", "date", "number":
		if !strings.HasSuffix(fills, "one-time-code") { // the second factor of a log-in
			return 1
		}
	case "checkbox":
		if t.has("required") { // terms; to be remembered is a choice
			return 1
		}
	}
	return 0
}

// consentTools are the first letters of the ids and classes that common consent tools give their
// containers.
var consentTools = [...]string{
	"onetrust-", "ot-sdk-", "cybotcookiebot", "usercentrics-", "didomi-", "qc-cmp2-", "truste-", "cmplz-",
	"cookie-law-info-", "cky-consent",
	"borlabscookie", "iubenda-cs-", "klaro", "cookiescript_", "termly-", "sp_message_container", "cmpbox", "cc-window",
	"hs-eu-cookie",
}

// isConsent reports whether an id or a class belongs to a tool that asks for consent.
func isConsent(name []byte) bool {
	for _, tool := range consentTools {
		if len(name) >= len(tool) && name[0]|0x20 == tool[0] && strings.EqualFold(string(name[:len(tool)]), tool) {
			return true
		}
	}
	return false
}

// givenTraits returns the traits that the attributes role, hidden, id and class give.
func givenTraits(t tag) (given trait) {
	if t.has("hidden") && !strings.EqualFold(string(t.get("hidden")), "until-found") {
		given = noText | inert
	}
	if t.has("popover") || strings.EqualFold(string(t.get("aria-hidden")), "true") || displaysNothing(t.get("style")) {
		given |= beside
	}
	if isConsent(t.get("id")) || isConsent(t.get("class")) {
		given |= boilerplate
	}
	switch strings.ToLower(strings.TrimSpace(string(t.get("role")))) {
	case "main":
		given |= inMain
	case "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog":
		given |= boilerplate | beside
	}
	return given
}

// displaysNothing reports whether a style hides an element until a script shows it.
func displaysNothing(style []byte) bool {
	return len(style) > 0 && strings.Contains(strings.ToLower(strings.Join(strings.Fields(string(style)), "")),
		"display:none")
}

func (r *reader) endTag() {
	r.raw, r.json = nil, false
	name, _ := r.z.TagName()
	el := elementOf(name)
	switch string(name) {
	case "a":
		r.text.link, r.text.inLink = 0, false
	case "form":
		r.forms.open, r.forms.keeps, r.forms.asks = Search{}, false, 0
	case "head", "body", "html", "br":
		if _, in := r.stack.top(); in&noText != 0 {
			break
		}
		r.head.shut = true
		r.head.open = r.head.open && el.name == "head"
	}
	if el.traits&block != 0 {
		r.text.cut()
	}
	if el.traits&open != 0 {
		r.stack.end(el)
	}
}

// characters takes a text token.
func (r *reader) characters() {
	el, isJSON := r.raw, r.json
	r.raw, r.json = nil, false
	place, in := r.stack.top()
	switch {
	case el != nil && el.name == "noscript":
		r.noscript(r.z.Raw())
	case el != nil && el.name == "title":
		if in&(noText|inert) == 0 {
			r.title(r.z.Text())
		}
	case isJSON:
		r.structured(r.z.Text())
	case el != nil && el.name == "script":
		if said := leading.FindSubmatch(r.z.Raw()); r.runs && r.leads == "" && said != nil {
			if to := trimHref(slices.Concat(said[1], said[2])); len(to) <= maxHref && IsWeb(string(to)) {
				r.leads = string(to)
			}
		}
	case el != nil:
		if in |= el.traits; in&noText == 0 {
			r.text.add(r.z.Text(), place, in)
			r.text.cut()
		}
	case in&noText == 0:
		s := r.z.Text()
		if r.head.open { // there is only white space in the head
			characters, _ := appendCollapsed(nil, s, false)
			r.head.open = len(characters) == 0
		}
		for in&lines != 0 && bytes.IndexByte(s, '\n') >= 0 {
			line, rest, _ := bytes.Cut(s, []byte("\n"))
			r.text.add(line, place, in)
			r.text.endLine()
			s = rest
		}
		r.text.add(s, place, in)
	}
}

// toUTF8 returns body in UTF-8 without a byte order mark. It finds the encoding in this order, as
// the Encoding and HTML standards do: a byte order mark, the header, UTF-8 if the bytes are valid
// in it, a meta element in the first 1,024 bytes, windows-1252. Bytes with escape sequences are ISO-2022-JP, not
// UTF-8. Invalid bytes become U+FFFD. An unknown encoding is read as UTF-8.
func toUTF8(body []byte, opts Options) []byte {
	_, params, _ := mime.ParseMediaType(opts.ContentType) // a malformed type has no parameters
	if params["charset"] != "" || !utf8.Valid(body) || bytes.IndexByte(body, 0x1B) >= 0 {
		e, name, _ := charset.DetermineEncoding(body, opts.ContentType)
		if name != "utf-8" && name != "replacement" {
			if out, err := e.NewDecoder().Bytes(body); err == nil {
				body = out
			}
		}
	}
	return bytes.TrimPrefix(body, []byte("\ufeff"))
}

// maxAttributes is how many attributes of a tag are read.
const maxAttributes = 1000

// tag holds the attributes of one start tag. They are valid until the next token.
type tag []attribute

type attribute struct{ name, value []byte }

// read takes the attributes of the tokenizer's start tag. more says that there are any.
func (t *tag) read(z *html.Tokenizer, more bool) {
	*t = (*t)[:0]
	for more && len(*t) < maxAttributes {
		var a attribute
		a.name, a.value, more = z.TagAttr()
		*t = append(*t, a)
	}
}

// find returns the first attribute with a name, or nil.
func (t tag) find(name string) *attribute {
	for i := range t {
		if string(t[i].name) == name {
			return &t[i]
		}
	}
	return nil
}

func (t tag) has(name string) bool { return t.find(name) != nil }

// get returns the value of an attribute, which is empty if it is absent.
func (t tag) get(name string) []byte {
	if a := t.find(name); a != nil {
		return a.value
	}
	return nil
}
