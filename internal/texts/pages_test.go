package texts

import (
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admit"
)

func TestMissingSaysWhatListsAPage(t *testing.T) {
	const (
		link = "a link from a listed page"
		rule = "a rule that says Always"

		route = "a route for this page alone, which answers with a whole document (an html or a title element)"
	)
	for _, tt := range []struct {
		name    string
		verdict admit.Verdict
		why     admit.Reason
		ev      admit.Evidence
		want    []string
	}{
		{"unknown", admit.Unknown, admit.None, admit.Evidence{}, nil},
		{"listed", admit.Listed, admit.ByLink, admit.Evidence{}, nil},
		{"excluded", admit.Excluded, admit.RuleNever, admit.Evidence{}, nil},
		{"gone", admit.Gone, admit.StatusGone, admit.Evidence{}, nil},
		{"waits for a visit", admit.Waiting, admit.NotSeen, admit.Evidence{Networks: 2}, []string{"an anonymous visitor who gets a page there"}},
		{"waits for evidence", admit.Waiting, admit.NoEvidence, admit.Evidence{Networks: 2, Siblings: 1}, []string{
			link, route, "visitors from 5 networks (so far 2), and links to 3 pages beside it (so far 1)", rule,
		}},
		{"waits for addresses", admit.Waiting, admit.NoEvidence, admit.Evidence{Siblings: 1}, []string{
			link, route,
			"visitors from 5 networks (so far 0, because no visitor's public address is known; behind a proxy, set Options.ClientIP), and links to 3 pages beside it (so far 1)", rule,
		}},
		{"risky word", admit.Held, admit.RiskyWord, admit.Evidence{}, []string{link, rule}},
		{"risky word with a link", admit.Held, admit.RiskyWord, admit.Evidence{Link: true}, []string{
			"another visit to a page that links to it, a day later, from another network, or by a visitor without cookies who comes from a listed page",
			rule,
		}},
		{"action", admit.Held, admit.ActionWord, admit.Evidence{}, []string{rule}},
		{"capability", admit.Held, admit.Capability, admit.Evidence{}, []string{link + ", seen by visitors from two networks or a day apart", rule}},
		{"capability with a link", admit.Held, admit.Capability, admit.Evidence{Link: true}, []string{
			"another visit to a page that links to it, a day later or from another network", rule,
		}},
		{"capability led to by a canonical", admit.Held, admit.Capability, admit.Evidence{Led: true}, []string{
			"another visit to a page that links to it, a day later or from another network", rule,
		}},
		{"duplicate", admit.Held, admit.Duplicate, admit.Evidence{}, []string{"a canonical link to its own URL", rule}},
		{"what many show", admit.Held, admit.SoftNotFound, admit.Evidence{}, []string{"a canonical link to its own URL", rule}},
		{"head not seen", admit.Held, admit.HeadNotSeen, admit.Evidence{}, []string{"a head that ends, and is short enough to be read whole"}},
		{"encoding", admit.Held, admit.Encoding, admit.Evidence{}, []string{"a Content-Encoding that servemap can read"}},
		{"growth", admit.Held, admit.Growth, admit.Evidence{}, []string{rule}},
	} {
		if got := Missing(tt.verdict, tt.why, tt.ev, 5, true); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// If the observer is outside the router, it knows no page's route. To ask the owner for a route
// would then mislead.
func TestMissingSaysThatNoRouteWasSeen(t *testing.T) {
	got := Missing(admit.Waiting, admit.NoEvidence, admit.Evidence{}, 3, false)
	if !slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, "; servemap has seen no route yet, see Site.Observe") }) {
		t.Errorf("%q do not say so", got)
	}
}

func TestPageExplainsEachVerdictAndReason(t *testing.T) {
	unknown := Page(admit.Unknown, admit.None, "/")
	if !strings.HasPrefix(unknown, "Nothing is known") {
		t.Errorf("unknown is explained as %q", unknown)
	}
	if got := Page(admit.Unknown, admit.ByLink, "/"); got != unknown {
		t.Errorf("unknown with an old reason is explained as %q", got)
	}
	openings := map[string]string{
		"listed": "It is listed: ", "waiting": "It waits: ", "held": "It is held: ", "excluded": "It is not listed: ", "gone": "It was listed, and has ",
	}
	seen := map[string]admit.Reason{}
	for why := admit.ByRule; why <= admit.Disallowed; why++ { // those that a verdict can carry
		text, opening := Page(admit.Listed, why, "/drafts/a"), openings[ReasonNamed(why.String()).Verdict]
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
		why       admit.Reason
		word, way string
	}{
		{"/posts/Draft-of-june", admit.RiskyWord, `"draft"`, shown},
		{"/2fa.html", admit.RiskyWord, `"2fa"`, shown},
		{"/reset/invite", admit.RiskyWord, `"reset"`, shown},
		{"/htmx", admit.RiskyWord, `"htmx"`, linked},
		{"/a/_sidebar.html", admit.RiskyWord, `"sidebar"`, linked},
		{"/thank_you", admit.RiskyWord, `"thank-you"`, linked},
		{"/sidebar/orders", admit.RiskyWord, `"orders"`, shown},
		{"/orders/sidebar", admit.RiskyWord, `"orders"`, shown},
		{"/shop/cart.php", admit.ActionWord, `"cart"`, "rule"},
		{"/orders/delete", admit.ActionWord, `"delete"`, "rule"},
		{"/plain", admit.RiskyWord, "a word that is common", "rule"}, // a word that another version held
		{"/plain", admit.ActionWord, "a word that is common", "rule"},
	} {
		if text := Page(admit.Held, tt.why, tt.location); !strings.Contains(text, tt.word) || !strings.Contains(text, tt.way) {
			t.Errorf("%s is explained as %q, want %s in it and %q", tt.location, text, tt.word, tt.way)
		}
	}
}
