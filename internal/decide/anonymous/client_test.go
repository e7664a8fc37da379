package anonymous

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestCredentialsNamesWhatMakesAClientKnown(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header string
		own    []string // that the owner names
		want   eligibility.Reason
	}{
		{"nothing", "", nil, eligibility.None},
		{"what every browser sends", "User-Agent: x\nAccept: text/html\nAccept-Language: de\nReferer: " +
			"https://example.com/\nSec-Fetch-Site: none", nil, eligibility.None},
		{"what every proxy sends", "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: https\nX-Forwarded-Host: " +
			"example.com\nVia: 1.1 a\nX-Request-Id: 1\nCf-Ray: 1", nil, eligibility.None},
		{"names that only look similar", "X-User-Agent: x\nRemote-Host: x", nil, eligibility.None},
		{"a header that is not known", "Client-Hints: x", nil, eligibility.IdentityHeader},
		{"a name too long to be known", "X-Forwarded-For-For-For-For-For-For-For-For-For-For-For-For-For-For-For-For: x", nil,
			eligibility.IdentityHeader},
		{"Basic", "Authorization: Basic dTpw", nil, eligibility.Authorization},
		{"empty Authorization", "Authorization:", nil, eligibility.Authorization},
		{"proxy's own", "Proxy-Authorization: Basic dTpw", nil, eligibility.Authorization},
		{"an underscore", "REMOTE_USER: x", nil, eligibility.IdentityHeader},
		{"underscores that name nobody", "X_Request_Id: x", nil, eligibility.None},
		{"upper case", "AUTHORIZATION: x", nil, eligibility.Authorization},

		{"every built-in prefix", "Cookie: _ga_ABC=1; _gat_x=1; _gac_UA-1=1; _gcl_au=1; __utma=1; _hjSession_1=1; " +
			"_hjIncludedInSample=1; _pk_id.1=1; cookieconsent_status=1; AWSALBCORS=1", nil, eligibility.None},
		{"a session of an application called ga", "Cookie: _ga_session=1", nil, eligibility.Cookie},
		{"a session that the owner names", "Cookie: _shop_session=1", []string{"_shop_session"}, eligibility.None},
		{"unknown beside benign", "Cookie: _ga=1; zzz=1", nil, eligibility.Cookie},
		{"unknown in the second line", "Cookie: _ga=1\nCookie: zzz=1", nil, eligibility.Cookie},
		{"a name that is no prefix", "Cookie: _gidx=1", nil, eligibility.Cookie},
		{"a name in another case", "Cookie: _GA=1", nil, eligibility.Cookie},
		{"a benign name as value", "Cookie: x=_ga", nil, eligibility.Cookie},
		{"no name", "Cookie: =abc", nil, eligibility.Cookie},
		{"empty", "Cookie:", nil, eligibility.None},
		{"only separators", "Cookie: ; ;; ", nil, eligibility.None},
		{"no space after the semicolon", "Cookie: _ga=1;sid=2", nil, eligibility.Cookie},
		{"quoted semicolon", `Cookie: _ga="a;sid=1"`, nil, eligibility.Cookie},
		{"owner's prefix", "Cookie: ab_test7=x", []string{"ab_*"}, eligibility.None},
		{"owner's name is not a prefix", "Cookie: langue=de", []string{"lang"}, eligibility.Cookie},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base.Equal(t, Credentials(get(t, tt.header), NewBenign(tt.own)), tt.want, "credentials")
		})
	}
}

// get returns a GET with the header lines, parsed as a server parses them.
func get(t *testing.T, lines string) *http.Request {
	t.Helper()
	if lines != "" {
		lines = strings.ReplaceAll(lines, "\n", "\r\n") + "\r\n"
	}
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET / HTTP/1.1\r\nHost: example.com\r\n" + lines +
		"\r\n")))
	base.Check(t, err)
	return r
}

