package page

import (
	"regexp"
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

var (
	// previewRule is a rule such as "max-image-preview:none", whose value is no rule.
	previewRule = regexp.MustCompile(`(?i)max-[a-z-]*[ \t]*:[ \t]*[^ \t\r\n\f,;|/\x{a0}]*`)
	// unavailableAfter begins a rule whose value is a date.
	unavailableAfter = regexp.MustCompile(`(?i)unavailable_after[ \t]*:`)
)

// read adds the rules of one value. Google and MDN show the grammar by examples only. Rules are
// separated by commas. A rule is a word, or a name, a colon and a value; an unknown name is a
// robot's. People also write other separators, and "noindex: all" if they want noindex.
func (r *Rules) read(v string) {
	v = v[:min(len(v), maxRules)]
	if strings.Contains(v, ":") {
		for _, at := range unavailableAfter.FindAllStringIndex(v, -1) {
			if t := firstDate(v[at[1]:]); !t.IsZero() && (r.UnavailableAfter.IsZero() || t.Before(r.UnavailableAfter)) {
				r.UnavailableAfter = t
			}
		}
		v = previewRule.ReplaceAllString(v, ",")
	}
	for v != "" {
		word := v[:len(v)-len(strings.TrimLeftFunc(v, isWord))]
		v = strings.TrimLeftFunc(v[len(word):], isSeparator)
		none := strings.EqualFold(word, "none")
		r.NoIndex = r.NoIndex || none || strings.EqualFold(word, "noindex")
		r.NoFollow = r.NoFollow || none || strings.EqualFold(word, "nofollow")
	}
}

func isWord(c rune) bool { return !isSeparator(c) }

func isSeparator(c rune) bool { return strings.ContainsRune(" \t\r\n\f:,;|/\u00a0", c) }

// firstDate returns the date that v begins with, or the zero Time. A date may have one comma in it,
// and ends at the next one.
func firstDate(v string) time.Time {
	end := 0
	for range 2 {
		n := strings.IndexAny(v[end:], ",;")
		if n < 0 {
			return parseDate(v)
		}
		if t := parseDate(v[:end+n]); !t.IsZero() {
			return t
		}
		end += n + 1
	}
	return time.Time{}
}
