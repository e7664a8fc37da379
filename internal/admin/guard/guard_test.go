package guard

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
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

// TestStrangersBehindAProxyOnThisMachineGetNothing has a proxy in front that leaves no sign: it has
// this machine's address and the server's own name as Host, as nginx by default.
func TestStrangersBehindAProxyOnThisMachineGetNothing(t *testing.T) {
	d, _ := door()
	link := NewLink("a")
	server := base.Serve(t, d.ByLink(link, http.HandlerFunc(owners)).ServeHTTP)
	at, err := url.Parse(server)
	base.Check(t, err)
	proxy := base.Serve(t, httputil.NewSingleHostReverseProxy(at).ServeHTTP)
	ask := func(client *http.Client, method, address string, lines ...string) (int, string) {
		t.Helper()
		r, err := http.NewRequest(method, address, nil)
		base.Check(t, err)
		for i := 0; i < len(lines); i += 2 {
			r.Header.Set(lines[i], lines[i+1])
		}
		resp, body := base.Do(t, client, r)
		return resp.StatusCode, resp.Request.URL.String() + " " + body
	}
	base, plain := proxy+"/inspect/", httptest.NewRequest(http.MethodGet, "/", nil)
	for _, lines := range [][]string{
		nil, {"X-Forwarded-For", "127.0.0.1"}, {"Sec-Fetch-Site", "cross-site"},
		{"Cookie", link.cookie(plain) + "=" + link.key}, {"Cookie", link.cookie(plain) + "="},
		{"Authorization", "Bearer " + link.key},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			for _, view := range []string{"", "forget", "?key=", "?key=" + NewLink("a").key, "?key=" + link.value} {
				if status, got := ask(http.DefaultClient, method, base+view, lines...); status != http.StatusNotFound ||
					strings.Contains(got, what) {
					t.Errorf("%s %s with %q: %d %s", method, view, lines, status, got)
				}
			}
		}
	}
	jar, _ := cookiejar.New(nil)
	owner := &http.Client{Jar: jar}
	for _, tt := range [][2]string{{http.MethodGet, link.At(base)}, {http.MethodGet, base}, {http.MethodPost, base}} {
		if status, got := ask(owner, tt[0], tt[1]); status != http.StatusOK || got != base+" "+what {
			t.Errorf("the owner with %s: %d %s", tt[0], status, got)
		}
	}
	if status, _ := ask(owner, http.MethodPost, base+"forget", "Sec-Fetch-Site",
		"cross-site"); status != http.StatusNotFound {
		t.Errorf("another site's form gets %d", status)
	}
}

// Without a word, the owner who types the address of -admin takes it for broken.
func TestADoorWhereNoStrangerComesSaysWhatToOpen(t *testing.T) {
	d, _ := door()
	d.Help = "Open the link that the log has."
	server := base.Serve(t, d.ByLink(NewLink("a"), http.HandlerFunc(owners)).ServeHTTP)
	for _, query := range []string{"", "?key=x"} {
		resp, err := http.Get(server + "/inspect/" + query)
		base.Check(t, err)
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if base.Check(t, err); resp.StatusCode != http.StatusNotFound || string(body) != d.Help+"\n" {
			t.Errorf("%q: %s %q", query, resp.Status, body)
		}
	}
}

// Two processes serve one site on one host, as a new version beside the old one. A browser sends the cookies
// of one to the other too.
func TestOpeningOneProcessLeavesTheOtherOpen(t *testing.T) {
	jar, _ := cookiejar.New(nil)
	owner := &http.Client{Jar: jar}
	var opened []string
	for range 2 {
		d, _ := door()
		link := NewLink("https://example.com")
		server := base.Serve(t, d.ByLink(link, http.HandlerFunc(owners)).ServeHTTP)
		opened = append(opened, server+"/inspect/")
		for _, address := range append([]string{link.At(server + "/inspect")}, opened...) {
			resp, err := owner.Get(address)
			base.Check(t, err)
			if resp.Body.Close(); resp.StatusCode != http.StatusOK {
				t.Errorf("%s after %d were opened: %s", address, len(opened), resp.Status)
			}
		}
	}
}