func TestCookieThatRemembersAChoiceNamesNobody(t *testing.T) {
	for want, lines := range map[eligibility.Reason]string{
		eligibility.None: `ab_variant=b experiment=2 variant=control split_test=A gdpr_ok=1 seen_banner=true newsletter_popup_closed=2026-11-23
			first_visit=1795000000 abTestVariant=variant-b promoBannerDismissed=1795000000123 cookie-notice-shown="yes" has_js=1
			site_announcement_hidden=2026-11-23T10:00:00.000Z _sidebar_collapsed= COOKIE_BAR_CLOSED=on cookie_consent_state=accepted-all-2 last-visit=2026-11-23T10%3A00%3A00Z`,
		eligibility.Cookie: `user=7 uid=12 role=admin plan=pro tier=gold member=1 logged_in=1 staff=1 beta=1 preview=1 access=granted account=2
			test=1 ok=1 mode=1 group=b show=hidden open=1 list=1 all=1 unlocked=true age_ok=1 cart=0 session=1 id=1
			experiment=internal variant=staff ab_test=employees split_test=8f3a9c21d07b banner=jane first_visit=48213 visits=9007199254740991
			newsletter_subscriber=1 popup_login=1 account_banner_closed=1 seen_banner_by=jane experiment_user=1 variant_token=a theme_owner=1
			first_visit=3795000000 seen_banner=20261123-4711 ab_variant=b.8f3a9c ab-variant=12-0471-9 visit=1 visit_id=1
			variant=123-456-789-012 experiment=192.168.12.7 notice_state=a-b-c-d-e-9-7 banner=4,7 seen_banner=yes-12-34`,
	} {
		for cookie := range strings.FieldsSeq(lines) {
			base.Equal(t, Credentials(get(t, "Cookie: "+cookie), Benign{}), want, "%s", cookie)
		}
	}
}

func TestClientCertificateMakesAClientKnown(t *testing.T) {
	r := get(t, "")
	if r.TLS = (&tls.ConnectionState{}); Credentials(r, Benign{}) != eligibility.None {
		t.Error("TLS alone makes a client known")
	}
	if r.TLS.PeerCertificates = []*x509.Certificate{{}}; Credentials(r, Benign{}) != eligibility.ClientCertificate {
		t.Error("a certificate does not make its client known")
	}
}

func FuzzCookies(f *testing.F) {
	f.Add("_ga=1; sid=2")
	f.Add("_ga; ; =")
	f.Fuzz(func(t *testing.T, line string) {
		r := &http.Request{Header: http.Header{"Cookie": {line}}}
		if Credentials(r, Benign{}) != eligibility.None {
			return
		}
		for _, c := range r.Cookies() { // what the application sees of them
			if !(Benign{}).benign(c.Name, c.Value) {
				t.Errorf("%q passes for anonymous, and the application reads the cookie %q", line, c.Name)
			}
		}
	})
}

func TestPublicAddressesHaveANetwork(t *testing.T) {
	for addrs, want := range map[string]string{
		"8.8.4.77 ::ffff:8.8.4.77":                        "8.8.4.0/24",
		"2a00:1450:4001:81b::200e 2a00:1450:4001::1%eth0": "2a00:1450:4001::/48",
		// next to private ranges
		"172.32.0.1": "172.32.0.0/24", "100.63.255.255": "100.63.255.0/24", "100.128.0.0": "100.128.0.0/24",

		"10.0.0.5 172.16.0.1 172.31.255.255 192.168.1.1 ::ffff:192.168.1.1 fd12:3456::1": "",
		"100.64.0.0 100.127.255.255 ::ffff:100.64.0.1":                                   "", // of providers
		"127.0.0.1 ::ffff:127.0.0.1 ::1 0.0.0.0 ::":                                      "",
		"169.254.1.1 fe80::1%eth0 224.0.0.1 ff02::1 255.255.255.255":                     "",
	} {
		for addr := range strings.FieldsSeq(addrs) {
			if got := Network(netip.MustParseAddr(addr)); got.IsValid() != (want != "") || want != "" && got.String() != want {
				t.Errorf("the network of %s = %v, want %q", addr, got, want)
			}
		}
	}
	if got := Network(netip.Addr{}); got.IsValid() {
		t.Errorf("the network of no address = %v, want none", got)
	}
}

