package html

import (
	"regexp"
	"strings"
	"time"
	"unicode"
)

// maxRules is how many bytes of one robots value are read.
const maxRules = 4096

// robots are names in meta elements that hold robots rules: for all robots, or for the page crawler of
// one search engine.
var robots = map[string]bool{
	"robots": true, "x-robots-tag": true, "googlebot": true, "googlebot-news": true, "bingbot": true, "msnbot": true, "slurp": true, "teoma": true,
	"yandex": true, "yandexbot": true, "baiduspider": true, "duckduckbot": true, "applebot": true, "seznambot": true, "petalbot": true,
	"yeti": true, "naverbot": true, "sogou": true, "qwantbot": true,
}

// isForRobots reports whether a meta element holds robots rules. Its name may stand in quotes, among
// others, or in an attribute that search engines do not read: its author means it.
func isForRobots(t tag) bool {
	for _, attr := range [...]string{"name", "property", "http-equiv"} {
		name := t.get(attr)
		if len(name) > 64 {
			continue
		}
		for word := range strings.FieldsFuncSeq(string(name), isSeparator) {
			if robots[strings.ToLower(word)] {
				return true
			}
		}
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
	// lastDay matches a rule with a date, which may contain one comma.
	lastDay = regexp.MustCompile(`(?i)unavailable_after\s*:([^,;]*)(,[^,;]*)?`)
	// preview matches a rule with a value that is no rule, as in "max-image-preview:none". The value
	// stands on the same line: what is on the next one may be a rule.
	preview = regexp.MustCompile(`(?i)(^|[^\pL\pN_-])max-[\w-]*[ \t]*[:=][ \t]*[\w-]*`)
)

// read adds the rules of one value. A rule is a word, or a name, a colon and a value. An unknown name
// is a robot's. "noindex: all" is a mistake of somebody who wants noindex.
func (r *Rules) read(v string) {
	v = v[:min(len(v), maxRules)]
	for _, m := range lastDay.FindAllStringSubmatch(v, -1) {
		t := parseDate(m[1])
		if t.IsZero() {
			t = parseDate(m[1] + m[2])
		}
		if !t.IsZero() && (r.UnavailableAfter.IsZero() || t.Before(r.UnavailableAfter)) {
			r.UnavailableAfter = t
		}
	}
	for word := range strings.FieldsFuncSeq(preview.ReplaceAllString(v, "$1"), isSeparator) {
		word = strings.Map(letter, word)
		none := strings.EqualFold(word, "none")
		r.NoIndex = r.NoIndex || none || strings.EqualFold(word, "noindex")
		r.NoFollow = r.NoFollow || none || strings.EqualFold(word, "nofollow")
	}
}

// isSeparator reports whether a character stands between rules. Google and MDN show commas only.
// People also write spaces, semicolons, bars, quotes and much else, and a dash in no-index.
func isSeparator(c rune) bool {
	return c != '-' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
}

// letter drops all but letters.
func letter(c rune) rune {
	if unicode.IsLetter(c) {
		return c
	}
	return -1
}
