// Package keys names the records of a site in its store. It makes the key of each record, and reads
// keys back. It never touches the store, and does not know what the records hold.
package keys

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/servemap/servemap/store"
)

// Keys makes the keys of one site. All begin with the site's origin. So several sites can share a
// store, and what was learned under one origin is never listed under another.
type Keys string

// MaxLocation is the length of the longest location in a key.
const MaxLocation = 1024

// maxOrigin is the longest origin that leaves room for the longest location in the longest key,
// that of an event.
const maxOrigin = store.MaxKey - MaxLocation - len("||log||") - logDigits

// New returns the keys of the site at origin. It refuses an origin that is too long to be stored.
func New(origin string) (Keys, error) {
	if len(origin) > maxOrigin {
		return "", fmt.Errorf("origin is %d bytes long, at most %d can be stored", len(origin), maxOrigin)
	}
	return Keys(origin + "|"), nil
}

// Site is the key of the record with the site's secret.
func (k Keys) Site() string { return string(k) + "site" }

// Trust is the key of the record about the sources of dates.
func (k Keys) Trust() string { return string(k) + "trust" }

// Pages is the start of the keys of all public pages.
func (k Keys) Pages() string { return string(k) + "page|" }

// Page is the key of a public page.
func (k Keys) Page(location string) string { return k.Pages() + location }

// Waits is the start of the keys of all locations that are not public.
func (k Keys) Waits() string { return string(k) + "wait|" }

// Wait is the key of a location that is not public, by its hash.
func (k Keys) Wait(hash string) string { return k.Waits() + hash }

// Pendings is the start of the keys of all pages that may be gone.
func (k Keys) Pendings() string { return string(k) + "pending|" }

// Lost is the key of a page that may be gone.
func (k Keys) Pending(location string) string { return k.Pendings() + location }

// Siblings is the key of a group of pages, such as those of one route.
func (k Keys) Siblings(group uint64) string { return fmt.Sprintf("%ssiblings|%016x", string(k), group) }

// Duplicates is the key of the record about the pages with one content.
func (k Keys) Duplicates(showing uint64) string {
	return fmt.Sprintf("%sduplicates|%016x", string(k), showing)
}

// Refusals is the key of the record about networks that are refused pages.
func (k Keys) Refusals() string { return string(k) + "refusals" }

// Active is the key of the record of when the site was observed.
func (k Keys) Active() string { return string(k) + "active" }

// Furniture is the key of the record of what the pages have in common.
func (k Keys) Furniture() string { return string(k) + "furniture" }

// Erased is the key of the record that changes whenever records of locations are erased.
func (k Keys) Erased() string { return string(k) + "erased" }

// Extensions is the key of the record of the extensions for which pages were read.
func (k Keys) Extensions() string { return string(k) + "extensions" }

// Robots is the key of one piece of the site's robots.txt.
func (k Keys) Robots(piece int) string { return fmt.Sprintf("%srobots|%03d", string(k), piece) }

// Crawler is the key of the record of what an engine's crawler fetched.
func (k Keys) Crawler(name string) string { return string(k) + "crawler|" + name }

// MaxPart is the highest number of a part. Up to it, the keys of parts are in the order of their
// numbers. Readers do not believe a record with a higher number.
const MaxPart = 999_999

// Parts is the start of the keys of all parts.
func (k Keys) Parts() string { return string(k) + "part|" }

// Part is the key of a part.
func (k Keys) Part(n int) string { return fmt.Sprintf("%s%06d", k.Parts(), n) }

// PartOf returns the number of the part that has this key.
func (k Keys) PartOf(key string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(key, k.Parts()))
	return n, err == nil && n > 0 && n <= MaxPart
}

// List is the key of what part n says about a page. If location is "", it is the start of the keys
// of all pages of the part.
func (k Keys) List(n int, location string) string {
	return fmt.Sprintf("%slist|%06d|%s", string(k), n, location)
}

// File is the key of the record about the file of part n.
func (k Keys) File(n int) string { return fmt.Sprintf("%sfile|%06d", string(k), n) }

// News is the key of the record about the file of news.
func (k Keys) News() string { return string(k) + "articles" }

// Changelog is the key of the record of when the changelog begins.
func (k Keys) Changelog() string { return string(k) + "changelog" }

// Notify is the key of a record of package notify, by its name there.
func (k Keys) Notify(name string) string { return string(k) + "notify|" + name }

// IsLocation reports whether a stored text can be a location, and so be in a key.
func IsLocation(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return strings.HasPrefix(s, "/") && len(s) <= MaxLocation
}
