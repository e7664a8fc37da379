package location

import (
	"strings"
	"testing"
)

func TestQueryKeepsAllowedParametersInOrder(t *testing.T) {
	long := strings.Repeat("v", 64)
	for _, tt := range []struct {
		name   string
		params []string
		query  string
		want   Result
	}{
		{"page by default", nil, "page=2", Result{Location: "/a?page=2"}},
		{"none by choice", []string{}, "page=2", Result{"/a?page=2", ReasonQuery, true, false, false}},
		{"key is told by case", nil, "Page=2", Result{"/a?Page=2", ReasonQuery, true, false, false}},
		{"escaped key", nil, "p%61ge=2", Result{Reason: ReasonQuery}},
		{"empty key", nil, "=2", Result{Reason: ReasonQuery}},
		{"empty value", nil, "page=", Result{Reason: ReasonQuery}},
		{"longest value", []string{"page"}, "page=" + long, Result{Location: "/a?page=" + long}},
		{"value too long", nil, "page=v" + long, Result{Reason: ReasonQuery}},
		{"value with a space", []string{"page"}, "page=a%20b", Result{Location: "/a?page=a%20b"}},
		{"value with an escaped ampersand", []string{"page"}, "page=a%26b", Result{Location: "/a?page=a%26b"}},
		{"value with an apostrophe", nil, "page='", Result{Reason: ReasonQuery}},
		{"value is an address", nil, "page=jane@example.org", Result{Reason: ReasonEmail}},
		{"unknown with known, sorted", nil, "page=2&id=7", Result{"/a?id=7&page=2", ReasonQuery, true, false, false}},
		{"four parameters", []string{"a", "b", "c", "d"}, "a=1&b=2&c=3&d=4", Result{Reason: ReasonQuery}},
		{"tracking beside known", nil, "utm_source=x&page=2&fbclid=y", Result{Location: "/a?page=2", Tracked: true}},
		{"tracking in upper case", nil, "UTM_SOURCE=x", Result{Location: "/a", Tracked: true}},
		{"tracking with odd value", nil, "utm_campaign={a|b}%zz", Result{Location: "/a", Tracked: true}},
		{"tracking by look, but allowed", []string{"at_home"}, "at_home=1", Result{Location: "/a?at_home=1"}},
		{"ambiguous names are kept", nil, "ref=1&source=2", Result{"/a?ref=1&source=2", ReasonQuery, true, false, false}},
		{"semicolon in a tracking value", nil, "utm_source=x;token=y", Result{Reason: ReasonQuery}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := newNormalizer(t, "https://example.com", Config{Params: tt.params})
			if got := n.Request("example.com", "/a?"+tt.query); got != tt.want {
				t.Errorf("query %q: %+v, want %+v", tt.query, got, tt.want)
			}
		})
	}
}

func TestRuleAllowsMoreParametersBelowAPath(t *testing.T) {
	asked := 0
	more := func(path string) []string {
		asked++
		switch path {
		case "/app/caf%C3%A9":
			return []string{"id", "sort"}
		case "/app/shop":
			return []string{"at_home"}
		}
		return nil
	}
	n := newNormalizer(t, "https://example.com", Config{StrippedPrefix: "/app", More: more})
	for _, tt := range []struct {
		name   string
		target string
		want   Result
		asked  int
	}{
		{"no query", "/caf%C3%A9", Result{Location: "/app/caf%C3%A9"}, 0},
		{"allowed here", "/caf%C3%A9?id=7", Result{Location: "/app/caf%C3%A9?id=7"}, 1},
		{"one that is allowed and one that is not", "/caf%C3%A9?id=7&x=1", Result{"/app/caf%C3%A9?id=7&x=1", ReasonQuery, true, false, false}, 1},
		{"elsewhere", "/b?id=7", Result{"/app/b?id=7", ReasonQuery, true, false, false}, 1},
		{"looks like a tracking parameter", "/shop?at_home=1", Result{Location: "/app/shop?at_home=1"}, 1},
		{"outside what can be listed", "/b//c?id=7", Result{Reason: ReasonSegment}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked = 0
			if got := n.Request("example.com", tt.target); got != tt.want || asked != tt.asked {
				t.Errorf("%s: %+v after %d questions, want %+v after %d", tt.target, got, asked, tt.want, tt.asked)
			}
		})
	}
	if got, want := n.Resolve("/app/shop", "caf%C3%A9?id=7"), (Result{Location: "/app/caf%C3%A9?id=7"}); got != want {
		t.Errorf("a link: %+v, want %+v", got, want)
	}
}

func TestCheckParamRefusesWhatIsNoName(t *testing.T) {
	for _, tt := range []struct {
		name, key string
		ok        bool
	}{
		{"punctuation", "a.b-c_d~e", true},
		{"longest", strings.Repeat("k", 64), true},
		{"empty", "", false},
		{"too long", strings.Repeat("k", 65), false},
		{"wildcard", "utm_*", false},
		{"non-ASCII", "größe", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := CheckParam(tt.key); (err == nil) != tt.ok {
				t.Errorf("CheckParam(%q) = %v", tt.key, err)
			}
		})
	}
}
