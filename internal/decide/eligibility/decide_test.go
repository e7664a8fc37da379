package eligibility

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/testkit/base"
)

const (
	capabilityURL = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	actionURL     = "/logout"
)

func TestDecideGivesTheVerdictAndTheReason(t *testing.T) {
	logIn := Record{Content: PasswordField, Evidence: Evidence{Link: true}}
	linked, shown := Evidence{Link: true}, Evidence{Link: true, Secrecy: Confirmed}
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
		{"link to what names an order, an invitation or a back office", Record{Location: "/admin/invite/order-7",
			Evidence: linked}, Context{}, Standing{Listed, ByLink}},
		{"link", Record{Evidence: linked}, Context{}, Standing{Listed, ByLink}},
		{"link, on a day that is full", Record{Evidence: linked}, Context{Full: true}, Standing{Waiting, Growth}},
		{"route, on a day that is full", Record{Evidence: Evidence{Route: true, Link: true}}, Context{Full: true},
			Standing{Listed, ByLink}},
		{"listed before, on a day that is full", Record{Public: true, Evidence: linked}, Context{Full: true},
			Standing{Listed, ByLink}},
		{"rule", Record{}, Context{Listing: Always}, Standing{Listed, ByRule}},
		{"rule before other evidence", Record{Evidence: linked}, Context{Listing: Always, Entry: true},
			Standing{Listed, ByRule}},

		{"a field for a password", logIn, Context{}, Standing{Excluded, PasswordField}},
		{"a field for a password, and a rule", logIn, Context{Listing: Always}, Standing{Listed, ByRule}},
		{"a field for a password where visitors enter", logIn, Context{Entry: true}, Standing{Listed, ByEntry}},
		{"link to a query of its own", Record{Self: true, Evidence: linked}, Context{OwnQuery: true},
			Standing{Listed, ByLink}},
		{"link to a query that the page does not name", Record{Evidence: linked}, Context{OwnQuery: true},
			Standing{Excluded, QueryNotCanonical}},

		{"listed before", Record{Public: true}, Context{}, Standing{Listed, ByHistory}},
		{"listed before, and linked", Record{Public: true, Evidence: linked}, Context{}, Standing{Listed, ByLink}},

		{"never", Record{Public: true, Evidence: linked}, Context{Listing: Never, Entry: true},
			Standing{Excluded, RuleNever}},
		{"robots.txt", Record{Public: true, Evidence: linked}, Context{Disallowed: true, Listing: Always},
			Standing{Excluded, Disallowed}},
		{"noindex", Record{Content: NoIndex, Public: true, Evidence: linked}, Context{Listing: Always},
			Standing{Excluded, NoIndex}},
		{"ends later", Record{Until: 5, Public: true, Evidence: linked}, Context{Now: 4}, Standing{Listed, ByLink}},
		{"has ended", Record{Until: 5, Public: true, Evidence: linked}, Context{Now: 5}, Standing{Excluded, NoIndex}},
		{"head not seen over a rule", Record{Content: HeadNotSeen}, Context{Listing: Always}, Standing{Held, HeadNotSeen}},
		{"empty over a rule", Record{Content: Empty}, Context{Listing: Always}, Standing{Held, Empty}},
		{"encoding", Record{Content: Encoding, Evidence: linked}, Context{}, Standing{Held, Encoding}},
		{"forgotten", Record{Barred: true, Public: true, Evidence: linked}, Context{Entry: true},
			Standing{Excluded, Forgotten}},
		{"forgotten, and a rule", Record{Barred: true}, Context{Listing: Always}, Standing{Listed, ByRule}},

		{"not there, and linked", Record{Absent: NotFound, Answered: true, Evidence: linked}, Context{},
			Standing{Waiting, NoPage}},
		{"not there", Record{Absent: NotFound}, Context{Entry: true}, Standing{Waiting, NoEvidence}},
		{"not there, and was listed", Record{Absent: StatusGone, Public: true, Evidence: linked}, Context{Listing: Always},
			Standing{Gone, StatusGone}},
		{"for one visitor", Record{Content: NoStore}, Context{}, Standing{Excluded, NoStore}},

		{"action, link", Record{Location: actionURL, Evidence: shown}, Context{}, Standing{Held, ActionWord}},
		{"action, route", Record{Location: actionURL, Evidence: Evidence{Route: true}}, Context{},
			Standing{Held, ActionWord}},
		{"secret, route", Record{Location: capabilityURL, Evidence: Evidence{Route: true}}, Context{},
			Standing{Held, Capability}},
		{"secret, link seen once", Record{Location: capabilityURL, Evidence: linked}, Context{}, Standing{Held, Capability}},
		{"secret, link seen a day apart", Record{Location: capabilityURL, Evidence: shown}, Context{},
			Standing{Listed, ByLink}},
		{"secret, an entry redirects to it", Record{Location: capabilityURL, Evidence: Evidence{Hop: 1}}, Context{},
			Standing{Held, Capability}},
		{"secret, an entry redirects to it, a day apart", Record{Location: capabilityURL,
			Evidence: Evidence{Hop: 1, Secrecy: Confirmed}}, Context{}, Standing{Listed, ByEntry}},
		{"a route variable named like a secret", Record{Location: "/x/winter",
			Evidence: Evidence{Link: true, Secrecy: Named}}, Context{}, Standing{Held, Capability}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.Witnessed = tt.r.Absent == None && tt.r.Content != NoStore
			if got, claims := Decide(tt.r, tt.c); got != tt.want || claims != got.Listed() {
				t.Errorf("%v because of %v, claims %t, want %v because of %v", got.Verdict, got.Reason, claims, tt.want.Verdict,
					tt.want.Reason)
			}
		})
	}
}

