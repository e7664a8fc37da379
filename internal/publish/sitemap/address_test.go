package sitemap

import (
	"strings"
	"testing"
)

func TestValidAddressTakesOnlyWebAddresses(t *testing.T) {
	for _, tt := range []struct {
		name, s string
		want    bool
	}{
		{"https", "https://example.com/a.jpg", true},
		{"http", "http://example.com/a.jpg", true},
		{"no path", "https://example.com", true},
		{"port, query and fragment", "https://example.com:8080/a?b=c&d='#e", true},
		{"encoded", "https://example.com/%C3%BC", true},
		{"longest", "https://example.com/" + strings.Repeat("a", maxLoc-len("https://example.com/")), true},
		{"too long", "https://example.com/" + strings.Repeat("a", maxLoc), false},
		{"empty", "", false},
		{"relative", "/a.jpg", false},
		{"without a scheme", "//example.com/a.jpg", false},
		{"another scheme", "ftp://example.com/a.jpg", false},
		{"script", "javascript:alert(1)", false},
		{"embedded", "data:image/gif;base64,R0lGOD", false},
		{"upper case", "HTTPS://example.com/", false},
		{"no host", "https://", false},
		{"no host but a path", "https:///a.jpg", false},
		{"user", "https://@example.com/", false},
		{"two fragments", "https://example.com/#a#b", false},
		{"half a percent", "https://example.com/%", false},
		{"percent at the end", "https://example.com/%a", false},
		{"percent without digits", "https://example.com/%zz", false},
		{"percent after a whole one", "https://example.com/%20%2", false},
		{"space", "https://example.com/a b", false},
		{"raw UTF-8", "https://example.com/ü", false},
		{"line break", "https://example.com/\n", false},
		{"markup", "https://example.com/<b>", false},
		{"quote", `https://example.com/"`, false},
		{"brackets", "https://example.com/a[1]", false},
		{"brace", "https://example.com/{a}", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ValidAddress(tt.s); got != tt.want {
				t.Errorf("ValidAddress(%q) = %v", tt.s, got)
			}
		})
	}
}
