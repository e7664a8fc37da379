package eligibility

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func list(pattern string, l Listing) Rule { return Rule{Pattern: pattern, Listing: l} }

func newRules(t testing.TB, rules ...Rule) Rules {
	t.Helper()
	rs, err := NewRules(rules)
	base.Check(t, err)
	return rs
}

// The tests of package robots cover what a pattern matches.
func TestLongestPatternDecidesOnTheListing(t *testing.T) {
	for _, tt := range []struct {
		name    string
		rules   []Rule
		want    Listing
		pattern string // "" for no match
	}{
		{"none", nil, Unset, ""},
		{"one", []Rule{list("/a", Never)}, Never, "/a"},
		{"longest wins", []Rule{list("/", Never), list("/a", Always)}, Always, "/a"},
		{"longer auto frees from never", []Rule{list("/", Never), list("/a", Auto)}, Auto, "/a"},
		{"never of equals", []Rule{list("/a", Always), list("/a", Never)}, Never, "/a"},
		{"never over auto of equals", []Rule{list("/a", Auto), list("/*", Never)}, Never, "/*"},
		{"auto over always of equals", []Rule{list("/a", Always), list("/*", Auto)}, Auto, "/*"},
		{"star and end count", []Rule{list("/a", Never), list("/*$", Always)}, Always, "/*$"},
		{"an escape counts as what it means", []Rule{list("/%61", Always), list("/a", Never)}, Never, "/a"},
		{"a longer priority does not lift never", []Rule{list("/", Never), {Pattern: "/a", Priority: 1}}, Never, "/"},
		{"a rule of other things decides nothing", []Rule{{Pattern: "/a", Priority: 1}}, Unset, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, ok := newRules(t, tt.rules...).Match("/a")
			if ok != (tt.pattern != "") || r.Pattern != tt.pattern || r.Listing != tt.want {
				t.Errorf("match = %+v, %v, want %q with listing %d", r, ok, tt.pattern, tt.want)
			}
		})
	}
}

func TestLongestPatternThatSetsItDecidesOnEachAspect(t *testing.T) {
	rs := newRules(t,
		Rule{Pattern: "/", ChangeFreq: "monthly", Priority: 0.3},
		Rule{Pattern: "/news/", ChangeFreq: "hourly"},
		Rule{Pattern: "/*.pdf", Priority: 1},
		Rule{Pattern: "/news/*", ChangeFreq: "daily", Priority: 0.9},
		Rule{Pattern: "/news/old", Listing: Auto, ChangeFreq: "never", Priority: 0.1},
		Rule{Pattern: "/news/ol*", ChangeFreq: "always", Priority: 0.5},
		Rule{Pattern: "/news/older", Listing: Never},
	)
	for _, tt := range []struct {
		name, location string
		freq           string
		priority       uint8
	}{
		{"shortest", "/a", "monthly", 3},
		{"each from another rule", "/a.pdf", "monthly", 10},
		{"both from the longer", "/news/today", "daily", 9},
		{"of two as long the first", "/news/old", "never", 1},
		{"a longer rule that sets neither", "/news/older", "never", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if freq, priority := rs.Freq(tt.location), rs.Priority(tt.location); freq != tt.freq || priority != tt.priority {
				t.Errorf("%s: %q and %d tenths, want %q and %d", tt.location, freq, priority, tt.freq, tt.priority)
			}
		})
	}
	var none Rules
	if freq, priority := none.Freq("/a"), none.Priority("/a"); freq != "" || priority != 0 {
		t.Errorf("no rules: %q and %d tenths", freq, priority)
	}
}

func TestEveryMatchingRuleAllowsItsParameters(t *testing.T) {
	rs := newRules(t,
		Rule{Pattern: "/shop/", Query: []string{"color"}},
		Rule{Pattern: "/*/shoes$", Query: []string{"size", "width"}},
		Rule{Pattern: "/shop/s", Query: []string{"sort"}},
		Rule{Pattern: "/a%2Ab", Query: []string{"star"}},
		list("/shop/shoes", Never),
	)
	for _, tt := range []struct {
		name, path string
		want       []string
	}{
		{"no rule", "/", nil},
		{"three", "/shop/shoes", []string{"color", "size", "sort", "width"}},
		{"the end counts", "/shop/shoes/", []string{"color", "sort"}},
		{"escaped star", "/a%2Ab", []string{"star"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 { // a result must not spoil the next one
				base.EqualLists(t, slices.Sorted(slices.Values(rs.Query(tt.path))), tt.want, "%s", tt.path)
			}
		})
	}
}

