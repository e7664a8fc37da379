package page

// element is an element that matters for reading. All others are unknown and
// read as inline elements without meaning.
type element uint8

const (
	unknown element = iota
	elA
	elAddress
	elArea
	elArticle
	elAside
	elAudio
	elBase
	elBlockquote
	elBody
	elBr
	elButton
	elCanvas
	elCaption
	elCenter
	elDatalist
	elDD
	elDetails
	elDialog
	elDiv
	elDL
	elDT
	elFieldset
	elFigcaption
	elFigure
	elFooter
	elForm
	elH1
	elH2
	elH3
	elH4
	elH5
	elH6
	elHead
	elHeader
	elHgroup
	elHr
	elHTML
	elIframe
	elImg
	elInput
	elLegend
	elLI
	elLink
	elMain
	elMath
	elMenu
	elMeta
	elNav
	elNoembed
	elNoframes
	elNoscript
	elOL
	elOptgroup
	elOption
	elP
	elPlaintext
	elPre
	elScript
	elSearch
	elSection
	elSelect
	elStyle
	elSummary
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
	elVideo
	elXmp
	elements // how many there are
)

// trait is what an element means for reading.
type trait uint16

const (
	block     trait = 1 << iota // its begin and end cut the text
	open                        // it is kept on the stack of open elements
	endsP                       // its begin ends an open p
	scope                       // end tags inside do not reach elements outside
	inMain                      // its text is main text
	inArticle                   // its text is an article's
	furniture                   // its text is furniture
	noText                      // its text is not visible
	inert                       // nothing in it is on the page
	raw                         // it holds characters and no elements
	inHead                      // it may stand in the head

	// inherited are the traits that an element hands down.
	inherited = inMain | inArticle | furniture | noText | inert
	container = block | open | endsP
)

var traits = [elements]trait{
	elAddress: container, elBlockquote: container, elCenter: container, elDetails: container,
	elDialog: container, elDiv: container, elDL: container, elFieldset: container,
	elFigcaption: container, elFigure: container, elH1: container, elH2: container,
	elH3: container, elH4: container, elH5: container, elH6: container, elHgroup: container,
	elLegend: container, elLI: container, elDD: container, elDT: container, elMenu: container,
	elOL: container, elP: container, elPre: container, elSearch: container, elSection: container,
	elSummary: container, elUL: container,

	elTable: container | scope, elCaption: block | open | scope, elTHead: block | open,
	elTBody: block | open, elTFoot: block | open, elTR: block | open,
	elTD: block | open | scope, elTH: block | open | scope,

	elBr: block, elHr: block | endsP, elOption: block, elOptgroup: block,

	elMain: container | inMain, elArticle: container | inArticle,
	elAside: container | furniture, elFooter: container | furniture, elForm: container | furniture,
	elHeader: container | furniture, elNav: container | furniture,
	elButton: block | open | furniture, elSelect: block | open | furniture,

	elAudio: open | noText, elCanvas: open | noText, elDatalist: open | noText,
	elMath: open, elSVG: open | noText, elVideo: open | noText,
	elNoscript: open | noText | inHead, elTemplate: open | noText | inert | scope | inHead,

	elIframe: raw | noText, elNoembed: raw | noText, elNoframes: raw | noText | inHead,
	elPlaintext: raw | block, elScript: raw | noText | inHead, elStyle: raw | noText | inHead,
	elTextarea: raw | block | furniture, elTitle: raw | noText | inHead, elXmp: raw | block | endsP,

	elBase: inHead, elHead: inHead, elHTML: inHead, elLink: inHead, elMeta: inHead,
}

// nameHash is the FNV-1a hash (draft-eastlake-fnv, 64 bits) of name, in lower
// case, after h. Places are made of it, because they outlive the numbers of the
// elements.
func nameHash(h uint64, name []byte) uint64 {
	const prime = 1099511628211
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint64(c)) * prime
	}
	return (h ^ '/') * prime
}

// rootPlace is the place outside of all elements: the offset basis of FNV-1a.
const rootPlace uint64 = 14695981039346656037

// maxName is the length of the longest name of an element or attribute that
// matters for reading.
const maxName = 10

// lowerName writes name in lower case into buf. It returns nil if name is in
// lower case already or longer than every known one.
func lowerName(buf *[maxName]byte, name []byte) []byte {
	if len(name) > maxName {
		return nil
	}
	upper := false
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
			upper = true
		}
		buf[i] = c
	}
	if !upper {
		return nil
	}
	return buf[:len(name)]
}

// elementOf returns the element with a name, in any case.
func elementOf(name []byte) element {
	if el := lowerElement(name); el != unknown {
		return el
	}
	var buf [maxName]byte
	return lowerElement(lowerName(&buf, name))
}

// lowerElement is elementOf for names in lower case, as nearly all are.
func lowerElement(name []byte) element {
	switch string(name) {
	case "a":
		return elA
	case "address":
		return elAddress
	case "area":
		return elArea
	case "article":
		return elArticle
	case "aside":
		return elAside
	case "audio":
		return elAudio
	case "base":
		return elBase
	case "blockquote":
		return elBlockquote
	case "body":
		return elBody
	case "br":
		return elBr
	case "button":
		return elButton
	case "canvas":
		return elCanvas
	case "caption":
		return elCaption
	case "center":
		return elCenter
	case "datalist":
		return elDatalist
	case "dd":
		return elDD
	case "details":
		return elDetails
	case "dialog":
		return elDialog
	case "div":
		return elDiv
	case "dl":
		return elDL
	case "dt":
		return elDT
	case "fieldset":
		return elFieldset
	case "figcaption":
		return elFigcaption
	case "figure":
		return elFigure
	case "footer":
		return elFooter
	case "form":
		return elForm
	case "h1":
		return elH1
	case "h2":
		return elH2
	case "h3":
		return elH3
	case "h4":
		return elH4
	case "h5":
		return elH5
	case "h6":
		return elH6
	case "head":
		return elHead
	case "header":
		return elHeader
	case "hgroup":
		return elHgroup
	case "hr":
		return elHr
	case "html":
		return elHTML
	case "iframe":
		return elIframe
	case "img":
		return elImg
	case "input":
		return elInput
	case "legend":
		return elLegend
	case "li":
		return elLI
	case "link":
		return elLink
	case "main":
		return elMain
	case "math":
		return elMath
	case "menu":
		return elMenu
	case "meta":
		return elMeta
	case "nav":
		return elNav
	case "noembed":
		return elNoembed
	case "noframes":
		return elNoframes
	case "noscript":
		return elNoscript
	case "ol":
		return elOL
	case "optgroup":
		return elOptgroup
	case "option":
		return elOption
	case "p":
		return elP
	case "plaintext":
		return elPlaintext
	case "pre":
		return elPre
	case "script":
		return elScript
	case "search":
		return elSearch
	case "section":
		return elSection
	case "select":
		return elSelect
	case "style":
		return elStyle
	case "summary":
		return elSummary
	case "svg":
		return elSVG
	case "table":
		return elTable
	case "tbody":
		return elTBody
	case "td":
		return elTD
	case "template":
		return elTemplate
	case "textarea":
		return elTextarea
	case "tfoot":
		return elTFoot
	case "th":
		return elTH
	case "thead":
		return elTHead
	case "title":
		return elTitle
	case "tr":
		return elTR
	case "ul":
		return elUL
	case "video":
		return elVideo
	case "xmp":
		return elXmp
	case "image":
		return elImg
	}
	return unknown
}
