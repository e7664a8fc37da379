package html

import "strings"

// element is an element that the reader knows. It treats all others as inline elements without
// meaning.
type element uint8

// The reader handles these elements by name, not only by their traits.
const (
	unknown element = iota
	elA
	elArea
	elBase
	elBody
	elBr
	elCaption
	elDD
	elDL
	elDT
	elHead
	elHeader
	elHTML
	elImg
	elLI
	elLink
	elMath
	elMenu
	elMeta
	elNoscript
	elOL
	elP
	elPlaintext
	elScript
	elSVG
	elTable
	elTBody
	elTD
	elTemplate
	elTextarea
	elTFoot
	elTH
	elTHead
	elTitle
	elTR
	elUL
	others        // the first element that has only traits
	elements = 88 // room for this many
)

// elementNames are the names of these elements, in the order of the constants.
const elementNames = "a area base body br caption dd dl dt head header html img li link math menu meta noscript " +
	"ol p plaintext script svg table tbody td template textarea tfoot th thead title tr ul"

// trait is what an element means for reading.
type trait uint16

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

	// elements inside have these traits too
	inherited = inMain | inArticle | furniture | noText | inert | heading
	container = block | open | endsP
)

// elementTraits lists all elements that have traits.
var elementTraits = [...]struct {
	traits trait
	names  string
}{
	{container, "address blockquote center details div dl fieldset figcaption figure hgroup"},
	{container | heading, "h1 h2 h3 h4 h5 h6"},
	{container, "legend li dd dt menu ol p pre search section summary ul"},
	{container | inMain, "main"},
	{container | inArticle, "article"},
	{container | furniture, "aside dialog footer form header nav"},
	{container | scope, "table"},
	{block | open | scope, "caption td th"},
	{block | open, "thead tbody tfoot tr"},
	{block | open | furniture, "button select"},
	{block, "br option optgroup"},
	{block | endsP, "hr"},
	{open, "math"},
	{open | noText, "audio canvas datalist svg video"},
	{open | noText | inHead, "noscript"},
	{open | noText | inert | scope | inHead, "template"},
	{raw | noText, "iframe noembed"},
	{raw | noText | inHead, "noframes script style title"},
	{raw | block, "plaintext"},
	{raw | block | furniture, "textarea"},
	{raw | block | endsP, "xmp"},
	{inHead, "base head html link meta"},
}

var elementsByName, traits = buildElements()

func buildElements() (byName names, traits [elements]trait) {
	for el, name := range strings.Fields(elementNames) {
		byName.add(name, uint8(el+1))
	}
	byName.add("image", uint8(elImg))
	next := uint8(others)
	for _, t := range elementTraits {
		for name := range strings.FieldsSeq(t.names) {
			el := byName.find([]byte(name))
			if el == 0 {
				el, next = next, next+1
				byName.add(name, el)
			}
			traits[el] = t.traits
		}
	}
	return byName, traits
}

// elementOf returns the element with a name, in any case.
func elementOf(name []byte) element { return element(elementsByName.find(name)) }

// placeIn returns the place of what is inside an element of that name at a place. It is the FNV-1a
// hash (draft-eastlake-fnv, 64 bits) of the names from the outermost to the innermost. Names are
// hashed because the elements' numbers may change.
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
