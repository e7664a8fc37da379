package robots

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// forAll returns a file with one group for all crawlers.
func forAll(lines ...string) string {
	return "User-agent: *\n" + strings.Join(lines, "\n") + "\n"
}

// check compares what a file allows with what it must allow.
func check(t *testing.T, file string, allowed, disallowed []string) {
	t.Helper()
	r := Parse([]byte(file))
	for _, location := range allowed {
		if !r.Allows(location) {
			t.Errorf("%q is disallowed by\n%s", location, file)
		}
	}
	for _, location := range disallowed {
		if r.Allows(location) {
			t.Errorf("%q is allowed by\n%s", location, file)
		}
	}
}

type locations = []string

// The rows of the table at
// https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt#url-matching-based-on-path-values
func TestPathsMatchAsGoogleDocuments(t *testing.T) {
	for _, tt := range []struct {
		pattern    string
		match, not locations
	}{
		{"/", locations{"/", "/fish", "/a?b=c"}, nil},
		{"/*", locations{"/", "/fish", "/a?b=c"}, nil},
		{"/$", locations{"/"}, locations{"/fish", "/?a=b"}},
		{"/fish", locations{"/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fishheads/yummy.html",
			"/fish.php?id=anything"}, locations{"/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"}},
		{"/fish*", locations{"/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fishheads/yummy.html",
			"/fish.php?id=anything"}, locations{"/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"}},
		{"/fish/", locations{"/fish/", "/fish/?id=anything", "/fish/salmon.htm"},
			locations{"/fish", "/fish.html", "/animals/fish/", "/Fish/Salmon.asp"}},
		{"/*.php", locations{"/index.php", "/filename.php", "/folder/filename.php", "/folder/filename.php?parameters",
			"/folder/any.php.file.html", "/filename.php/"}, locations{"/", "/windows.PHP"}},
		{"/*.php$", locations{"/filename.php", "/folder/filename.php"},
			locations{"/filename.php?parameters", "/filename.php/", "/filename.php5", "/windows.PHP"}},
		{"/fish*.php", locations{"/fish.php", "/fishheads/catfish.php?parameters"}, locations{"/Fish.PHP", "/fish.htm"}},
	} {
		t.Run(tt.pattern, func(t *testing.T) {
			check(t, forAll("Disallow: "+tt.pattern), tt.not, tt.match)
			check(t, forAll("Disallow: *", "Allow: "+tt.pattern), tt.match, tt.not)
		})
	}
}

func TestGroupsForEveryoneApply(t *testing.T) {
	for _, tt := range []struct {
		name        string
		file        string
		yes, forbid locations
	}{
		{"RFC 9309, section 5.1", `
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
`, locations{"/", "/publications/a", "/a.gif?page=2", "/publications/a.gif"}, locations{"/a.gif", "/example/", "/example/page.html"}},
		{"RFC 9309, section 5.2", `
User-Agent: *
Allow: /example/page/
Disallow: /example/page/disallowed.gif
`, locations{"/example/page/", "/example/page/allowed.gif"}, locations{"/example/page/disallowed.gif"}},
		{"none for everyone", "User-agent: googlebot\nDisallow: /\n", locations{"/"}, nil},
		{"everyone first", "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b\n", locations{"/b"}, locations{"/a"}},
		{"shared, lines between", "User-agent: *\n\n# x\nSitemap: /s\nHost: x\nUser-agent: x\nDisallow: /a\n", nil,
			locations{"/a"}},
		{"merged", "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /c\nUser-agent: *\nDisallow: /b\n",
			locations{"/c"}, locations{"/a", "/b"}},
		{"an empty rule ends the agents", "User-agent: x\nDisallow:\nUser-agent: *\nDisallow: /a\nUser-agent: y\nDisallow: " +
			"/b\n",
			locations{"/b"}, locations{"/a"}},
		{"rules before any group", "Disallow: /a\nAllow: /b/c\nUser-agent: *\nDisallow: /b\n", locations{"/a"},
			locations{"/b/c"}},
		{"words behind the star", "User-agent: * (all)\nDisallow: /a\n", nil, locations{"/a"}},
		{"empty disallow", "User-agent: *\nDisallow:\n", locations{"/"}, nil},
		{"empty allow", "User-agent: *\nDisallow: /\nAllow:\n", nil, locations{"/"}},
		{"allow without a slash", forAll("Disallow: /", "Allow: a"), nil, locations{"/a"}},
		{"no colon and three words", forAll("Disallow /a b"), locations{"/a"}, nil},
		{"comment", forAll("# Disallow: /a"), locations{"/a"}, nil},
		{"CRLF", "User-agent: *\r\nDisallow: /a\r\n", locations{"/"}, locations{"/a", "/ab"}},
		{"byte order mark within", "User-agent: x\nDisallow: /b\n\ufeffUser-agent: *\nDisallow: /a\n", locations{"/b"},
			locations{"/a"}},
		{"no blanks", "User-agent:*\nDisallow:/a\n", locations{"/"}, locations{"/a"}},
		{"no colon", "User-agent *\nDisallow /a\n", locations{"/"}, locations{"/a"}},
		{"no slash", "User-agent: *\nDisallow: a\n", locations{"/"}, locations{"/a"}},
		{"not UTF-8", "\xff\xfe\nUser-agent: *\n\x80\x00: \xff\nDisallow: /a\n", locations{"/"}, locations{"/a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, tt.file, tt.yes, tt.forbid)
		})
	}
}

