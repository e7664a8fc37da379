package eligibility

import (
	"net/http"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
)

var noRules Rules

// ok returns a complete page after the changes.
func ok(change ...func(*response.Response)) *response.Response {
	resp := &response.Response{
		Status: http.StatusOK, Header: response.Header{ContentType: "text/html; charset=utf-8"},
		Body: []byte("<p>x"), Written: 4, Complete: true,
	}
	for _, f := range change {
		f(resp)
	}
	return resp
}

// If a client leaves, its queries are cancelled, and many handlers then say 404. Clients that break
// off requests must not be able to remove pages.
func TestStatusDecidesWhatAResponseProves(t *testing.T) {
	want := map[int]struct {
		kind Kind
		why  Reason
	}{
		200: {Witness, None},
		304: {Alive, None},
		301: {Redirected, None}, 302: {Redirected, None}, 303: {Redirected, None}, 307: {Redirected, None},
		308: {Redirected, None},
		401: {Doubtful, Denied}, 403: {Doubtful, Denied}, 404: {Doubtful, NotFound}, 410: {Vanished, StatusGone},
	}
	for status := range 1000 {
		w, named := want[status]
		if !named {
			w.kind, w.why = Nothing, Status
		}
		kind, why := noRules.Response("/a", ok(func(r *response.Response) { r.Status = status }))
		if kind != w.kind || why != w.why {
			t.Errorf("GET %d: %v, %v, want %v, %v", status, kind, why, w.kind, w.why)
		}
		if w.kind == Doubtful || w.kind == Witness {
			w.kind, w.why = Nothing, Incomplete
		}
		kind, why = noRules.Response("/a", ok(func(r *response.Response) { r.Status, r.Complete = status, false }))
		if kind != w.kind || why != w.why {
			t.Errorf("GET %d, incomplete: %v, %v, want %v, %v", status, kind, why, w.kind, w.why)
		}
	}
}

func TestHeadersDecideWhatA200Proves(t *testing.T) {
	header := func(set func(*response.Header)) func(*response.Response) {
		return func(r *response.Response) { set(&r.Header) }
	}
	typed := func(s string) func(*response.Response) { return header(func(h *response.Header) { h.ContentType = s }) }
	for _, tt := range []struct {
		name     string
		location string
		change   func(*response.Response)
		kind     Kind
		why      Reason
	}{
		{"HTML", "/a", func(*response.Response) {}, Witness, None},
		{"HTML in upper case", "/a", typed("TEXT/HTML"), Witness, None},
		{"JSON", "/a", typed("application/json"), Nothing, NotHTML},
		{"no type", "/a", typed(""), Nothing, NotHTML},
		{"incomplete and private", "/a", func(r *response.Response) { r.Complete, r.Header.CacheControl = false, "private" },
			Forbidden, Private},
		{"private, but no HTML", "/a", func(r *response.Response) {
			r.Header.ContentType, r.Header.CacheControl = "application/json", "private"
		}, Nothing, NotHTML},
		{"long page, cut", "/a", func(r *response.Response) { r.Truncated = true }, Witness, None},
		{"no memory for the body", "/a", func(r *response.Response) { r.Body, r.Truncated = nil, true }, Witness, None},
		{"encoded, and kept", "/a", func(r *response.Response) { r.Header.ContentEncoding = "gzip" }, Witness, None},
		{"encoded, and not kept", "/a", func(r *response.Response) { r.Body, r.Header.ContentEncoding = nil, "gzip" },
			Nothing, Encoding},
		{"encoded, and private", "/a", func(r *response.Response) {
			r.Body, r.Header.ContentEncoding, r.Header.CacheControl = nil, "gzip", "private"
		}, Forbidden, Private},
		{"not kept for another reason", "/a", func(r *response.Response) { r.Body = nil }, Nothing, Encoding},
		{"a file's name", "/a.css", func(*response.Response) {}, Witness, None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kind, why := noRules.Response(tt.location, ok(tt.change))
			if kind != tt.kind || why != tt.why {
				t.Errorf("response is %v because of %v, want %v because of %v", kind, why, tt.kind, tt.why)
			}
		})
	}
}

