package location

import (
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// newNormalizer returns a Normalizer or ends the test.
func newNormalizer(t testing.TB, origin string, cfg Config) *Normalizer {
	t.Helper()
	o, err := ParseOrigin(origin)
	base.Check(t, err)
	n, err := New(o, cfg)
	base.Check(t, err)
	return n
}

// filled returns s padded to n bytes.
func filled(s string, n int) string { return s + strings.Repeat("x", n-len(s)) }

// newShop returns a Normalizer that suits most rows.
func newShop(t testing.TB) *Normalizer {
	return newNormalizer(t, "https://example.com", Config{
		Hosts:  []string{"example.com", "www.example.com"},
		Params: []string{"page", "lang"},
	})
}

func TestRequestGivesTheLocationOfATarget(t *testing.T) {
	n := newShop(t)
	longest := filled("/", maxURL-len("https://example.com"))
	for _, tt := range []struct {
		name   string
		host   string
		target string
		want   string
		reason Reason
	}{
		{"N01 root", "example.com", "/", "/", ReasonNone},
		{"N02 host in upper case", "EXAMPLE.com", "/a", "/a", ReasonNone},
		{"N06 other host", "evil.com", "/a", "", ReasonHost},
		{"N10 absolute form, other host", "example.com", "http://evil.com/a", "", ReasonForm},
		{"N11 absolute form, own host", "example.com", "http://example.com/a", "/a", ReasonNone},
		{"N13 asterisk form", "example.com", "*", "", ReasonForm},
		{"N14 fragment", "example.com", "/a#frag", "", ReasonForm},
		{"N15 two slashes in front", "example.com", "//evil.com/x", "", ReasonSegment},
		{"N17 dot segment", "example.com", "/a/../b", "", ReasonSegment},
		{"N18 escaped dot segment", "example.com", "/a/%2e%2E/b", "", ReasonSegment},
		{"N19 escaped slash, upper case", "example.com", "/a%2Fb", "", ReasonEscape},
		{"N20 escaped backslash", "example.com", "/a%5cb", "", ReasonCharacter},
		{"N23 escape in lower case", "example.com", "/caf%c3%a9", "/caf%C3%A9", ReasonNone},
		{"N28 overlong UTF-8", "example.com", "/%C0%AF", "", ReasonCharacter},
		{"N33 right-to-left override", "example.com", "/%E2%80%AEevil", "", ReasonCharacter},
		{"N34 escape inside an escape", "example.com", "/a%252Fb", "", ReasonEscape},
		{"N36 path parameter", "example.com", "/a;jsessionid=1A2B", "", ReasonPathParam},
		{"N39 tracking parameters", "example.com", "/a?utm_source=x&gclid=1", "", ReasonQuery},
		{"N41 unknown parameter", "example.com", "/a?token=abc", "/a?token=abc", ReasonQuery},
		{"N41 broken escape in query", "example.com", "/a?%zz", "", ReasonQuery},
		{"N42 upper case and slash at the end", "example.com", "/A/B/", "/A/B/", ReasonNone},
		{"many segments", "example.com", strings.Repeat("/a", 40), strings.Repeat("/a", 40), ReasonNone},
		{"a quoted title", "example.com", "/wiki/%22Heroes%22", "/wiki/%22Heroes%22", ReasonNone},
		{"a title in angle brackets", "example.com", "/wiki/%3Cblink%3E", "/wiki/%3Cblink%3E", ReasonNone},
		{"a title with a semicolon", "example.com", "/wiki/Steins;Gate", "/wiki/Steins;Gate", ReasonNone},
		{"a title with an escaped semicolon", "example.com", "/wiki/Steins%3bGate", "/wiki/Steins%3BGate", ReasonNone},
		{"a matrix", "example.com", "/cars;colour=red/x", "/cars;colour=red/x", ReasonNone},
		{"a backtick", "example.com", "/wiki/%60ls%60", "/wiki/%60ls%60", ReasonNone},
		{"a session in capitals after a semicolon", "example.com", "/shop;PHPSESSID=0a1b/x", "", ReasonPathParam},
		{"a raw quotation mark, which no browser sends", "example.com", "/wiki/\"a\"", "", ReasonCharacter},
		{"a long slug in Chinese", "example.com", "/" + strings.Repeat("%E4%BC%9A", 220),
			"/" + strings.Repeat("%E4%BC%9A", 220), ReasonNone},

		{"longest path", "example.com", longest, longest, ReasonNone},
		{"one byte too many", "example.com", longest + "a", "", ReasonTooLong},
		{"one byte too many with query", "example.com", longest[:len(longest)-6] + "?page=2", "", ReasonTooLong},
		{"more than is read", "example.com", "/?utm_x=" + strings.Repeat("a", 8192), "", ReasonTooLong},
		{"other port", "example.com:8443", "/a", "", ReasonHost},
		{"host with user", "user@example.com", "/a", "", ReasonHost},
		{"soft hyphen", "example.com", "/a%C2%ADb", "", ReasonCharacter},
		{"zero-width non-joiner", "example.com", "/%E2%80%8C", "/%E2%80%8C", ReasonNone},
		{"character half escaped", "example.com", "/\xc3%a9", "/%C3%A9", ReasonNone},
		{"escaped semicolon", "example.com", "/a%3Bjsessionid%3D1", "", ReasonPathParam},
		{"escaped e-mail address", "example.com", "/jane%40example.org", "", ReasonEmail},
		{"e-mail address in another script", "example.com", "/jörg@müller.example", "", ReasonEmail},
		{"package and version", "example.com", "/lib@1.2.3/docs", "/lib@1.2.3/docs", ReasonNone},
		{"e-mail address of full width, as a browser may write it", "example.com", "/u/jane＠example.org", "", ReasonEmail},
		{"e-mail address all of full width", "example.com", "/u/ｊａｎｅ＠ｅｘａｍｐｌｅ．ｏｒｇ", "", ReasonEmail},
		{"e-mail address with a Chinese full stop", "example.com", "/u/jane@example。org", "", ReasonEmail},
		{"e-mail address in a parameter", "example.com", "/u?page=jane%EF%BC%A0example.org", "", ReasonEmail},
		{"handle", "example.com", "/%EF%BC%A0jane", "/%EF%BC%A0jane", ReasonNone},
		{"session as a segment", "example.com", "/shop/JSESSIONID=0A1B2C/cart", "", ReasonPathParam},
		{"session of a family", "example.com", "/ASPSESSIONIDQADTCRAB=1", "", ReasonPathParam},
		{"session without a value", "example.com", "/jsessionid", "/jsessionid", ReasonNone},
		{"sessions of a conference", "example.com", "/sessions=2", "/sessions=2", ReasonNone},
		{"word that begins like one", "example.com", "/assessment=1", "/assessment=1", ReasonNone},
		{"dates with names", "example.com", "/year=2024/month=11", "/year=2024/month=11", ReasonNone},
		{"as long as is read", "example.com", filled("/a?utm_source=", maxInput), "", ReasonQuery},
		{"semicolon in front of a query", "example.com", "/a?;page=2", "", ReasonQuery},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := n.Request(tt.host, tt.target)
			want := Result{tt.want, tt.reason, tt.reason == ReasonQuery && tt.want != "", false}
			base.Equal(t, got, want, "Request(%q, %.80q)", tt.host, tt.target)
		})
	}
}

