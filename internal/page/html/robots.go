package html

import (
	"regexp"
	"strings"
	"time"
)

// maxRules is how many bytes of one robots value are read.
const maxRules = 4096

// forRobots matches the name of a meta element that holds robots rules: for all robots, or for the page crawler of
// one search engine. It may stand in quotes or among others: its author means it.
var forRobots = regexp.MustCompile(
	`(?i)\b(?:robots|(?:google|bing|msn|yandex|duckduck|apple|seznam|petal|naver|qwant)bot|slurp|teoma|yandex|baiduspider|yeti|sogou)\b`)

var (
	// lastDay matches a rule with a date, which may contain one comma.
	lastDay = regexp.MustCompile(`(?i)unavailable_after\s*:([^,;]*)(,[^,;]*)?`)
	// preview matches a rule with a value that is no rule, as in "max-image-preview:none". The value
	// stands on the same line: what is on the next one may be a rule.
	preview = regexp.MustCompile(`(?i)(^|[^\w-])max-(?:image-preview|video-preview|snippet)[ \t]*[:=][ \t]*[\w-]*`)
)

// Robots reads the values of X-Robots-Tag headers. Rules for one robot count for all, and the most
// restrictive ones win. unavailableAfter is the earliest valid date, or zero.
func Robots(values []string) (noindex, nofollow bool, unavailableAfter time.Time) {
	var r Rules
	r.AddRobots(values)
	return r.NoIndex, r.NoFollow, r.UnavailableAfter
}

// AddRobots adds the rules of X-Robots-Tag headers to those of the page.
func (r *Rules) AddRobots(values []string) {
	for _, v := range values {
		r.read(v)
	}
}

// read adds the rules of one value. Whatever stands between their letters, and whichever robot they are for,
// noindex and none forbid a listing: what is unclear must not be listed. "noindex: all" is a mistake of somebody who
// wants noindex.
func (r *Rules) read(v string) {
	v = v[:min(len(v), maxRules)]
	for _, m := range lastDay.FindAllStringSubmatch(v, -1) {
		t := parseDate(m[1])
		if t.IsZero() {
			t = parseDate(m[1] + m[2])
		}
		switch {
		case t.IsZero(): // a date that cannot be read may have passed
			r.NoIndex = r.NoIndex || strings.TrimSpace(m[1]) != ""
		case r.UnavailableAfter.IsZero() || t.Before(r.UnavailableAfter):
			r.UnavailableAfter = t.UTC()
		}
	}
	letters := strings.Map(Letter, preview.ReplaceAllString(v, "$1"))
	none := strings.Contains(letters, "none")
	r.NoIndex = r.NoIndex || none || strings.Contains(letters, "noindex")
	r.NoFollow = r.NoFollow || none || strings.Contains(letters, "nofollow")
}

// Letter returns a letter of ASCII in lower case, and -1 for all else, as for [strings.Map].
func Letter(c rune) rune {
	if c |= 0x20; 'a' <= c && c <= 'z' {
		return c
	}
	return -1
}
