// Package html reads an HTML page and reports what is written in it: its title, canonical location,
// robots rules, date, links, images and blocks of text. It also reads the headers X-Robots-Tag and
// Link. It works on the page's tokens and builds no tree. So time grows with the page's length and
// memory is bounded, whatever a stranger wrote.
//
// It must never fail, keep or change its input, resolve a reference or decide what may be listed.
// All functions are safe for concurrent use.
package html

import "time"

// How much is kept of one page. The rest is left out.
const (
	maxTitle      = 300       // bytes of the title
	maxHref       = 2048      // bytes of one href or src
	MaxLinks      = 5000      // distinct links that are read
	maxImages     = 1000      // images
	maxAlternates = 200       // hreflang alternates
	maxBlocks     = 20_000    // blocks of text; the last one takes all further text
	maxSearches   = 20        // names of fields
	maxMetas      = 20        // meta elements with rules
	maxDepth      = 512       // open elements, as many as a browser keeps
	maxData       = 256 << 10 // bytes of structured data read per page
	headTail      = 4 << 10   // bytes that Head reads after the head
)

// Options says what is known about a page before it is read.
type Options struct {
	// ContentType is the value of the Content-Type header; empty means text/html. The encoding is
	// that of a byte order mark, or else of its charset parameter. Without either, the page is
	// UTF-8 if its bytes are valid in it, else what a meta element says, else windows-1252. With
	// application/xhtml+xml, a slash ends an element.
	ContentType string
}

// LogIn is what a page asks of somebody who wants to log in.
type LogIn struct {
	// Forms counts the forms to log in by a password, not to choose one. A form in a menu or a dialog counts only if the
	// page has no other content.
	Forms int
	Brief bool   // the page says little besides
	Text  uint64 // the page's MainHash
}

// Facts is what the HTML of a page says. The zero value of a field means that
// the page does not say it.
type Facts struct {
	// Document says that the page has an html or a title element. A fragment that a script inserts
	// into a page has neither.
	Document bool
	// HeadSeen says that the whole head was read, to where the body begins. If it is false, a rule
	// or a canonical location may be in bytes that were not given, or that a failing template never
	// wrote.
	HeadSeen bool
	LogIn    LogIn
	Searches []Search  // the fields of text in forms that lead to an address with what was typed, at most 20
	Language string    // language tag of the html element
	Title    string    // of the first title element, white space collapsed, at most 300 bytes
	Modified time.Time // the article:modified_time of a meta element, else the latest dateModified of structured data
	Rules
	Metas []RobotRule // of its meta elements, also those that do not count; at most 20
	References
	Text
	Things []Thing // of the structured data (JSON-LD)
}

// Search is a field of text in a form that leads to an address with what was typed.
type Search struct {
	Name   string
	Action string // the form's action, "" if it gives none
	Form   int    // the form's number on the page, from 1, 0 for a field in none
	Typed  bool   // its type is search
}

// Rules are the rules for robots.
type Rules struct {
	// NoIndex and NoFollow are set if any meta element says so, anywhere in the page but in a template, for robots in
	// general or for one that may be of a search engine.
	NoIndex, NoFollow bool
	// UnavailableAfter is the earliest time that unavailable_after gives.
	UnavailableAfter time.Time
}

// References are the locations that a page names. All are as written, but without white space
// around them. They are relative or have http or https, and are at most 2,048 bytes long.
type References struct {
	Base      string // href of the first base element, of any scheme
	Refresh   Refresh
	Canonical string // href of the first rel=canonical in the head
	// CanonicalConflict says that the head names several canonical locations. None of them can be
	// trusted.
	CanonicalConflict bool
	Alternates        []Alternate // hreflang alternates of the head, in document order, at most 200
	Links             []Link      // distinct links in document order, at most 5,000
	Pictures          []Picture   // of the main text, at most 1,000
}

// Link is an a or area element, or a link element of the head that leads readers to another page, such as the next one.
type Link struct {
	Href string
	// NoFollow says that every link of the page to Href is marked nofollow,
	// ugc or sponsored.
	NoFollow bool
	Main     bool // whether one of the links to Href is in the main text
	// Acts says that a script turns a link to Href into another request than a visit, as
	// data-method=delete does, or asks the visitor to confirm it.
	Acts bool
}

// Alternate is a version of the page in another language.
type Alternate struct {
	Lang string // the hreflang as written: a language tag or x-default
	Href string
}

// Text is what a page shows. Its main text is the first of these that holds at least an eighth of
// the body's text: <main> or role=main, <article>, all but boilerplate, everything.
type Text struct {
	// Blocks holds all visible text in document order, cut where block-level elements begin and
	// end.
	Blocks []Block
	// Beside has what the page shows beside its text: the parts of its title, such as the name of
	// the site, and the pictures and videos.
	Beside []Block
	// MainHash is the XXH3 hash of the main text: its blocks' texts joined by spaces. It does not
	// depend on where blocks begin and end. It is zero if there is no text.
	MainHash uint64
}

// Block is a run of visible text that no block-level element interrupts.
type Block struct {
	// Place is a hash of the names of the block-level elements around the text, from the outermost
	// to the innermost. Siblings share a place. It is the same in every release.
	Place uint64
	Hash  uint64 // XXH3 hash of Text
	Text  string // white space collapsed, never empty
	Main  bool   // whether it belongs to the main text
	// Boilerplate says that the block is in a nav, header, footer, aside, form, dialog, select,
	// button or textarea, in an element with such a role, or in a common tool's request for
	// consent. Main text inside <main> and <article> may be boilerplate too.
	Boilerplate bool
	Cell        bool // whether it is in a cell of a table
	Heading     bool // whether it is a heading, or of the title
	Beside      bool // whether it is of the title, or Text is the name of the file of a picture or a video
	// Repeats says that a block of the text says the same, and that this one is of the title, or consists of links to
	// parts of the page, as in a box of contents.
	Repeats bool
	Links   int // how many links it consists of; 0 if some of its text is in none
}

// Read reads a whole page.
func Read(body []byte, opts Options) Facts { return read(body, opts, false) }

// Head reads a page's head and a little more, for when a full reading costs too much. If HeadSeen is
// set, the canonical location and the alternates are the same as from Read. It misses what stands deeper in the body,
// such as robots rules.
func Head(body []byte, opts Options) Facts { return read(body, opts, true) }
