package look

import (
	"net/http"
	"strings"

	"github.com/zeebo/xxh3"
)

// Variety is what of a request decided which of its texts a page showed, as far
// as the response says by Vary that it depends on the request. The zero Variety
// says that it does not.
type Variety struct {
	ByLanguage bool
	Language   string // the first one that the client accepts, "" for none
}

// VarietyOf returns the variety of a response with a Vary header to a request.
func VarietyOf(vary string, request http.Header) (v Variety) {
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

// languageBytes is the length of the longest language that is told from others.
const languageBytes = 16

// firstLanguage returns the primary language that an Accept-Language header
// begins with.
func firstLanguage(accept string) string {
	end := strings.IndexAny(accept, "-,; ")
	if end < 0 {
		end = len(accept)
	}
	return strings.ToLower(accept[:min(end, languageBytes)])
}

// key returns a number that tells the variety from others, 0 for the zero one.
// lang is what the page says of its language, which goes before what was asked for.
func (v Variety) key(lang string) uint16 {
	if !v.ByLanguage {
		return 0
	}
	name := v.Language
	if lang != "" {
		name = firstLanguage(lang)
	}
	return uint16(xxh3.HashString(name))<<1 | 2
}
