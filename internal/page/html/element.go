package html

import "strings"

// element is an element that the reader knows. It treats all others as inline elements without
// meaning.
type element struct {
	name   string
	traits trait
	// Elements with a trait of ends are closed where this one begins, as an item is at the next item. The search for them
	// goes no further out than to an element with a trait of within.
	ends, within trait
}

// trait is what an element means for reading.
type trait uint32

const (
	block       trait = 1 << iota // the text is cut where it begins and ends
	open                          // it is kept on the stack of open elements
	endsP                         // an open p ends where it begins
	scope                         // end tags inside it do not close elements outside
	inMain                        // its text is main text
	inArticle                     // its text is an article's
	boilerplate                   // its text is boilerplate
	beside                        // it stands beside what the page is for, as a menu and a dialog do
	noText                        // its text is not visible
	inert                         // nothing in it counts as part of the page
	raw                           // it holds characters and no elements
	inHead                        // it may stand in the head
	heading                       // its text is a heading
	described                     // the reader needs its attributes
	foreign                       // a slash ends it, and any raw element in it
	lines                         // the text is cut where its longer lines end

	// parts of lists and tables
	paragraph
	item
	list
	cell
	tableRow
	rowGroup
	table

	// traits of a region
	inBody // it is neither boilerplate nor hidden
	inPage // all regions have it

	// elements inside have these traits too
	inherited = inMain | inArticle | boilerplate | beside | noText | inert | heading | foreign | cell | lines
	container = block | open | endsP
	inTable   = cell | tableRow | rowGroup | table
)

// elements are the elements that the reader knows, by name.
var elements = func() map[string]*element {
	byName := make(map[string]*element)
	for _, kind := range [...]struct {
		names string
		element
	}{
		{"a area base html iframe img image input link meta script source", element{traits: described}},
		{"address blockquote center details div fieldset figcaption figure hgroup legend search section summary",
			element{traits: container}},
		{"h1 h2 h3 h4 h5 h6", element{traits: container | heading}},
		{"pre", element{traits: container | lines}},
		{"p", element{traits: container | paragraph}},
		{"ol ul menu dl", element{traits: container | list}},
		{"li dd dt", element{traits: container | item, ends: item, within: scope | list}},
		{"main", element{traits: container | inMain}},
		{"article", element{traits: container | inArticle}},
		{"form", element{traits: container | boilerplate}},
		{"aside dialog footer header nav", element{traits: container | boilerplate | beside}},
		{"table", element{traits: container | scope | table}},
		{"caption", element{traits: block | open}},
		{"td th", element{traits: block | open | scope | cell, ends: cell, within: scope}},
		{"tr", element{traits: block | open | tableRow, ends: cell | tableRow, within: scope}},
		{"thead tbody tfoot", element{traits: block | open | rowGroup, ends: cell | tableRow | rowGroup, within: scope}},
		{"button select", element{traits: block | open | boilerplate}},
		{"br option optgroup", element{traits: block}},
		{"hr", element{traits: block | endsP}},
		{"math", element{traits: open | foreign}},
		{"svg", element{traits: open | noText | foreign}},
		{"audio canvas datalist video", element{traits: open | noText}},
		{"noscript", element{traits: open | noText | inHead}},
		{"template", element{traits: open | noText | inert | scope | inHead}},
		{"iframe noembed", element{traits: raw | noText}},
		{"noframes script style title", element{traits: raw | noText | inHead}},
		{"plaintext", element{traits: raw | block}},
		{"textarea", element{traits: raw | block | boilerplate}},
		{"xmp", element{traits: raw | block | endsP}},
		{"base head html link meta", element{traits: inHead}},
	} {
		for name := range strings.FieldsSeq(kind.names) {
			el := byName[name]
			if el == nil {
				el = &element{name: name}
				byName[name] = el
			}
			el.traits |= kind.traits
			el.ends |= kind.ends
			el.within |= kind.within
		}
	}
	byName["image"].name = "img" // as browsers read it
	return byName
}()

var unknown = new(element)

// elementOf returns the element of a name in lower case.
func elementOf(name []byte) *element {
	if el := elements[string(name)]; el != nil {
		return el
	}
	return unknown
}

// placeIn returns the place inside an element, given its name and the place at which it stands. It is the FNV-1a hash
// (draft-eastlake-fnv, 64 bits) of the names from the outermost to the innermost.
func placeIn(place uint64, name string) uint64 {
	const prime = 1099511628211
	for i := range len(name) {
		place = (place ^ uint64(name[i])) * prime
	}
	return (place ^ '/') * prime
}

// rootPlace is the place outside of all elements: the offset basis of FNV-1a.
const rootPlace uint64 = 14695981039346656037
