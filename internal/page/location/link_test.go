package location

import (
	"strings"
	"testing"
)

// How a location is spelled, and what is none, is the same for links and requests. FuzzResolve and
// TestAPageHasOneLocationInLinksAndRequests compare them, so here is what links alone have.
func TestResolveGivesTheLocationOfALink(t *testing.T) {
	n := newShop(t)
	for _, tt := range []struct {
		name string
		base string
		href string
		want Result
	}{
		{"absolute path", "/a/b", "/c", Result{Location: "/c"}},
		{"relative", "/a/b", "c", Result{Location: "/a/c"}},
		{"parent", "/a/b/c", "../d", Result{Location: "/a/d"}},
		{"this folder", "/a/b", ".", Result{Location: "/a/"}},
		{"dots inside an absolute path", "/a", "/b/./../c", Result{Location: "/c"}},
		{"escaped dots", "/a/b/c", "%2e%2E/.%2e/d", Result{Reason: ReasonSegment}},
		{"parent of an empty segment", "/", "/a//../b", Result{Reason: ReasonSegment}},
		{"empty", "/a?page=2", "", Result{Location: "/a?page=2"}},
		{"fragment", "/a", "/b?page=2#top", Result{Location: "/b?page=2"}},
		{"only a query", "/a/b?page=2", "?page=3", Result{Location: "/a/b?page=3"}},
		{"question mark and slashes in the query", "/a/b?page=c/d", "e", Result{Location: "/a/e"}},
		{"absolute", "/a", "https://example.com/b", Result{Location: "/b"}},
		{"absolute, alias", "/a", "https://www.example.com/b", Result{Location: "/b"}},
		{"absolute, query and no path", "/a", "https://example.com?page=2", Result{Location: "/?page=2"}},
		{"same scheme, other host", "/a", "//evil.com/b", Result{Reason: ReasonHost}},
		{"other host", "/a", "https://evil.com/b", Result{Reason: ReasonHost}},
		{"other port", "/a", "https://example.com:8443/b", Result{Reason: ReasonHost}},
		{"address", "/a", "http://127.0.0.1/b", Result{Reason: ReasonHost}},
		{"host not in ASCII", "/a", "https://exämple.com/b", Result{Reason: ReasonHost}},
		{"host as user", "/a", "https://example.com@evil.com/b", Result{Reason: ReasonForm}},
		{"no host", "/a", "https:///b", Result{Reason: ReasonForm}},
		{"script", "/a", " JavaScript:void(0)", Result{Reason: ReasonForm}},
		{"data", "/a", "data:text/html,x", Result{Reason: ReasonForm}},
		{"space around", "/a", "\t /b \r\n", Result{Location: "/b"}},
		{"scheme broken by a tab", "/a", "java\tscript:x", Result{Reason: ReasonForm}},
		{"backslashes", "/a", `\b\c`, Result{Reason: ReasonForm}},
		{"backslash after a host", "/a", `https://example.com\b`, Result{Reason: ReasonForm}},
		{"space within", "/a", "/b c", Result{Location: "/b%20c"}},
		{"space in the query", "/a", "/b?page=c d", Result{Location: "/b?page=c%20d"}},
		{"quote in the query", "/a", "/b?page='", Result{Location: "/b?page=%27"}},
		{"the same in the base", "/a^b/", "c", Result{Reason: ReasonCharacter}},
		{"space around that is none in ASCII", "/a", "/b\u00a0", Result{Location: "/b%C2%A0"}},
		{"much too long", "/a", "/" + strings.Repeat("../", 5000), Result{Reason: ReasonTooLong}},
		{"base is absolute", "https://example.com/b/c", "d", Result{Location: "/b/d"}},
		{"base on another host", "https://cdn.example/b/", "c", Result{Reason: ReasonHost}},
		{"base on another host, own link", "https://cdn.example/b/", "https://example.com/c", Result{Location: "/c"}},
		{"base is no web page", "data:text/html,x", "/d", Result{Reason: ReasonForm}},
		{"link as long as is read", "/a", filled("/c#", maxInput), Result{Location: "/c"}},
		{"base longer than is read", filled("/a?", maxInput+1), "/c", Result{Reason: ReasonTooLong}},
		{"colon in front", "/a/b", ":c", Result{Reason: ReasonForm}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := n.Resolve(tt.base, tt.href); got != tt.want {
				t.Errorf("Resolve(%q, %.80q) = %+v, want %+v", tt.base, tt.href, got, tt.want)
			}
		})
	}
}

