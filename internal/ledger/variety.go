package ledger

import (
	"net/http"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/mark"
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

// varietiesKept bounds the varieties that are told apart on one page.
const varietiesKept = 8

// familiar is set in a variety whose text the mark has taken in.
const familiar = 1

// meet says what a look in a variety is worth. One that was never seen may show
// a text of its own, which is no change; but it may also be the first to show a
// change. So its first look is left to others, and at the second one the mark
// takes its text in, if no other variety has shown it by then. taken is false if
// the mark is to stay as it was.
func (s *state) meet(variety uint16, o mark.Outcome) (meant mark.Outcome, taken bool) {
	if variety == 0 {
		return o, true
	}
	same := func(v uint16) bool { return v&^familiar == variety }
	i := slices.IndexFunc(s.varieties, same)
	met := i >= 0
	known := met && s.varieties[i]&familiar != 0 || len(s.varieties) == 0
	if met {
		s.varieties = slices.Delete(s.varieties, i, i+1)
	}
	switch {
	case known, o == mark.First, o == mark.Same, o == mark.Variant:
		meant, taken = o, true
	case met && o != mark.Held:
		meant, taken = mark.Variant, true
	default:
		meant, taken = mark.Variant, false
	}
	if taken {
		variety |= familiar
	}
	s.varieties = append([]uint16{variety}, s.varieties...)
	s.varieties = s.varieties[:min(len(s.varieties), varietiesKept)]
	return meant, taken
}

// unmarked reports whether the last look was one that the mark did not take in,
// so that the same bytes may yet be news.
func (s *state) unmarked() bool { return len(s.varieties) > 0 && s.varieties[0]&familiar == 0 }

// awaits reports whether something is held that was seen in another variety: a
// look in this one cannot tell whether it is still there. But what is not seen
// again for a day holds nothing up, nor does what a clock saw that was ahead.
func (s *state) awaits(variety uint16, at int64) bool {
	heldAt, held := s.dates.Held()
	passed := at - heldAt.Seconds()
	return variety != 0 && held != 0 && held != variety && s.mark.Holding() && -day < passed && passed < day
}
