package html

import (
	"regexp"
	"strings"
	"time"
)

// maxRules is how many bytes of one robots value are read.
const maxRules = 4096

var (
	// everybody matches the name of what is for all robots; robot matches the names of single ones. They may stand in
	// quotes or among others: the author means it. forRobot matches rules for one, and all before the next such name.
	everybody = regexp.MustCompile(`(?i)\brobots\b`)
	robot     = regexp.MustCompile(`(?i)[\w-]*(?:bot\b|spider|crawl)[\w-]*|\b(?:yandex|slurp|teoma|yeti|sogou)\b`)
	forRobot  = regexp.MustCompile(`(?s)^\s*([\w-]+)\s*:(.*)`)
	// search matches the names of page crawlers of search engines, and words that mean any crawler.
	search = regexp.MustCompile(
		`(?i)^(?:(?:google|bing|yandex|apple|duckduck|seznam|yep)(?:bot)?|baiduspider|yeti|bot|spider|crawler)$`)
)

// IsSearch reports whether a name in rules for robots, such as googlebot or yandex, is that of a search engine's
// crawler.
func IsSearch(name string) bool { return search.MatchString(name) }

// RobotRule is what a page says to one robot, or to all.
type RobotRule struct {
	Robot string // its name, "" for all
	Text  string
}

// counts reports whether the rule counts for a sitemap, which is for all search engines: it is for all robots, or for
// one of theirs. What another crawler is told is no word about the page.
func (r RobotRule) counts() bool { return r.Robot == "" || IsSearch(r.Robot) }

// HeaderRules reads the value of an X-Robots-Tag, which may have the name of a robot before what is for it.
func HeaderRules(value string) (all []RobotRule) {
	var r RobotRule
	for i, part := range strings.Split(value[:min(len(value), maxRules)], ",") {
		m := forRobot.FindStringSubmatch(part)
		if m == nil || robot.FindString(m[1]) != m[1] {
			r.Text += "," + part
			continue
		}
		if i > 0 {
			all = append(all, r)
		}
		r.Robot, r.Text = m[1], m[2]
	}
	return append(all, r)
}

// metaRules returns the rules of a meta element by its name, none if it is for no robots.
func metaRules(name, content []byte) (all []RobotRule) {
	name, content = name[:min(len(name), maxRules)], content[:min(len(content), maxRules)]
	if everybody.Match(name) {
		return []RobotRule{{"", string(content)}}
	}
	for _, robot := range robot.FindAll(name, maxMetas) {
		all = append(all, RobotRule{string(robot), string(content)})
	}
	return all
}

var (
	// lastDay matches a rule with a date, which may contain one comma.
	lastDay = regexp.MustCompile(`(?i)unavailable_after\s*:([^,;]*)(,[^,;]*)?`)
	// preview matches a rule with a value that is no rule, as in "max-image-preview:none". The value
	// stands on the same line: what is on the next one may be a rule.
	preview = regexp.MustCompile(`(?i)(^|[^\w-])max-(?:image-preview|video-preview|snippet)[ \t]*[:=][ \t]*[\w-]*`)
)

// Robots reads the values of X-Robots-Tag headers. Rules for the robot of one search engine count for all, and the most
// restrictive ones win. unavailableAfter is the earliest valid date, or zero.
func Robots(values []string) (noindex, nofollow bool, unavailableAfter time.Time) {
	var r Rules
	r.AddRobots(values)
	return r.NoIndex, r.NoFollow, r.UnavailableAfter
}

// AddRobots adds the rules of X-Robots-Tag headers to those of the page.
func (r *Rules) AddRobots(values []string) {
	for _, v := range values {
		for _, rule := range HeaderRules(v) {
			r.add(rule)
		}
	}
}

// add adds a rule, if it counts. Whatever stands between their letters, noindex and none forbid a listing: what is unclear must not be listed. "noindex: all" is a mistake of somebody who
// wants noindex.
func (r *Rules) add(rule RobotRule) {
	v := rule.Text
	if !rule.counts() {
		return
	}
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
