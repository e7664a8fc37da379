// Package lastmod decides when a page's content last changed. It takes what each observation of a
// page showed, and the dates that the server and the page give. It decides a date once, when
// an observation is merged, and says when a file is made whether that date is left out. It is pure:
// no store, no clock, no logger. A lastmod must never be later than now, and never go back.
package lastmod

// Source says who gave a date of a page.
type Source uint8

// The sources. Their numbers are stored.
const (
	NoSource Source = iota
	Server          // the Last-Modified header
	Page            // the page itself, as article:modified_time or JSON-LD dateModified
	Link            // the first sight of a link to a page that is new
	sources
)

// givers are the sources that may lie.
var givers = [...]Source{Server, Page}

// Given has one value for each of the sources that give dates. The value of NoSource is not
// used.
type Given[T any] [Page + 1]T

// String returns the source's usual name.
func (s Source) String() string {
	switch s {
	case Server:
		return "Last-Modified"
	case Page:
		return "the page itself"
	}
	return "nobody"
}

// Valid reports whether s is one of the sources above. A record of another version may have a number beyond them.
func (s Source) Valid() bool { return s < sources }

// Gives reports whether the source gives dates itself.
func (s Source) Gives() bool { return s == Server || s == Page }
