package eligibility

import (
	"strings"
	"testing"
)

func TestDecideGivesTheVerdictAndTheReason(t *testing.T) {
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
		{"an entry redirects to it", Evidence{Led: true}, Auto, None, false, Listed, ByEntry},
		{"route", Evidence{Route: true}, Auto, None, false, Listed, ByRoute},
		{"link", Evidence{Link: true}, Auto, None, false, Listed, ByLink},
		{"networks", enough, Auto, None, false, Listed, ByNetworks},
		{"networks of what others show too", with(enough, func(ev *Evidence) { ev.Shared = true }), Auto, None, false, Held, Duplicate},
		{"networks, at the cap", with(enough, func(ev *Evidence) { ev.Orphans = SiblingsNeeded + OrphansAllowed }), Auto, None, false, Held, Growth},
		{"networks, below the cap", with(enough, func(ev *Evidence) { ev.Orphans = SiblingsNeeded + OrphansAllowed - 1 }), Auto, None, false, Listed, ByNetworks},
		{"link to a query", Evidence{Link: true}, Auto, None, true, Listed, ByLink},
		{"link to what others show too", Evidence{Link: true, Shared: true}, Auto, None, false, Listed, ByLink},
		{"link, at the cap", Evidence{Link: true, Grown: GrowthADay}, Auto, None, false, Held, Growth},
		{"route, at the cap", Evidence{Route: true, Link: true, Grown: GrowthADay}, Auto, None, false, Listed, ByRoute},
		{"rule, at the cap", Evidence{Link: true, Grown: GrowthADay}, Always, None, false, Listed, ByRule},
		{"listed before", Evidence{Before: true}, Auto, None, false, Listed, ByHistory},
		{"listed before, and linked", Evidence{Before: true, Link: true}, Auto, None, false, Listed, ByLink},
		{"listed before, with a route", Evidence{Before: true, Route: true, Link: true}, Auto, None, false, Listed, ByRoute},
		{"listed before, led to by an entry", Evidence{Before: true, Led: true}, Auto, None, false, Listed, ByEntry},
		{"listed before, and many show the same", Evidence{Before: true, Crowd: true}, Auto, None, false, Held, Duplicate},
		{"listed before and linked, and many show the same", Evidence{Before: true, Link: true, Crowd: true}, Auto, None, false, Listed, ByLink},
		{"listed before, at the cap", Evidence{Before: true, Link: true, Grown: GrowthADay}, Auto, None, false, Listed, ByLink},
		{"rule", Evidence{}, Always, None, false, Listed, ByRule},
		{"rule before other evidence", Evidence{Entry: true, Link: true}, Always, None, false, Listed, ByRule},
		{"head not seen over a rule", Evidence{}, Always, HeadNotSeen, false, Held, HeadNotSeen},
		{"encoding", Evidence{Link: true}, Auto, Encoding, false, Held, Encoding},

		{"risky, networks", Evidence{Networks: 99, Siblings: 99, Word: Risky}, Auto, None, false, Held, RiskyWord},
		{"risky, route", Evidence{Route: true, Word: Risky}, Auto, None, false, Held, RiskyWord},
		{"risky, link", Evidence{Link: true, Word: Risky}, Auto, None, false, Held, RiskyWord},
		{"risky, link shown to several", Evidence{Link: true, Shown: true, Word: Risky}, Auto, None, false, Listed, ByLink},
		{"risky, link that is not there for one visitor", Evidence{Link: true, Unprompted: true, Word: Risky}, Auto, None, false, Listed, ByLink},
		{"risky, link shown to several and route", Evidence{Link: true, Shown: true, Route: true, Word: Risky}, Auto, None, false, Listed, ByLink},
		{"risky, an entry redirects to it", Evidence{Led: true, Word: Risky}, Auto, None, false, Held, RiskyWord},
		{"risky, an entry redirects everybody to it", Evidence{Led: true, Shown: true, Word: Risky}, Auto, None, false, Listed, ByLink},
		{"utility, networks", Evidence{Networks: 99, Siblings: 99, Word: Utility}, Auto, None, false, Held, RiskyWord},
		{"utility, route", Evidence{Route: true, Word: Utility}, Auto, None, false, Held, RiskyWord},
		{"utility, link", Evidence{Link: true, Word: Utility}, Auto, None, false, Listed, ByLink},
		{"action, link", Evidence{Link: true, Word: Action}, Auto, None, false, Held, ActionWord},
		{"action, route", Evidence{Route: true, Word: Action}, Auto, None, false, Held, ActionWord},
		{"action, networks", Evidence{Networks: 99, Siblings: 99, Word: Action}, Auto, None, false, Held, ActionWord},
		{"action, an entry redirects to it", Evidence{Led: true, Word: Action}, Auto, None, false, Held, ActionWord},
		{"secret, networks", Evidence{Networks: 99, Siblings: 99, Word: Secret}, Auto, None, false, Held, Capability},
		{"secret, route", Evidence{Route: true, Word: Secret}, Auto, None, false, Held, Capability},
		{"secret, link", Evidence{Link: true, Word: Secret}, Auto, None, false, Held, Capability},
		{"secret, link that is not there for one visitor", Evidence{Link: true, Unprompted: true, Word: Secret}, Auto, None, false, Held, Capability},
		{"secret, link shown to several", Evidence{Link: true, Shown: true, Word: Secret}, Auto, None, false, Listed, ByLink},
		{"secret, an entry redirects to it", Evidence{Led: true, Word: Secret}, Auto, None, false, Held, Capability},
		{"secret, an entry redirects everybody to it", Evidence{Led: true, Shown: true, Word: Secret}, Auto, None, false, Listed, ByLink},
	} {
		t.Run(tt.name, func(t *testing.T) {
			verdict, why := Decide(tt.ev, tt.listing, tt.content, k, tt.ownURL)
			if verdict != tt.verdict || why != tt.why {
				t.Errorf("verdict is %v because of %v, want %v because of %v", verdict, why, tt.verdict, tt.why)
			}
		})
	}
}

