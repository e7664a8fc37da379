package html

import "strings"

// How much is kept for the sitemap's extensions.
const (
	maxPictures   = 2_000    // img elements
	maxProperties = 200      // meta elements
	maxContent    = 8 << 10  // bytes of one meta element's content
	maxSrcset     = 16 << 10 // bytes of one srcset
)

// Media is what a page says about its images, its videos and itself as news, as written. Package
// media decides what a sitemap may name.
type Media struct {
	Lang       string     // language tag of the html element
	Pictures   []Picture  // img elements of the main text, in document order
	Properties []Property // meta elements with a colon in their name, in document order
	Data       []any      // scripts of structured data (JSON-LD), as encoding/json decodes them
}

// Picture is an img element. Each of its attributes has at most 16 KiB.
type Picture struct {
	Src, Srcset         string
	LazySrc, LazySrcset string // what scripts load later, from data-src and the like
	Width, Height       string
}

// Property is a meta element with a colon in its name.
type Property struct{ Name, Content string } // the name is in lower case

// picture is an img element that may belong to the main text.
type picture struct {
	Picture
	where where
}

// picture notes an img element.
func (r *reader) picture(t *tag, in trait) {
	if r.facts.Media == nil || len(r.pictures) == maxPictures {
		return
	}
	first := func(names ...attr) string {
		for _, a := range names {
			if val := t.get(a); len(val) > 0 && len(val) <= maxSrcset {
				return string(val)
			}
		}
		return ""
	}
	r.pictures = append(r.pictures, picture{Picture{
		Src: first(attrSrc), Srcset: first(attrSrcset),
		LazySrc: first(attrDataSrc, attrDataLazySrc, attrDataOriginal), LazySrcset: first(attrDataSrcset, attrDataLazySrcset),
		Width: first(attrWidth), Height: first(attrHeight),
	}, whereOf(in)})
}

// property notes a meta element.
func (r *reader) property(t *tag, content []byte) {
	m := r.facts.Media
	if m == nil || len(m.Properties) == maxProperties || len(content) > maxContent {
		return
	}
	name := t.get(attrProperty)
	if len(name) == 0 {
		name = t.get(attrName)
	}
	if len(name) <= maxDateName && strings.Contains(string(name), ":") {
		m.Properties = append(m.Properties, Property{strings.ToLower(string(name)), string(content)})
	}
}

// finishMedia keeps the pictures that are in the main text.
func (r *reader) finishMedia(main where) {
	for _, p := range r.pictures {
		if p.where&main != 0 {
			r.facts.Media.Pictures = append(r.facts.Media.Pictures, p.Picture)
		}
	}
}
