package observe

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/hint"
)

func TestWhichNamesTheHintTells(t *testing.T) {
	for want, names := range map[bool][]string{
		true: {"PHPSESSID", "connect.sid", "__Secure-app.id", "ab_test7", "v2_prefs", "session-name", "X-Shop-Account"},
		false: {"session_8f3a9c1b2d", "session-3f2504e0-4f89-41d3-9a0c-0305e82c3301", "wordpress_logged_in_0123456789abcdef0123456789abcdef", "visit_20261122_a",
			"tok_kqxzvbnmwp", "jane@example.org", "pref_x%5Bjane%5D", "prefs.jane doe", "a_name_that_is_far_too_long_for_a_line_of_a_log", "8f3a9c1b2d", "", "\x1b[31m"},
	} {
		for _, name := range names {
			if got := plainName(name); got != want {
				t.Errorf("%q is told: %v, want %v", name, got, want)
			}
		}
	}
}

func noteCookie(c *nameCounts, line string) {
	c.note(admit.Cookies{}.Telling(http.Header{"Cookie": {line}}))
}

func TestFrequentNamesAreKept(t *testing.T) {
	var c nameCounts
	for i := range 2000 {
		cookie := fmt.Sprintf("cart=1; n%s=1", strings.Repeat("x", i%100)) // more names than there is room for
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
		t.Fatalf("hints = %q", got)
	}
	told := strings.Join(r.cfg.Hints.Texts(), "") + r.log.String()
	if strings.Count(told, "Most had: shopId.") != 2 {
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