func with(ev Evidence, change func(*Evidence)) Evidence {
	change(&ev)
	return ev
}

// question holds all arguments of Decide.
type question struct {
	ev      Evidence
	listing Listing
	content Reason
	k       int
	ownURL  bool
}

// broken returns which promise the answer to a question breaks, or "". It restates Decide in terms
// of what must never happen.
func (q question) broken(verdict Verdict, why Reason) string {
	ev := q.ev
	byNetworks := ev.Networks >= q.k && ev.Siblings >= SiblingsNeeded && !q.ownURL && !ev.Shared && ev.Orphans < ev.Siblings+OrphansAllowed
	public := ev.Link || ev.Led
	enters := map[Word]bool{
		Plain:   ev.Route || ev.Led || public && ev.Grown < GrowthADay || !public && byNetworks,
		Utility: public && ev.Grown < GrowthADay,
		Risky:   public && (ev.Shown || ev.Unprompted) && ev.Grown < GrowthADay,
		Secret:  public && ev.Shown && ev.Grown < GrowthADay,
	}[ev.Word]
	stays := ev.Before && !(ev.Crowd && !ev.Route && !ev.Link && !ev.Led)
	forbidden := q.listing == Never || ev.Disallowed || q.content != None
	switch {
	case q.listing == Never && (verdict != Excluded || why != RuleNever):
		return "never always wins"
	case q.listing != Never && ev.Disallowed && (verdict != Excluded || why != Disallowed):
		return "robots.txt beats all but never"
	case q.listing != Never && !ev.Disallowed && q.content != None && (verdict != Excluded && verdict != Held || why != q.content):
		return "what the page forbids beats all evidence, and is the reason given"
	case (verdict == Listed) != (!forbidden && (q.listing == Always || ev.Entry || stays || !ev.Before && enters)):
		return "listed is what has evidence and is not forbidden, and nothing else"
	case verdict == Waiting && why != NoEvidence:
		return "what waits, waits for evidence"
	case why == ByNetworks && !byNetworks || why == ByLink && !public || why == ByRoute && !ev.Route ||
		why == ByEntry && !ev.Entry && !ev.Led || why == ByHistory && !ev.Before || why == ByRule && q.listing != Always:
		return "the reason is true"
	case verdict == Held && why == Capability && ev.Word != Secret, verdict == Held && why == RiskyWord && ev.Word == Plain,
		verdict == Held && why == ActionWord && ev.Word != Action:
		return "what is said of the location is true"
	case verdict == Unknown || verdict == Gone || why == None:
		return "a witness is somewhere, for a reason"
	}
	return ""
}