func TestOnlyATextAtRobotsTxtIsARobotsFile(t *testing.T) {
	text := func(change ...func(*response.Response)) *response.Response {
		resp := ok(change...)
		if resp.Header.ContentType == "text/html; charset=utf-8" {
			resp.Header.ContentType = "text/plain"
		}
		return resp
	}
	body := func(s string) func(*response.Response) {
		return func(r *response.Response) { r.Body, r.Written = []byte(s), int64(len(s)) }
	}
	rules := body("User-agent: *\nDisallow: /a\n")
	for _, tt := range []struct {
		name string
		resp *response.Response
		want bool
	}{
		{"text", text(rules), true},
		{"no type", text(rules, func(r *response.Response) { r.Header.ContentType = "" }), true},
		{"empty", text(body("")), true},
		{"attachment", text(rules, func(r *response.Response) { r.Header.ContentDisposition = "attachment" }), true},
		{"long, cut", text(rules, func(r *response.Response) { r.Truncated = true }), true},
		{"page", ok(rules), false},
		{"page of XHTML", text(rules, func(r *response.Response) { r.Header.ContentType = "application/xhtml+xml" }), false},
		{"page that is called text", text(body("\n<!doctype html><title>Shop</title>")), false},
		{"not kept", text(func(r *response.Response) { r.Body = nil }), false},
		{"incomplete", text(rules, func(r *response.Response) { r.Complete = false }), false},
		{"incomplete 404", text(func(r *response.Response) { r.Status, r.Complete = 404, false }), false},
	} {
		base.Equal(t, RobotsTxt(tt.resp), tt.want, "%s: it shows the robots.txt", tt.name)
	}
	for status := range 1000 {
		want := status == 200 || status == 404 || status == 410
		base.Equal(t, RobotsTxt(text(rules, func(r *response.Response) { r.Status = status })), want,
			"%d shows the robots.txt", status)
	}
}

// The header lines of a page, as they are read, and what they forbid. A 304 proves what a 200 would, except that no
// page is sent. What a 200 says to robots is read later, with its body.
func TestHeaderLinesForbidWhatTheySay(t *testing.T) {
	for _, tt := range []struct {
		name, header string
		lines        []string
		want         Reason
	}{
		{"none", "Cache-Control", nil, None},
		{"public", "Cache-Control", []string{"public, max-age=300"}, None},
		{"no-cache is not private", "Cache-Control", []string{"no-cache"}, None},
		{"private", "Cache-Control", []string{"private"}, Private},
		{"no-store", "Cache-Control", []string{"no-store"}, NoStore},
		{"no-store in the second line", "Cache-Control", []string{"max-age=0", "No-Store"}, NoStore},
		{"no-store after private", "Cache-Control", []string{"private, no-store"}, NoStore},
		{"in quotes", "Cache-Control", []string{`"private"`}, Private},
		{"another spelling", "Cache-Control", []string{"No_Store"}, NoStore},
		{"only spaces between", "Cache-Control", []string{"no-cache no-store"}, NoStore},
		{"a longer word", "Cache-Control", []string{"privately, no-storey, x-private"}, None},

		{"none", "Content-Disposition", nil, None},
		{"inline", "Content-Disposition", []string{"inline"}, None},
		{"inline, space before the semicolon", "Content-Disposition", []string{"inline ; filename=a.html"}, None},
		{"attachment", "Content-Disposition", []string{"attachment"}, Attachment},
		{"no semicolon", "Content-Disposition", []string{"attachment filename=a.html"}, Attachment},
		{"only a name", "Content-Disposition", []string{"filename=a.html"}, Attachment},
		{"two lines", "Content-Disposition", []string{"inline", "attachment"}, Attachment},

		{"not to be indexed", "X-Robots-Tag", []string{"noindex"}, NoIndex},
		{"not to be followed", "X-Robots-Tag", []string{"nofollow"}, None},
	} {
		t.Run(tt.header+", "+tt.name, func(t *testing.T) {
			resp := watched(tt.header, tt.lines)
			want := map[Reason]Kind{None: Witness, Attachment: Nothing, Private: Forbidden, NoStore: Forbidden,
				NoIndex: Witness}[tt.want]
			if kind, why := noRules.Response("/a", resp); kind != want || why != tt.want && tt.want != NoIndex {
				t.Errorf("response is %v because of %v, want %v", kind, why, tt.want)
			}
			resp.Status = http.StatusNotModified
			forbids := tt.want != None && tt.want != Attachment
			if kind, why := noRules.Response("/a", resp); forbids && (kind != Forbidden || why != tt.want) ||
				!forbids && kind != Alive {
				t.Errorf("a 304 is %v because of %v, want %v", kind, why, tt.want)
			}
		})
	}
}

