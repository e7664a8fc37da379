package eligibility

import (
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
)

const (
	capabilityURL = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	riskyURL      = "/share/summer-party"
	ownURL        = "/dashboard"
	actionURL     = "/logout"
)

func TestDecideGivesTheVerdictAndTheReason(t *testing.T) {
	logIn := Record{Content: PasswordField, Evidence: Evidence{Link: true}}
	linked, shown := Evidence{Link: true}, Evidence{Link: true, Confirmed: true}
	for _, tt := range []struct {
		name string
		r    Record
		c    Context
		want Standing
	}{
		{"nothing known", Record{}, Context{}, Standing{Waiting, NoEvidence}},
		{"entry", Record{}, Context{Entry: true}, Standing{Listed, ByEntry}},
		{"an entry redirects to it", Record{Evidence: Evidence{Hop: 1}}, Context{}, Standing{Listed, ByEntry}},
		{"route", Record{Evidence: Evidence{Route: true}}, Context{}, Standing{Listed, ByRoute}},
		{"link", Record{Evidence: linked}, Context{}, Standing{Listed, ByLink}},
		{"link, on a day that is full", Record{Evidence: linked}, Context{Full: true}, Standing{Waiting, Growth}},
		{"route, on a day that is full", Record{Evidence: Evidence{Route: true, Link: true}}, Context{Full: true}, Standing{Listed, ByRoute}},
		{"listed before, on a day that is full", Record{Public: true, Evidence: linked}, Context{Full: true}, Standing{Listed, ByLink}},
		{"rule", Record{}, Context{Listing: Always}, Standing{Listed, ByRule}},
		{"rule before other evidence", Record{Evidence: linked}, Context{Listing: Always, Entry: true}, Standing{Listed, ByRule}},

		{"a field for a password", logIn, Context{}, Standing{Excluded, PasswordField}},
		{"a field for a password, and a rule", logIn, Context{Listing: Always}, Standing{Listed, ByRule}},
		{"a field for a password where visitors enter", logIn, Context{Entry: true}, Standing{Listed, ByEntry}},
		{"link to a query of its own", Record{Self: true, Evidence: linked}, Context{OwnQuery: true}, Standing{Listed, ByLink}},
		{"link to a query that the page does not name", Record{Evidence: linked}, Context{OwnQuery: true}, Standing{Excluded, QueryNotCanonical}},

		{"listed before", Record{Public: true}, Context{}, Standing{Listed, ByHistory}},
		{"listed before, and linked", Record{Public: true, Evidence: linked}, Context{}, Standing{Listed, ByLink}},

		{"never", Record{Public: true, Evidence: linked}, Context{Listing: Never, Entry: true}, Standing{Excluded, RuleNever}},
		{"robots.txt", Record{Public: true, Evidence: linked}, Context{Disallowed: true, Listing: Always}, Standing{Excluded, Disallowed}},
		{"noindex", Record{Content: NoIndex, Public: true, Evidence: linked}, Context{Listing: Always}, Standing{Excluded, NoIndex}},
		{"ends later", Record{Until: 5, Public: true, Evidence: linked}, Context{Now: 4}, Standing{Listed, ByLink}},
		{"has ended", Record{Until: 5, Public: true, Evidence: linked}, Context{Now: 5}, Standing{Excluded, NoIndex}},
		{"head not seen over a rule", Record{Content: HeadNotSeen}, Context{Listing: Always}, Standing{Held, HeadNotSeen}},
		{"encoding", Record{Content: Encoding, Evidence: linked}, Context{}, Standing{Held, Encoding}},
		{"forgotten", Record{Barred: true, Public: true, Evidence: linked}, Context{Entry: true}, Standing{Excluded, Forgotten}},
		{"forgotten, and a rule", Record{Barred: true}, Context{Listing: Always}, Standing{Listed, ByRule}},

		{"not there, and linked", Record{Absent: NotFound, Evidence: linked}, Context{}, Standing{Waiting, NotSeen}},
		{"not there", Record{Absent: NotFound}, Context{Entry: true}, Standing{Waiting, NoEvidence}},
		{"not there, and was listed", Record{Absent: StatusGone, Public: true, Evidence: linked}, Context{Listing: Always}, Standing{Gone, StatusGone}},
		{"for one visitor", Record{Content: NoStore}, Context{}, Standing{Excluded, NoStore}},

		{"risky, route", Record{Location: riskyURL, Evidence: Evidence{Route: true}}, Context{}, Standing{Held, RiskyWord}},
		{"risky, link shown to several", Record{Location: riskyURL, Evidence: shown}, Context{}, Standing{Listed, ByLink}},
		{"risky, link that is not there for one visitor", Record{Location: riskyURL, Evidence: Evidence{Link: true, Unprompted: true}}, Context{}, Standing{Listed, ByLink}},
		{"risky, an entry redirects to it", Record{Location: riskyURL, Evidence: Evidence{Hop: 1}}, Context{}, Standing{Held, RiskyWord}},
		{"risky, an entry redirects everybody to it", Record{Location: riskyURL, Evidence: Evidence{Hop: 1, Confirmed: true}}, Context{}, Standing{Listed, ByEntry}},
		{"for the site's own use, link that is not there for one visitor", Record{Location: ownURL, Evidence: Evidence{Link: true, Unprompted: true}}, Context{}, Standing{Listed, ByLink}},
		{"action, link", Record{Location: actionURL, Evidence: shown}, Context{}, Standing{Held, ActionWord}},
		{"action, route", Record{Location: actionURL, Evidence: Evidence{Route: true}}, Context{}, Standing{Held, ActionWord}},
		{"secret, route", Record{Location: capabilityURL, Evidence: Evidence{Route: true}}, Context{}, Standing{Held, Capability}},
		{"secret, link that is not there for one visitor", Record{Location: capabilityURL, Evidence: Evidence{Link: true, Unprompted: true}}, Context{}, Standing{Held, Capability}},
		{"secret, link shown to several", Record{Location: capabilityURL, Evidence: shown}, Context{}, Standing{Listed, ByLink}},
		{"secret, an entry redirects to it", Record{Location: capabilityURL, Evidence: Evidence{Hop: 1}}, Context{}, Standing{Held, Capability}},
		{"secret, an entry redirects everybody to it", Record{Location: capabilityURL, Evidence: Evidence{Hop: 1, Confirmed: true}}, Context{}, Standing{Listed, ByEntry}},
		{"a route variable named like a secret", Record{Location: "/x/winter", Evidence: Evidence{Link: true, Variable: true}}, Context{}, Standing{Held, Capability}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.Witnessed = tt.r.Absent == None && tt.r.Content != NoStore
			if got, claims := Decide(tt.r, tt.c); got != tt.want || claims != got.Listed() {
				t.Errorf("%v because of %v, claims %t, want %v because of %v", got.Verdict, got.Reason, claims, tt.want.Verdict, tt.want.Reason)
			}
		})
	}
}