func TestDecideNeverBreaksItsPromises(t *testing.T) {
	for bits := range 1 << 11 {
		q := question{k: 3, ownURL: bits&1 != 0, ev: Evidence{
			Entry: bits&2 != 0, Led: bits&4 != 0, Route: bits&8 != 0, Link: bits&16 != 0,
			Shown: bits&32 != 0, Before: bits&64 != 0, Disallowed: bits&128 != 0, Shared: bits&256 != 0, Crowd: bits&512 != 0,
			Unprompted: bits&1024 != 0,
		}}
		for i := range (int(Action) + 1) << 4 {
			q.ev.Networks, q.ev.Siblings = i&1*3, i>>1&1*SiblingsNeeded
			q.ev.Orphans, q.ev.Grown = i>>2&1*(q.ev.Siblings+OrphansAllowed), i>>3&1*GrowthADay
			q.ev.Word = Word(i >> 4)
			for _, q.listing = range []Listing{Auto, Always, Never} {
				for _, q.content = range []Reason{None, Private, HeadNotSeen} {
					verdict, why := Decide(q.ev, q.listing, q.content, q.k, q.ownURL)
					if broken := q.broken(verdict, why); broken != "" {
						t.Fatalf("Decide of %+v = %v because of %v, but %s", q, verdict, why, broken)
					}
				}
			}
		}
	}
}

func TestRepresentChoosesWhichDuplicateIsListed(t *testing.T) {
	for _, tt := range []struct {
		name           string
		own            Rank
		showing        int
		representative int
		preferred      bool
		verdict        Verdict
		why            Reason
	}{
		{"alone", Orphaned, 1, -1, false, Listed, None},
		{"the first to be listed of several", Linked, 3, -1, false, Listed, None},
		{"linked, where an orphan is listed", Linked, 2, int(Orphaned), false, Listed, None},
		{"linked, where a linked one is listed", Linked, 2, int(Linked), false, Held, Duplicate},
		{"an orphan, where a linked one is listed", Orphaned, 2, int(Linked), false, Held, Duplicate},
		{"canonical, where a linked one is listed", Canonical, 2, int(Linked), false, Listed, None},
		{"canonical, where a canonical one is listed", Canonical, 2, int(Canonical), false, Held, Duplicate},
		{"linked, where an entry is listed", Linked, 2, int(Vouched), false, Held, Duplicate},
		{"an entry, where an entry is listed", Vouched, 2, int(Vouched), false, Listed, None},
		{"canonical and preferred, where a canonical one is listed", Canonical, 2, int(Canonical), true, Listed, None},
		{"linked and preferred, where one listed for long is", Linked, 2, int(Established), true, Held, Duplicate},
		{"a cluster, preferred", Linked, ClusterSize, int(Linked), true, Held, SoftNotFound},
		{"one less than a cluster", Linked, ClusterSize - 1, -1, false, Listed, None},
		{"a cluster", Linked, ClusterSize, -1, false, Held, SoftNotFound},
		{"a cluster, and a page listed for long", Established, ClusterSize, -1, false, Listed, None},
		{"a cluster, and a page that names itself", Canonical, ClusterSize, -1, false, Listed, None},
		{"a cluster, and another page that names itself", Canonical, ClusterSize, int(Canonical), false, Held, Duplicate},
		{"an entry of a cluster", Vouched, ClusterSize, int(Linked), false, Listed, None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, why := Represent(tt.own, tt.showing, tt.representative, tt.preferred); got != tt.verdict || why != tt.why {
				t.Errorf("%v because of %v, want %v because of %v", got, why, tt.verdict, tt.why)
			}
		})
	}
}

func TestVerdictsAndReasonsHaveUniqueNames(t *testing.T) {
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
func TestNumbersOfVerdictsAndReasonsStay(t *testing.T) {
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
		StatusGone: 21, NotFound: 22, Denied: 23, LoginRedirect: 24, Moved: 25, Unseen: 26,
		Capability: 27, Duplicate: 28, SoftNotFound: 29, Growth: 30, Disallowed: 31,
	} {
		if uint8(r) != want {
			t.Errorf("%v is stored as %d, want %d", r, r, want)
		}
	}
}

