// Package lastmod decides when a page's content last changed. It takes what
// each look at a page showed, and the dates that the server and the page give.
// It returns the lastmod to publish, or none, and why, and it learns which
// sources of dates can be trusted. It is pure: no store, no clock, no logger. A
// lastmod must never be later than now, and never go back.
package lastmod

import "github.com/servemap/servemap/internal/schema/codec"

// Source says who gave a date of a page.
type Source uint8

// The sources. Their numbers are stored.
const (
	NoSource Source = iota
	Server          // the Last-Modified header
	Page            // the page itself, as article:modified_time or JSON-LD dateModified
	sources
)

// Given has one value for each [Source]. The value of NoSource is not used.
type Given[T any] [sources]T

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

// Valid reports whether s is one of the sources, or none.
func (s Source) Valid() bool { return s < sources }

// field lists the source in a record. An unknown source is read as NoSource.
func (s *Source) field(f *codec.Fields, num int) {
	if codec.Uint(f, num, s); *s >= sources {
		*s = NoSource
	}
}
