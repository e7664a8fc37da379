package location

import (
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
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
		{"relative", "/a/b", "c", Result{Location: "/a/c"}},
		{"escaped dots", "/a/b/c", "%2e%2E/.%2e/d", Result{Reason: ReasonSegment}},
		{"empty", "/a?page=2", "", Result{Location: "/a?page=2"}},
		{"fragment", "/a", "/b?page=2#top", Result{Location: "/b?page=2"}},
		{"absolute", "/a", "https://example.com/b", Result{Location: "/b"}},
		{"absolute, alias", "/a", "https://www.example.com/b", Result{Location: "/b"}},
		{"same scheme, other host", "/a", "//evil.com/b", Result{Reason: ReasonHost}},
		{"host as user", "/a", "https://example.com@evil.com/b", Result{Reason: ReasonForm}},
		{"no host", "/a", "https:///b", Result{Reason: ReasonForm}},
		{"script", "/a", " JavaScript:void(0)", Result{Reason: ReasonForm}},
		{"space around", "/a", "\t /b \r\n", Result{Location: "/b"}},
		{"scheme broken by a tab", "/a", "java\tscript:x", Result{Reason: ReasonForm}},
		{"backslashes", "/a", `\b\c`, Result{Reason: ReasonForm}},
		{"space in the query", "/a", "/b?page=c d", Result{Location: "/b?page=c%20d"}},
		{"quote in the query", "/a", "/b?page='", Result{Location: "/b?page=%27"}},
		{"the same in the base", "/a^b/", "c", Result{Reason: ReasonCharacter}},
		{"much too long", "/a", "/" + strings.Repeat("../", 5000), Result{Reason: ReasonTooLong}},
		{"base is absolute", "https://example.com/b/c", "d", Result{Location: "/b/d"}},
		{"base on another host", "https://cdn.example/b/", "c", Result{Reason: ReasonHost}},
		{"base on another host, own link", "https://cdn.example/b/", "https://example.com/c", Result{Location: "/c"}},
		{"base is no web page", "data:text/html,x", "/d", Result{Reason: ReasonForm}},
		{"colon in front", "/a/b", ":c", Result{Reason: ReasonForm}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base.Equal(t, n.Resolve(tt.base, tt.href), tt.want, "Resolve(%q, %.80q)", tt.base, tt.href)
		})
	}
}

func TestBaseResolvesTheBaseElement(t *testing.T) {
	n := newShop(t)
	for _, tt := range []struct {
		name, location, href string
		want                 Result // of the link "x"
	}{
		{"none", "/a/b?page=2", "", Result{Location: "/a/x"}},
		{"relative", "/a/b?page=2", "../c/d", Result{Location: "/c/x"}},
		{"other host", "/a/b?page=2", "//cdn.example/x/", Result{Reason: ReasonHost}},
		{"script", "/a/b?page=2", "javascript:x", Result{Location: "/a/x"}},
		{"character that must be escaped", "/a/b?page=2", "/docs|/", Result{Reason: ReasonCharacter}},
		{"location longer than is read", filled("/a?", maxInput+1), "/docs/", Result{Reason: ReasonTooLong}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base.Equal(t, n.Resolve(n.Base(tt.location, tt.href), "x"), tt.want,
				"with the base %.60q at %.60q", tt.href, tt.location)
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
		{"session in a path", "/blog/a;jsessionid=1A2B/b;PHPSESSID=2?page=1", Result{Location: "/blog/a/b?page=1"}},
		{"session in a query", "/blog/a?page=1&PHPSESSID=2", Result{Location: "/blog/a?page=1"}},
		{"sessions of other servers", "/blog/a?ASPSESSIONIDQADTCRAB=2&CFTOKEN=3", Result{Location: "/blog/a"}},
		{"talk of a conference", "/blog/talk.php?sessid=12", Result{"/blog/talk.php?sessid=12", ReasonQuery, true, false}},
		{"part of a course", "/blog/a?coursesessid=7", Result{"/blog/a?coursesessid=7", ReasonQuery, true, false}},
		{"part of a catalogue", "/blog/a?cfid=5", Result{"/blog/a?cfid=5", ReasonQuery, true, false}},
		{"part of a conference", "/blog/a;session=2", Result{Reason: ReasonPathParam}},
		{"URL from a browser", " https://example.com/blog/é?utm_source=x#top\n", Result{Location: "/blog/%C3%A9"}},
		{"path", "/blog/a", Result{Location: "/blog/a"}},
		{"no scheme", "example.com/blog/a", Result{Reason: ReasonForm}},
		{"other host", "https://evil.com/blog/a", Result{Reason: ReasonHost}},
		{"unknown parameter", "/blog/a?id=7", Result{"/blog/a?id=7", ReasonQuery, true, false}},
		{"empty", "", Result{Reason: ReasonForm}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base.Equal(t, n.Parse(tt.url), tt.want, "Parse(%q)", tt.url)
		})
	}
}