// Which hosts count: the origin's, those that are given, and what a proxy nearby may send.
func TestHostsOfRequests(t *testing.T) {
	const local = "localhost:8080 backend 10.0.0.1:8080 [fd00::1]:8080"
	for _, tt := range []struct {
		origin, given     string
		own, local, other string
	}{
		{"https://example.com", "", "example.com EXAMPLE.com. example.com:80", local, "evil.com :80"},
		{"https://example.com:8443", "", "example.com:8443", local, "example.com"},
		{"https://example.com", "Backend.Internal.:8080", "backend.internal:8080 example.com", local,
			"backend.internal evil.com"},
	} {
		var cfg Config
		if tt.given != "" {
			cfg.Hosts = []string{tt.given}
		}
		n := newNormalizer(t, tt.origin, cfg)
		check := func(hosts string, want Result) {
			for host := range strings.FieldsSeq(hosts) {
				if got := n.Request(host, "/a"); got != want || n.Ours(host, true) != (got.Location != "") ||
					n.Ours(host, false) != (got.Location != "" && !got.Local) {
					t.Errorf("%s, %q given: host %s: %+v, want %+v", tt.origin, tt.given, host, got, want)
				}
			}
		}
		check(tt.own, Result{Location: "/a"})
		check(tt.local, Result{Location: "/a", Local: true})
		check(tt.other, Result{Reason: ReasonHost})
	}
}

func TestRequestAddsTheStrippedPrefixAndKeepsToTheFolder(t *testing.T) {
	for _, tt := range []struct {
		name   string
		origin string
		prefix string
		target string
		want   Result
	}{
		{"the folder itself", "https://example.com/blog", "", "/blog/", Result{Location: "/blog/"}},
		{"without its slash", "https://example.com/blog", "", "/blog", Result{Reason: ReasonOutsideFolder}},
		{"other spelling", "https://example.com/café", "", "/caf%c3%a9/a", Result{Location: "/caf%C3%A9/a"}},
		{"prefix on a whole host", "https://example.com", "/app", "/a", Result{Location: "/app/a"}},
		{"prefix is the folder", "https://example.com/blog", "/blog", "/a?page=2", Result{Location: "/blog/a?page=2"}},
		{"prefix above the folder", "https://example.com/a/b", "/a", "/b/c", Result{Location: "/a/b/c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := newNormalizer(t, tt.origin, Config{StrippedPrefix: tt.prefix})
			base.Equal(t, n.Request("example.com", tt.target), tt.want, "Request(%q)", tt.target)
		})
	}
}
