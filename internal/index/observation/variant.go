package observation

import (
	"net/http"
	"strings"

	"github.com/zeebo/xxh3"
)

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
