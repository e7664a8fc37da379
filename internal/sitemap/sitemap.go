// Package sitemap writes sitemaps and sitemap indexes, protocol 0.9 (https://www.sitemaps.org/protocol.html).
//
// A file is built by appending: URLSetOpen, an AppendURL for each page, URLSetClose; or IndexOpen, AppendSitemap for
// each part, IndexClose. Whatever the entries hold, the result is well-formed and valid: an entry that could not be is
// refused and leaves the file as it was. The limits of a file are the caller's to keep.
package sitemap

// The limits that the protocol sets for one file, be it a sitemap or an index.
const (
	MaxURLs  = 50_000     // entries
	MaxBytes = 52_428_800 // bytes before compression
	MaxLoc   = 2_047      // bytes of an address, before it is escaped for XML
)

// What stands before the entries of a file and after them. A file without entries is well-formed, but the protocol's
// schema asks for at least one.
const (
	declaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	namespace   = `http://www.sitemaps.org/schemas/sitemap/0.9`

	URLSetOpen  = declaration + `<urlset xmlns="` + namespace + `">` + "\n"
	URLSetClose = `</urlset>` + "\n"
	IndexOpen   = declaration + `<sitemapindex xmlns="` + namespace + `">` + "\n"
	IndexClose  = `</sitemapindex>` + "\n"
)

// The markup of an entry, in the order that the schema prescribes.
const (
	urlOpen       = `<url><loc>`
	sitemapOpen   = `<sitemap><loc>`
	locClose      = `</loc>`
	lastModOpen   = `<lastmod>`
	lastModClose  = `</lastmod>`
	freqOpen      = `<changefreq>`
	freqClose     = `</changefreq>`
	priorityOpen  = `<priority>`
	priorityClose = `</priority>`
	urlClose      = `</url>` + "\n"
	sitemapClose  = `</sitemap>` + "\n"
)

const (
	// MaxEntryOverhead is the most bytes that an entry of either kind takes beyond its escaped address.
	MaxEntryOverhead = len(urlOpen+locClose+lastModOpen+"2006-01-02T15:04:05Z"+lastModClose+freqOpen+"monthly"+freqClose) + PriorityLen + len(urlClose)
	// PriorityLen is the part of it that a priority takes.
	PriorityLen = len(priorityOpen + "0.8" + priorityClose)
)

// URL is one entry of a sitemap.
type URL struct {
	// Loc is the absolute address, from 1 to MaxLoc bytes, each a printable ASCII character other than space: what is
	// not ASCII in it has been percent-encoded. It is escaped for XML here.
	Loc string
	// LastMod is when the page's content last changed, in seconds since the Unix epoch. It is left out when it is not
	// positive or after the year 9999.
	LastMod int64
	// ChangeFreq is one of the protocol's seven words, "always" to "never"; empty leaves it out.
	ChangeFreq string
	// Priority is in tenths, from 1 to MaxPriority; 0 leaves it out.
	Priority uint8
}

// MaxPriority is the highest priority, 1.0, in tenths.
const MaxPriority = 10

// AppendURL appends an entry of a sitemap to dst and returns it. It reports false, with dst unchanged, for an address,
// a word or a priority that the protocol does not allow.
func AppendURL(dst []byte, u URL) ([]byte, bool) {
	all, ok := valid(u.Loc)
	if !ok || !ValidFreq(u.ChangeFreq) || u.Priority > MaxPriority {
		return dst, false
	}
	dst = append(dst, urlOpen...)
	dst = appendEscaped(dst, u.Loc, all)
	dst = append(dst, locClose...)
	dst = appendLastMod(dst, u.LastMod)
	if u.ChangeFreq != "" {
		dst = append(dst, freqOpen...)
		dst = append(dst, u.ChangeFreq...)
		dst = append(dst, freqClose...)
	}
	if u.Priority != 0 {
		dst = append(dst, priorityOpen...)
		dst = append(dst, '0'+u.Priority/10, '.', '0'+u.Priority%10)
		dst = append(dst, priorityClose...)
	}
	return append(dst, urlClose...), true
}

// AppendSitemap appends an entry of an index to dst and returns it. lastMod is when the file at loc last changed, in
// the form of URL.LastMod. It reports false, with dst unchanged, for an address that the protocol does not allow.
func AppendSitemap(dst []byte, loc string, lastMod int64) ([]byte, bool) {
	all, ok := valid(loc)
	if !ok {
		return dst, false
	}
	dst = append(dst, sitemapOpen...)
	dst = appendEscaped(dst, loc, all)
	dst = append(dst, locClose...)
	dst = appendLastMod(dst, lastMod)
	return append(dst, sitemapClose...), true
}

// ValidFreq reports whether s is one of the protocol's seven words, or empty.
func ValidFreq(s string) bool {
	switch s {
	case "", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never":
		return true
	}
	return false
}

// EscapedLen returns how many bytes an address takes once it is escaped. An entry takes at most MaxEntryOverhead more.
func EscapedLen(loc string) int {
	n := len(loc)
	for i := range len(loc) {
		if kind[loc[i]] == special {
			n += len(entity(loc[i])) - 1
		}
	}
	return n
}

// The bits of kind; a byte with none stands for itself.
const (
	special = 1 << iota // has an entity
	refused
)

// kind tells what to do with each byte of an address.
var kind = buildKind()

func buildKind() (t [256]uint8) {
	for c := range t {
		if c < 0x21 || c > 0x7E {
			t[c] = refused
		}
	}
	for _, c := range []byte(`&'"<>`) {
		t[c] = special
	}
	return t
}

// kinds returns the bits of all bytes of an address together. There is no branch in its loop, which is most of what
// an entry costs.
func kinds(loc string) (all uint8) {
	for len(loc) >= 8 {
		all |= kind[loc[0]] | kind[loc[1]] | kind[loc[2]] | kind[loc[3]] |
			kind[loc[4]] | kind[loc[5]] | kind[loc[6]] | kind[loc[7]]
		loc = loc[8:]
	}
	for i := range len(loc) {
		all |= kind[loc[i]]
	}
	return all
}

// entity returns what the protocol writes for a special byte.
func entity(c byte) string {
	switch c {
	case '&':
		return "&amp;"
	case '\'':
		return "&apos;"
	case '"':
		return "&quot;"
	case '<':
		return "&lt;"
	default:
		return "&gt;"
	}
}

// valid reports whether an address may be listed, and the bits of its bytes.
func valid(loc string) (all uint8, ok bool) {
	all = kinds(loc)
	return all, all&refused == 0 && loc != "" && len(loc) <= MaxLoc
}

// appendEscaped appends a valid address, escaped for XML. all are the bits of its bytes.
func appendEscaped(dst []byte, loc string, all uint8) []byte {
	if all == 0 {
		return append(dst, loc...)
	}
	done := 0
	for i := range len(loc) {
		if kind[loc[i]] == special {
			dst = append(dst, loc[done:i]...)
			dst = append(dst, entity(loc[i])...)
			done = i + 1
		}
	}
	return append(dst, loc[done:]...)
}
