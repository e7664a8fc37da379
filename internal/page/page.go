// Package page reads an HTML page and says what is written in it: its title,
// canonical location, robots rules, date, links, images and blocks of text. It
// also reads the headers X-Robots-Tag and Link. It works on the tokens of the page
// and builds no tree, so the time grows with the length of the page and memory is
// bounded, whatever a stranger wrote into it.
//
// It must never fail, keep or change the bytes it is given, resolve a reference or
// decide what may be listed. All functions are safe for concurrent use.
package page

import "time"

// The bounds of what is kept of one page. Anything beyond them is left out.
const (
	maxTitle      = 300       // bytes of the title
	maxHref       = 2048      // bytes of one href or src
	maxLinks      = 5000      // distinct links
	maxImages     = 1000      // distinct images
	maxAlternates = 200       // hreflang alternates
	maxBlocks     = 20_000    // blocks of text; the last one takes the rest
	maxDepth      = 2048      // open elements
	maxData       = 256 << 10 // bytes of structured data read per page
	headTail      = 4 << 10   // bytes read by Head after the head
)

// Options says what is known about a page before it is read.
type Options struct {
	// ContentType is the value of the Content-Type header. The encoding is that of
	// a byte order mark, or else of its charset parameter. Without either, the
	// page is UTF-8 if its bytes are valid in it, or else what a meta element
	// says, or windows-1252. The type application/xhtml+xml lets a slash end an
	// element. Empty means text/html.
	ContentType string
	// Extensions asks Read for Facts.Media.
	Extensions bool
}

// Facts is what the HTML of a page says. The zero value of a field means that
// the page does not say it.
type Facts struct {
	// Document says that the page has an html or a title element. A fragment that
	// a script puts into a page has neither.
	Document bool
	// HeadSeen says that the head was read to where the body begins. If it is
	// false, a rule or a canonical location may follow in bytes that were not
	// given, or that a failing template never wrote.
	HeadSeen bool
	Lang     string    // primary language of the html element, in lower case, such as "en"
	Title    string    // of the first title element, white space collapsed, at most 300 bytes
	Modified time.Time // when the page says it was modified; a date without a zone is taken as UTC
	Rules
	References
	Text
	Media *Media // nil unless Options.Extensions asks for it
}

// Rules are the rules for robots.
type Rules struct {
	// NoIndex and NoFollow are set if any meta element, anywhere, says so to
	// robots in general or to a well-known one.
	NoIndex, NoFollow bool
	// UnavailableAfter is the earliest instant given by unavailable_after.
	UnavailableAfter time.Time
}

// References are the locations that a page names. All are as written, without
// white space, relative or with http or https, at most 2,048 bytes.
type References struct {
	Base      string // href of the first base element, of any scheme
	Canonical string // href of the first rel=canonical in the head
	// CanonicalConflict says that the head names several different canonical
	// locations. None of them can be trusted.
	CanonicalConflict bool
	Alternates        []Alternate // hreflang alternates of the head, in document order, at most 200
	Links             []Link      // distinct links in document order, at most 5,000
	Images            []string    // distinct img sources in the main text, at most 1,000
}

// Link is an a or area element.
type Link struct {
	Href string
	// NoFollow says that every link of the page to Href is marked nofollow,
	// ugc or sponsored.
	NoFollow bool
	Main     bool // whether one of the links to Href is in the main text
	// Acts says that a script makes of one of the links to Href another request than
	// a visit, as data-method=delete does, or has the visitor confirm it.
	Acts bool
}

// Alternate is the page in another language.
type Alternate struct {
	Lang string // the hreflang as written: a language tag or x-default
	Href string
}

// Text is what a page shows. Its main text is the first of these that holds at least an
// eighth of the body's text: the text in <main> or role=main, in <article>, all but
// furniture, everything.
type Text struct {
	// Blocks holds all visible text in document order, cut where block-level
	// elements begin and end.
	Blocks []Block
	// MainHash is the XXH3 hash of the main text: the texts of its blocks joined
	// by spaces. It does not depend on where the text is cut into blocks. It is
	// zero if there is no text.
	MainHash uint64
	// DataHash is a hash of what the structured data (JSON-LD) say of the content,
	// such as headline, description and price. It does not depend on their order. It
	// is zero if they say nothing of it.
	DataHash uint64
}

// Block is a run of visible text that no block-level element interrupts.
type Block struct {
	// Place is a hash of the names of the block-level elements around the
	// text, from the outermost to the innermost. Siblings share a place. The
	// same elements give the same place in every release.
	Place uint64
	Hash  uint64 // XXH3 hash of Text
	Text  string // white space collapsed, never empty
	Main  bool   // whether it belongs to the main text
	// Furniture says that the block is in a nav, header, footer, aside, form,
	// dialog, select, button or textarea, in an element with such a role, or in what a
	// common tool shows to ask for consent. Main text
	// inside <main> and <article> may be furniture too.
	Furniture bool
	Headline  bool // whether it is a heading in an article
	Links     int  // how many links it consists of, 0 if some of it is in none
}

// Read reads a whole page.
func Read(body []byte, opts Options) Facts { return read(body, opts, false) }

// Head reads the head of a page and a little after it, when a full reading costs
// too much. It leaves out Modified, Links, Images, Text and Media. If HeadSeen is
// set, the canonical location and the alternates are those of Read. Robots rules
// deep in the body, which count too, are left to Read.
func Head(body []byte, opts Options) Facts { return read(body, opts, true) }