// Of the pages that would each be listed, one represents a content.
func TestOneOfSeveralCopiesIsListed(t *testing.T) {
	routed, linked := Record{Location: "/page", Evidence: Evidence{Route: true}}, Record{Location: "/page", Evidence: Evidence{Link: true}}
	self, old := linked, linked
	self.Self = true
	old.Age = 25 * time.Hour
	other := func(rank Rank, location string) *Claim { return &Claim{rank, true, location} }
	const shorter, longer = "/b", "/the-other-page"
	for _, tt := range []struct {
		name    string
		own     Record
		entry   bool
		showing int
		listed  *Claim
		want    Reason
	}{
		{"alone", routed, false, 1, nil, None},
		{"the first to be listed of several", linked, false, 3, nil, None},
		{"linked, where one is listed that is not", linked, false, 2, &Claim{Proven, false, shorter}, None},
		{"linked, where a linked one is listed", linked, false, 2, other(Proven, shorter), Duplicate},
		{"linked and shorter, where a linked one is listed", linked, false, 2, other(Proven, longer), None},
		{"of the same length, where a linked one is listed", linked, false, 2, other(Proven, "/same"), Duplicate},
		{"one with a route, where a linked one is listed", routed, false, 2, other(Proven, longer), Duplicate},
		{"canonical, where a linked one is listed", self, false, 2, other(Proven, shorter), None},
		{"canonical, where a canonical one is listed", self, false, 2, other(Canonical, shorter), Duplicate},
		{"linked, where an entry is listed", linked, false, 2, other(Trusted, longer), Duplicate},
		{"an entry, where an entry is listed", linked, true, 2, other(Trusted, shorter), None},
		{"linked and shorter, where one listed for long is", linked, false, 2, other(Established, longer), Duplicate},
		{"a cluster", linked, false, ClusterSize, nil, SoftNotFound},
		{"one less than a cluster", linked, false, ClusterSize - 1, nil, None},
		{"a cluster, and a page listed for long", old, false, ClusterSize, nil, None},
		{"a cluster, and a page that names itself", self, false, ClusterSize, nil, None},
		{"a cluster, and another page that names itself", self, false, ClusterSize, other(Canonical, shorter), Duplicate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.own.Witnessed, tt.own.Public = true, true
			got, claims := Decide(tt.own, Context{Entry: tt.entry, Copies: Copies{tt.showing, tt.listed}})
			if got.Listed() != (tt.want == None) || !got.Listed() && got != (Standing{Held, tt.want}) || !claims {
				t.Errorf("%v because of %v, claims %t, want %v", got.Verdict, got.Reason, claims, tt.want)
			}
		})
	}
}