// watched returns what is seen of a page with these header lines.
func watched(name string, lines []string) *response.Response {
	return ok(func(r *response.Response) {
		r.Header = response.HeaderOf(http.Header{"Content-Type": {"text/html"}, http.CanonicalHeaderKey(name): lines})
	})
}

func TestAssetsAreRecognisedByTheirExtension(t *testing.T) {
	for location, want := range map[string]bool{
		"/": false, "/about": false, "/a.html": false, "/a.htm": false, "/a.php": false, "/v1.2": false, "/jane.doe": false,
		"/css": false, "/a.css/": false, "/a.css/b": false, "/list?page=a.css": false,
		"/a.css": true, "/account/profile.css": true, "/A.CSS": true, "/a.js": true, "/a.png": true, "/a.woff2": true,
		"/a.json": true, "/feed.xml": true, "/robots.txt": true, "/a.pdf": true, "/a.tar.gz": true, "/.css": true,
		"/a.css?page=2": true,
	} {
		base.Equal(t, AssetName(location), want, "AssetName(%q)", location)
	}
}

func TestRedirectsToALoginAreRecognised(t *testing.T) {
	for login, targets := range map[bool][]string{
		true: {
			"/login", "/anmelden?zurueck=/a", "/connexion", "/%E7%99%BB%E5%BD%95", "/%D0%B2%D0%BE%D0%B9%D1%82%D0%B8/", "/login/",
			"/login?next=/a", "/Login#top", "/log-in", "/logon", "/users/sign_in", "/signin", "/accounts/login/",
			"/wp-login.php?redirect_to=x", "/login.html", "login", "https://example.com/sso/start", "https://login.example.com/",
			"https://auth.example.com?x=/", "//auth.example.com/x", "https://accounts.example.org/o/oauth2/v2/auth?x",
			"/.auth/login/aad",
			"/realms/x/protocol/openid-connect/auth",
		},
		false: {
			"", "/", "/b", "/a?next=/login", "/a#login", "/author/jane", "/blog/login-forms-that-work", "https://example.com/b",
			"https://www.example.com", "/authority",
		},
	} {
		for _, target := range targets {
			for _, status := range []int{301, 302, 303, 307, 308} {
				kind, why := noRules.Response("/a", ok(func(r *response.Response) { r.Status, r.Header.Location = status, target }))
				if login && (kind != Doubtful || why != LoginRedirect) || !login && (kind != Redirected || why != None) {
					t.Errorf("a %d to %q is %v because of %v, want to log in: %v", status, target, kind, why, login)
				}
			}
		}
	}
}

func TestRuleMayIgnoreCacheControl(t *testing.T) {
	rs, err := NewRules([]Rule{{Pattern: "/wiki/", IgnoreCacheControl: true}, {Pattern: "/wiki/User:", Listing: Never}})
	base.Check(t, err)
	page := func(cacheControl, robots string) *response.Response {
		return ok(func(r *response.Response) { r.Header.CacheControl, r.Header.RobotsTag = cacheControl, robots })
	}
	for _, tt := range []struct {
		name, location string
		resp           *response.Response
		status         int
		kind           Kind
		why            Reason
	}{
		{"private", "/wiki/A", page("private, must-revalidate", ""), 200, Witness, None},
		{"no-store", "/wiki/A", page("no-store", ""), 200, Witness, None},
		{"beside the pattern", "/user/A", page("private", ""), 200, Forbidden, Private},
		{"not sent", "/wiki/A", page("private", ""), 304, Alive, None},
		{"not sent, and noindex", "/wiki/A", page("no-store", "noindex"), 304, Forbidden, NoIndex},
		{"a log-in is needed", "/wiki/A", page("private", ""), 403, Doubtful, Denied},
	} {
		tt.resp.Status = tt.status
		if kind, why := rs.Response(tt.location, tt.resp); kind != tt.kind || why != tt.why {
			t.Errorf("%s: %v because of %v, want %v because of %v", tt.name, kind, why, tt.kind, tt.why)
		}
	}
	if r, _ := rs.Match("/wiki/User:me"); r.Listing != Never {
		t.Error("it hides the rule that says never")
	}
}
