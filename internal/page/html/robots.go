package html

import (
	"strings"
	"time"
)

// maxRules is how many bytes of one robots value are read.
const maxRules = 4096

// isRobotName reports whether meta elements of that name hold robots rules: rules for all robots,
// or for the page crawler of one search engine.
func isRobotName(name []byte) bool {
	if len(name) < len("yeti") || len(name) > len("googlebot-news") {
		return false
	}
	switch strings.ToLower(string(name)) {
	case "robots", "googlebot", "googlebot-news", "bingbot", "msnbot", "slurp", "teoma",
		"yandex", "yandexbot", "baiduspider", "duckduckbot", "applebot", "seznambot", "petalbot",
		"yeti", "naverbot", "sogou", "qwantbot":
		return true
	}
	return false
}

// Robots reads the values of X-Robots-Tag headers. Rules for one robot count for all, and the most
// restrictive ones win: noindex or none sets noindex, nofollow or none sets nofollow.
// unavailableAfter is the earliest valid date, or zero.
func Robots(values []string) (noindex, nofollow bool, unavailableAfter time.Time) {
	var r Rules
	for _, v := range values {
		r.read(v)
	}
	return r.NoIndex, r.NoFollow, r.UnavailableAfter
}

// read adds the rules of one value. Google and MDN show the grammar by examples only. Rules are
// separated by commas. A rule is a word, or a name, a colon and a value; an unknown name is a
// robot's. Spaces and semicolons count as commas, since people write them so.
func (r *Rules) read(v string) {
	v = v[:min(len(v), maxRules)]
	for v != "" {
		var word string
		word, v = cutWord(v)
		if !strings.HasPrefix(v, ":") {
			r.word(word)
			continue
		}
		v = strings.TrimLeft(v[1:], " \t")
		r.word(word) // "noindex: all" is a mistake of somebody who wants noindex
		switch {
		case strings.EqualFold(word, "unavailable_after"):
			var t time.Time
			if t, v = cutDate(v); !t.IsZero() && (r.UnavailableAfter.IsZero() || t.Before(r.UnavailableAfter)) {
				r.UnavailableAfter = t
			}
		case len(word) >= 4 && strings.EqualFold(word[:4], "max-"):
			v = strings.TrimLeftFunc(v, notSeparator) // in "max-image-preview:none", none is not a rule
		}
	}
}

func (r *Rules) word(w string) {
	switch {
	case strings.EqualFold(w, "noindex"):
		r.NoIndex = true
	case strings.EqualFold(w, "nofollow"):
		r.NoFollow = true
	case strings.EqualFold(w, "none"):
		r.NoIndex, r.NoFollow = true, true
	}
}

// cutWord returns the first word of v and the rest. The rest begins with a
// colon if one follows the word, even after white space.
func cutWord(v string) (word, rest string) {
	word, rest = cutBefore(strings.TrimLeft(v, separators), separators+":")
	rest = strings.TrimLeft(rest, " \t\r\n\f")
	if word == "" && rest != "" { // a colon without a word before it
		rest = rest[1:]
	}
	return word, rest
}

// People also write bars, slashes and no-break spaces instead of commas.
const separators = " \t\r\n\f,;|/\u00a0"

func notSeparator(c rune) bool { return !strings.ContainsRune(separators, c) }

// cutDate takes a date from the beginning of v. A date may contain one comma, so cutDate also tries
// the first two pieces between commas together. Without a valid date it takes nothing, since the
// value may hold other rules.
func cutDate(v string) (t time.Time, rest string) {
	end := -1
	for range 2 {
		before, _ := cutBefore(v[end+1:], ",;")
		end += 1 + len(before)
		if t := parseDate(v[:end]); !t.IsZero() {
			return t, v[end:]
		}
		if end == len(v) {
			break
		}
	}
	return time.Time{}, v
}

// cutBefore cuts s before the first of some characters.
func cutBefore(s, chars string) (before, rest string) {
	i := strings.IndexAny(s, chars)
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}