// The group for a crawler's own name counts in place of that for all (RFC 9309, section 2.2.1).
func TestGroupForItsOwnNameCounts(t *testing.T) {
	const all = "User-agent: *\nDisallow: /all\n\n"
	for _, tt := range []struct {
		name, file  string
		allowed, no locations
	}{
		{"none", all, locations{"/own"}, locations{"/all"}},
		{"one", all + "User-agent: servemap-explore\nDisallow: /own\n", locations{"/all"}, locations{"/own"}},
		{"in capitals, with a version", all + "User-Agent: Servemap-Explore/1.0\nDisallow: /own\n", locations{"/all"},
			locations{"/own"}},
		{"two are one", "User-agent: servemap-explore\nDisallow: /own\n" + all +
			"User-agent: servemap-explore\nDisallow: /too\n", locations{"/all"}, locations{"/own", "/too"}},
		{"shared with others", "User-agent: other\nUser-agent: servemap-explore\nUser-agent: *\nDisallow: /own\n",
			locations{"/all"}, locations{"/own"}},
		{"one that allows everything", all + "User-agent: servemap-explore\nDisallow:\n", locations{"/all", "/own"}, nil},
		{"the beginning of the name", all + "User-agent: servemap\nDisallow: /own\n", locations{"/own"}, locations{"/all"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := ParseFor("servemap-explore", []byte(tt.file))
			for _, location := range append(tt.allowed, tt.no...) {
				if got, want := rules.Allows(location), !slices.Contains(tt.no, location); got != want {
					t.Errorf("%s is allowed: %v, want %v, by\n%s", location, got, want, tt.file)
				}
			}
		})
	}
}

