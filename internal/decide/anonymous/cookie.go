package anonymous

import (
	_ "embed"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/page/escape"
)

// benignCookies are names of cookies that do not say who is asking: a site, its tools or its load
// balancer set them for every visitor. "*" stands for any characters without a word like "session";
// see SessionLike. "#" stands for six or more hexadecimal digits. Session names of frameworks are
// not here. Nor are cookies that analytics tools set once they know the user, such as
// "ajs_user_id".
var benignCookies = newPatterns(cookiesFile)

// cookiesFile has the names, in groups. A line that begins with "# " says what a group is for. Lines that
// begin with "= " and "+ " have words.
//
//go:embed cookies.txt
var cookiesFile string

// patterns holds names of cookies, and patterns with "*" or "#".
type patterns struct {
	names    map[string]bool
	wildcard []wildcard
	words    map[string]bool // words of cookies that remember a choice; true if a word says what the choice is about
}

// wildcard is a parsed pattern.
type wildcard struct {
	start     string // before the "*" or "#"
	hex, star bool   // whether it has "#" and "*"; "#" comes first
	end       string // after them
}

func newPatterns(file string) patterns {
	p := patterns{names: map[string]bool{}, words: map[string]bool{}}
	for line := range strings.Lines(file) {
		kind, names, _ := strings.Cut(line, " ")
		switch kind {
		case "#":
			continue
		case "=", "+":
			for word := range strings.FieldsSeq(names) {
				p.words[word] = kind == "="
			}
			continue
		}
		for name := range strings.FieldsSeq(line) {
			i := strings.IndexAny(name, "*#")
			if i < 0 {
				p.names[name] = true
				continue
			}
			w := wildcard{start: name[:i]}
			w.end, w.hex = strings.CutPrefix(name[i:], "#")
			w.end, w.star = strings.CutPrefix(w.end, "*")
			p.wildcard = append(p.wildcard, w)
		}
	}
	return p
}

// match reports whether a name fits any of the patterns.
func (p patterns) match(name string) bool {
	if p.names[name] {
		return true
	}
	for i := range p.wildcard {
		if w := &p.wildcard[i]; strings.HasPrefix(name, w.start) && w.match(name[len(w.start):]) {
			return true
		}
	}
	return false
}

// remembers reports whether a cookie only remembers what a browser was shown or has chosen, such as a banner
// that was closed, or its group in an experiment. Its name is made of words for that alone, and so is its
// value, with one letter or small number at most, or it is a time. Nobody is known by that, even if the cookie is
// new to us. Several numbers may be an id in parts.
// What all visitors have in common proves nothing: all may have logged in.
func (p patterns) remembers(name, value string) bool {
	var buf [longestName]byte
	words := spelled(&buf, name)
	if all, about := consists(words, p.words, 0); !all || !about {
		return false
	}
	if value == "" || aTime.MatchString(value) {
		return true
	}
	words = spelled(&buf, value)
	all, _ := consists(words, p.words, 1)
	return all && len(words) > 0
}

// aTime matches a date, with or without its time, and the seconds or milliseconds since 1970.
var aTime = regexp.MustCompile(`^(20\d\d-[01]\d-[0-3]\d([T+ ][0-9:.%3AZ+-]{0,24})?|(1[6-9]|2[01])\d{8}(\d{3})?)$`)

// match reports whether rest, a name without the pattern's start, fits the rest of the pattern.
// Some frameworks put the application's name into the session's, as in "_ga_session". So "*" does
// not match a word like session.
func (w *wildcard) match(rest string) bool {
	if w.hex {
		n := 0
		for n < len(rest) && escape.IsHex(rest[n]) {
			n++
		}
		if n < 6 {
			return false
		}
		rest = rest[n:]
	}
	if !w.star {
		return rest == w.end
	}
	middle, ok := strings.CutSuffix(rest, w.end)
	return ok && !SessionLike(middle)
}

var sessionWords = []string{"sess", "auth", "token", "login", "user", "jwt"}

// SessionLike reports whether a part of a name suggests that the cookie or header stands for a user.
func SessionLike(s string) bool {
	return hasWord(s, sessionWords) || len(s) >= 3 && strings.EqualFold(s[len(s)-3:], "sid")
}

// hasWord reports whether one of the words is in s, in any case.
func hasWord(s string, words []string) bool {
	for i := range len(s) {
		for _, word := range words {
			if len(s)-i >= len(word) && strings.EqualFold(s[i:i+len(word)], word) {
				return true
			}
		}
	}
	return false
}

// Benign is a set of names of cookies and headers that do not identify a client. The zero value is
// the built-in set. It is safe for concurrent use.
type Benign struct {
	own   []string
	added bool // the client sent no header that may tell of it
}

// Added returns b for a request of the site itself. That sends no header which may name a visitor, so an unknown
// header was added on the way, as to every stranger's request. Only a header whose name speaks of visitors may still
// tell of this one, as where a front knows this machine by its address.
func (b Benign) Added() Benign { b.added = true; return b }

// NewBenign returns the built-in set plus names. A final "*" in a cookie's name stands for any
// ending. A name with a colon at its end is a header's.
func NewBenign(names []string) Benign {
	own := slices.Clone(names)
	for i, name := range own {
		if header, is := strings.CutSuffix(name, ":"); is {
			own[i] = http.CanonicalHeaderKey(header) + ":"
		}
	}
	return Benign{own: own}
}

func (b Benign) benign(name, value string) bool {
	return benignCookies.match(name) || b.names(name) || benignCookies.remembers(name, strings.Trim(value, ` "`))
}

// names reports whether the owner named a cookie, or a header with its colon.
func (b Benign) names(name string) bool {
	for _, p := range b.own {
		if prefix, star := strings.CutSuffix(p, "*"); star && strings.HasPrefix(name, prefix) || p == name {
			return true
		}
	}
	return false
}

// Telling yields the name of each cookie that may identify the client. It yields "" for a part
// without "=", which has no name.
func (b Benign) Telling(h http.Header) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range h["Cookie"] {
			for part := range strings.SplitSeq(line, ";") {
				name, value, named := strings.Cut(part, "=")
				if name = strings.TrimSpace(name); !named {
					if name == "" {
						continue
					}
					name = ""
				}
				if !b.benign(name, value) && !yield(name) {
					return
				}
			}
		}
	}
}
