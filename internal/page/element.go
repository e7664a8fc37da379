package page

import "strings"

// element is an element that the reader knows: its index in known.
type element uint8

// unknown stands for all other elements, which are inline elements without meaning.
const unknown element = 0

// known holds the elements that the reader knows.
var known [256]struct {
	name   string
	traits trait
}

func (e element) name() string { return known[e].name }

func (e element) traits() trait { return known[e].traits }

// trait is what an element means for reading.
type trait uint32

const (
	block     trait = 1 << iota // the text is cut where it begins and ends
	open                        // it is kept on the stack of open elements
	endsP                       // an open p ends where it begins
	scope                       // end tags inside it do not close elements outside
	inMain                      // its text is main text
	inArticle                   // its text is an article's
	furniture                   // its text is furniture
	noText                      // its text is not visible
	inert                       // nothing in it counts as part of the page
	raw                         // it holds characters and no elements
	inHead                      // it may stand in the head
	heading                     // its text is a heading
	reads                       // the reader needs its attributes

	// These say which elements end where others begin; see implied.
	paragraph
	item
	list
	term
	terms
	cell
	tableRow
	tableRows
	caption
	table

	// elements inside have these traits too
	inherited = inMain | inArticle | furniture | noText | inert | heading
	container = block | open | endsP
)

// elementTraits lists the elements that the reader knows.
var elementTraits = [...]struct {
	traits trait
	names  string
}{
	{container, "address blockquote center details div fieldset figcaption figure hgroup legend pre search section summary"},
	{container | heading, "h1 h2 h3 h4 h5 h6"},
	{container | paragraph, "p"},
	{container | item, "li"},
	{container | list, "menu ol ul"},
	{container | term, "dd dt"},
	{container | terms, "dl"},
	{container | inMain, "main"},
	{container | inArticle, "article"},
	{container | furniture, "aside dialog footer form header nav"},
	{container | scope | table, "table"},
	{block | open | scope | caption, "caption"},
	{block | open | tableRows, "thead tbody tfoot"},
	{block | open | tableRow, "tr"},
	{block | open | scope | cell, "td th"},
	{block | open | furniture, "button select"},
	{block, "br option optgroup"},
	{block | endsP, "hr"},
	{open, "math"},
	{open | noText, "audio canvas datalist svg video"},
	{open | noText | inHead, "noscript"},
	{open | noText | inert | scope | table | inHead, "template"},
	{raw | noText, "iframe noembed"},
	{raw | noText | inHead, "noframes style title"},
	{raw | noText | inHead | reads, "script"},
	{raw | block, "plaintext"},
	{raw | block | furniture, "textarea"},
	{raw | block | endsP, "xmp"},
	{inHead, "head"},
	{inHead | reads, "base html link meta"},
	{reads, "a area img image"},
	{0, "body"},
}

// implied says which open elements end where an element begins: an item ends at the next item of
// its list. No element ends outside of the innermost one that has a trait of within.
var implied = [...]struct{ begins, ends, within trait }{
	{endsP, paragraph, scope},
	{item, item, scope | list},
	{term, term, scope | terms},
	{cell, cell, table},
	{tableRow, tableRow | caption, table},
	{tableRows, tableRows | caption, table},
}

// elements finds an element by its name. It is an open-addressed hash table because every tag of a
// page is looked up.
var elements [512]element

func init() {
	last := unknown
	for _, e := range elementTraits {
		for name := range strings.FieldsSeq(e.names) {
			i := elementSlot([]byte(name))
			for elements[i] != unknown {
				i = (i + 1) % len(elements)
			}
			last++
			elements[i] = last
			known[last].name, known[last].traits = name, e.traits
		}
	}
}

func elementSlot(name []byte) int {
	n := len(name)
	return (n*37 + int(name[0]|0x20)*5 + int(name[n/2]|0x20)*19 + int(name[n-1]|0x20)*83) % len(elements)
}

// elementOf returns the element with a name, in any case.
func elementOf(name []byte) element {
	for i := elementSlot(name); ; i = (i + 1) % len(elements) {
		if e := elements[i]; e == unknown || isName(name, e.name()) {
			return e
		}
	}
}

// isName reports whether name, in any case, equals lower.
func isName(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, c := range name {
		if c != lower[i] && (c < 'A' || 'Z' < c || c+'a'-'A' != lower[i]) {
			return false
		}
	}
	return true
}

// placeIn returns the place of what is inside an element of that name at a place. It is the FNV-1a
// hash (draft-eastlake-fnv, 64 bits) of the names from the outermost to the innermost.
func placeIn(place uint64, name []byte) uint64 {
	const prime = 1099511628211
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		place = (place ^ uint64(c)) * prime
	}
	return (place ^ '/') * prime
}

// rootPlace is the place outside of all elements: the offset basis of FNV-1a.
const rootPlace uint64 = 14695981039346656037
