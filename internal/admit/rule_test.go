package admit

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func matchOne(t *testing.T, pattern, location string) bool {
	t.Helper()
	rs, err := NewRules([]Rule{{pattern, Never}})
	if err != nil {
		t.Fatal(err)
	}
	r, ok := rs.Match(location)
	if ok && (r.Pattern != pattern || r.Listing != Never) {
		t.Errorf("the rule that matched is %+v", r)
	}
	return ok
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		name     string
		pattern  string
		location string
		want     bool
	}{
		{"all", "/", "/", true},
		{"all, deeper", "/", "/a/b", true},
		{"prefix", "/fish", "/fish", true},
		{"prefix of a name", "/fish", "/fishheads/yummy", true},
		{"prefix of a query", "/fish", "/fish?page=2", true},
		{"case matters", "/fish", "/Fish", false},
		{"not in the middle", "/fish", "/cat/fish", false},
		{"folder", "/fish/", "/fish/salmon", true},
		{"folder is not its name", "/fish/", "/fish", false},
		{"trailing star changes nothing", "/fish*", "/fishheads", true},
		{"star alone", "*", "/a", true},
		{"star in front", "*/fish", "/cat/fish", true},
		{"star in the middle", "/a/*/c", "/a/b/c", true},
		{"star matches slashes", "/a/*/c", "/a/b/b/c/d", true},
		{"star matches nothing", "/a*b", "/ab", true},
		{"star needs what follows", "/a/*/c", "/a/b", false},
		{"pieces do not overlap", "/ab*ba", "/aba", false},
		{"two stars in a row", "/a**b", "/axb", true},
		{"many stars", "/*a*b*c", "/xaxbxc", true},
		{"many stars in the wrong order", "/*a*b*c", "/xcxbxa", false},
		{"extension", "/*.php", "/folder/a.php?x=1", true},
		{"end", "/a$", "/a", true},
		{"end of another", "/a$", "/ab", false},
		{"root only", "/$", "/", true},
		{"root only, deeper", "/$", "/a", false},
		{"end after star", "/*.php$", "/a.php", true},
		{"end after star, further", "/*.php$", "/a.php/b", false},
		{"end after star, twice", "/*.php$", "/a.php.php", true},
		{"end takes the last of several", "/*a*b$", "/aabab", true},
		{"end and star", "/a*$", "/abc", true},
		{"end overlapping the piece before", "/*ab*b$", "/ab", false},
		{"no special meaning of dots", "/a.b", "/axb", false},
		{"query", "/list?page=", "/list?page=2", true},
		{"escape in lower case", "/caf%c3%a9", "/caf%C3%A9", true},
		{"escape of a plain letter", "/%61bout", "/about", true},
		{"escape of a tilde", "/%7ejane", "/~jane", true},
		{"escape of what must be escaped", "/a%2bb", "/a%2Bb", true},
		{"escape of a reserved character is not the character", "/a%2Bb", "/a+b", false},
		{"escaped star is no wildcard", "/a%2Ab", "/axb", false},
		{"escaped star is a star", "/a%2Ab", "/a*b", true},
		{"escaped star, as the location has it", "/a%2ab", "/a%2Ab", true},
		{"escaped dollar is a dollar", "/a%24", "/a$b", true},
		{"escaped dollar, as the location has it", "/a%24", "/a%24b", true},
		{"escaped dollar is no end", "/a%24", "/a", false},
		{"escaped dollar at the end", "/a%24$", "/a$", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := matchOne(t, tt.pattern, tt.location); got != tt.want {
				t.Errorf("%q matches %q: %v, want %v", tt.pattern, tt.location, got, tt.want)
			}
		})
	}
}

func TestRulePrecedence(t *testing.T) {
	for _, tt := range []struct {
		name    string
		rules   []Rule
		want    Listing
		pattern string // "" for no match
	}{
		{"none", nil, Auto, ""},
		{"no match", []Rule{{"/b", Never}}, Auto, ""},
		{"one", []Rule{{"/a", Never}}, Never, "/a"},
		{"longest wins", []Rule{{"/", Never}, {"/a", Always}}, Always, "/a"},
		{"longest wins in any order", []Rule{{"/a", Always}, {"/", Never}}, Always, "/a"},
		{"longest only among those that match", []Rule{{"/abc", Never}, {"/a", Always}}, Always, "/a"},
		{"longer auto frees from never", []Rule{{"/", Never}, {"/a", Auto}}, Auto, "/a"},
		{"never of equals", []Rule{{"/a", Always}, {"/a", Never}}, Never, "/a"},
		{"never of equals in any order", []Rule{{"/a", Never}, {"/a", Always}}, Never, "/a"},
		{"never over auto of equals", []Rule{{"/a", Auto}, {"/*", Never}}, Never, "/*"},
		{"auto over always of equals", []Rule{{"/a", Always}, {"/*", Auto}}, Auto, "/*"},
		{"auto over always of equals in any order", []Rule{{"/*", Auto}, {"/a", Always}}, Auto, "/*"},
		{"star and end count", []Rule{{"/a", Never}, {"/*$", Always}}, Always, "/*$"},
		{"an escape counts as what it means", []Rule{{"/%61", Always}, {"/a", Never}}, Never, "/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rs, err := NewRules(tt.rules)
			if err != nil {
				t.Fatal(err)
			}
			r, ok := rs.Match("/a")
			if ok != (tt.pattern != "") || r.Pattern != tt.pattern || r.Listing != tt.want {
				t.Errorf("match = %+v, %v, want %q with listing %d", r, ok, tt.pattern, tt.want)
			}
		})
	}
}

