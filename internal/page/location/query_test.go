package location

import (
	"strings"
	"testing"
)

func TestQueryKeepsParametersInTheirOrder(t *testing.T) {
	long := strings.Repeat("%E4%BD%A0", 200)
	for _, tt := range []struct {
		name   string
		params []string
		query  string
		want   Result
	}{
		{"page by default", nil, "page=2", Result{Location: "/a?page=2"}},
		{"page beside what the owner names", []string{"lang"}, "page=2&lang=de", Result{Location: "/a?page=2&lang=de"}},
		{"key is told by case", nil, "Page=2", Result{"/a?Page=2", ReasonQuery, true, false}},
		{"escaped key", nil, "p%61ge=2", Result{Location: "/a?page=2"}},
		{"brackets", []string{"tx_news_pi1[news]", "page"}, "tx_news_pi1[news]=5&page=2",
			Result{Location: "/a?tx_news_pi1%5Bnews%5D=5&page=2"}},
		{"escaped brackets", []string{"tx_news_pi1[news]"}, "tx_news_pi1%5Bnews%5d=5",
			Result{Location: "/a?tx_news_pi1%5Bnews%5D=5"}},
		{"brackets that are not allowed", nil, "f[]=1&f[]=2", Result{"/a?f%5B%5D=1&f%5B%5D=2", ReasonQuery, true, false}},
		{"a key of another script", nil, "ключ=1", Result{"/a?%D0%BA%D0%BB%D1%8E%D1%87=1", ReasonQuery, true, false}},
		{"an allowed one twice", nil, "page=1&page=2", Result{"/a?page=1&page=2", ReasonQuery, true, false}},
		{"a semicolon in the value of an allowed one", []string{"topic"}, "topic=1.0;wap2",
			Result{"/a?topic=1.0;wap2", ReasonQuery, true, false}},
		{"an escaped semicolon there", []string{"title"}, "title=Steins%3BGate", Result{Location: "/a?title=Steins%3BGate"}},
		{"padding", []string{"after"}, "after=Y3Vyc29yOg==", Result{Location: "/a?after=Y3Vyc29yOg=="}},
		{"quotation marks", []string{"title"}, "title=%22Heroes%22", Result{Location: "/a?title=%22Heroes%22"}},
		{"empty key", nil, "=2", Result{Reason: ReasonQuery}},
		{"empty value", nil, "page=", Result{Reason: ReasonQuery}},
		{"longest value", []string{"page"}, "page=" + long, Result{Location: "/a?page=" + long}},
		{"value too long", nil, "page=v" + strings.Repeat("v", 2040), Result{Reason: ReasonTooLong}},
		{"value with a space", []string{"page"}, "page=a%20b", Result{Location: "/a?page=a%20b"}},
		{"value with an escaped ampersand", []string{"page"}, "page=a%26b", Result{Location: "/a?page=a%26b"}},
		{"value with an apostrophe", nil, "page='", Result{Reason: ReasonQuery}},
		{"value is an address", nil, "page=jane@example.org", Result{Reason: ReasonEmail}},
		{"unknown with known", nil, "page=2&id=7", Result{"/a?page=2&id=7", ReasonQuery, true, false}},
		{"five parameters, as Joomla has", []string{"option", "view", "id", "catid", "Itemid"},
			"option=com_content&view=article&id=1&catid=2&Itemid=3",
			Result{Location: "/a?option=com_content&view=article&id=1&catid=2&Itemid=3"}},
		{"tracking by look, but allowed", []string{"at_home"}, "at_home=1", Result{Location: "/a?at_home=1"}},
		{"ambiguous names are kept", nil, "ref=1&source=2", Result{"/a?ref=1&source=2", ReasonQuery, true, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := newNormalizer(t, "https://example.com", Config{Params: tt.params})
			if got := n.Request("example.com", "/a?"+tt.query); got != tt.want {
				t.Errorf("query %q: %+v, want %+v", tt.query, got, tt.want)
			}
		})
	}
}