// Of the pages that would each be listed, one represents a content.
func TestBesidesHasWhatKeepsAPageOutOnceTheReasonIsGone(t *testing.T) {
	linked := Evidence{Link: true}
	for _, tt := range []struct {
		r    Record
		c    Context
		want []Reason
	}{
		{Record{Witnessed: true, Content: NoIndex}, Context{Disallowed: true}, []Reason{NoIndex, NoEvidence}},
		{Record{Witnessed: true, Until: 5}, Context{Now: 5}, []Reason{NoEvidence}},
		{Record{Witnessed: true}, Context{OwnQuery: true}, []Reason{NoEvidence}},
		{Record{Location: actionURL, Evidence: linked}, Context{}, []Reason{ActionWord}},
		{Record{Evidence: linked, Until: 5}, Context{Now: 5}, []Reason{NoIndex}},
		{Record{Witnessed: true, Content: Private}, Context{}, nil}, // its evidence is not known
	} {
		tt.r.Standing = tt.r.alone(tt.c)
		if got := Besides(tt.r, tt.c); !slices.Equal(got, tt.want) {
			t.Errorf("beside %v, %v keep it out, want %v", tt.r.Reason, got, tt.want)
		}
	}
}

func TestReasonsThatOtherPagesDecideAreNotOvertaken(t *testing.T) {
	for why, want := range map[Reason]bool{NoIndex: true, Duplicate: false, SoftNotFound: false, Growth: false} {
		r := Record{Standing: why.Standing(), Witnessed: true, Evidence: Evidence{Link: true}}
		base.Equal(t, Overtaken(r, Context{}), want, "%v is overtaken", why)
	}
}

