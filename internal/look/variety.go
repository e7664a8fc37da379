package look

import (
	"net/http"
	"strings"

	"github.com/zeebo/xxh3"
)

// Variety says by what of the request the site chose the text that a page showed, as far
// as the response says so by Vary. The zero Variety is a text that is the same for all.
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

// languageBytes is how much of the name of a language is kept.
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
