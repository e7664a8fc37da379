package tally

import (
	"fmt"
	"strings"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
)

const (
	misnamedNeeded = 5   // pages that must name one thing as canonical
	misnamedKept   = 512 // pages of which it is remembered what they name
	longestNamed   = 100 // bytes of it that are told
)

// canonical gives a hint if more pages name one thing as canonical, in place of themselves, than are listed: the home
// page, another host, or a template that was not filled in.
func (s *Tally) canonical(k *observation.Observation, r merge.Merged) {
	if s.named == nil {
		s.named = map[uint64]string{}
	}
	id, name := s.site.ID(k.Location), k.Wrong
	if k.Canonical != "" && !sameplace(k.Location, k.Canonical) {
		name = s.site.Normalizer.Origin().URL(k.Canonical)
	}
	switch {
	case r.Reason != eligibility.CanonicalElsewhere || name == "":
		delete(s.named, id)
	case len(s.named) < misnamedKept:
		s.named[id] = name
	}
	pages := 0
	for _, other := range s.named {
		if other == name {
			pages++
		}
	}
	switch {
	case name == "" && len(s.named) < misnamedNeeded:
		s.hints.End(messages.Canonicals)
	case name != "" && pages >= misnamedNeeded && pages >= s.Listed():
		s.hints.Give(s.misnames(k, fmt.Sprint(pages)+" pages name %s as canonical."))
	}
}

// sameplace reports whether two locations differ in their queries alone, as pages that sort one list do.
func sameplace(a, b string) bool {
	a, _, _ = strings.Cut(a, "?")
	b, _, _ = strings.Cut(b, "?")
	return a == b
}

// misnames returns the hint for a page that names something else as canonical, and a text with its name.
func (s *Tally) misnames(k *observation.Observation, text string) (messages.Hint, string) {
	hint, name := messages.Canonicals, k.Wrong
	switch {
	case k.Abroad:
		hint = messages.OtherOrigin
	case k.Canonical != "":
		name = s.site.Normalizer.Origin().URL(k.Canonical)
	}
	if len(name) > longestNamed {
		name = strings.ToValidUTF8(name[:longestNamed], "") + "…"
	}
	return hint, fmt.Sprintf(text, fmt.Sprintf("%q", name))
}