func TestResolveKeepsLinksToTheFolder(t *testing.T) {
	// Links are public: they already have the prefix that a proxy strips from requests.
	n := newNormalizer(t, "https://example.com/app", Config{StrippedPrefix: "/app"})
	for _, tt := range []struct {
		name string
		href string
		want Result
	}{
		{"relative", "b", Result{Location: "/app/b"}},
		{"outside", "/b", Result{Reason: ReasonOutsideFolder}},
		{"out by dots", "../b", Result{Reason: ReasonOutsideFolder}},
		{"out and in again", "../app/b", Result{Location: "/app/b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := n.Resolve("/app/a", tt.href); got != tt.want {
				t.Errorf("Resolve(%q) = %+v, want %+v", tt.href, got, tt.want)
			}
		})
	}
}

func TestLinksNameTheOriginAndRequestsTheHostsGiven(t *testing.T) {
	// Links do not name the host that a proxy sends.
	n := newNormalizer(t, "https://example.com", Config{Hosts: []string{"backend.internal"}})
	if got := n.Resolve("/", "https://example.com/a"); got.Location != "/a" {
		t.Errorf("a link to the origin: %+v", got)
	}
	if got := n.Request("example.com", "/a"); got.Reason != ReasonHost {
		t.Errorf("a request for a host that is not listed: %+v", got)
	}
	if !n.Ours("Example.com:443", true) || !n.Ours("backend.internal", true) || n.Ours("evil.com", true) {
		t.Error("the origin's host and those listed are the site's, and no others")
	}
}

func TestBaseResolvesTheBaseElement(t *testing.T) {
	n := newShop(t)
	for _, tt := range []struct {
		name, location, href string
		want                 Result // of the link "x"
	}{
		{"none", "/a/b?page=2", "", Result{Location: "/a/x"}},
		{"folder", "/a/b?page=2", "/docs/", Result{Location: "/docs/x"}},
		{"relative", "/a/b?page=2", "../c/d", Result{Location: "/c/x"}},
		{"query", "/a/b?page=2", "?page=3", Result{Location: "/a/x"}},
		{"other host", "/a/b?page=2", "//cdn.example/x/", Result{Reason: ReasonHost}},
		{"not normal", "/a/b?page=2", "/d%6fcs/", Result{Location: "/docs/x"}},
		{"script", "/a/b?page=2", "javascript:x", Result{Location: "/a/x"}},
		{"character that must be escaped", "/a/b?page=2", "/docs|/", Result{Reason: ReasonCharacter}},
		{"too long", "/a/b?page=2", strings.Repeat("a", 9000), Result{Location: "/a/x"}},
		{"longer than is read", "/a", filled("/docs/#", maxInput+1), Result{Location: "/x"}},
		{"location longer than is read", filled("/a?", maxInput+1), "/docs/", Result{Reason: ReasonTooLong}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := n.Resolve(n.Base(tt.location, tt.href), "x"); got != tt.want {
				t.Errorf("with the base %.60q at %.60q: %+v, want %+v", tt.href, tt.location, got, tt.want)
			}
		})
	}
}

func TestParseReadsURLsAndPaths(t *testing.T) {
	n := newNormalizer(t, "https://example.com/blog", Config{StrippedPrefix: "/blog"})
	for _, tt := range []struct {
		name string
		url  string
		want Result
	}{
		{"URL", "https://example.com/blog/a", Result{Location: "/blog/a"}},
		{"URL from a browser", " https://example.com/blog/é?utm_source=x#top\n", Result{Location: "/blog/%C3%A9", Tracked: true}},
		{"path", "/blog/a", Result{Location: "/blog/a"}},
		{"path outside", "/a", Result{Reason: ReasonOutsideFolder}},
		{"relative path", "blog/a", Result{Reason: ReasonForm}},
		{"no scheme", "example.com/blog/a", Result{Reason: ReasonForm}},
		{"other scheme", "ftp://example.com/blog/a", Result{Reason: ReasonForm}},
		{"other host", "https://evil.com/blog/a", Result{Reason: ReasonHost}},
		{"unknown parameter", "/blog/a?id=7", Result{"/blog/a?id=7", ReasonQuery, true, false, false}},
		{"empty", "", Result{Reason: ReasonForm}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := n.Parse(tt.url); got != tt.want {
				t.Errorf("Parse(%q) = %+v, want %+v", tt.url, got, tt.want)
			}
		})
	}
}
