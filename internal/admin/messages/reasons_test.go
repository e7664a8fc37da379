package messages

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/internal/testkit/base"
)

// use makes texts have another style until the test ends.
func use(t *testing.T, style words.Style) {
	words.Use(style)
	t.Cleanup(func() { words.Use(words.Options) })
}

func TestTextsNameOnlyWhatTheOwnerHas(t *testing.T) {
	texts := func() (all []string) {
		for _, r := range reasons {
			r = ReasonNamed(r.Reason.String())
			all = append(all, r.Means(), Page(r.Verdict(), r.Reason, "/drafts/a"), Page(r.Verdict(), r.Reason, "/delete"))
			all = append(all, Missing("/a", r.Reason, false, 0)...)
		}
		for hint := OtherOrigin; hint < hints; hint++ {
			all = append(all, hint.String())
		}
		for _, why := range []eligibility.Reason{eligibility.LinkActs, eligibility.LinkFile, eligibility.AddressQuery} {
			text, missing := LeftOut("/delete", why)
			all = append(append(all, text), missing...)
		}
		return append(all, MovedTo("https://example.com"), Elsewhere(""), Elsewhere("/shop"),
			NoSitemap(Counts{Origin: "https://example.com", ReportOnly: true}))
	}
	for _, tt := range []struct {
		name        string
		style       words.Style
		has, hasNot *regexp.Regexp
	}{
		{"the library", words.Options, regexp.MustCompile(`Options\.|Rule\.|Limits\.|Site\.|Always`),
			regexp.MustCompile(`[ (]-[a-z]|\{[A-Z]\w+\}`)},
		{"the command", words.Flags, regexp.MustCompile(` -[a-z]|"servemap `),
			regexp.MustCompile(`Options\.|Rule\.|Limits\.|Site\.|\b[Rr]ule\b|router's|middleware|[{}]`)},
		{"the file of the command", words.Keys, regexp.MustCompile(`always|query|origin|entry|benign|"servemap `),
			regexp.MustCompile(`[ (]-[a-tv-z]|Options\.|Rule\.|Limits\.|Site\.|\b[Rr]ule\b|router's|middleware|[{}]`)},
		{"a Caddyfile", words.Caddyfile, regexp.MustCompile(`always|query|origin|entry|benign|inspector`),
			regexp.MustCompile(`[ (]-[a-z]|"servemap |Options\.|Rule\.|Limits\.|Site\.|\b[Rr]ule\b|router's|middleware|[{}]|  | [.,]`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			use(t, tt.style)
			named := 0
			for _, text := range texts() {
				if text == "" || tt.hasNot.MatchString(text) {
					t.Errorf("%q", text)
				}
				if tt.has.MatchString(text) {
					named++
				}
			}
			if named < 20 {
				t.Errorf("only %d texts name a setting", named)
			}
		})
	}
}

func TestEveryReasonIsExplained(t *testing.T) {
	seen := map[string]eligibility.Reason{}
	for why := eligibility.ByRule; int(why) < eligibility.Reasons; why++ {
		r := ReasonNamed(why.String())
		if r.Reason != why || !strings.HasSuffix(r.Means(), ".") || (r.Verdict() == eligibility.Listed) != (r.Care == Fine) {
			t.Errorf("%v: %+v", why, r)
		}
		if (why < eligibility.Authorization) != (r.Verdict() != eligibility.Unknown) {
			t.Errorf("%v: of verdict %v", why, r.Verdict())
		}
		if other, twice := seen[r.Means()]; twice {
			t.Errorf("%v is explained as %q, as %v is", why, r.Means(), other)
		}
		seen[r.Means()] = why
		if text := Page(r.Verdict(), why, "/plain"); why < eligibility.Authorization &&
			(openings[r.Verdict()] == "" || !strings.HasPrefix(text, openings[r.Verdict()])) {
			t.Errorf("%v is explained as %q", why, text)
		}
	}
	if r := ReasonNamed("no such thing"); r.Means() != "" {
		t.Errorf("what is no reason is explained: %+v", r)
	}
	for _, why := range []eligibility.Reason{eligibility.None, eligibility.ByLink} {
		if got := Page(eligibility.Unknown, why, "/"); !strings.HasPrefix(got, "Nothing is known") {
			t.Errorf("unknown, %v: %q", why, got)
		}
	}
}

