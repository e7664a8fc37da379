package admit

import (
	"strings"
	"testing"
)

func TestDecide(t *testing.T) {
	const k = 3
	enough := Evidence{Networks: k, Siblings: SiblingsNeeded}
	for _, tt := range []struct {
		name    string
		ev      Evidence
		listing Listing
		content Reason
		ownURL  bool
		verdict Verdict
		why     Reason
	}{
		{"nothing known", Evidence{}, Auto, None, false, Waiting, NoEvidence},
		{"entry", Evidence{Entry: true}, Auto, None, false, Listed, ByEntry},
		{"route", Evidence{Route: true}, Auto, None, false, Listed, ByRoute},
		{"link", Evidence{Link: true}, Auto, None, false, Listed, ByLink},
		{"networks", enough, Auto, None, false, Listed, ByNetworks},
		{"networks, one too few", Evidence{Networks: k - 1, Siblings: 100}, Auto, None, false, Waiting, NoEvidence},
		{"networks beside too few siblings", Evidence{Networks: 100, Siblings: SiblingsNeeded - 1}, Auto, None, false, Waiting, NoEvidence},
		{"networks of a query's secret", Evidence{Networks: 100, Siblings: 100}, Auto, None, true, Waiting, NoEvidence},
		{"link to a query", Evidence{Link: true}, Auto, None, true, Listed, ByLink},
		{"listed before", Evidence{Before: true}, Auto, None, false, Listed, ByHistory},
		{"rule", Evidence{}, Always, None, false, Listed, ByRule},
		{"rule before other evidence", Evidence{Entry: true, Link: true}, Always, None, false, Listed, ByRule},
		{"never over all evidence", Evidence{Entry: true, Route: true, Link: true, Before: true}, Never, None, false, Excluded, RuleNever},
		{"never over content", Evidence{}, Never, HeadNotSeen, false, Excluded, RuleNever},
		{"noindex over a rule", Evidence{Link: true}, Always, NoIndex, false, Excluded, NoIndex},
		{"head not seen over a rule", Evidence{}, Always, HeadNotSeen, false, Held, HeadNotSeen},
		{"encoding", Evidence{Link: true}, Auto, Encoding, false, Held, Encoding},
	} {
		t.Run(tt.name, func(t *testing.T) {
			verdict, why := Decide(tt.ev, tt.listing, tt.content, k, tt.ownURL)
			if verdict != tt.verdict || why != tt.why {
				t.Errorf("verdict is %v because of %v, want %v because of %v", verdict, why, tt.verdict, tt.why)
			}
		})
	}
}

// everyInput calls fn for all combinations of what Decide goes by.
func everyInput(fn func(ev Evidence, listing Listing, content Reason, k int, ownURL bool)) {
	contents := []Reason{None, NoIndex, Private, NoStore, CanonicalElsewhere, CanonicalConflict, QueryNotCanonical, HeadNotSeen, Encoding}
	counts := []int{0, 1, 2, 3, 4, 100}
	for bits := range 1 << 5 {
		for _, networks := range counts {
			for _, siblings := range counts {
				ev := Evidence{
					Entry: bits&1 != 0, Route: bits&2 != 0, Link: bits&4 != 0, Before: bits&8 != 0,
					Networks: networks, Siblings: siblings,
				}
				for _, listing := range []Listing{Auto, Always, Never} {
					for _, content := range contents {
						for _, k := range []int{1, 3, 20} {
							fn(ev, listing, content, k, bits&16 != 0)
						}
					}
				}
			}
		}
	}
}