// However many locations show one content, visits to them settle on one location.
func TestClaimsAreAStrictOrder(t *testing.T) {
	var all []Claim
	for _, location := range []string{"/", "/a", "/a/", "/a/b", "/a?x=1", "/a?x=1&y=1", "/?a=1", "/b"} {
		for _, rank := range []Rank{Proven, Established, Canonical} {
			all = append(all, Claim{rank, true, location}, Claim{rank, false, location})
		}
	}
	for _, a := range all {
		for _, b := range all {
			if a.Beats(b) && b.Beats(a) {
				t.Errorf("%+v and %+v beat each other", a, b)
			}
			for _, c := range all {
				if a.Beats(b) && b.Beats(c) && !a.Beats(c) {
					t.Errorf("%+v, %+v and %+v take turns", a, b, c)
				}
			}
		}
	}
}

// A stored verdict holds until the rules, robots.txt or the time say otherwise.
func TestReviseActsOnWhatHasChangedSince(t *testing.T) {
	listed, waits, copied := Standing{Listed, ByLink}, Standing{Waiting, NoEvidence}, Standing{Held, Duplicate}
	for _, tt := range []struct {
		name   string
		r      Record
		c      Context
		stored Standing
		want   Standing
	}{
		{"nothing", Record{Public: true}, Context{}, listed, listed},
		{"never", Record{Public: true}, Context{Listing: Never}, listed, Standing{Excluded, RuleNever}},
		{"never no more", Record{Public: true}, Context{}, Standing{Excluded, RuleNever}, listed},
		{"robots.txt", Record{Public: true}, Context{Disallowed: true}, listed, Standing{Excluded, Disallowed}},
		{"the end", Record{Public: true, Until: 5}, Context{Now: 5}, listed, Standing{Excluded, NoIndex}},
		{"a parameter that is not allowed", Record{Public: true}, Context{OwnQuery: true}, listed, Standing{Excluded, QueryNotCanonical}},
		{"a duplicate", Record{Public: true}, Context{}, copied, copied},
		{"what waits for evidence", Record{}, Context{}, waits, waits},
	} {
		tt.r.Witnessed, tt.r.Link, tt.r.Standing = true, true, tt.stored
		if got := Revise(tt.r, tt.c); got != tt.want {
			t.Errorf("%s: %v because of %v, want %v because of %v", tt.name, got.Verdict, got.Reason, tt.want.Verdict, tt.want.Reason)
		}
	}
}