func TestPageSaysWhatHoldsIt(t *testing.T) {
	for _, tt := range []struct {
		location string
		why      eligibility.Reason
		says     []string
	}{
		{"/shop/cart.php", eligibility.ActionWord, []string{`The word is "cart".`, "an Always rule"}},
		{"/admin/users", eligibility.NoEvidence, []string{"what only their owners should see", "add an Always rule",
			"add a Never rule"}},
		{"/plain", eligibility.ActionWord, []string{"names an action", "an Always rule"}}, // a word that another version held
		{"/d/k3J9xQ2vT7", eligibility.Capability, []string{"a link from a listed page was seen twice, a day apart",
			"an Always rule"}},
	} {
		text := Page(eligibility.Held, tt.why, tt.location)
		for _, want := range tt.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s is explained as %q, want %s in it", tt.location, text, want)
			}
		}
	}
}

func TestShowsNothingSaysWhichContentItIs(t *testing.T) {
	for _, tt := range []struct {
		location string
		none     bool
		want     string
		not      string
	}{
		{"/archive.php?y=2025", true, "where there is no page, as at /archive.php?y=123456789. Have a page name", "nineteen"},
		{"/p/tea/reviews", false, "It is held: it shows the same as at least nineteen other pages", "made-up"},
	} {
		if text := ShowsNothing(tt.location, tt.none); !strings.Contains(text, tt.want) || strings.Contains(text, tt.not) {
			t.Errorf("%s is explained as %q, want %s in it, and not %s", tt.location, text, tt.want, tt.not)
		}
	}
}

func TestLeavesSaysWhyAndWhenAPageLeaves(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		why    eligibility.Reason
		full   bool
		want   string
	}{
		{"not found", 404, eligibility.NotFound, false,
			"It leaves a minute after it was first missed, unless somebody gets it before."},
		{"refused", 403, eligibility.Denied, false, "It leaves if that is still so a day later, unless"},
		{"a maintenance", 404, eligibility.Duplicate, false, "It leaves if that is still so a day later, unless"},
		{"deleted, with a page of words for that", 200, eligibility.Duplicate, false, "If it was deleted, answer 404 or 410"},
		{"a log-in page", 200, eligibility.PasswordField, false, " UTC there is a field for a password, as on a log-in page."},
		{"a redirect", 302, eligibility.LeadsOn, false, " UTC it redirects for now"},
		{"an error", 403, eligibility.Denied, false, " UTC it has answered 403."},
		{"among many", 403, eligibility.Denied, true, "At most ten pages, or 1 %, leave in a day by that."},
	} {
		if text := Leaves(WasLinked(), tt.status, tt.why, time.Unix(0, 0), tt.full); !strings.Contains(text, tt.want) ||
			!strings.HasPrefix(text, "It is listed, but since 1 Jan 1970, 00:00:00 UTC ") || strings.Contains(text, "To take it out") ||
			!strings.HasSuffix(text, " A page linked to it that was listed, or that only its query, noindex or canonical keeps out. "+
				"No listed page links to it now.") ||
			strings.Contains(text, "At most ten") != tt.full {
			t.Errorf("%s: %q, want %q in it", tt.name, text, tt.want)
		}
	}
}

func TestMissingSaysWhatListsAPage(t *testing.T) {
	const (
		rule  = `servemap.Rule{Pattern: "/that/page$", List: servemap.DecisionAlways} in Options.Rules`
		route = "a route for this page alone that answers with a whole document (<html> or <title>), and has no form that " +
			"leads back to it, as a search has"
	)
	for _, tt := range []struct {
		name, location string
		why            eligibility.Reason
		led            bool
		status         int
		want           []string
	}{
		{"listed", "/that/page", eligibility.ByLink, false, 0, nil},
		{"excluded", "/that/page", eligibility.NoIndex, false, 0, nil},
		{"waits for a visit", "/that/page", eligibility.NotSeen, true, 0, []string{visit}},
		{"the last visit got an error", "/that/page", eligibility.NotSeen, true, 404, []string{visitor}},
		{"an action that nobody got", "/delete", eligibility.NotSeen, true, 0, []string{visitor}},
		{"waits for evidence", "/that/page", eligibility.NoEvidence, false, 0, []string{link, route, rule}},
		{"waits for evidence, with a name of pages for the owner", "/debug/page", eligibility.NoEvidence, false, 0,
			[]string{link, strings.Replace(rule, "that", "debug", 1)}},
		{"action", "/that/page", eligibility.ActionWord, false, 0, []string{rule}},
		{"capability", "/that/page", eligibility.Capability, false, 0, []string{link + ", seen twice, a day apart", rule}},
		{"capability led to by a canonical", "/that/page", eligibility.Capability, true, 0, []string{again, rule}},
		{"duplicate", "/that/page", eligibility.Duplicate, false, 0, []string{"a canonical link to its own URL", rule}},
		{"head not seen", "/that/page", eligibility.HeadNotSeen, false, 0, []string{
			"a head that ends, and is short enough to be read whole"}},
		{"empty", "/that/page", eligibility.Empty, false, 0, []string{"a page that is not empty"}},
		{"encoding", "/that/page", eligibility.Encoding, false, 0, []string{"a Content-Encoding that servemap can read"}},
	} {
		base.EqualLists(t, Missing(tt.location, tt.why, tt.led, tt.status), tt.want, "%s", tt.name)
	}
	for _, tt := range []struct {
		name         string
		why, besides eligibility.Reason
		want         []string
	}{
		{"a rule ends both", eligibility.NoEvidence, eligibility.ActionWord, []string{rule}},
		{"a rule ends one, a visit the other", eligibility.NotSeen, eligibility.Capability,
			[]string{"a visit, with " + rule}},
		{"nothing alone ends both", eligibility.NotSeen, eligibility.Disallowed, nil},
	} {
		all := Missing("/that/page", tt.why, true, 0)
		base.EqualLists(t, Freed(all, "/that/page", []eligibility.Reason{tt.besides}), tt.want, "%s", tt.name)
	}
	use(t, words.Flags)
	if got, want := Missing("/it's/a?page=2", eligibility.ActionWord, false, 0)[0],
		`-always '/it'\''s/a?page=2$'`; got != want {
		t.Errorf("for a shell: %s, want %s", got, want)
	}
}

