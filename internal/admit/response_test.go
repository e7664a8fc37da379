package admit

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/tap"
)

// ok is a complete page, changed by change.
func ok(change ...func(*tap.Response)) *tap.Response {
	resp := &tap.Response{
		Status: http.StatusOK, Header: tap.Header{ContentType: "text/html; charset=utf-8"},
		Body: []byte("<p>x"), Written: 4, Complete: true,
	}
	for _, f := range change {
		f(resp)
	}
	return resp
}

func TestResponseByStatus(t *testing.T) {
	want := map[int]struct {
		kind Kind
		why  Reason
	}{
		200: {Witness, None},
		304: {Alive, None},
		301: {Redirected, None}, 302: {Redirected, None}, 303: {Redirected, None}, 307: {Redirected, None}, 308: {Redirected, None},
		401: {Doubtful, Denied}, 403: {Doubtful, Denied}, 404: {Doubtful, NotFound}, 410: {Vanished, StatusGone},
	}
	for status := range 1000 {
		w, named := want[status]
		if !named {
			w.kind, w.why = Nothing, Status
		}
		kind, why := Response(http.MethodGet, "/a", ok(func(r *tap.Response) { r.Status = status }))
		if kind != w.kind || why != w.why {
			t.Errorf("GET %d: %v, %v, want %v, %v", status, kind, why, w.kind, w.why)
		}
		kind, why = Response(http.MethodHead, "/a", ok(func(r *tap.Response) { r.Status = status }))
		if alive := status == 200; alive != (kind == Alive) || !alive && (kind != Nothing || why != Method) {
			t.Errorf("HEAD %d: %v, %v", status, kind, why)
		}
		kind, why = Response(http.MethodPost, "/a", ok(func(r *tap.Response) { r.Status = status }))
		if kind != Nothing || why != Method {
			t.Errorf("POST %d: %v, %v, want no sighting", status, kind, why)
		}
	}
}

func TestResponseOf200(t *testing.T) {
	header := func(set func(*tap.Header)) func(*tap.Response) {
		return func(r *tap.Response) { set(&r.Header) }
	}
	typed := func(s string) func(*tap.Response) { return header(func(h *tap.Header) { h.ContentType = s }) }
	for _, tt := range []struct {
		name     string
		location string
		change   func(*tap.Response)
		kind     Kind
		why      Reason
	}{
		{"HTML", "/a", func(*tap.Response) {}, Witness, None},
		{"XHTML", "/a", typed("application/xhtml+xml"), Witness, None},
		{"HTML in upper case", "/a", typed("TEXT/HTML"), Witness, None},
		{"JSON", "/a", typed("application/json"), Nothing, NotHTML},
		{"event stream", "/a", typed("text/event-stream"), Nothing, NotHTML},
		{"no type", "/a", typed(""), Nothing, NotHTML},
		{"two types", "/a", typed("text/html, text/plain"), Nothing, NotHTML},
		{"incomplete", "/a", func(r *tap.Response) { r.Complete = false }, Nothing, Incomplete},
		{"incomplete and private", "/a", func(r *tap.Response) { r.Complete, r.Header.CacheControl = false, "private" }, Forbidden, Private},
		{"private, but no HTML", "/a", func(r *tap.Response) { r.Header.ContentType, r.Header.CacheControl = "application/json", "private" }, Nothing, NotHTML},
		{"long page, cut", "/a", func(r *tap.Response) { r.Truncated = true }, Witness, None},
		{"no memory for the body", "/a", func(r *tap.Response) { r.Body, r.Truncated = nil, true }, Witness, None},
		{"empty page", "/a", func(r *tap.Response) { r.Body, r.Written = nil, 0 }, Witness, None},
		{"encoded, and kept", "/a", func(r *tap.Response) { r.Header.ContentEncoding = "gzip" }, Witness, None},
		{"encoded, and not kept", "/a", func(r *tap.Response) { r.Body, r.Header.ContentEncoding = nil, "gzip" }, Nothing, Encoding},
		{"encoded, and private", "/a", func(r *tap.Response) {
			r.Body, r.Header.ContentEncoding, r.Header.CacheControl = nil, "gzip", "private"
		}, Forbidden, Private},
		{"not kept for another reason", "/a", func(r *tap.Response) { r.Body = nil }, Nothing, Encoding},
		{"asset's name", "/a.css", func(*tap.Response) {}, Nothing, NotHTML},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kind, why := Response(http.MethodGet, tt.location, ok(tt.change))
			if kind != tt.kind || why != tt.why {
				t.Errorf("response is %v because of %v, want %v because of %v", kind, why, tt.kind, tt.why)
			}
		})
	}
}