func TestTheKeyIsExchangedForACookie(t *testing.T) {
	d, log := door()
	d.Names = func(name string) bool { return name == "page" }
	link := NewLink("https://example.com")
	handler := d.ByLink(link, http.HandlerFunc(owners))
	plain := httptest.NewRequest(http.MethodGet, "/", nil)
	cookie := link.cookie(plain) + "=" + link.value
	for _, tt := range []struct {
		name, target string
		lines        []string
		status       int
		leads        string // where a redirect leads
		sets         bool   // the cookie
	}{
		{"the link", "/inspect/?key=KEY", nil, 303, "./", true},
		{"the link with more", "/inspect/?live=&key=KEY", nil, 303, "?live=", true},
		{"the link without its slash", "/see?key=KEY", nil, 303, "./see/?key=KEY", false},
		{"the link to a page", "/inspect/page?key=KEY", nil, 303, "./page", true},
		{"the link to a page with more", "/inspect/page?u=/a&key=KEY", nil, 303, "?u=%2Fa", true},
		{"the link, although the cookie is there", "/inspect/?key=KEY", []string{"Cookie", cookie}, 303, "./", true},
		{"an older link, although the cookie is there", "/inspect/?key=x", []string{"Cookie", cookie}, 303, "./", false},
		{"the link on a page of another site", "/inspect/?key=KEY", []string{"Sec-Fetch-Site", "cross-site"}, 200, "", true},
		{"the cookie", "/inspect/page?u=/a", []string{"Cookie", cookie}, 200, "", false},
		{"the cookie, behind one of a neighbour", "/inspect/", []string{"Cookie", link.cookie(plain) + "=x; " + cookie}, 200,
			"", false},
		{"the cookie of another process", "/inspect/", []string{"Cookie", link.cookie(plain) + "=" +
			NewLink("https://example.com").value}, 404, "", false},
		{"the cookie of another site", "/inspect/", []string{"Cookie", NewLink("https://example.org").cookie(plain) + "=" +
			link.value}, 404, "", false},
		{"nothing", "/inspect/", nil, 404, "", false},
		{"what another site asks for", "/inspect/", []string{"Sec-Fetch-Site", "cross-site", "Cookie", cookie}, 404, "",
			false},
	} {
		w := base.Ask(handler, http.MethodGet, strings.ReplaceAll(tt.target, "KEY", link.key), tt.lines...)
		if leads := strings.ReplaceAll(w.Header().Get("Location"), link.key, "KEY"); w.Code != tt.status ||
			leads != tt.leads || (w.Header().Get("Set-Cookie") != "") != tt.sets {
			t.Errorf("%s: %d to %q, cookie %q", tt.name, w.Code, leads, w.Header().Get("Set-Cookie"))
		}
		if strings.Contains(w.Body.String(), link.key) ||
			w.Code != 200 && w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: the key may reach other sites: %v %s", tt.name, w.Header(), w.Body)
		}
	}
	if text := log.String(); strings.Contains(text, link.key) || strings.Contains(text, "192.0.2.1") ||
		strings.Count(text, "\n") != 3 {
		t.Errorf("the log has more than the causes: %s", text)
	}
	for name, secure := range map[string]bool{"http": false, "https": true} {
		w := base.Ask(handler, http.MethodGet, "http://example.com/inspect/?key="+link.key, "X-Forwarded-Proto", name)
		set := w.Result().Cookies()[0]
		if !set.HttpOnly || set.SameSite != http.SameSiteStrictMode || set.Secure != secure || set.Path != "" ||
			set.Domain != "" || set.MaxAge != 0 || set.Value == link.key {
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
			told := strings.Contains(w.Body.String(), "until then even the right one is refused")
			if told != (w.Code == http.StatusTooManyRequests) {
				t.Errorf("with %d, an owner behind a guesser's network is told so: %v", w.Code, told)
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
		of64 := func(n int) string { return fmt.Sprintf("2001:db8:1:1::%x", n) }
		for name, from := range map[string]func(int) string{"an address": one, "a /24": of24, "a /64": of64} {
			if n := answered(1000, from); n != freeGuesses {
				t.Errorf("%s has %d guesses at once", name, n)
			}
			time.Sleep(time.Minute)
			if n := answered(1000, from); n != 1 {
				t.Errorf("%s has %d guesses a minute later", name, n)
			}
			base.Equal(t, try(from(0), "correct horse"), http.StatusTooManyRequests, "%s may try the right one too", name)
		}
		for name, from := range map[string]string{"another network": "192.0.2.1",
			"another network by IPv6": "2001:db8:1:2::1", "one that asks without a password": "192.0.2.9"} {
			base.Equal(t, try(from, ""), http.StatusUnauthorized, "%s", name)
			base.Equal(t, try(from, "correct horse"), http.StatusOK, "%s, with the password", name)
		}
		answered(100_000, func(n int) string { return fmt.Sprintf("2001:db8:%x:%x::1", n>>16, n&0xffff) })
		if n := answered(10_000, func(n int) string { return fmt.Sprintf("2001:db8:ffff:%x::1", n) }); n > 0 {
			t.Errorf("who has ten thousand networks more has %d guesses more", n)
		}
		base.Equal(t, try("192.0.2.200", "correct horse"), http.StatusOK, "the owner is shut out by many networks")
		time.Sleep(11 * time.Minute)
		base.Equal(t, try(one(0), "correct horse"), http.StatusOK, "after a while")
		if text := log.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, "with the right one too") ||
			strings.Contains(text, "198.51.100") || strings.Contains(text, "correct") {
			t.Errorf("the log: %s", text)
		}
	})
}

func TestManyGuessersTakeBoundedMemory(t *testing.T) {
	g := guesses{forgiven: map[netip.Prefix]time.Time{}}
	now := time.Now()
	for n := range uint32(200_000) {
		g.try(netip.AddrFrom4([4]byte{byte(n), byte(n >> 8), byte(n >> 16), 1}), now, false)
	}
	if n := len(g.forgiven); n > mostNetworks+256 {
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

// The variable of the environment that has the password is forgotten: the site starts, and its log says what to set.
func TestAnEmptyPasswordLetsNobodyInAndSaysWhatToSet(t *testing.T) {
	for name, allow := range map[string]func(*http.Request) bool{"no user": Password("", "secret"),
		"no password": Password("owner", "")} {
		d, log := door()
		handler := d.Allow(allow, http.HandlerFunc(owners))
		if allow(httptest.NewRequest(http.MethodGet, "/", nil)) {
			t.Errorf("%s: the owner's own program lets visitors in", name)
		}
		for _, guess := range [][2]string{{"owner", ""}, {"", "secret"}, {"", ""}, {"owner", "secret"}} {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.SetBasicAuth(guess[0], guess[1])
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, r); w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), what) {
				t.Errorf("%s: %q gets %d: %s", name, guess, w.Code, w.Body)
			}
		}
		if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "such as SECRET") {
			t.Errorf("%s: the log has %d lines: %s", name, n, log)
		}
	}
}
