package admit

import (
	"slices"
	"strings"
	"testing"
)

func TestMissing(t *testing.T) {
	const (
		link = "a link from a listed page"
		rule = "a rule that says always"

		route = "a route that matches this location alone, with a whole document there (an html or a title element)"
	)
	for _, tt := range []struct {
		name    string
		verdict Verdict
		why     Reason
		ev      Evidence
		want    []string
	}{
		{"unknown", Unknown, None, Evidence{}, nil},
		{"listed", Listed, ByLink, Evidence{}, nil},
		{"excluded", Excluded, RuleNever, Evidence{}, nil},
		{"gone", Gone, StatusGone, Evidence{}, nil},
		{"waits for a visit", Waiting, NotSeen, Evidence{Networks: 2}, []string{"an anonymous visitor who gets a page there"}},
		{"waits for evidence", Waiting, NoEvidence, Evidence{Networks: 2, Siblings: 1}, []string{
			link, route, "visitors from 5 networks (so far 2), and links to 3 pages beside it (so far 1)", rule,
		}},
		{"waits for addresses", Waiting, NoEvidence, Evidence{Siblings: 1}, []string{
			link, route,
			"visitors from 5 networks (so far 0, since no visitor's address is known to be a public one; behind a proxy, Options.ClientIP gives it), and links to 3 pages beside it (so far 1)", rule,
		}},
		{"risky word", Held, RiskyWord, Evidence{}, []string{link, rule}},
		{"risky word with a link", Held, RiskyWord, Evidence{Link: true}, []string{
			"another look at a page that links to it, a day later, from another network, or by a visitor without cookies who comes from a listed page",
			rule,
		}},
		{"action", Held, ActionWord, Evidence{}, []string{rule}},
		{"capability", Held, Capability, Evidence{}, []string{link + ", seen by visitors from two networks or a day apart", rule}},
		{"capability with a link", Held, Capability, Evidence{Link: true}, []string{
			"another look at a page that links to it, a day later or from another network", rule,
		}},
		{"capability led to by a canonical", Held, Capability, Evidence{Led: true}, []string{
			"another look at a page that links to it, a day later or from another network", rule,
		}},
		{"duplicate", Held, Duplicate, Evidence{}, []string{"a canonical link to itself", rule}},
		{"what many show", Held, SoftNotFound, Evidence{}, []string{"a canonical link to itself", rule}},
		{"head not seen", Held, HeadNotSeen, Evidence{}, []string{"a head that ends, and is no longer than what is read"}},
		{"encoding", Held, Encoding, Evidence{}, []string{"a Content-Encoding that can be read"}},
		{"growth", Held, Growth, Evidence{}, []string{rule}},
	} {
		if got := Missing(tt.verdict, tt.why, tt.ev, 5, true); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Where the observer stands outside of the router, no page has a route that it
// knows. To ask for one would mislead who has one.
func TestMissingSaysThatNoRouteWasSeen(t *testing.T) {
	got := Missing(Waiting, NoEvidence, Evidence{}, 3, false)
	if !slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, "; no route was seen yet, see Site.Observe") }) {
		t.Errorf("%q do not say so", got)
	}
}