// cookies-everybody.txt has cookies that any visitor's browser may hold, and cookies-somebody.txt
// sessions and cookies that are set for logged-in users.
func TestCookiesOfSessionsMakeAClientKnownAndOthersDoNot(t *testing.T) {
	for file, want := range map[string]eligibility.Reason{"cookies-everybody.txt": eligibility.None,
		"cookies-somebody.txt": eligibility.Cookie} {
		for name, what := range named(t, file, 109) {
			base.Equal(t, Credentials(get(t, "Cookie: "+name+"=1"), Benign{}), want, "%s: %s is", what, name)
		}
	}
}

// No wildcard of the built-in set matches the name of a session.
func TestNoPatternOfHarmlessCookiesMatchesASession(t *testing.T) {
	for _, w := range benignCookies.wildcard {
		for _, end := range []string{"session", "_session", "Session", "sessionid", "SESSID", "sid", "-sid", ".sid", "auth",
			"authToken", "token", "user", "user_id", "login", "jwt"} {
			if name := w.start + end; (Benign{}).benign(name, "1") {
				t.Errorf("%+v takes %s", w, name)
			}
		}
	}
}

func TestTellingNamesTheCookiesThatMakeAClientKnown(t *testing.T) {
	r := get(t, "Cookie: _ga=1; sid=a=b;theme=dark; =x; word; cart=2\nCookie: lang=de; zzz=3")
	got := slices.Collect(NewBenign([]string{"cart"}).Telling(r.Header))
	if want := []string{"sid", "", "", "zzz"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if got := slices.Collect(Benign{}.Telling(http.Header{})); got != nil {
		t.Errorf("without cookies there are %q", got)
	}
}

func TestRequestsOfScriptsAndFramesAreFragments(t *testing.T) {
	for _, tt := range []struct {
		name    string
		headers []string // name, value, name, value ...
		want    bool
	}{
		{"no such header, as crawlers send", []string{"Accept", "*/*", "User-Agent", "wget"}, false},
		{"a page that a browser opens", []string{"Sec-Fetch-Dest", "document", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Site",
			"none"}, false},
		{"fetch of Node, which says no destination", []string{"Sec-Fetch-Mode", "cors"}, false},
		{"fetch in a browser", []string{"Sec-Fetch-Dest", "empty"}, true},
		{"iframe", []string{"Sec-Fetch-Dest", "iframe"}, true},
		{"no destination that is known", []string{"Sec-Fetch-Dest", ""}, true},
		{"two destinations", []string{"Sec-Fetch-Dest", "document", "Sec-Fetch-Dest", "empty"}, true},
		{"htmx", []string{"HX-Request", "true"}, true},
		{"htmx, a whole page", []string{"HX-Request", "true", "HX-Boosted", "true"}, false},
		{"htmx, a whole page in a browser that says more", []string{"HX-Request", "true", "HX-Boosted", "true",
			"Sec-Fetch-Dest", "empty"}, false},
		{"htmx in a frame", []string{"HX-Request", "true", "HX-Boosted", "true", "Sec-Fetch-Dest", "iframe"}, true},
		{"Turbo Drive", []string{"Sec-Fetch-Dest", "empty", "Accept", "text/html, application/xhtml+xml",
			"X-Turbo-Request-Id", "5d8b"}, false},
		{"Turbo in a frame of its own", []string{"Sec-Fetch-Dest", "empty", "Accept", "text/html, application/xhtml+xml",
			"Turbo-Frame", "messages"}, true},
		{"jQuery that wants HTML", []string{"Sec-Fetch-Dest", "empty", "Accept", "text/html, */*; q=0.01", "X-Requested-With",
			"XMLHttpRequest"}, true},
		{"jQuery", []string{"X-Requested-With", "XMLHttpRequest"}, true},
		{"Turbo", []string{"Turbo-Frame", "messages"}, true},
		{"pjax", []string{"X-PJAX", "true"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{}
			for i := 0; i < len(tt.headers); i += 2 {
				h.Add(tt.headers[i], tt.headers[i+1])
			}
			if got := IsFragment(h); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestHeadersOfFragmentsAreInCanonicalForm(t *testing.T) {
	for _, name := range fragmentHeaders {
		if canonical := http.CanonicalHeaderKey(name); canonical != name {
			t.Errorf("%s is never found: net/http spells it %s", name, canonical)
		}
	}
}
