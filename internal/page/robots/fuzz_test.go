package robots

import (
	"bytes"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// oracle is RFC 9309, section 2.2.2, in the plainest form: it tries every rule, character by
// character. It knows no escapes.
type oracle []struct {
	pattern string
	allow   bool
}

func (o oracle) allows(location string) bool {
	longest, allowed := -1, true
	for _, r := range o {
		if !wildcard(r.pattern, location) {
			continue
		}
		if n := len(r.pattern); n > longest || n == longest && r.allow {
			longest, allowed = n, r.allow
		}
	}
	return allowed
}

// wildcard tries every way to fill the stars.
func wildcard(pattern, s string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return s == ""
	case pattern[0] == '*':
		return wildcard(pattern[1:], s) || s != "" && wildcard(pattern, s[1:])
	}
	return s != "" && s[0] == pattern[0] && wildcard(pattern[1:], s[1:])
}

// randomText returns up to n characters of an alphabet.
func randomText(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, r.IntN(n+1))
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func TestRulesAgreeWithASimpleOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	allowed, disallowed := 0, 0
	for range 20_000 {
		var file strings.Builder
		file.WriteString("User-agent: *\n")
		var o oracle
		for range 1 + r.IntN(8) {
			pattern := "/*"[r.IntN(2):][:1] + randomText(r, "aabb//.*$", 6)
			allow := r.IntN(3) == 0
			o = append(o, struct {
				pattern string
				allow   bool
			}{pattern, allow})
			file.WriteString(map[bool]string{true: "Allow: ", false: "Disallow: "}[allow] + pattern + "\n")
		}
		rules := Parse([]byte(file.String()))
		for range 20 {
			location := "/" + randomText(r, "aabb/.$", 8)
			want := o.allows(location)
			if got := rules.Allows(location); got != want {
				t.Fatalf("%q is allowed: %t, want %t, by\n%s", location, got, want, file.String())
			}
			if want {
				allowed++
			} else {
				disallowed++
			}
		}
	}
	if allowed < 50_000 || disallowed < 50_000 {
		t.Errorf("%d allowed and %d disallowed: too few of one to tell", allowed, disallowed)
	}
}

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