func TestNewRulesKeepsItsOwnCopy(t *testing.T) {
	rules := []Rule{{"/a", Never}}
	rs, err := NewRules(rules)
	if err != nil {
		t.Fatal(err)
	}
	rules[0] = Rule{"/a", Always}
	if r, _ := rs.Match("/a"); r.Listing != Never {
		t.Errorf("listing = %d after the caller changed its slice, want Never", r.Listing)
	}
}

func TestBadRulesNameThePatternAndTheFix(t *testing.T) {
	for _, tt := range []struct {
		name string
		rule Rule
		want string
	}{
		{"empty", Rule{"", Never}, `use "/" to match every page`},
		{"no slash", Rule{"admin", Never}, `must begin with "/" or "*"`},
		{"whole URL", Rule{"https://example.com/a", Never}, `must begin with "/" or "*"`},
		{"only the end", Rule{"$", Never}, `must begin with "/" or "*"`},
		{"dollar in the middle", Rule{"/a$b", Never}, `write "%24" for the character`},
		{"two dollars", Rule{"/a$$", Never}, `write "%24" for the character`},
		{"too many stars", Rule{"/" + strings.Repeat("a*", 9), Never}, "more than 8 stars"},
		{"space", Rule{"/a b", Never}, "percent-encode"},
		{"non-ASCII", Rule{"/café", Never}, "percent-encode"},
		{"line break", Rule{"/a\n", Never}, "percent-encode"},
		{"route variable", Rule{"/user/{id}", Never}, "percent-encode"},
		{"fragment", Rule{"/a#b", Never}, "percent-encode"},
		{"broken escape", Rule{"/a%zz", Never}, `write "%25" for the character`},
		{"escape cut off", Rule{"/100%", Never}, `write "%25" for the character`},
		{"unknown listing", Rule{"/a", 3}, "none of Auto, Always and Never"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewRules([]Rule{{"/fine", Auto}, tt.rule})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range []string{"rule 2", "pattern", tt.want} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
	if _, err := NewRules([]Rule{{"/" + strings.Repeat("a*", 8), Never}}); err != nil {
		t.Errorf("8 stars: %v", err)
	}
}

// reference is the meaning of a pattern as a regular expression, but for
// escapes.
func reference(pattern string) *regexp.Regexp {
	text, anchored := strings.CutSuffix(pattern, "$")
	pieces := strings.Split(text, "*")
	for i, p := range pieces {
		pieces[i] = regexp.QuoteMeta(p)
	}
	expr := `(?s)\A` + strings.Join(pieces, ".*")
	if anchored {
		expr += `\z`
	}
	return regexp.MustCompile(expr)
}

func FuzzPatterns(f *testing.F) {
	for _, s := range [][2]string{
		{"/fish*.php$", "/fishheads/catfish.php"}, {"/*a*b$", "/aabab"}, {"*", "/"}, {"/ab*ba", "/aba"}, {"/a?b", "/a?b=c"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, location string) {
		rs, err := NewRules([]Rule{{pattern, Never}})
		if err != nil {
			return
		}
		_, got := rs.Match(location)
		if strings.Contains(pattern+location, "%") || strings.ToValidUTF8(location, "") != location {
			return // spelling is beyond the reference
		}
		if want := reference(pattern).MatchString(location); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, location, got, want)
		}
	})
}

func FuzzRespell(f *testing.F) {
	f.Add("/caf%c3%a9%2a%24%7e")
	f.Add("/%2541")
	f.Fuzz(func(t *testing.T, s string) {
		want, err := url.PathUnescape(s)
		if err != nil {
			return
		}
		if got, err := url.PathUnescape(respell(s)); err != nil || got != want {
			t.Errorf("%q is spelled %q, which means %q, %v, want %q", s, respell(s), got, err, want)
		}
		if other := respell(strings.ToUpper(s)); other != respell(other) {
			t.Errorf("%q is spelled %q, and that again %q", s, other, respell(other))
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	rs, err := NewRules([]Rule{{"/admin/", Never}, {"/*/draft", Never}, {"/blog/", Always}, {"/*.php$", Never}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if r, _ := rs.Match("/blog/2026/a-post-with-a-name"); r.Listing != Always {
			b.Fatal(r)
		}
	}
}
