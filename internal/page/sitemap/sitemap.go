// Package sitemap writes sitemaps and sitemap indexes, protocol 0.9
// (https://www.sitemaps.org/protocol.html). It takes entries and appends their XML. It must
// never write a file that is not well-formed and valid, so it refuses invalid entries.
//
// A file is built by appending: URLSetOpen, an AppendURL for each page, URLSetClose; or
// IndexOpen, AppendSitemap for each part, IndexClose. The caller keeps within the limits of a
// file: EscapedLen and MaxEntryOverhead say how much room an entry takes at most.
package sitemap

// The limits that the protocol sets for one file, a sitemap or an index.
const (
	MaxURLs  = 50_000     // entries
	MaxBytes = 52_428_800 // bytes before compression
	maxLoc   = 2_047      // bytes of an address, before it is escaped for XML
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
	// MaxEntryOverhead is how many bytes an entry of either kind takes at most beyond its
	// escaped address.
	MaxEntryOverhead = len(urlOpen+locClose+lastModOpen+"2006-01-02T15:04:05Z"+lastModClose+freqOpen+"monthly"+freqClose) + len(priorityOpen+"0.8"+priorityClose) + len(urlClose)
)

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
	freq, ok := freqElement(u.ChangeFreq)
	if !ok || u.Priority > MaxPriority {
		return dst, false
	}
	begun := len(dst)
	dst = append(dst, urlOpen...)
	if dst, ok = appendLoc(dst, u.Loc); !ok {
		return dst[:begun], false
	}
	dst = appendTime(append(dst, locClose...), lastModOpen, u.LastMod, lastModClose)
	if freq == "" && u.Priority == 0 && len(u.Extensions) == 0 { // as have most
		return append(dst, urlClose...), true
	}
	dst = append(dst, freq...)
	if u.Priority != 0 {
		dst = append(dst, priorityOpen...)
		dst = append(dst, '0'+u.Priority/10, '.', '0'+u.Priority%10)
		dst = append(dst, priorityClose...)
	}
	dst = append(dst, u.Extensions...)
	return append(dst, urlClose...), true
}

// AppendSitemap appends an entry of an index to dst and returns it. lastMod is when the
// file at loc last changed, in the form of URL.LastMod. It returns false, with dst
// unchanged, for an address that the protocol does not allow.
func AppendSitemap(dst []byte, loc string, lastMod int64) ([]byte, bool) {
	begun, ok := len(dst), false
	dst = append(dst, sitemapOpen...)
	if dst, ok = appendLoc(dst, loc); !ok {
		return dst[:begun], false
	}
	dst = appendTime(append(dst, locClose...), lastModOpen, lastMod, lastModClose)
	return append(dst, sitemapClose...), true
}

// ValidFreq reports whether s is one of the protocol's seven words, or empty.
func ValidFreq(s string) bool {
	_, ok := freqElement(s)
	return ok
}

// freqElement returns the whole element of one of the protocol's seven words, "" for no
// word.
func freqElement(s string) (element string, ok bool) {
	if s == "" {
		return "", true
	}
	element = freqElements[s[0]&15]
	const around = len(freqOpen + freqClose)
	return element, len(element) == len(s)+around && element[len(freqOpen):len(freqOpen)+len(s)] == s
}

// freqElements has the elements by the last four bits of a word's first letter, which
// differ in all seven. The processor would mispredict a switch for most entries, at a fifth
// of the cost of an entry.
var freqElements = [16]string{
	'a' & 15: freqOpen + "always" + freqClose,
	'h' & 15: freqOpen + "hourly" + freqClose,
	'd' & 15: freqOpen + "daily" + freqClose,
	'w' & 15: freqOpen + "weekly" + freqClose,
	'm' & 15: freqOpen + "monthly" + freqClose,
	'y' & 15: freqOpen + "yearly" + freqClose,
	'n' & 15: freqOpen + "never" + freqClose,
}