// A HEAD and a 304 say of the page what a GET would, without sending it.
func TestResponseWithoutItsPage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header tap.Header
		kind   Kind
		why    Reason
	}{
		{"page", tap.Header{ContentType: "text/html"}, Alive, None},
		{"private page", tap.Header{ContentType: "text/html", CacheControl: "private"}, Forbidden, Private},
		{"page not to be stored", tap.Header{ContentType: "text/html", CacheControl: "no-store"}, Forbidden, NoStore},
		{"page not to be indexed", tap.Header{ContentType: "text/html", RobotsTag: "noindex"}, Forbidden, NoIndex},
		{"page not to be indexed by one", tap.Header{ContentType: "text/html", RobotsTag: "all\nsomebot: none"}, Forbidden, NoIndex},
		{"page not to be followed", tap.Header{ContentType: "text/html", RobotsTag: "nofollow"}, Alive, None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for method, status := range map[string]int{http.MethodHead: 200, http.MethodGet: 304} {
				resp := &tap.Response{Status: status, Complete: true, Header: tt.header}
				if kind, why := Response(method, "/a", resp); kind != tt.kind || why != tt.why {
					t.Errorf("%s %d: %v because of %v, want %v because of %v", method, status, kind, why, tt.kind, tt.why)
				}
			}
			// What is no page forbids nothing.
			tt.header.ContentType = "image/png"
			resp := &tap.Response{Status: 200, Complete: true, Header: tt.header}
			if kind, why := Response(http.MethodHead, "/a", resp); kind != Alive || why != None {
				t.Errorf("HEAD of an image: %v because of %v, want %v", kind, why, Alive)
			}
		})
	}
}

func TestRobotsTxt(t *testing.T) {
	text := func(change ...func(*tap.Response)) *tap.Response {
		resp := ok(change...)
		if resp.Header.ContentType == "text/html; charset=utf-8" {
			resp.Header.ContentType = "text/plain"
		}
		return resp
	}
	body := func(s string) func(*tap.Response) {
		return func(r *tap.Response) { r.Body, r.Written = []byte(s), int64(len(s)) }
	}
	rules := body("User-agent: *\nDisallow: /a\n")
	for _, tt := range []struct {
		name string
		resp *tap.Response
		want bool
	}{
		{"text", text(rules), true},
		{"another type", text(rules, func(r *tap.Response) { r.Header.ContentType = "application/octet-stream" }), true},
		{"no type", text(rules, func(r *tap.Response) { r.Header.ContentType = "" }), true},
		{"empty", text(body("")), true},
		{"attachment", text(rules, func(r *tap.Response) { r.Header.ContentDisposition = "attachment" }), true},
		{"private", text(rules, func(r *tap.Response) { r.Header.CacheControl = "private, no-store" }), true},
		{"long, cut", text(rules, func(r *tap.Response) { r.Truncated = true }), true},
		{"page", ok(rules), false},
		{"page of XHTML", text(rules, func(r *tap.Response) { r.Header.ContentType = "application/xhtml+xml" }), false},
		{"page that is called text", text(body("\n<!doctype html><title>Shop</title>")), false},
		{"not kept", text(func(r *tap.Response) { r.Body = nil }), false},
		{"incomplete", text(rules, func(r *tap.Response) { r.Complete = false }), false},
		{"incomplete 404", text(func(r *tap.Response) { r.Status, r.Complete = 404, false }), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := RobotsTxt(tt.resp); got != tt.want {
				t.Errorf("it shows the robots.txt: %v, want %v", got, tt.want)
			}
		})
	}
	for status := range 1000 {
		want := status == 200 || status == 404 || status == 410
		if got := RobotsTxt(text(rules, func(r *tap.Response) { r.Status = status })); got != want {
			t.Errorf("%d shows the robots.txt: %v, want %v", status, got, want)
		}
	}
}