func TestOneOfSeveralCopiesIsListed(t *testing.T) {
	routed, linked := Record{Location: "/page", Evidence: Evidence{Route: true}},
		Record{Location: "/page", Evidence: Evidence{Link: true}}
	self, old, queried := linked, linked, linked
	queried.Location = "/?page=1"
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
		{"with a route and no query, where a linked one with a query is listed", routed, false, 2, other(Proven, "/?page=1"),
			None},
		{"linked, where one is listed that is not", linked, false, 2, &Claim{Proven, false, shorter}, None},
		{"linked and with a query, where one without is listed", queried, false, 2, &Claim{Proven, false, longer}, Duplicate},
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
			got, claims := Decide(tt.own, Context{Entry: tt.entry, Copies: Copies{Showing: tt.showing, Listed: tt.listed}})
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
		{"a parameter that is not allowed", Record{Public: true}, Context{OwnQuery: true}, listed,
			Standing{Excluded, QueryNotCanonical}},
		{"a duplicate", Record{Public: true}, Context{}, copied, copied},
		{"what waits for evidence", Record{}, Context{}, waits, waits},
	} {
		tt.r.Witnessed, tt.r.Link, tt.r.Standing = true, true, tt.stored
		if got := Revise(tt.r, tt.c); got != tt.want {
			t.Errorf("%s: %v because of %v, want %v because of %v", tt.name, got.Verdict, got.Reason, tt.want.Verdict,
				tt.want.Reason)
		}
	}
}

func TestLinkIsConfirmedADayLater(t *testing.T) {
	for _, tt := range []struct {
		name      string
		hours     []int
		news      bool // the last sight is
		confirmed bool
	}{
		{"one", []int{0}, true, false},
		{"within a day", []int{0, 1, 23}, false, false},
		{"a day apart", []int{0, 24}, true, true},
		{"a day apart, and between", []int{0, 12, 30}, true, true},
		{"twice a day, out of order", []int{24, 0}, false, false},
		{"once more", []int{0, 24, 48}, false, true},
	} {
		var ev Evidence
		var news bool
		for _, h := range tt.hours {
			news = ev.SawLink(1_700_000_000_000 + moment.Time(h)*3_600_000)
		}
		if news != tt.news || (ev.Secrecy == Confirmed) != tt.confirmed {
			t.Errorf("%s: news %t and confirmed %t, want %t and %t", tt.name, news, ev.Secrecy == Confirmed, tt.news,
				tt.confirmed)
		}
	}
}

func TestBackOfficesAreKnownByTheirFirstName(t *testing.T) {
	for want, locations := range map[bool]string{
		true:  "/admin /admin/users/5 /debug/pprof/ /wp-admin/options.php /Server_Status?auto /phpinfo.php",
		false: "/ /docs/admin/users /administration /customers/acme /staff /account /dashboard /a?b=/admin",
	} {
		for location := range strings.FieldsSeq(locations) {
			base.Equal(t, Office(location), want, "%s is a back office", location)
		}
	}
}

func TestPagesForTheOwnerAreKnownByTheirNames(t *testing.T) {
	for want, locations := range map[bool]string{
		true: "/404 /404.html /500 /Error /offline /thank-you /thank_you/ /logged-out /header /_partials/menu " +
			"/fragments/menu /ajax/comments /dashboard /dashboard/sales " +
			"/backoffice /staff /logs /config /customers/export /wp-admin/ /debug/pprof/ /actuator /admin /admin/users/5 " +
			"/logs/search /metrics /%61dmin",
		false: "/ /about /errors-in-history /blog/error-messages-explained /area-404 /header-bidding /help /rooms/401-b " +
			"/customer-stories /a?page=404 /staff-handbook " +
			"/docs/admin-guide /invite /orders/5 /reset-password /search /share/summer-party /.php",
	} {
		for location := range strings.FieldsSeq(locations) {
			base.Equal(t, Own(location), want, "%s is for the owner", location)
		}
	}
}

func TestUnlinkedLocationsThatMayBeAskedFor(t *testing.T) {
	for want, locations := range map[bool]string{
		true:  "/ /about /orders /search /news/2024",
		false: "/logout /cache/clear /delete/5 /debug/pprof/ /staff /d/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
	} {
		for location := range strings.FieldsSeq(locations) {
			base.Equal(t, Unlinked(location), want, "%s may be asked for", location)
		}
	}
}