func TestBadRulesNameThePatternAndTheFix(t *testing.T) {
	for _, tt := range []struct {
		name string
		rule Rule
		want string
	}{
		{"empty", list("", Never), `use "/" to match every page`},
		{"no slash", list("admin", Never), `must begin with "/" or "*"`},
		{"a URL", list("https://shop.example/blog", Never), `is a URL, and a pattern is for the path; write "/blog"`},
		{"a URL of a host", list("https://shop.example", Never), `write "/"`},
		{"a regular expression", list("^/blog/.*", Never), `is written as a regular expression; write "/blog/*"`},
		{"a regular expression of a start", list("^/blog", Never), `is written as a regular expression; write "/blog"`},
		{"a regular expression of what begins so", list("^/x.*", Never), `is written as a regular expression; write "/x"`},
		{"a regular expression of the whole", list("^/x.*$", Never), `is written as a regular expression; write "/x"`},
		{"only the end", list("$", Never), `must begin with "/" or "*"`},
		{"dollar in the middle", list("/a$b", Never), `write "%24" for the character`},
		{"too many stars", list("/"+strings.Repeat("a*", 9), Never), "at most 8 stars"},
		{"space", list("/a b", Never), "percent-encode"},
		{"a brace", list("/a{", Never), "percent-encode"},
		{"a variable of gorilla/mux", list("/p/{slug}", Never),
			`router or a regular expression, but only "*" stands for any ` +
				`characters, and "$" for the end; write "/p/*"`},
		{"variables with an expression", list("/{lang:[a-z]{2}}/p/{id:[0-9]+}.html$", Never), `write "/*/p/*.html$"`},
		{"the rest of a path", list("/files/{path...}", Never), `write "/files/*"`},
		{"the end in http.ServeMux", list("/a/{$}", Never), `write "/a/$"`},
		{"a variable of gin", list("/p/:slug/edit", Never), `write "/p/*/edit"`},
		{"a variable of Flask", list("/p/<int:id>", Never), `write "/p/*"`},
		{"a class of characters", list("/p/[a-z]+", Never), `write "/p/*"`},
		{"any characters", list("/admin/.*", Never), `write "/admin/*"`},
		{"any characters, one at least", list("/admin/.+$", Never), `write "/admin/*$"`},
		{"one of two", list("/(en|de)/p", Never), `write "/*/p"`},
		{"digits", list(`/p/\d+`, Never), `write "/p/*"`},
		{"a group", list(`/p/([0-9]+)-(.*)`, Never), `write "/p/*-*"`},
		{"broken escape", list("/a%zz", Never), `write "%25" for the character`},
		{"escape cut off", list("/100%", Never), `write "%25" for the character`},
		{"unknown listing", list("/a", 4), "the list 4; it must be Auto, Always or Never"},
		{"nothing said", Rule{Pattern: "/a"}, "says nothing; say whether to list"},
		{"changefreq in upper case", Rule{Pattern: "/a", ChangeFreq: "Daily"},
			`the changefreq "Daily"; it must be always, hourly,`},
		{"priority too high", Rule{Pattern: "/x", Priority: 1.5},
			`pattern "/x": has the priority 1.5; it must be 0.1, 0.2 and so on to 1`},
		{"priority that would be rounded", Rule{Pattern: "/x", Priority: 0.04}, "the priority 0.04"},
		{"priority between two tenths", Rule{Pattern: "/x", Priority: 0.75}, "the priority 0.75"},
		{"priority that is no number", Rule{Pattern: "/x", Priority: math.NaN()}, "the priority NaN"},
		{"parameters below a query", Rule{Pattern: "/a?b=", Query: []string{"c"}},
			`has a "?", but a query is for a path only`},
		{"parameter with its value", Rule{Pattern: "/a", Query: []string{"id", "c=1"}},
			`query: "c=1" is not the name of a parameter`},
		{"parameter without name", Rule{Pattern: "/a", Query: []string{""}}, `query: ""`},
		{"parameter with a wildcard", Rule{Pattern: "/a", Query: []string{"utm_*"}}, "without wildcards"},
		{"parameter that is escaped", Rule{Pattern: "/a", Query: []string{"gr%C3%B6%C3%9Fe"}}, "without wildcards, escapes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewRules([]Rule{list("/fine", Auto), tt.rule})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range []string{"rule 2", "pattern", tt.want} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
	newRules(t, list("/"+strings.Repeat("a*", 8), Never), Rule{Pattern: "/a",
		Query: []string{"a.b-c_d~e", strings.Repeat("k", 64)}})
	for _, fine := range []string{"/.well-known/", "/.", "/.*", "/img.*.jpg$", "/*.*", "/wiki/Go_(game)", "/wiki/Talk:Go",
		"/c++/",
		"/list?*filter[price]=", "/a%5Bb%5D", "/files/*path"} {
		newRules(t, list(fine, Never))
	}
}

func TestRulesTrustWhatTheyListByName(t *testing.T) {
	rs, err := NewRules([]Rule{
		{Pattern: "/a$", Listing: Always}, {Pattern: "/caf%c3%a9$", Listing: Never}, {Pattern: "/b", Listing: Always},
		{Pattern: "/c*$", Listing: Always}, {Pattern: "*/d$", Listing: Always}, {Pattern: "/e$", Priority: 0.5},
	})
	base.Check(t, err)
	trusted := rs.Trusted()
	slices.Sort(trusted)
	if want := []string{"/a", "/b"}; !slices.Equal(trusted, want) {
		t.Errorf("trusted for by name: %q, want %q", trusted, want)
	}
}