// A handler whose query is cancelled because the client left often says 404.
// Whoever breaks off requests must not be able to take pages out.
func TestAnIncompleteDenialIsNoReasonToDoubt(t *testing.T) {
	for _, status := range []int{401, 403, 404} {
		kind, why := Response(http.MethodGet, "/a", ok(func(r *tap.Response) { r.Status, r.Complete = status, false }))
		if kind != Nothing || why != Incomplete {
			t.Errorf("an incomplete %d is %v because of %v, want no sighting", status, kind, why)
		}
	}
}

func TestCacheControl(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  Reason
	}{
		{"none", nil, None},
		{"public", []string{"public, max-age=300"}, None},
		{"no-cache is not private", []string{"no-cache"}, None},
		{"must-revalidate", []string{"max-age=0, must-revalidate"}, None},
		{"private", []string{"private"}, Private},
		{"private with max-age", []string{"private, max-age=60"}, Private},
		{"private last", []string{"max-age=60,private"}, Private},
		{"private in capitals", []string{"PRIVATE"}, Private},
		{"private fields", []string{`private="set-cookie"`}, Private},
		{"no-store", []string{"no-store"}, NoStore},
		{"no-store in mixed case", []string{"No-Store"}, NoStore},
		{"no-store in the second line", []string{"max-age=0", "No-Store"}, NoStore},
		{"no-store before private", []string{"no-store, private"}, NoStore},
		{"no-store after private", []string{"private, no-store"}, NoStore},
		{"private over public", []string{"public", "private"}, Private},
		{"spaces", []string{"  max-age=0  ,\tprivate  "}, Private},
		{"semicolons", []string{"private; max-age=0"}, Private},
		{"only spaces between", []string{"no-cache no-store"}, NoStore},
		{"empty parts", []string{",,private,"}, Private},
		{"a longer word", []string{"privately, no-storey, x-private"}, None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kind, why := Response(http.MethodGet, "/a", watched(t, "Cache-Control", tt.lines))
			if why != tt.want || (kind == Forbidden) != (tt.want != None) {
				t.Errorf("response is %v because of %v, want %v", kind, why, tt.want)
			}
		})
	}
}

// watched is what a tap sees of a page with the header lines.
func watched(t *testing.T, name string, lines []string) *tap.Response {
	t.Helper()
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for _, l := range lines {
			w.Header().Add(name, l)
		}
		io.WriteString(w, "<p>x")
	})
	return tap.Serve(h, httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/a", nil), tap.NewBuffers(1<<10, 1<<16))
}

func TestContentDisposition(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  Kind
	}{
		{"none", nil, Witness},
		{"empty", []string{""}, Witness},
		{"inline", []string{"inline"}, Witness},
		{"inline with a name", []string{`inline; filename="a.html"`}, Witness},
		{"inline in capitals", []string{"INLINE"}, Witness},
		{"inline, space before the semicolon", []string{"inline ; filename=a.html"}, Witness},
		{"attachment", []string{"attachment"}, Nothing},
		{"with a name", []string{`attachment; filename="a.html"`}, Nothing},
		{"with an extended name", []string{"attachment; filename*=UTF-8''a.html"}, Nothing},
		{"in capitals", []string{"ATTACHMENT"}, Nothing},
		{"space before the semicolon", []string{"attachment ; filename=a"}, Nothing},
		{"malformed parameter", []string{"attachment; filename="}, Nothing},
		{"no semicolon", []string{"attachment filename=a.html"}, Nothing},
		{"only a name", []string{"filename=a.html"}, Nothing},
		{"unknown type", []string{"form-data"}, Nothing},
		{"two lines", []string{"inline", "attachment"}, Nothing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kind, why := Response(http.MethodGet, "/a", watched(t, "Content-Disposition", tt.lines))
			if kind != tt.want || kind == Nothing && why != Attachment {
				t.Errorf("response is %v because of %v, want %v", kind, why, tt.want)
			}
		})
	}
}

