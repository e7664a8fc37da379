package observation

import (
	"net/http"
	"strings"

	"github.com/zeebo/xxh3"
)

// Preferred returns the language that a request asks for first, if the response says by Vary that its text depends on
// that, else "".
func Preferred(vary string, request http.Header) string {
	if vary == "" {
		return ""
	}
	for field := range strings.SplitSeq(vary, ",") {
		if strings.EqualFold(strings.TrimSpace(field), "Accept-Language") {
			return strings.Clone(firstLanguage(request.Get("Accept-Language")))
		}
	}
	return ""
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

// Language returns a number for the language of a text, 0 if nothing tells the language. Some templates name the same
// language for every text. So the language that the request prefers is a part of the number.
func Language(named, preferred string) uint16 {
	switch named = firstLanguage(named); {
	case named == "" && preferred == "":
		return 0
	case named == preferred:
		preferred = ""
	}
	return uint16(xxh3.HashString(named+" "+preferred)) | 1
}
