package guard

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/forwarded"
	"github.com/servemap/servemap/internal/testkit/base"
)

const what = "the owner's page"

func owners(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, what) }

// door returns a door, and its log.
func door() (*Door, *strings.Builder) {
	log := new(strings.Builder)
	client := func(r *http.Request) netip.Addr {
		if r.Header.Get("X-Forwarded-For") != "" {
			return netip.Addr{} // as without the owner's function
		}
		at, _ := forwarded.Peer(r)
		return at
	}
	return &Door{What: "inspector", Client: client, Logger: slog.New(slog.NewTextHandler(log, nil))}, log
}

// Where a request comes from is no proof: all of these come from this machine.
func TestTheKeyIsExchangedForACookie(t *testing.T) {
	d, log := door()
	link, other := NewLink(), NewLink()
	handler := d.ByLink(link, http.HandlerFunc(owners))
	cookie := link.name + "=" + link.value
	for _, tt := range []struct {
		name, target  string
		header, value string
		status        int
	}{
		{"the link", "/inspect/?key=KEY", "", "", 303},
		{"the link to a page", "/inspect/page?u=/a&key=KEY", "", "", 303},
		{"the link, although the cookie is there", "/inspect/?key=KEY", "Cookie", cookie, 303},
		{"an older link, although the cookie is there", "/inspect/?key=x", "Cookie", cookie, 200},
		{"the cookie", "/inspect/page?u=/a", "Cookie", cookie, 200},
		{"the cookie, behind one of a neighbour", "/inspect/", "Cookie", link.name + "=x; " + cookie, 200},
		{"the cookie of another process", "/inspect/", "Cookie", other.name + "=" + other.value, 404},
		{"a cookie with the key", "/inspect/", "Cookie", link.name + "=" + link.key, 404},
		{"an empty cookie", "/inspect/", "Cookie", link.name + "=", 404},
		{"the key as a password", "/inspect/", "Authorization", "Bearer " + link.key, 404},
		{"another link", "/inspect/?key=" + other.key, "", "", 404},
		{"the cookie as the key", "/inspect/?key=" + link.value, "", "", 404},
		{"an empty key", "/inspect/?key=", "", "", 404},
		{"nothing", "/inspect/", "X-Forwarded-For", "127.0.0.1", 404},
	} {
		r := httptest.NewRequest(http.MethodGet, strings.ReplaceAll(tt.target, "KEY", link.key), nil)
		r.Header[tt.header] = []string{tt.value}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		enters := tt.status == 303
		if w.Code != tt.status || (w.Header().Get("Location") == "./") != enters || (w.Header().Get("Set-Cookie") != "") != enters {
			t.Errorf("%s: %d to %q, cookie %q", tt.name, w.Code, w.Header().Get("Location"), w.Header().Get("Set-Cookie"))
		}
		if strings.Contains(w.Body.String(), link.key) || w.Code != 200 && w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: the key may reach other sites: %v %s", tt.name, w.Header(), w.Body)
		}
	}
	if text := log.String(); strings.Contains(text, link.key) || strings.Contains(text, "192.0.2.1") || strings.Count(text, "\n") != 1 {
		t.Errorf("the log has more than the causes: %s", text)
	}
	for name, secure := range map[string]bool{"http": false, "https": true} {
		r := httptest.NewRequest(http.MethodGet, "http://example.com/inspect/?key="+link.key, nil)
		r.Header.Set("X-Forwarded-Proto", name)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		set := w.Result().Cookies()[0]
		if !set.HttpOnly || set.SameSite != http.SameSiteLaxMode || set.Secure != secure || set.Path != "" || set.Domain != "" || set.MaxAge != 0 || set.Value == link.key {
			t.Errorf("by %s: %v", name, set)
		}
	}
}