// Locations are spelled as in package location. Patterns are spelled as their author liked.
func TestPatternsMatchHoweverTheyAreSpelled(t *testing.T) {
	for _, tt := range []struct {
		name       string
		pattern    string
		match, not locations
	}{
		{"raw UTF-8", "/café", locations{"/caf%C3%A9", "/caf%C3%A9/a"}, locations{"/caf", "/caf%C3%A8"}},
		{"RFC 9309, section 2.2.2: escaped", "/foo/bar/%E3%83%84", locations{"/foo/bar/%E3%83%84"}, nil},
		{"RFC 9309, section 2.2.2: unreserved", "/foo/bar/%62%61%7A", locations{"/foo/bar/baz"}, nil},
		{"RFC 9309, section 2.2.2: URL in the query", "/foo/bar?baz=https://foo.bar",
			locations{"/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"}, nil},
		{"RFC 9309, section 2.2.2: escaped URL in the query", "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
			locations{"/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"}, nil},
		{"RFC 9309, section 2.2.3: star", "/path/file-with-a-%2A.html",
			locations{"/path/file-with-a-*.html", "/path/file-with-a-%2A.html"}, locations{"/path/file-with-a-b.html"}},
		{"RFC 9309, section 2.2.3: dollar", "/path/foo-%24", locations{"/path/foo-$", "/path/foo-%24", "/path/foo-$a"},
			locations{"/path/foo-"}},
		{"colon", "/Special:", locations{"/Special:Search", "/Special%3ASearch"}, nil},
		{"brackets in the query", "/*?f[a]=", locations{"/?f%5Ba%5D=1"}, nil},
		{"question mark", "/*?", locations{"/a?page=2"}, locations{"/who%3F"}},
		{"plus", "/a+b", locations{"/a+b"}, locations{"/a%2Bb"}},
		{"any escape", "/*%", locations{"/a%20b", "/%C3%A9"}, locations{"/a"}},
		{"percent at the end", "/100%", locations{"/100%25"}, locations{"/100"}},
		{"escaped slash", "/*page=%2Fa", locations{"/?page=/a", "/?page=%2Fa"}, nil},
		{"overlap", "/ab*ba$", locations{"/abba", "/abcba"}, locations{"/aba"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, forAll("Disallow: "+tt.pattern), tt.not, tt.match)
		})
	}
}

func TestTextHasTheRulesForEveryone(t *testing.T) {
	file := "Sitemap: /s\n" + forAll("Crawl-delay: 1", "Disallow: *.gif$", "allow : /a b # c") +
		"User-agent: x\nDisallow: /y\n" +
		forAll("Disallow: /café%2a", "Disallow: x", "Allow:", "Allow: z")
	const want = "User-agent:*\nDisallow:*.gif$\nAllow:/a b\nDisallow:/café%2a\nDisallow:/x\n"
	for _, text := range []string{file, want} {
		if got := Parse([]byte(text)).Text(); string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFileIsReadUpToItsLimit(t *testing.T) {
	filler := strings.Repeat("# "+strings.Repeat("x", 1021)+"\n", maxBody>>10-1) // a KiB less than is read
	t.Run("beyond the limit", func(t *testing.T) {
		file := filler + forAll("Disallow: /a", strings.Repeat("#\n", 1024), "Disallow: /b")
		check(t, file, locations{"/b"}, locations{"/a"})
	})
	t.Run("a line across the limit", func(t *testing.T) {
		start := filler + forAll("Disallow: /")
		cut := start + "Allow: /a" + strings.Repeat("b", maxBody-len(start))
		check(t, cut, nil, locations{"/a", "/abb"})
	})
	t.Run("one line", func(t *testing.T) {
		check(t, "User-agent: *"+strings.Repeat(" ", maxBody)+"\nDisallow: /", locations{"/"}, nil)
	})
	t.Run("text longer than the file", func(t *testing.T) {
		var file strings.Builder
		file.WriteString("User-agent:*\n")
		for i := 0; file.Len() < maxBody-64; i++ {
			fmt.Fprintf(&file, "disalow /%x%s\n", i, "<<<<<<<<<")
		}
		text := Parse([]byte(file.String())).Text()
		if len(text) > maxBody || !bytes.Equal(Parse(text).Text(), text) {
			t.Errorf("a text of %d bytes that is not read as it was written", len(text))
		}
	})
}

// Each of these takes far too long if time grows faster than linearly with the number of stars or
// rules.
func TestHostileFilesTakeLinearTime(t *testing.T) {
	location := "/" + strings.Repeat("a", 1023)
	for _, tt := range []struct{ name, lines string }{
		{"many stars", "Disallow: /" + strings.Repeat("*a", maxBody/2-64) + "b\n"},
		{"many rules with many stars", strings.Repeat("Disallow: /"+strings.Repeat("*a", 500)+"b\n", 500)},
		{"many rules with stars", strings.Repeat("Disallow: /*a1\n", maxBody/16)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Parse([]byte(forAll(tt.lines)))
			if r == nil {
				t.Fatal("nothing was read")
			}
			for range 10 {
				if !r.Allows(location) {
					t.Fatal("disallowed")
				}
			}
		})
	}
}
