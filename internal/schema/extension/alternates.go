package extension

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"regexp"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/page/location"
)

// alternates are the page in all its languages, itself included. A page names its own; the worker
// keeps those pages that name it in turn.
var alternates = Extension{
	Namespace: `xmlns:xhtml="http://www.w3.org/1999/xhtml"`,
	Read:      func(p *Page) []byte { return encodeAlternates(p.Alternates()) },
	Append:    appendAlternates,
}

// Alternate is the page in one language.
type Alternate struct {
	Lang     string `cbor:"1,keyasint"` // a language tag in lower case, or x-default
	Location string `cbor:"2,keyasint"`
}

// The limits for the alternates of one page.
const (
	AlternatesKept  = 100
	alternatesBytes = 16 << 10 // of languages and locations
)

// language is x-default, or a string in the form of a language tag (RFC 5646).
var language = regexp.MustCompile(`^[a-z]{1,8}(-[a-z0-9]{1,8})*$`)

// Alternates returns the locations that the page names as itself in other languages, each once
// per language.
func (p *Page) Alternates() (found []Alternate) {
	base, size := p.Norm.Base(p.Location, p.Base), 0
	for _, a := range p.Facts.Alternates {
		to := p.Norm.Resolve(base, a.Href)
		one := Alternate{strings.ToLower(a.Lang), to.Location}
		if to.Reason != location.ReasonNone || len(one.Lang) > 35 || !language.MatchString(one.Lang) ||
			slices.Contains(found, one) {
			continue
		}
		if size += len(one.Lang) + len(one.Location); size > alternatesBytes || len(found) == AlternatesKept {
			break
		}
		found = append(found, one)
	}
	return found
}

// Alternates returns the pages that are stored as the alternates of a page.
func (vs Values) Alternates() []Alternate { return decodeAlternates(vs[Alternates]) }

func decodeAlternates(stored []byte) (all []Alternate) {
	for line := range bytes.Lines(stored) {
		lang, at, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		all = append(all, Alternate{lang, at})
	}
	return all
}

func encodeAlternates(all []Alternate) (stored []byte) {
	for _, a := range all {
		stored = append(stored, a.Lang+" "+a.Location+"\n"...)
	}
	return stored
}

// Languages returns what is stored of the page at a location. The others name it in turn, and own has the languages in
// which it names itself. The order is the same for each of these pages. There is nothing to store if there are no
// others or if the page does not name itself: search engines want both.
func Languages(own []string, at string, others []Alternate) []byte {
	if len(others) == 0 || len(own) == 0 {
		return nil
	}
	all := slices.Clone(others)
	for _, lang := range own {
		all = append(all, Alternate{lang, at})
	}
	slices.SortFunc(all, func(a, b Alternate) int {
		return cmp.Or(strings.Compare(a.Lang, b.Lang), strings.Compare(a.Location, b.Location))
	})
	stored := encodeAlternates(all)
	if len(stored) > alternatesBytes {
		return nil
	}
	return stored
}

// appendAlternates appends the pages that may be named, each on a line of its own. If no other language is left, it
// appends nothing.
func appendAlternates(dst, stored []byte, v *View) []byte {
	begun, first, several := len(dst), "", false
	for _, a := range decodeAlternates(stored) {
		if !v.Shows(a.Location) {
			continue
		}
		dst = append(dst, "\n<xhtml:link rel=\"alternate\" hreflang=\""+a.Lang+`" href="`...)
		dst = append(appendText(dst, v.URL(a.Location)), `"/>`...)
		several = several || first != "" && a.Location != first
		first = cmp.Or(first, a.Location)
	}
	if !several {
		return dst[:begun]
	}
	return append(dst, '\n')
}

// appendText appends a text, escaped for XML.
func appendText(dst []byte, text string) []byte {
	b := bytes.NewBuffer(dst)
	_ = xml.EscapeText(b, []byte(text)) // a bytes.Buffer takes everything
	return b.Bytes()
}
