// Package sitemap writes sitemaps and sitemap indexes, protocol 0.9
// (https://www.sitemaps.org/protocol.html). It takes entries and appends their XML. It must
// never write a file that is not well-formed and valid, so it refuses invalid entries.
//
// A file is built by appending: URLSetOpen, an AppendURL for each page, URLSetClose; or
// IndexOpen, AppendSitemap for each part, IndexClose. The caller keeps within the limits of a
// file: EscapedLen and MaxEntryOverhead say how much room an entry takes at most.
package sitemap

import (
	"slices"
	"strings"
	"time"
)

// The limits that the protocol sets for one file, a sitemap or an index.
const (
	MaxURLs  = 50_000     // entries
	MaxBytes = 52_428_800 // bytes before compression
	maxLoc   = 2_047      // bytes of an address, before it is escaped for XML

	maxTime = 253_402_300_799 // the last second of the year 9999, the last that four digits can name
)

// The text before and after the entries of a file. A file without entries is well-formed,
// but the protocol's schema requires at least one.
const (
	declaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	namespace   = `http://www.sitemaps.org/schemas/sitemap/0.9`

	URLSetClose = `</urlset>` + "\n"
	IndexOpen   = declaration + `<sitemapindex xmlns="` + namespace + `">` + "\n"
	IndexClose  = `</sitemapindex>` + "\n"
)

// MaxEntryOverhead is how many bytes an entry of either kind takes at most beyond its
// escaped address.
const MaxEntryOverhead = len(`<url><loc></loc><lastmod>2006-01-02T15:04:05Z</lastmod><changefreq>monthly</changefreq><priority>0.8</priority></url>` + "\n")

// URLSetOpen returns the beginning of a sitemap whose entries need some declarations of
// extensions.
func URLSetOpen(declared string) string {
	return declaration + `<urlset xmlns="` + namespace + `"` + declared + ">\n"
}

// URL is one entry of a sitemap.
type URL struct {
	// Loc is the absolute address: 1 to 2,047 printable ASCII characters without space.
	// Other characters must be percent-encoded already. AppendURL escapes it for XML.
	Loc string
	// LastMod is when the page's content last changed, in seconds since the Unix epoch. If
	// it is not positive, or after the year 9999, the entry has none.
	LastMod int64
	// Extensions are the elements of extensions, well-formed and allowed by their schemas.
	Extensions []byte
	// ChangeFreq is one of the protocol's seven words, "always" to "never"; empty leaves it out.
	ChangeFreq string
	// Priority is in tenths, from 1 to MaxPriority; 0 leaves it out.
	Priority uint8
}

// MaxPriority is the highest priority, 1.0, in tenths.
const MaxPriority = 10

// AppendURL appends an entry of a sitemap to dst and returns it. It returns false, with dst
// unchanged, for an address, a word or a priority that the protocol does not allow.
func AppendURL(dst []byte, u URL) ([]byte, bool) {
	if !isAddress(u.Loc) || !ValidFreq(u.ChangeFreq) || u.Priority > MaxPriority {
		return dst, false
	}
	dst = appendLocation(dst, "<url><loc>", u.Loc, u.LastMod)
	if u.ChangeFreq != "" {
		dst = append(append(append(dst, "<changefreq>"...), u.ChangeFreq...), "</changefreq>"...)
	}
	if u.Priority != 0 {
		dst = append(append(dst, "<priority>"...), '0'+u.Priority/10, '.', '0'+u.Priority%10)
		dst = append(dst, "</priority>"...)
	}
	return append(append(dst, u.Extensions...), "</url>\n"...), true
}

// AppendSitemap appends an entry of an index to dst and returns it. lastMod is when the
// file at loc last changed, in the form of URL.LastMod. It returns false, with dst
// unchanged, for an address that the protocol does not allow.
func AppendSitemap(dst []byte, loc string, lastMod int64) ([]byte, bool) {
	if !isAddress(loc) {
		return dst, false
	}
	return append(appendLocation(dst, "<sitemap><loc>", loc, lastMod), "</sitemap>\n"...), true
}

// appendLocation appends the beginning of an entry, with a time in seconds since the Unix epoch if a file can name
// it. It writes the complete form of W3C Datetime in UTC, since the schema requires the seconds.
func appendLocation(dst []byte, open, loc string, lastMod int64) []byte {
	dst = append(append(append(dst, open...), escaper.Replace(loc)...), "</loc>"...)
	if lastMod <= 0 || lastMod > maxTime {
		return dst
	}
	dst = time.Unix(lastMod, 0).UTC().AppendFormat(append(dst, "<lastmod>"...), time.RFC3339)
	return append(dst, "</lastmod>"...)
}

// EscapedLen returns how many bytes an address takes once it is escaped. An entry takes at
// most MaxEntryOverhead more.
func EscapedLen(loc string) int { return len(escaper.Replace(loc)) }

// escaper escapes as encoding/xml does it.
var escaper = strings.NewReplacer("&", "&amp;", "'", "&#39;", `"`, "&#34;", "<", "&lt;", ">", "&gt;")

// isAddress reports whether an address may be listed.
func isAddress(loc string) bool {
	if loc == "" || len(loc) > maxLoc {
		return false
	}
	for i := range len(loc) {
		if loc[i] < 0x21 || loc[i] > 0x7E {
			return false
		}
	}
	return true
}

// ValidFreq reports whether s is one of the protocol's seven words, or empty.
func ValidFreq(s string) bool { return s == "" || slices.Contains(freqs[:], s) }

var freqs = [...]string{"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}
