package address

import (
	"net/url"
	"testing"
)

func TestKeysAreTheSameForAllWaysToWriteAnAddress(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"https://example.com", "HTTPS://EXAMPLE.com:443/", true},
		{"https://example.com/~a%2fb", "https://example.com/%7Ea%2Fb#top", true},
		{"https://example.com/ü", "https://example.com/%c3%bc", true},
		{"https://example.com/a(b)", "https://example.com/a%28b%29", true},
		{"https://example.com/a", "https://example.com/a/", false},
		{"https://example.com/a", "https://example.com/A", false},
		{"https://example.com/a/b", "https://example.com/a%2Fb", false},
		{"https://example.com/?a=1&b=2", "https://example.com/?a=1%26b=2", false},
		{"http://example.com/", "https://example.com/", false},
	} {
		if (KeyOf(tt.a) == KeyOf(tt.b)) != tt.same {
			t.Errorf("%s has %s, %s has %s", tt.a, KeyOf(tt.a), tt.b, KeyOf(tt.b))
		}
	}
	u, _ := url.Parse("https://example.com/a?utm_source=x&sessionid=1&PHPSESSID=2&gclid=y")
	if got := Bare(u); got != "https://example.com/a?sessionid=1" {
		t.Errorf("without what follows visitors: %s", got)
	}
}
