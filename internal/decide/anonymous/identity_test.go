package anonymous

import (
	"iter"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

// named yields the names in a file of testdata, each with the words before the colon of its line: who
// uses it, or what for. A test fails if there are fewer than least.
func named(t *testing.T, file string, least int) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		text, err := os.ReadFile("testdata/" + file)
		base.Check(t, err)
		n := 0
		for line := range strings.Lines(string(text)) {
			who, names, _ := strings.Cut(line, ": ")
			for name := range strings.FieldsSeq(names) {
				if n++; !yield(name, who) {
					return
				}
			}
		}
		if n < least {
			t.Errorf("%d names in %s", n, file)
		}
	}
}

// users.txt has headers in which proxies, log-in agents and TLS proxies tell an application who is
// asking, as their documentation spells them.
func TestHeadersThatNameAUserMakeAClientKnown(t *testing.T) {
	for name, who := range named(t, "users.txt", 325) {
		h := http.Header{}
		h.Set(name, "x")
		base.Equal(t, Credentials(&http.Request{Header: h}, Benign{}), eligibility.IdentityHeader, "%s: %s", who, name)
	}
}

// nobody.txt has headers that anybody's request may have.
func TestHeadersOfEverybodysRequestsMakeNobodyKnown(t *testing.T) {
	for name, who := range named(t, "nobody.txt", 380) {
		if why := Credentials(&http.Request{Header: http.Header{http.CanonicalHeaderKey(name): {"x"}}},
			Benign{}); why != eligibility.None {
			t.Errorf("%s: %s is %v", who, name, why)
		}
	}
}

func TestOrdinaryHeadersCostNoMemory(t *testing.T) {
	h := http.Header{}
	for name := range named(t, "nobody.txt", 380) {
		h.Set(name, "x")
	}
	h.Set("Cookie", "_ga=1; theme=dark; amp_a1b2c3=1; _ga_ABC=2")
	r := &http.Request{Header: h}
	base.Equal(t, testing.AllocsPerRun(100, func() { Credentials(r, Benign{}) }), 0, "allocations")
}
