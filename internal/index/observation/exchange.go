package observation

import (
	"net/http"
	"strings"
	"time"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/response"
)

// Exchange is one response to an anonymous client. Once it was offered to the indexer, it belongs to
// the indexer, with its body.
type Exchange struct {
	Kind     eligibility.Kind   // not Nothing
	Reason   eligibility.Reason // why the page must be withdrawn, for kinds that say so
	Location string
	At       time.Time
	Response *response.Response

	// OwnQuery says that only the page's own canonical can vouch for the query.
	OwnQuery bool
	// Route is the page's route, as far as it is known.
	Route Route
	// Vouched says that something on the site vouches for the location: no stranger made it up.
	Vouched bool
	// Variant is the variant of the page's text.
	Variant Variant
	// Named is what else the request names.
	Named Named

	// Explored says that the site asked itself, with nothing of a visitor. Then the page is read whatever that costs,
	// since such requests have their own limit.
	Explored bool
	// Inside says that it asked in this process, where it may get what something in front keeps from strangers.
	Inside bool
	// Kept says that it asked through its origin, and that something there keeps the page from strangers.
	Kept bool
}

// Route is a route of the site's router.
type Route struct {
	// Template has everything that comes before it in the location. It is "" if it is not known.
	Template string
	// Exact says that the route matches nothing but its template, and that the template is the
	// location, but for a slash at the end.
	Exact bool
}

// Size returns about how many bytes of memory the exchange needs, without its body.
func (s *Exchange) Size() int {
	n := int(unsafe.Sizeof(*s)) + len(s.Location) + len(s.Route.Template) + len(s.Named.Referer) + len(s.Named.Query) +
		len(s.Variant.Language)
	if s.Response != nil {
		n += s.Response.Size()
	}
	return n
}

// Variant says what part of the request the site used to choose the text, as far as the Vary header
// tells. The zero Variant means that everybody gets the same text.
type Variant struct {
	ByLanguage bool
	Language   string // the first one that the client accepts, or ""
}

// VariantOf returns the variant of a response with a Vary header to a request.
func VariantOf(vary string, request http.Header) (v Variant) {
	if vary == "" {
		return v
	}
	for field := range strings.SplitSeq(vary, ",") {
		if strings.EqualFold(strings.TrimSpace(field), "Accept-Language") {
			v.ByLanguage, v.Language = true, strings.Clone(firstLanguage(request.Get("Accept-Language")))
		}
	}
	return v
}

// languageBytes bounds the bytes of a language's name.
const languageBytes = 16

// firstLanguage returns the primary tag of the first language in an Accept-Language header.
func firstLanguage(accept string) string {
	end := strings.IndexAny(accept, "-,; ")
	if end < 0 {
		end = len(accept)
	}
	return strings.ToLower(accept[:min(end, languageBytes)])
}

// key returns a number for the variant, 0 for the zero one of a page that names no language. lang is the language that
// the page names, which may vary though no header says so. It may also be the template's, whatever the text is, so the
// language of the request counts too if Vary names that.
func (v Variant) key(lang string) uint16 {
	if lang = firstLanguage(lang); lang == "" && !v.ByLanguage {
		return 0
	}
	return uint16(xxh3.HashString(lang+" "+v.Language))<<1 | 2
}