// With tracking parameters, the site may answer with a page for a campaign or for one visitor. A link leads to the
// page.
func TestTrackingParametersAreDroppedFromLinksAlone(t *testing.T) {
	n := newNormalizer(t, "https://example.com", Config{})
	for _, tt := range []struct{ name, query, location string }{
		{"alone", "utm_source=x&gclid=1", "/a"},
		{"beside an allowed one", "utm_source=x&page=2&fbclid=y", "/a?page=2"},
		{"in upper case", "UTM_SOURCE=x", "/a"},
		{"with an odd value", "utm_campaign={a|b}%zz", "/a"},
		{"with a semicolon in the value", "utm_source=x;token=y", "/a?utm_source=x;token=y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := n.Request("example.com", "/a?"+tt.query); got.Reason != ReasonQuery ||
				got.Location != "" && !got.OwnQuery {
				t.Errorf("a request: %+v", got)
			}
			if got := n.Resolve("/b", "a?"+tt.query); got.Location != tt.location {
				t.Errorf("a link: %+v, want %q", got, tt.location)
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
		{"one that is allowed and one that is not", "/caf%C3%A9?id=7&x=1", Result{"/app/caf%C3%A9?id=7&x=1", ReasonQuery,
			true, false}, 1},
		{"elsewhere", "/b?id=7", Result{"/app/b?id=7", ReasonQuery, true, false}, 1},
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

func TestPageParameterTakesANumberOrAShortWord(t *testing.T) {
	page := newNormalizer(t, "https://example.com", Config{})
	owner := newNormalizer(t, "https://example.com", Config{Params: []string{"page"}})
	rule := newNormalizer(t, "https://example.com", Config{More: func(string) []string { return []string{"page"} }})
	for _, tt := range []struct {
		value string
		ok    bool
	}{
		{"2", true},
		{"999999", true},
		{"about-us", true},
		{"%E4%BC%9A%E7%A4%BE%E6%A6%82%E8%A6%81", true},
		{strings.Repeat("a", 24), true},

		{strings.Repeat("a", 25), false},
		{"1000000", false},
		{"a12345", false},
		{"a%20b", false},
		{"3f2504e0-4f89-41d3-9a0c-0305e82c3301", false},
	} {
		t.Run(tt.value, func(t *testing.T) {
			got := page.Request("example.com", "/a?page="+tt.value)
			if tt.ok && got.Reason != ReasonNone || !tt.ok && (got.Reason != ReasonQuery || !got.OwnQuery) {
				t.Errorf("by default: %+v", got)
			}
			// Whoever names the parameter knows what it means.
			if got := owner.Request("example.com", "/a?page="+tt.value); got.Reason != ReasonNone {
				t.Errorf("named by the owner: %+v", got)
			}
			if got := rule.Request("example.com", "/a?page="+tt.value); got.Reason != ReasonNone {
				t.Errorf("named by a rule: %+v", got)
			}
		})
	}
}

func TestSortedComparesLocations(t *testing.T) {
	for _, same := range [][2]string{
		{"/a?b=1&c=2", "/a?c=2&b=1"}, {"/a?id=5&id=3", "/a?id=3&id=5"}, {"/a?x=1", "/a?x=1"}, {"/", "/"},
		{"/a?a=1&b=2&c=3", "/a?b=2&c=3&a=1"},
	} {
		if Sorted(same[0]) != Sorted(same[1]) {
			t.Errorf("%s and %s are not the same", same[0], same[1])
		}
	}
	for _, other := range [][2]string{{"/a?b=1&c=2", "/a?b=2&c=1"}, {"/a?b=1", "/a"}, {"/a?b=1", "/A?b=1"},
		{"/a?b=1&b=1", "/a?b=1"}} {
		if Sorted(other[0]) == Sorted(other[1]) {
			t.Errorf("%s and %s are the same", other[0], other[1])
		}
	}
	// as earlier versions stored them
	for _, stored := range []string{"/a?page=1&page2=3", "/a?id=1&id-b=2", "/a?b=1&c=2"} {
		if Sorted(stored) != stored {
			t.Errorf("%s is sorted as %s", stored, Sorted(stored))
		}
	}
}
