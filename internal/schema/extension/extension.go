// Package extension has the extensions of the sitemap protocol, each in one file. An extension reads something from a
// page, says how it is stored, and writes it as elements of a sitemap. The worker, the store and the files carry what
// is stored as bytes, and never look into it.
//
// An extension must never name a URL that lets in whoever has it, identifies somebody, or leads to
// a host that only the site's own network reaches.
package extension

import (
	"bytes"
	"encoding/xml"
	"time"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
)

// Kind is the number of an extension.
type Kind uint8

// The extensions, in the order in which an entry has them. Their numbers are stored, so a new one
// gets the next number.
const (
	Alternates Kind = iota
	News
	Images
	Videos
)

var registered = [...]*Extension{Alternates: &alternates, News: &news, Images: &images, Videos: &videos}

// Extension is what one file of this package defines.
type Extension struct {
	// Namespace is the declaration that its elements need.
	Namespace string
	// Read returns what is stored of a page, nil if the page has nothing for the extension. It finds
	// the page's words in its structured data and in [html.Picture]. All URLs in it may be named in public.
	Read func(p *Page) []byte
	// Append makes the elements from what is stored, and appends them. If it is nil, what is stored are the elements.
	Append func(dst, stored []byte, v *View) []byte
	// Aside says that the elements stand in a file of their own, and not in the page's entry.
	Aside *Aside
}

// Aside is a file that lists new pages alone.
type Aside struct {
	Suffix string                        // of the file's name
	For    time.Duration                 // how long a page stays in it
	Most   int                           // pages in it
	At     func(stored []byte) time.Time // since when a page is in it
}

// Page is a page that was read.
type Page struct {
	*html.Facts
	Norm     *location.Normalizer
	Location string
	At       time.Time
	// Hidden reports whether a rule or robots.txt keeps a location of the site out.
	Hidden func(location string) bool
}

// View has what elements depend on, besides what is stored.
type View struct {
	URL         func(location string) string // the absolute URL of a page
	Shows       func(location string) bool   // whether a file may name a page
	Publication string                       // Options.Extensions.Publication
}

// Set is a set of extensions.
type Set uint32

// Of returns a set of extensions.
func Of(kinds ...Kind) (s Set) {
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

// All returns all extensions.
func All() Set { return 1<<len(registered) - 1 }

// Has reports whether the set has an extension.
func (s Set) Has(k Kind) bool { return s&(1<<k) != 0 }

// Entries returns the extensions of the set whose elements stand in the entries of pages.
func (s Set) Entries() Set {
	for k, x := range registered {
		if x.Aside != nil {
			s &^= 1 << k
		}
	}
	return s
}

// Asides returns the extensions of the set that have a file of their own.
func (s Set) Asides() map[Kind]*Aside {
	asides := map[Kind]*Aside{}
	for k, x := range registered {
		if s.Has(Kind(k)) && x.Aside != nil {
			asides[Kind(k)] = x.Aside
		}
	}
	return asides
}

// Namespaces returns the declarations that a file with these extensions needs.
func (s Set) Namespaces() (declared string) {
	for k, x := range registered {
		if s.Has(Kind(k)) {
			declared += " " + x.Namespace
		}
	}
	return declared
}

// Read returns what a page has for the wanted extensions.
func (s Set) Read(p *Page) Values {
	found := Values{}
	for k, x := range registered {
		if s.Has(Kind(k)) {
			found.put(Kind(k), x.Read(p))
		}
	}
	return found
}

// Values are what is stored of a page, by extension. None is empty.
type Values map[Kind][]byte

func (vs Values) put(k Kind, stored []byte) {
	if len(stored) > 0 {
		vs[k] = stored
	}
}

// With returns the values of the extensions in some. If k is one of them, its value is stored. With returns nil for no
// values.
func (vs Values) With(some Set, k Kind, stored []byte) Values {
	next := Values{}
	for had, value := range vs {
		if some.Has(had) && had != k {
			next[had] = value
		}
	}
	if some.Has(k) {
		next.put(k, stored)
	}
	if len(next) == 0 {
		return nil
	}
	return next
}

// Append appends the elements for some extensions.
func (vs Values) Append(dst []byte, some Set, v *View) []byte {
	for k, x := range registered {
		switch stored := vs[Kind(k)]; {
		case stored == nil || !some.Has(Kind(k)):
		case x.Append == nil:
			dst = append(dst, stored...)
		default:
			dst = x.Append(dst, stored, v)
		}
	}
	return dst
}

// Len returns the most bytes that an entry's elements take.
func (vs Values) Len(url func(location string) string) int {
	all := View{URL: url, Shows: func(string) bool { return true }}
	return len(vs.Append(nil, All().Entries(), &all))
}

// elementsOf returns the values as elements, as many of them as fit into most bytes. Escaped for XML,
// a text may be five times as long.
func elementsOf[T any](name string, all []T, most int) (elements []byte) {
	for _, one := range all {
		more := appendXML(elements, name, one)
		if len(more) > most {
			break
		}
		elements = more
	}
	return elements
}

// appendXML appends a value as an element.
func appendXML(dst []byte, name string, value any) []byte {
	b := bytes.NewBuffer(dst)
	// no value of this package is refused
	_ = xml.NewEncoder(b).EncodeElement(value, xml.StartElement{Name: xml.Name{Local: name}})
	return b.Bytes()
}

// date is a time in seconds since the Unix epoch, as a sitemap writes it; 0 for none.
type date int64

// dateOf reads a date, 0 if it is none.
func dateOf(text string) date { return date(max(0, html.Date(text).Unix())) }

func (d date) MarshalText() ([]byte, error) {
	return time.Unix(int64(d), 0).UTC().AppendFormat(nil, time.RFC3339), nil
}

func (d *date) UnmarshalText(b []byte) error {
	t, err := time.Parse(time.RFC3339, string(b))
	*d = date(t.Unix())
	return err
}

// maxText bounds texts other than descriptions, in bytes.
const maxText = 300

// text returns a property of a thing that is a text, with single spaces, cut to limit bytes.
func text(t html.Thing, property string, limit int) string {
	return html.PlainText(t.Text(property), limit)
}

// urlOf returns the URL from the first property of a thing that gives one, as a text or as a thing with a URL.
func (b base) urlOf(t html.Thing, properties ...string) string {
	for _, property := range properties {
		u := b.url(t.Text(property))
		if of, ok := t.Object(property); ok {
			u = b.urlOf(of, "url", "contentUrl", "@id")
		}
		if u != "" {
			return u
		}
	}
	return ""
}
