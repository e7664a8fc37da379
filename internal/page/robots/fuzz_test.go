package robots

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	for _, file := range []string{
		"User-agent: *\nDisallow: /a*b$\nAllow: /a%2Ab%24\n",
		"\ufeffUser-agent:*\r\nDisallow:/caf\xe9%\r\nDisallow: *%4\rAllow: /%2F?%2f\n",
		"User-agent: *\nDisallow: /\nAllow: /$\n", "User-agent *\nDisalow a\xef\xbb\xbf\n", "user-agent:*\ndisallow:*",
		"User-agent: *\nDisallow: /%ef%bb%bf\nDisallow: /%c2%a0\nDisallow: $\n",
	} {
		f.Add([]byte(file), "a%2Ab", "?a=%2F")
		f.Add([]byte(file), "caf%c3%a9%2a%24%7e", "%2541")
	}
	f.Fuzz(func(t *testing.T, file []byte, a, b string) {
		r := Parse(file)
		text := r.Text()
		again := Parse(text)
		if !bytes.Equal(again.Text(), text) {
			t.Fatalf("the text %q is read as %q", text, again.Text())
		}
		if len(text) > maxBody || (again == nil) != (r == nil) {
			t.Fatalf("the text %q is read as other rules", text)
		}
		for _, location := range []string{"/", "/" + a, "/" + b, "/" + a + b, "/" + strings.ToUpper(a)} {
			checkFold(t, location)
			allowed := r.Allows(location)
			if again.Allows(location) != allowed {
				t.Fatalf("%q is allowed: %t, but by the text %q it is not so", location, allowed, text)
			}
			if !allowed && r == nil {
				t.Fatalf("%q is allowed: %t, by %q", location, allowed, text)
			}
		}
	})
}

// checkFold checks that a location has one spelling, which means the same.
func checkFold(t *testing.T, location string) {
	want, err := url.PathUnescape(location)
	if err != nil {
		return
	}
	folded := Fold(location)
	if got, err := url.PathUnescape(folded); err != nil || got != want {
		t.Errorf("%q is spelled %q, which means %q, %v, want %q", location, folded, got, err, want)
	}
	if again := Fold(folded); again != folded {
		t.Errorf("%q is spelled %q, and that again %q", location, folded, again)
	}
}