func TestAssetName(t *testing.T) {
	for location, want := range map[string]bool{
		"/": false, "/about": false, "/a.html": false, "/a.htm": false, "/a.php": false, "/v1.2": false, "/jane.doe": false,
		"/css": false, "/a.css/": false, "/a.css/b": false, "/list?page=a.css": false,
		"/a.css": true, "/account/profile.css": true, "/A.CSS": true, "/a.js": true, "/a.png": true, "/a.woff2": true,
		"/a.json": true, "/feed.xml": true, "/robots.txt": true, "/a.pdf": true, "/a.tar.gz": true, "/.css": true, "/a.css?page=2": true,
	} {
		if got := AssetName(location); got != want {
			t.Errorf("AssetName(%q) = %v, want %v", location, got, want)
		}
	}
}

func TestRedirectsToLogin(t *testing.T) {
	for _, tt := range []struct {
		target string
		login  bool
	}{
		{"/login", true},
		{"/login/", true},
		{"/login?next=/a", true},
		{"/Login#top", true},
		{"/log-in", true},
		{"/logon", true},
		{"/users/sign_in", true},
		{"/signin", true},
		{"/accounts/login/", true},
		{"/wp-login.php?redirect_to=x", true},
		{"/login.html", true},
		{"login", true},
		{"https://example.com/sso/start", true},
		{"https://login.example.com/", true},
		{"https://auth.example.com?x=/", true},
		{"//auth.example.com/x", true},
		{"https://accounts.example.org/o/oauth2/v2/auth?x", true},
		{"/.auth/login/aad", true},
		{"/realms/x/protocol/openid-connect/auth", true},
		{"", false},
		{"/", false},
		{"/b", false},
		{"/a?next=/login", false},
		{"/a#login", false},
		{"/author/jane", false},
		{"/blog/login-forms-that-work", false},
		{"https://example.com/b", false},
		{"https://www.example.com", false},
		{"/authority", false},
	} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			t.Run(strconv.Itoa(status)+" "+tt.target, func(t *testing.T) {
				kind, why := Response(http.MethodGet, "/a", ok(func(r *tap.Response) { r.Status, r.Header.Location = status, tt.target }))
				if tt.login && (kind != Doubtful || why != LoginRedirect) || !tt.login && (kind != Redirected || why != None) {
					t.Errorf("redirect is %v because of %v, want to log in: %v", kind, why, tt.login)
				}
			})
		}
	}
}

func FuzzResponse(f *testing.F) {
	f.Add(200, "text/html", "private, max-age=0", "inline", "/login", "/a.css")
	f.Fuzz(func(t *testing.T, status int, ctype, cache, disposition, target, location string) {
		resp := &tap.Response{Status: status, Complete: true, Header: tap.Header{
			ContentType: ctype, CacheControl: cache, ContentDisposition: disposition, Location: target,
		}}
		kind, why := Response(http.MethodGet, location, resp)
		withdraws := kind == Forbidden || kind == Vanished || kind == Doubtful
		if (withdraws || kind == Nothing) != (why != None) {
			t.Errorf("response is %v because of %v", kind, why)
		}
		lower := strings.ToLower(cache)
		if kind == Witness && (lower == "private" || lower == "no-store" || status != 200) {
			t.Errorf("status %d with Cache-Control %q is a witness", status, cache)
		}
	})
}
