// Package page reads what an HTML page says: its title, canonical location,
// robots rules, dates, links, images and blocks of text. It works on the
// tokens of the page and builds no tree, so time grows with the length of the
// page and memory is bounded, whatever a stranger wrote into it.
//
// All functions are safe for concurrent use. None of them keeps or changes the
// bytes it is given.
package page

import "time"

// The bounds of what is kept of one page. What exceeds them is left out.
const (
	maxTitle      = 300       // bytes of the title
	maxHref       = 2048      // bytes of one href or src
	maxLinks      = 5000      // distinct links
	maxImages     = 1000      // distinct images
	maxAlternates = 200       // hreflang alternates
	maxBlocks     = 20_000    // blocks of text; the last one takes the rest
	maxDepth      = 1024      // open elements
	maxDepthAll   = 2048      // open elements, with those that decide a region
	maxJSONLD     = 256 << 10 // bytes of structured data read per page
	headTail      = 4 << 10   // bytes read by Head after the head
)

// Options says what is known about the bytes of a page.
type Options struct {
	// ContentType is the value of the Content-Type header. A byte order mark
	// decides the encoding, else its charset parameter; without one, the page is
	// UTF-8 where its bytes are valid in it, and else what a meta element says
	// or windows-1252. The type application/xhtml+xml lets a slash end an
	// element. Empty means text/html.
	ContentType string
	// Truncated says that the bytes are only the beginning of the page.
	Truncated bool
	// Extensions asks Read for the facts that extensions of sitemaps are made
	// of: MainImages, News and Videos.
	Extensions bool
}

// Facts is what the HTML of a page says. The zero value of a field means that
// the page does not say it.
type Facts struct {
	// Document says that the page has an html or a title element. What a script
	// fetches to put it into a page has neither.
	Document bool

	Lang      string // primary language of the html element, in lower case, such as "en"
	Title     string // of the first title element, white space collapsed, at most 300 bytes
	Canonical string // href of the first rel=canonical in the head, as written; http, https or relative
	// CanonicalConflict says that the head names several different canonical
	// locations. None of them can be trusted.
	CanonicalConflict bool
	Base              string // href of the first base element, as written
	Refresh           string // target of a meta refresh, as written

	// NoIndex and NoFollow are set if any meta element says so to robots in
	// general or to a well-known one, wherever it stands.
	NoIndex, NoFollow bool
	// UnavailableAfter is the earliest instant given by unavailable_after.
	UnavailableAfter time.Time

	// HeadSeen says that the head was read to where the body begins. If it is
	// false, a rule or a canonical location may follow in bytes that were not
	// given, or that a template which failed did not come to write.
	HeadSeen bool
	// Truncated repeats Options.Truncated: text, links and images are those of
	// the beginning of the page.
	Truncated bool

	Modified       time.Time  // when the page says it was modified; a date without a zone is taken as UTC
	ModifiedSource DateSource // who said so
	Published      time.Time  // when the page says it was published

	Alternates []Alternate // hreflang alternates of the head, in document order, at most 200
	Links      []Link      // distinct links in document order, at most 5,000
	Images     []string    // distinct img sources in the main text, as written, at most 1,000
	Password   bool        // whether the page has a password field

	// Blocks holds all visible text in document order, cut where block-level
	// elements begin and end.
	Blocks []Block
	// Region says where the main text was found.
	Region Region
	// VisibleHash and MainHash are XXH3 hashes of all visible and of the main
	// text: the texts of the blocks joined by spaces. Where a text is cut into
	// blocks does not alter them. They are zero if there is no such text.
	VisibleHash, MainHash uint64
	// MainImages, News and Videos are left out unless Options.Extensions asks for
	// them. References in them are as written: absolute or relative to Base or
	// the page, with the scheme http or https or none, not empty, at most 2,048
	// bytes.

	// MainImages are the distinct images of the main text in document order, each
	// in the largest form that the page offers, at most 100. Icons and tracking
	// pixels that state their size, and embedded data, are left out.
	MainImages []string
	// News is set if the page is one article with a headline and a date.
	News *News
	// Videos are those of the structured data, or else the one that the Open
	// Graph describes, at most 16.
	Videos []Video

	// DataHash is a hash of what the structured data (JSON-LD) say, but for
	// their dates and counts, zero if there are none. The order of what they
	// say does not alter it.
	DataHash uint64
}

// Link is an a or area element that leads to an http or https location.
type Link struct {
	Href string // as written, white space removed; at most 2,048 bytes
	// NoFollow says that every link of the page to Href is marked nofollow,
	// ugc or sponsored.
	NoFollow bool
	Main     bool // whether one of the links to Href is in the main text
}

// Alternate is the page in another language.
type Alternate struct {
	Lang string // the hreflang as written: a language tag or x-default
	Href string // as written
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
	// select, button or textarea, or in an element with such a role. Main text
	// inside <main> and <article> may be furniture too.
	Furniture bool
	Links     int // how many links it consists of, 0 if some of it is in none
}

// Region says which part of a page is its main text. The first one of these
// that has any text is taken.
type Region uint8

// The regions, in order of preference.
const (
	RegionNone    Region = iota // the page has no visible text
	RegionMain                  // in <main> or role=main
	RegionArticle               // in an <article>
	RegionBody                  // everything but furniture
	RegionAll                   // everything
)

// DateSource says where a page states its date of modification.
type DateSource uint8

// The sources, in order of preference.
const (
	DateNone   DateSource = iota // nowhere
	DateMeta                     // article:modified_time
	DateJSONLD                   // dateModified of structured data
	DateName                     // last-modified, dcterms.modified and their kin
	DateOG                       // og:updated_time
)

// Read reads a whole page. It never fails: what cannot be understood is not
// among the facts.
func Read(body []byte, opts Options) Facts {
	return read(body, opts, false)
}

// Head reads the head of a page and a little after it, for looks that cannot
// afford a full reading. Its facts are whether it is a document, the language, the title, the canonical location, the
// base, the alternates, the refresh and the robots rules; all else is zero. If
// HeadSeen is set, the canonical location and the alternates are those of Read.
// What stands deep in the body, where robots rules count too, is left to Read.
func Head(body []byte, opts Options) Facts {
	return read(body, opts, true)
}
