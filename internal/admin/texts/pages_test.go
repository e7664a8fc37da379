package texts

import (
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

func TestMissingSaysWhatListsAPage(t *testing.T) {
	const (
		link = "a link from a listed page"
		rule = "a rule that says Always"

		route = "a route for this page alone, which answers with a whole document (an html or a title element)"
	)
	two := []uint16{1, 2} // networks
	for _, tt := range []struct {
		name    string
		verdict eligibility.Verdict
		why     eligibility.Reason
		ev      eligibility.Evidence
		want    []string
	}{
		{"unknown", eligibility.Unknown, eligibility.None, eligibility.Evidence{}, nil},
		{"listed", eligibility.Listed, eligibility.ByLink, eligibility.Evidence{}, nil},
		{"excluded", eligibility.Excluded, eligibility.RuleNever, eligibility.Evidence{}, nil},
		{"gone", eligibility.Gone, eligibility.StatusGone, eligibility.Evidence{}, nil},
		{"waits for a visit", eligibility.Waiting, eligibility.NotSeen, eligibility.Evidence{Networks: two}, []string{"an anonymous visitor who gets a page there"}},
		{"waits for evidence", eligibility.Waiting, eligibility.NoEvidence, eligibility.Evidence{Networks: two}, []string{
			link, route, "visitors from 5 networks (so far 2), and links to 3 pages beside it (so far 1)", rule,
		}},
		{"waits for addresses", eligibility.Waiting, eligibility.NoEvidence, eligibility.Evidence{}, []string{
			link, route,
			"visitors from 5 networks (so far 0, because no visitor's public address is known; behind a proxy, set Options.ClientIP), and links to 3 pages beside it (so far 1)", rule,
		}},
		{"risky word", eligibility.Held, eligibility.RiskyWord, eligibility.Evidence{}, []string{link, rule}},
		{"risky word with a link", eligibility.Held, eligibility.RiskyWord, eligibility.Evidence{Link: true}, []string{
			"another visit to a page that links to it, a day later, from another network, or by a visitor without cookies who comes from a listed page",
			rule,
		}},
		{"action", eligibility.Held, eligibility.ActionWord, eligibility.Evidence{}, []string{rule}},
		{"capability", eligibility.Held, eligibility.Capability, eligibility.Evidence{}, []string{link + ", seen by visitors from two networks or a day apart", rule}},
		{"capability with a link", eligibility.Held, eligibility.Capability, eligibility.Evidence{Link: true}, []string{
			"another visit to a page that links to it, a day later or from another network", rule,
		}},
		{"capability led to by a canonical", eligibility.Held, eligibility.Capability, eligibility.Evidence{Hop: 1}, []string{
			"another visit to a page that links to it, a day later or from another network", rule,
		}},
		{"duplicate", eligibility.Held, eligibility.Duplicate, eligibility.Evidence{}, []string{"a canonical link to its own URL", rule}},
		{"what many show", eligibility.Held, eligibility.SoftNotFound, eligibility.Evidence{}, []string{"a canonical link to its own URL", rule}},
		{"head not seen", eligibility.Held, eligibility.HeadNotSeen, eligibility.Evidence{}, []string{"a head that ends, and is short enough to be read whole"}},
		{"encoding", eligibility.Held, eligibility.Encoding, eligibility.Evidence{}, []string{"a Content-Encoding that servemap can read"}},
		{"growth", eligibility.Held, eligibility.Growth, eligibility.Evidence{}, []string{rule}},
	} {
		if got := Missing(tt.verdict, tt.why, tt.ev, 1, 5, true); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// If the observer is outside the router, it knows no page's route. To ask the owner for a route
// would then mislead.
func TestMissingSaysThatNoRouteWasSeen(t *testing.T) {
	got := Missing(eligibility.Waiting, eligibility.NoEvidence, eligibility.Evidence{}, 0, 3, false)
	if !slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, "; servemap has seen no route yet, see Site.Observe") }) {
		t.Errorf("%q do not say so", got)
	}
}

func TestPageExplainsEachVerdictAndReason(t *testing.T) {
	unknown := Page(eligibility.Unknown, eligibility.None, "/")
	if !strings.HasPrefix(unknown, "Nothing is known") {
		t.Errorf("unknown is explained as %q", unknown)
	}
	if got := Page(eligibility.Unknown, eligibility.ByLink, "/"); got != unknown {
		t.Errorf("unknown with an old reason is explained as %q", got)
	}
	openings := map[string]string{
		"listed": "It is listed: ", "waiting": "It waits: ", "held": "It is held: ", "excluded": "It is not listed: ", "gone": "It was listed, and has ",
	}
	seen := map[string]eligibility.Reason{}
	for why := eligibility.ByRule; why <= eligibility.Disallowed; why++ { // those that a verdict can carry
		text, opening := Page(eligibility.Listed, why, "/drafts/a"), openings[ReasonNamed(why.String()).Verdict]
		if opening == "" || !strings.HasPrefix(text, opening) {
			t.Errorf("%v is explained as %q, want a text that begins with %q", why, text, opening)
		}
		if other, twice := seen[text]; twice {
			t.Errorf("%v and %v are explained in the same words", why, other)
		}
		seen[text] = why
	}
}

// If a page is held for a word, the text names the word and what it requires.
func TestPageNamesTheWord(t *testing.T) {
	const linked, shown = "A link from a listed page would list it, or", "once that link was seen"
	for _, tt := range []struct {
		location  string
		why       eligibility.Reason
		word, way string
	}{
		{"/posts/Draft-of-june", eligibility.RiskyWord, `"draft"`, shown},
		{"/2fa.html", eligibility.RiskyWord, `"2fa"`, shown},
		{"/reset/invite", eligibility.RiskyWord, `"reset"`, shown},
		{"/htmx", eligibility.RiskyWord, `"htmx"`, linked},
		{"/a/_sidebar.html", eligibility.RiskyWord, `"sidebar"`, linked},
		{"/thank_you", eligibility.RiskyWord, `"thank-you"`, linked},
		{"/sidebar/orders", eligibility.RiskyWord, `"orders"`, shown},
		{"/orders/sidebar", eligibility.RiskyWord, `"orders"`, shown},
		{"/shop/cart.php", eligibility.ActionWord, `"cart"`, "rule"},
		{"/orders/delete", eligibility.ActionWord, `"delete"`, "rule"},
		{"/plain", eligibility.RiskyWord, "a word that is common", "rule"}, // a word that another version held
		{"/plain", eligibility.ActionWord, "a word that is common", "rule"},
	} {
		if text := Page(eligibility.Held, tt.why, tt.location); !strings.Contains(text, tt.word) || !strings.Contains(text, tt.way) {
			t.Errorf("%s is explained as %q, want %s in it and %q", tt.location, text, tt.word, tt.way)
		}
	}
}
