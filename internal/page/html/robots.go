package html

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

// separators stand between rules. Google and MDN show commas only. People also write spaces,
// semicolons, bars, slashes, no-break spaces and quotes.
const separators = " \t\r\n\f,;|/\u00a0\"'`“”„‘’«»"

var (
	// lastDay matches a rule with a date, which may contain one comma.
	lastDay = regexp.MustCompile(`(?i)unavailable_after\s*:([^,;]*)(,[^,;]*)?`)
	// preview matches a rule with a value that is no rule, as in "max-image-preview:none". The value
	// stands on the same line: what is on the next one may be a rule.
	preview = regexp.MustCompile(`(?i)(^|[:` + separators + `])max-[^` + separators + `:]*[ \t]*:[ \t]*[^` + separators + `]*`)
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
		none := strings.EqualFold(word, "none")
		r.NoIndex = r.NoIndex || none || strings.EqualFold(word, "noindex")
		r.NoFollow = r.NoFollow || none || strings.EqualFold(word, "nofollow")
	}
}

func isSeparator(c rune) bool { return c == ':' || strings.ContainsRune(separators, c) }
