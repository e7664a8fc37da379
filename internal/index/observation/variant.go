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

// key returns a number for the variant. lang is the language that the page names: it may vary though no header says so.
// Some templates name one language whatever the text is, so the request's language counts too if Vary names it. The key
// is 0 if there is neither.
func (v Variant) key(lang string) uint16 {
	if lang = firstLanguage(lang); lang == "" && !v.ByLanguage {
		return 0
	}
	return uint16(xxh3.HashString(lang+" "+v.Language))<<1 | 2
}