func TestPreferChoosesTheBetterLocationOfTwo(t *testing.T) {
	at := func(location string) Claim { return Claim{Location: location, Linked: true} }
	for _, tt := range []struct {
		name  string
		a, b  Claim
		wants bool // that a is preferred; b is never preferred here
	}{
		{"an article and its comments", at("/2024/01/post/"), at("/2024/01/post/comment-page-1/"), true},
		{"without slashes at the end", at("/2024/01/post"), at("/2024/01/post/comment-page-1"), true},
		{"an article and its comments by their queries", at("/?p=1"), at("/?cpage=1&p=1"), true},
		{"a page and itself with a query", at("/list"), at("/list?page=1"), true},
		{"a folder and its index", at("/docs/"), at("/docs/index.html"), true},
		{"a linked one and one that is above it", Claim{Location: "/post/comment-page-1/", Linked: true}, Claim{Location: "/post/"}, true},
		{"the shorter one", at("/p/1"), at("/2024/01/a-post"), true},
		{"of the same length", at("/a"), at("/b"), false},
		{"of the same length, in other queries", at("/?p=1"), at("/?q=1"), false},
		{"no folder of the other", at("/post"), at("/post-2/a"), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Prefer(tt.a, tt.b); got != tt.wants {
				t.Errorf("the first is preferred: %t, want %t", got, tt.wants)
			}
			if Prefer(tt.b, tt.a) && (tt.wants || len(tt.a.Location) == len(tt.b.Location)) {
				t.Error("the second is preferred")
			}
		})
	}
}

// However many locations show one content, visits to them settle on one location.
func TestPreferIsAStrictOrder(t *testing.T) {
	var all []Claim
	for _, location := range []string{"/", "/a", "/a/", "/a/b", "/a?x=1", "/a?x=1&y=1", "/?a=1", "/?a=1&b=1", "/?b=1", "/a/b?x=1", "/b"} {
		all = append(all, Claim{location, true}, Claim{location, false})
	}
	for _, a := range all {
		for _, b := range all {
			if Prefer(a, b) && Prefer(b, a) {
				t.Errorf("%+v and %+v are preferred to each other", a, b)
			}
			for _, c := range all {
				if Prefer(a, b) && Prefer(b, c) && !Prefer(a, c) {
					t.Errorf("%+v, %+v and %+v take turns", a, b, c)
				}
			}
		}
	}
}

func TestWordOfRecognisesRiskyLocations(t *testing.T) {
	for want, locations := range map[Word]string{
		Plain: "/ /about /blog/hello-world /blog/presets /border/orderly /blog/how-to-delete-files /delete.html /a?delete " +
			"/errors-in-history /blog/error-messages-explained /area-404 /header-bidding /help /menu /news/2024 /rooms/401-b " +
			"/customer-stories /a?page=404 /carts /manual/delete.html /manual/function.delete.php /carts.php /logout.png /logout. " +
			"/.php /index.php /how-to-delete.php",
		Utility: "/404 /404.html /500 /Error /offline /thank-you /thank_you/ /contact/thanks /logged-out /header /_partials/menu " +
			"/fragments/menu /ajax/comments /dashboard /dashboard/sales /backoffice /staff /logs /config /customers/export",
		Risky: "/reset-password/abc /RESET/abc /forgot_password /invite/Ab3kZ9 /share/summer-party /orders/100234/thank-you /wp-admin/ " +
			"/debug/pprof/ /actuator /library/token.html /blog/how-to-reset-your-router /logs/search /reset.php",
		Secret: "/404/3f2504e0-4f89-41d3-9a0c-0305e82c3301 /d/3f2504e0-4f89-41d3-9a0c-0305e82c3301 " +
			"/reset/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
		Action: "/u/unsubscribe/42 /logout /user/log_out /wiki/Page/edit /Cart /dashboard/logout " +
			"/3f2504e0-4f89-41d3-9a0c-0305e82c3301/delete /logout.php /LogOut.aspx /log_out.do /logout.jsp /user/signout.action " +
			"/shop/add_to_cart.cgi /delete.php /edit.asp /remove.cfm /unsubscribe.pl /cart.html /logout.htm /logout.php/now",
	} {
		for location := range strings.FieldsSeq(locations) {
			if got := WordOf(location, false); got != want {
				t.Errorf("%s: word %d, want %d", location, got, want)
			}
		}
	}
}

func TestVariableNamedLikeASecretMakesALocationSecret(t *testing.T) {
	for location, want := range map[string]Word{"/x/winter": Secret, "/x/invite": Secret, "/x/logout": Action} {
		if got := WordOf(location, true); got != want {
			t.Errorf("%s: word %d, want %d", location, got, want)
		}
	}
}