func TestLinkIsShownByIndependentObservations(t *testing.T) {
	type sight struct {
		network uint32
		hours   int
	}
	for _, tt := range []struct {
		name  string
		seen  []sight
		news  bool // the last one is
		shown bool
	}{
		{"one", []sight{{1, 0}}, true, false},
		{"twice from one network", []sight{{1, 0}, {1, 1}}, false, false},
		{"from two networks", []sight{{1, 0}, {2, 1}}, true, true},
		{"a day apart", []sight{{1, 0}, {1, 24}}, true, true},
		{"from no known network", []sight{{0, 0}, {0, 1}}, false, false},
		{"then from a known network", []sight{{0, 0}, {1, 1}}, true, false},
		{"then from two known networks", []sight{{0, 0}, {1, 1}, {2, 1}}, true, true},
		{"once more", []sight{{1, 0}, {2, 0}, {3, 0}}, false, true},
	} {
		var ev Evidence
		var news bool
		for _, s := range tt.seen {
			news = ev.SawLink(1_700_000_000_000+moment.Time(s.hours)*3_600_000, s.network)
		}
		if news != tt.news || ev.Confirmed != tt.shown {
			t.Errorf("%s: news %t and shown %t, want %t and %t", tt.name, news, ev.Confirmed, tt.news, tt.shown)
		}
	}
}

func TestWordOfRecognisesRiskyLocations(t *testing.T) {
	for want, locations := range map[Word]string{
		Plain: "/ /about /blog/hello-world /blog/presets /border/orderly /blog/how-to-delete-files /delete.html /wiki/Page/edit " +
			"/errors-in-history /blog/error-messages-explained /area-404 /header-bidding /help /menu /news/2024 /rooms/401-b " +
			"/customer-stories /a?page=404 /carts /manual/delete.html /manual/function.delete.php /carts.php /logout.png " +
			"/.php /index.php /how-to-delete.php",
		Risky: "/SignIn /LogIn /WebHook /resetPassword /404 /404.html /500 /Error /offline /thank-you /thank_you/ /contact/thanks /logged-out /header /_partials/menu " +
			"/fragments/menu /ajax/comments /dashboard /dashboard/sales /backoffice /staff /logs /config /customers/export " +
			"/reset-password/abc /RESET/abc /forgot_password /invite/Ab3kZ9 /share/summer-party /orders/100234/thank-you /wp-admin/ " +
			"/debug/pprof/ /actuator /library/token.html /blog/how-to-reset-your-router /logs/search /reset.html " +
			"/Bestellung/maria /mot-de-passe-oublie /mi-cuenta /zamowienie-12 /%E9%87%8D%E7%BD%AE%E5%AF%86%E7%A0%81 /%D0%B7%D0%B0%D0%BA%D0%B0%D0%B7/%D0%B8%D0%B2%D0%B0%D0%BD /%E3%83%9E%E3%82%A4%E3%83%9A%E3%83%BC%E3%82%B8 /best%C3%A4tigung-maria /%EB%B9%84%EB%B0%80%EB%B2%88%ED%98%B8-%EC%B0%BE%EA%B8%B0 /%D9%81%D8%A7%D8%AA%D9%88%D8%B1%D8%A9",
		Secret: "/404/3f2504e0-4f89-41d3-9a0c-0305e82c3301 /d/3f2504e0-4f89-41d3-9a0c-0305e82c3301 " +
			"/invitation/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
		Action: "/u/unsubscribe/42 /logout /user/log_out /wiki/5/edit /Cart /a?delete /logout. /reset.php /reset/3f2504e0-4f89-41d3-9a0c-0305e82c3301 /dashboard/logout " +
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
