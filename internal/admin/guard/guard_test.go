package guard

import (
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func request(peer, host string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr, r.Host = peer, host
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	return r
}

func TestLocalAllowsOnlyBrowsersOnThisMachine(t *testing.T) {
	old := request("127.0.0.1:4000", "localhost")
	old.ProtoMajor, old.ProtoMinor = 1, 0
	ends := request("127.0.0.1:4000", "localhost")
	ends.Close = true
	for _, tt := range []struct {
		name string
		r    *http.Request
		want bool
	}{
		{"a browser on this machine", request("127.0.0.1:4000", "localhost:8080"), true},
		{"by address", request("127.0.0.1:4000", "127.0.0.1:8080"), true},
		{"without a port", request("127.0.0.1:4000", "LocalHost"), true},
		{"IPv6", request("[::1]:4000", "[::1]:8080"), true},
		{"IPv6 without a port", request("[::1]:4000", "[::1]"), true},
		{"IPv4 within IPv6", request("[::ffff:127.0.0.1]:4000", "localhost"), true},
		{"another machine", request("192.0.2.7:4000", "localhost:8080"), false},
		{"another machine of the network", request("10.0.0.7:4000", "localhost"), false},
		{"a name that stands for this machine", request("127.0.0.1:4000", "evil.example:8080"), false},
		{"a name that begins like it", request("127.0.0.1:4000", "localhost.evil.example"), false},
		{"an address that begins like it", request("127.0.0.1:4000", "127.0.0.1.evil.example"), false},
		{"no host", request("127.0.0.1:4000", ""), false},
		{"no peer", request("", "localhost"), false},
		{"a Unix socket", request("@", "localhost"), false},
		{"a proxy that names the client", request("127.0.0.1:4000", "localhost", "X-Forwarded-For: 192.0.2.7"), false},
		{"a proxy that names an empty client", request("127.0.0.1:4000", "localhost", "X-Forwarded-For: "), false},
		{"a proxy that names the host", request("127.0.0.1:4000", "localhost", "X-Forwarded-Host: example.com"), false},
		{"a proxy by the standard", request("127.0.0.1:4000", "localhost", "Forwarded: for=192.0.2.7"), false},
		{"a proxy that names itself", request("127.0.0.1:4000", "localhost", "Via: 1.1 cache"), false},
		{"as many configure nginx", request("127.0.0.1:4000", "localhost", "X-Real-IP: 192.0.2.7"), false},
		{"Cloudflare", request("127.0.0.1:4000", "localhost", "CF-Connecting-IP: 192.0.2.7"), false},
		{"a tunnel of Cloudflare", request("127.0.0.1:4000", "localhost", "Cf-Ray: 1"), false},
		{"nginx as it comes, which speaks HTTP/1.0", old, false},
		{"nginx with HTTP/1.1, which ends connections", ends, false},
	} {
		if got := Local(tt.r); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestHandlerAsksForAPasswordUnlessAllowed(t *testing.T) {
	password := Password("owner", "correct horse")
	either := func(r *http.Request) bool { return Local(r) || password(r) }
	none := func(*http.Request) bool { return false }
	basic := func(user, password string) string {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.SetBasicAuth(user, password)
		return "Authorization: " + r.Header.Get("Authorization")
	}
	for _, tt := range []struct {
		name  string
		allow func(*http.Request) bool
		r     *http.Request
		want  int
	}{
		{"nobody is allowed", none, request("127.0.0.1:4000", "localhost"), http.StatusNotFound},
		{"who is here", Local, request("127.0.0.1:4000", "localhost"), http.StatusOK},
		{"who is elsewhere", Local, request("192.0.2.7:4000", "example.com"), http.StatusNotFound},
		{"the password is asked for", password, request("192.0.2.7:4000", "example.com"), http.StatusUnauthorized},
		{"the password", password, request("192.0.2.7:4000", "example.com", basic("owner", "correct horse")), http.StatusOK},
		{"another password", password, request("192.0.2.7:4000", "example.com", basic("owner", "correct")), http.StatusUnauthorized},
		{"another user", password, request("192.0.2.7:4000", "example.com", basic("root", "correct horse")), http.StatusUnauthorized},
		{"nothing for a password", password, request("192.0.2.7:4000", "example.com", basic("owner", "")), http.StatusUnauthorized},
		{"either, from here", either, request("127.0.0.1:4000", "localhost"), http.StatusOK},
		{"either, from elsewhere", either, request("192.0.2.7:4000", "example.com"), http.StatusUnauthorized},
	} {
		w := httptest.NewRecorder()
		Handler("Inspector", tt.allow, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, tt.r)
		if w.Code != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, w.Code, tt.want)
		}
		if asks := w.Header().Get("WWW-Authenticate") != ""; asks != (tt.want == http.StatusUnauthorized) {
			t.Errorf("%s: a password is asked for: %v", tt.name, asks)
		}
		if tt.want != http.StatusOK && w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: a refusal may be stored", tt.name)
		}
	}
}

func TestMissingArgumentsPanic(t *testing.T) {
	for name, call := range map[string]func(){
		"no allow":    func() { Handler("Inspector", nil, http.NotFoundHandler()) },
		"no user":     func() { Password("", "secret") },
		"no password": func() { Password("owner", "") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// localhost is the only name among the hosts of this machine. The others are addresses.
var localhost = regexp.MustCompile(`^\[?localhost\]?(:.*)?$`)

// FuzzLocal checks that nobody gets in by what a stranger can send: a Host and headers.
// What the server says of the connection must show this machine, too.
func FuzzLocal(f *testing.F) {
	f.Add("127.0.0.1:4000", "localhost:8080", "Accept", "text/html")
	f.Add("[::1]:4000", "[::1%25lo]", "x-forwarded-for", "127.0.0.1")
	f.Add("192.0.2.7:4000", "LOCALHOST.", "Forwarded", "")
	f.Add("[::ffff:127.0.0.1]:1", "127.0.0.1.evil.example:80", "Via", "\x00")
	f.Add("", "[localhost]:x", "", "a\r\nb")
	f.Fuzz(func(t *testing.T, peer, host, name, value string) {
		r := request(peer, host)
		r.Header[http.CanonicalHeaderKey(name)] = []string{value}
		if !Local(r) {
			return
		}
		addr, _, err := net.SplitHostPort(peer)
		if ip := net.ParseIP(strings.Split(addr, "%")[0]); err != nil || !ip.IsLoopback() {
			t.Errorf("a request from %q is local", peer)
		}
		for _, other := range []string{"192.0.2.7:1", "[2001:db8::1]:1", "@", ""} {
			if r.RemoteAddr = other; Local(r) {
				t.Errorf("a request from %q is local, by Host %q and %q: %q", other, host, name, value)
			}
		}
		r.RemoteAddr = peer
		for _, proxied := range []string{"X-Forwarded-For", "Forwarded", "Via"} {
			if r.Header.Set(proxied, value); Local(r) {
				t.Errorf("a request with %s is local", proxied)
			}
			r.Header.Del(proxied)
		}
		if named, _, _ := strings.Cut(strings.ToLower(host), "%"); strings.ContainsAny(named, "ghijklmnopqrstuvwxyz") && !localhost.MatchString(named) {
			t.Errorf("a request for the name %q is local", host)
		}
	})
}