func TestDecideNeverBreaksItsPromises(t *testing.T) {
	everyInput(func(ev Evidence, listing Listing, content Reason, k int, ownURL bool) {
		verdict, why := Decide(ev, listing, content, k, ownURL)
		broken := ""
		byNetworks := ev.Networks >= k && ev.Siblings >= SiblingsNeeded && !ownURL
		evidence := listing == Always || ev.Entry || ev.Route || ev.Link || ev.Before || byNetworks
		switch {
		case listing == Never && (verdict != Excluded || why != RuleNever):
			broken = "never always wins"
		case listing != Never && content != None && (verdict != Excluded && verdict != Held || why != content):
			broken = "what the page forbids beats all evidence, and is the reason given"
		case (verdict == Held) != (listing != Never && (content == HeadNotSeen || content == Encoding)):
			broken = "held is what could not be read"
		case (verdict == Listed) != (listing != Never && content == None && evidence):
			broken = "listed is what has evidence and is not forbidden, and nothing else"
		case verdict == Waiting && why != NoEvidence:
			broken = "what waits, waits for evidence"
		case why == ByNetworks && !byNetworks || why == ByLink && !ev.Link || why == ByRoute && !ev.Route ||
			why == ByEntry && !ev.Entry || why == ByHistory && !ev.Before || why == ByRule && listing != Always:
			broken = "the reason is true"
		case verdict == Unknown || verdict == Gone || why == None:
			broken = "a witness is somewhere, for a reason"
		}
		if broken != "" {
			t.Fatalf("Decide(%+v, %d, %v, %d, %v) = %v because of %v, but %s", ev, listing, content, k, ownURL, verdict, why, broken)
		}
		if text := Explain(verdict, why); text == Explain(Unknown, None) {
			t.Fatalf("%v because of %v has no explanation", verdict, why)
		}
	})
}

func TestExplain(t *testing.T) {
	unknown := Explain(Unknown, None)
	if !strings.HasPrefix(unknown, "Nothing is known") {
		t.Errorf("unknown is explained as %q", unknown)
	}
	if got := Explain(Unknown, ByLink); got != unknown {
		t.Errorf("unknown with an old reason is explained as %q", got)
	}
	seen := map[string]Reason{}
	for why := ByRule; why <= Moved; why++ { // those that a verdict can carry
		verdict, opening := Excluded, "It is not listed: "
		switch {
		case why <= ByHistory:
			verdict, opening = Listed, "It is listed: "
		case why == NoEvidence || why == NotSeen:
			verdict, opening = Waiting, "It waits: "
		case why >= HeadNotSeen && why <= ActionWord:
			verdict, opening = Held, "It is held: "
		case why >= StatusGone:
			verdict, opening = Gone, "It was listed, and has "
		}
		text := Explain(verdict, why)
		if !strings.HasPrefix(text, opening) || !strings.HasSuffix(text, ".") {
			t.Errorf("%v because of %v is explained as %q, want a sentence that begins with %q", verdict, why, text, opening)
		}
		if other, twice := seen[text]; twice {
			t.Errorf("%v and %v are explained in the same words", why, other)
		}
		seen[text] = why
	}
}

func TestNamesAreUnique(t *testing.T) {
	verdicts := map[string]bool{}
	for v := Unknown; v <= Gone; v++ {
		if verdicts[v.String()] {
			t.Errorf("two verdicts are called %q", v)
		}
		verdicts[v.String()] = true
	}
	if got := (Gone + 1).String(); got != "unknown" {
		t.Errorf("a verdict that is none is called %q", got)
	}
	reasons := map[string]bool{}
	for i := range Reasons {
		name := Reason(i).String()
		if name == "" || reasons[name] {
			t.Errorf("reason %d is called %q, which is empty or taken", i, name)
		}
		reasons[name] = true
	}
	if got := Reason(Reasons).String(); got != "unknown" {
		t.Errorf("a reason that is none is called %q", got)
	}
}

// Verdicts and reasons are stored by their numbers.
func TestStoredNumbersStay(t *testing.T) {
	for v, want := range map[Verdict]uint8{Unknown: 0, Waiting: 1, Held: 2, Listed: 3, Excluded: 4, Gone: 5} {
		if uint8(v) != want {
			t.Errorf("%v is stored as %d, want %d", v, v, want)
		}
	}
	for r, want := range map[Reason]uint8{
		None: 0, ByRule: 1, ByEntry: 2, ByRoute: 3, ByLink: 4, ByNetworks: 5, ByHistory: 6,
		NoEvidence: 7, NotSeen: 8, RuleNever: 9, Forgotten: 10, NoIndex: 11, Private: 12, NoStore: 13,
		CanonicalElsewhere: 14, CanonicalConflict: 15, QueryNotCanonical: 16, HeadNotSeen: 17, Encoding: 18,
		RiskyWord: 19, ActionWord: 20,
		StatusGone: 21, NotFound: 22, Denied: 23, LoginRedirect: 24, Moved: 25,
	} {
		if uint8(r) != want {
			t.Errorf("%v is stored as %d, want %d", r, r, want)
		}
	}
}
