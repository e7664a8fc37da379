package observe

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/hint"
)

func TestNamesOfCookiesAsTheHintShowsThem(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"PHPSESSID", "PHPSESSID"},
		{"connect.sid", "connect.sid"},
		{"__Secure-app.id", "__Secure-app.id"},
		{"ab_test7", "ab_test7"},
		{"v2_prefs", "v2_prefs"},
		{"session_8f3a9c1b2d", "session_*"},
		{"session-3f2504e0-4f89-41d3-9a0c-0305e82c3301", "session-*"},
		{"wordpress_logged_in_0123456789abcdef0123456789abcdef", "wordpress_logged_in_*"},
		{"wp-settings-12", "wp-settings-*"},
		{"visit_20261122_a", "visit_*"},
		{"tok_kqxzvbnmwp", "tok_*"},
		{"jane@example.org", ""},
		{"pref_x%5Bjane%5D", "pref_*"},
		{"prefs.jane doe", "prefs.*"},
		{"a_name_that_is_far_too_long_for_a_line_of_a_log", "a_name_that_is_far_too_long_for_a_line_*"},
		{"s_8f3a9c1b2d", ""},
		{"8f3a9c1b2d", ""},
		{"12", ""},
		{"_", "_"},
		{"\x1b[31m", ""},
	} {
		if got := shownName(tt.name); got != tt.want {
			t.Errorf("%q is told as %q, want %q", tt.name, got, tt.want)
		}
	}
}

func noteCookie(c *nameCounts, line string) {
	c.note(admit.Cookies{}.Telling(http.Header{"Cookie": {line}}))
}

func TestFrequentNamesAreKept(t *testing.T) {
	var c nameCounts
	for i := range 2000 {
		cookie := fmt.Sprintf("cart=1; n%s=1", strings.Repeat("x", i%100)) // as many names as room, and more
		if i%4 != 0 {
			cookie += "; shop=secret; _ga=1"
		}
		if i%3 == 0 {
			cookie += "; login=1" // of those who are logged in
		}
		if i%10 == 0 {
			cookie += "; rare=1"
		}
		noteCookie(&c, cookie)
		if len(c.counts) > namesKept {
			t.Fatalf("%d names are kept", len(c.counts))
		}
	}
	if got, want := c.most(), []string{"cart", "shop"}; !slices.Equal(got, want) {
		t.Errorf("most are %q, want %q", got, want)
	}
}

func TestRequestWithManyCookiesIsReadInPart(t *testing.T) {
	var c nameCounts
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "n%s=1; ", strings.Repeat("x", i))
	}
	noteCookie(&c, b.String())
	if len(c.counts) > namesRead {
		t.Errorf("%d names were read", len(c.counts))
	}
}

func TestCountingNamesWaitsForNobody(t *testing.T) {
	var c nameCounts
	c.mu.Lock()
	noteCookie(&c, "sid=1") // returns
	c.mu.Unlock()
	if c.requests != 0 {
		t.Error("it was counted")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				noteCookie(&c, "sid=1")
				c.most()
			}
		})
	}
	all.Wait()
	if got := c.most(); !slices.Equal(got, []string{"sid"}) {
		t.Errorf("most are %q", got)
	}
}

func TestHintNamesTheCookies(t *testing.T) {
	r := start(t)
	for i := range 60 {
		cookie := fmt.Sprintf("shopId=secret1; visit_%08x=secret2; _ga=1", 1+i*77_777_777)
		if i%10 == 0 {
			cookie += "; rare=secret3"
		}
		r.watches(with(get(fmt.Sprintf("/%d", i)), "Cookie", cookie), page200)
	}
	if got := r.cfg.Hints.Given(); !slices.Equal(got, []hint.Hint{hint.Cookies}) {
		t.Fatalf("hints = %q", said(got))
	}
	told := strings.Join(r.cfg.Hints.Texts(), "") + r.log.String()
	if strings.Count(told, "Most had: shopId, visit_*.") != 2 {
		t.Errorf("the hint and the log say %s", told)
	}
	for _, never := range []string{"secret", "rare", "_ga"} {
		if strings.Contains(told, never) {
			t.Errorf("the hint or the log says %q: %s", never, told)
		}
	}
}

func TestHintNamesTheHeaders(t *testing.T) {
	r := start(t)
	for i := range 60 {
		req := with(get(fmt.Sprintf("/%d", i)), "X-Shop-Account", "secret")
		r.watches(with(req, "X-SSL-Client-Verify", "NONE"), page200)
	}
	told := strings.Join(r.cfg.Hints.Texts(), "") + r.log.String()
	if strings.Count(told, "Most had: X-Shop-Account.") != 2 || strings.Contains(told, "secret") {
		t.Errorf("the hint and the log say %s", told)
	}
}
