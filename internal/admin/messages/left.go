package messages

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
)

// Left is a line of the table of what was left out.
type Left struct {
	Cause   string // its name
	Count   int
	Example string // a URL, "" if none may be named
	Means   string // a sentence
	Remedy  string // a sentence, "" if there is nothing to do
}

// TableOf returns the table of what was left out: how many there are by the name of the cause, with an example of
// each. It begins with what may be a mistake, and most.
func TableOf(counts map[string]int, examples map[string]string) (table []Left) {
	care := map[string]int{}
	for _, cause := range slices.Sorted(maps.Keys(counts)) {
		r := ReasonOf(cause, counts[cause])
		if counts[cause] == 0 || r.Care == Fine {
			continue
		}
		care[cause] = slices.Index([]Care{Look, Wait, Intended}, r.Care)
		l := Left{Cause: cause, Count: counts[cause], Example: examples[cause], Remedy: r.Todo}
		if r.Why != "" {
			l.Means = strings.ToUpper(r.Why[:1]) + r.Why[1:] + "."
		}
		table = append(table, l)
	}
	slices.SortStableFunc(table, func(a, b Left) int { return cmp.Or(care[a.Cause]-care[b.Cause], b.Count-a.Count) })
	return table
}

// Line returns the line as the log has it.
func (l Left) Line() string {
	first := min(1, len(l.Means))
	means := strings.ToLower(l.Means[:first]) + l.Means[first:]
	return strings.TrimSpace(fmt.Sprintf("%s%d %s %s", NotFollowed, l.Count, means, l.Remedy))
}

// Unasked reports whether linked pages of a cause wait as not seen, since exploring did not get them.
func Unasked(cause string) bool {
	switch ReasonNamed(cause).Reason {
	case eligibility.LinkEndless, eligibility.LinkFailed:
		return true
	}
	return false
}

// InLog returns the example of a cause as the log may have it, "" if it may not: others may read it, and must find no
// secret there. A link that acts may do so for anybody who has its address, so it is named without its query.
func InLog(cause, example string) string {
	switch ReasonNamed(cause).Reason {
	case eligibility.LinkHeld, eligibility.AddressEmail, eligibility.AddressPathParam, eligibility.Capability:
		return ""
	case eligibility.LinkActs:
		example, _, _ = strings.Cut(example, "?")
		at, err := url.Parse(example)
		if err != nil || capability.Looks(at.EscapedPath()) {
			return ""
		}
	}
	return example
}

// QueryRemedy says what to do about parameters that keep pages out. params are as in servemap.Exploration.
func QueryRemedy(params []string) string {
	remedy, found := ReasonNamed(eligibility.AddressQuery.String()).Todo, []string{}
	for _, p := range params {
		if names, linked, _ := strings.Cut(p, ": "); len(Parameters([]string{p})) > 0 {
			linked, named, is := strings.Cut(linked, "; ") // a rule names it elsewhere
			if linked += " with " + names; is {
				linked += " (" + named + ")"
			}
			found = append(found, linked)
		}
	}
	if len(found) > 0 {
		remedy += " Left out: " + strings.Join(found, ", ") + "."
	}
	return remedy
}