func TestSettingIsWhatTheOwnerTypesToChangeAVerdict(t *testing.T) {
	for _, tt := range []struct {
		why  eligibility.Reason
		want string
	}{
		{eligibility.ByLink, `To keep it out, add to Options.Rules: servemap.Rule{Pattern: "/a$", List: servemap.DecisionNever},`},
		{eligibility.NoEvidence, `To list it at its next visit, add to Options.Rules: servemap.Rule{Pattern: "/a$", List: servemap.DecisionAlways},`},
		{eligibility.LinkActs, `To list it at its next visit, add to Options.Rules: servemap.Rule{Pattern: "/a$", List: servemap.DecisionAlways},`},
		{eligibility.Private, `To list it although it says so, add to Options.Rules: servemap.Rule{Pattern: "/a$", IgnoreCacheControl: true},`},
		{eligibility.StatusGone, " "},
		{eligibility.NoPage, " "}, // such as a log-in: it is linked, so a rule adds nothing
		{eligibility.NotSeen, " "},
		{eligibility.AddressQuery, " "}, // a rule names no parameter
		{eligibility.Empty, " "},
	} {
		if s := Setting("/a", tt.why.Standing()); s.Does+" "+s.Type != tt.want {
			t.Errorf("%s: %q %q, want %s", tt.why, s.Does, s.Type, tt.want)
		}
	}
}

func TestParametersAreNamedOnce(t *testing.T) {
	params := []string{"lang,id: 9 linked pages of /view", "id: 4 linked pages; a rule names it for /p/"}
	shown := []string{"sort,orderby: 9 linked pages of /a", "filter[size],print: 2 linked pages of /b",
		"sortiment: 2 linked pages of /c"}
	if names := Parameters(shown); !slices.Equal(names, []string{"sortiment"}) {
		t.Errorf("%q are offered, and only sort or filter", names)
	}
	if names := Parameters(params); !slices.Equal(names, []string{"id", "lang"}) {
		t.Errorf("%q", names)
	}
	if text := QueryRemedy(append(shown[:2:2], "PHPSESSID: 2 linked pages of /s", "add: 2 linked pages of /t")); strings.
		Contains(text, "Left out") {
		t.Errorf("offered: %s", text)
	}
	for loc, offered := range map[string]bool{"/a?id=3": true, "/a?id=3&PHPSESSID=ab": false, "/a?sid=4": true,
		"/a?session=morning": true,
		"/a?id=3&sid=abc":    false, "/a?sessionid=3": true, "/a?sess_id=a": false,
		"/a?id=81&preview=yes": false, "/a?preview_id=3": false, "/a?draft=1": false, "/a?token=abc": false, "/a?q=tea": false,
		"/a?print=1": false, "/a?printer=5": true, "/a?utm_source=x": false, "/cart?add=1": false, "/a?addToCart=1": false, "/a?sort=price": false, "/a?address=1": true, "/a?newsid=5": true,
		"/a?sid=k3J9xQ2vT7pLmN8R": false, "/a?id=3&session=9f86d081884c7d65": false} {
		missing, _ := LeftOut(loc, eligibility.AddressQuery)
		for _, text := range []string{Unnamed(loc), missing, Page(eligibility.Excluded, eligibility.QueryNotCanonical, loc),
			Besides("", loc, []eligibility.Reason{eligibility.QueryNotCanonical})} {
			if strings.Contains(text, "ame it in") != offered {
				t.Errorf("%s: %s", loc, text)
			}
		}
	}
	for _, besides := range []eligibility.Reason{eligibility.NoEvidence, eligibility.NoIndex} {
		text := Besides(Page(eligibility.Excluded, eligibility.QueryNotCanonical, "/a?id=3"), "/a?id=3",
			[]eligibility.Reason{besides})
		if strings.Contains(text, "next visit") || !strings.Contains(text, "name it in Options.Query. Never") {
			t.Errorf("with %v besides: %s", besides, text)
		}
	}
	if text := QueryRemedy(params); !strings.HasSuffix(text,
		" Left out: 9 linked pages of /view with lang,id, 4 linked pages with id (a rule names it for /p/).") ||
		!strings.Contains(text,
			"Options.Query") {
		t.Error(text)
	}
}