func TestGuessingAPasswordIsSlow(t *testing.T) {
	base.OneByOne(t)
	synctest.Test(t, func(t *testing.T) {
		d, log := door()
		handler := d.Allow(Password("owner", "correct horse"), http.HandlerFunc(owners))
		try := func(from, password string) int {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = net.JoinHostPort(from, "4000")
			if password != "" {
				r.SetBasicAuth("owner", password)
			}
			if password == "wrong" { // who guesses may send any header
				r.Header.Set("X-Forwarded-For", "192.0.2.200")
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if asks := w.Header().Get("WWW-Authenticate") != ""; asks != (w.Code == http.StatusUnauthorized) {
				t.Errorf("with %d a password is asked for: %v", w.Code, asks)
			}
			return w.Code
		}
		// answered counts the wrong guesses that are compared at all.
		answered := func(guesses int, from func(n int) string) (n int) {
			for i := range guesses {
				if try(from(i), "wrong") == http.StatusUnauthorized {
					n++
				}
			}
			return n
		}
		one := func(int) string { return "198.51.100.7" }
		of24 := func(n int) string { return fmt.Sprintf("203.0.113.%d", n%256) }
		of32 := func(n int) string { return fmt.Sprintf("2001:db8:%x:1::%x", n, n) }
		for name, from := range map[string]func(int) string{"an address": one, "a /24": of24, "a /32": of32} {
			if n := answered(1000, from); n != freeGuesses {
				t.Errorf("%s has %d guesses at once", name, n)
			}
			time.Sleep(time.Minute)
			if n := answered(1000, from); n != 1 {
				t.Errorf("%s has %d guesses a minute later", name, n)
			}
			if status := try(from(0), "correct horse"); status != http.StatusTooManyRequests {
				t.Errorf("%s may try the right one too: %d", name, status)
			}
		}
		for name, from := range map[string]string{"another network": "192.0.2.1", "another network by IPv6": "2001:db9:1:1::1", "one that asks without a password": "192.0.2.9"} {
			if status := try(from, ""); status != http.StatusUnauthorized {
				t.Errorf("%s: %d, want that the password is asked for", name, status)
			}
			if status := try(from, "correct horse"); status != http.StatusOK {
				t.Errorf("%s, with the password: %d", name, status)
			}
		}
		time.Sleep(11 * time.Minute)
		if status := try(one(0), "correct horse"); status != http.StatusOK {
			t.Errorf("after a while: %d", status)
		}
		if text := log.String(); strings.Count(text, "\n") != 2 || strings.Contains(text, "198.51.100") || strings.Contains(text, "correct") {
			t.Errorf("the log: %s", text)
		}
	})
}

func TestManyGuessersTakeBoundedMemory(t *testing.T) {
	g := guesses{forgiven: map[netip.Prefix]time.Time{}}
	now := time.Now()
	for n := range uint32(10_000) {
		g.try(netip.AddrFrom4([4]byte{byte(n), byte(n >> 8), byte(n >> 16), 1}), now, false)
	}
	if n := len(g.forgiven); n > mostNetworks+1 {
		t.Errorf("%d networks are kept", n)
	}
	g.try(netip.MustParseAddr("192.0.2.1"), now.Add(time.Hour), false)
	if n := len(g.forgiven); n != 1 {
		t.Errorf("%d networks are kept after an hour", n)
	}
}

func TestNamesThatPointToThisMachineAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, given, host string
		want              bool
	}{
		{"an address", ":9090", "127.0.0.1:9090", true},
		{"an address of IPv6", ":9090", "[::1]:9090", true},
		{"an address without a port", ":9090", "[2001:db8::1]", true},
		{"this machine", ":9090", "LocalHost:9090", true},
		{"the name that was given", "metrics.internal:9090", "Metrics.Internal.:9090", true},
		{"another name", "metrics.internal:9090", "evil.example:9090", false},
		{"another name, where none was given", ":9090", "evil.example:9090", false},
		{"a name that begins like this machine", ":9090", "localhost.evil.example", false},
		{"a name that begins like an address", ":9090", "127.0.0.1.evil.example", false},
		{"a number", ":9090", "2130706433", false},
		{"none", ":9090", "", false},
		{"a port alone", ":9090", ":9090", false},
	} {
		d, _ := door()
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Host = tt.host
		w := httptest.NewRecorder()
		d.ByHost(tt.given, http.HandlerFunc(owners)).ServeHTTP(w, r)
		if got := w.Code == http.StatusOK; got != tt.want || !got && w.Code != http.StatusMisdirectedRequest {
			t.Errorf("%s: %d", tt.name, w.Code)
		}
	}
}

func TestEmptyPasswordsPanic(t *testing.T) {
	for name, call := range map[string]func(){"no user": func() { Password("", "secret") }, "no password": func() { Password("owner", "") }} {
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