func TestNothingIsSaidTwice(t *testing.T) {
	once := func(what, text string) {
		t.Helper()
		said := map[string]bool{}
		for sentence := range strings.SplitSeq(strings.TrimSuffix(text, "."), ". ") {
			if said[sentence] {
				t.Errorf("%s: %q is said twice: %s", what, sentence, text)
			}
			said[sentence] = true
		}
		if strings.Count(text, "anonymous visitor") > 1 {
			t.Errorf("%s: the anonymous visitor comes twice: %s", what, text)
		}
	}
	const loc = "/a?id=3"
	for _, r := range reasons {
		s := r.Reason.Standing()
		if s.Verdict == eligibility.Unknown {
			continue
		}
		text := Page(s.Verdict, r.Reason, loc)
		once(r.Reason.String(), text+" "+Setting(loc, s).Does)
		for _, other := range reasons {
			if other.Verdict() == eligibility.Excluded || other.Reason == eligibility.Capability {
				once(r.Reason.String()+" and "+other.Reason.String(), Besides(text, loc, []eligibility.Reason{other.Reason}))
			}
		}
	}
	logIn := Page(eligibility.Excluded, eligibility.PasswordField, "/login")
	if text := Besides(logIn, "/login", []eligibility.Reason{eligibility.NoEvidence}); strings.Contains(text,
		"Link to it") {
		t.Errorf("a log-in page has a rule to add already: %s", text)
	}
	for _, why := range []eligibility.Reason{eligibility.LinkActs, eligibility.LinkFile, eligibility.AddressQuery} {
		text, missing := LeftOut(loc, why)
		once(why.String(), text+" "+strings.Join(missing, ". "))
	}
}

func TestGroupsAgreeInNumber(t *testing.T) {
	use(t, words.Flags)
	for _, tt := range []struct {
		why  eligibility.Reason
		says [3]string // of one page, behind 1 and behind 3
	}{
		{eligibility.CanonicalElsewhere, [3]string{"it names another URL as canonical",
			"page names another page as canonical", "pages name another page as canonical"}},
		{eligibility.RuleNever, [3]string{"-never names it", "page is named by -never", "pages are named by -never"}},
		{eligibility.LinkOffSite, [3]string{"link redirects to another host", "link redirects to another host",
			"links redirect to another host"}},
	} {
		for i, n := range []int{0, 1, 3} {
			if got := ReasonOf(tt.why.String(), n).Why; got != tt.says[i] {
				t.Errorf("%v of %d: %q, want %q", tt.why, n, got, tt.says[i])
			}
		}
	}
	one := regexp.MustCompile(`^(entry |linked )?(page|link|address|file|sitemap)\b`)
	many := regexp.MustCompile(`^(entry |linked )?(pages|links|addresses|files|sitemaps)\b`)
	single := regexp.MustCompile(`^(entry |linked )?\w+ (is|was|has|says|names|shows|sends|redirects|leads)\b`)
	for _, r := range reasons {
		if ofResponses := r.Reason >= eligibility.Authorization && r.Reason < eligibility.LinkHeld; ofResponses {
			continue
		}
		if text := ReasonOf(r.Reason.String(), 1).Why; !one.MatchString(text) {
			t.Errorf("%v: 1 %s", r.Reason, text)
		}
		if text := ReasonOf(r.Reason.String(), 2).Why; !many.MatchString(text) || single.MatchString(text) {
			t.Errorf("%v: 2 %s", r.Reason, text)
		}
	}
	base.EqualLists(t, []string{TableOf(map[string]int{"off-site": 2}, nil)[0].Means},
		[]string{"Links redirect to another host."}, "the table")
}

func TestAddressThatCanBeNoPageIsQuotedWithTheCause(t *testing.T) {
	for url, want := range map[string]string{
		"p/sencha": `"p/sencha" is not a path: it needs a slash before it. Did you mean /p/sencha?`,
		"mailto:a": `"mailto:a" can be no page of https://example.com: it is not a path or an http(s) URL, or it names a user.`,
	} {
		base.Equal(t, NoPageOf(url, "https://example.com", eligibility.AddressForm), want, "it says")
	}
}
