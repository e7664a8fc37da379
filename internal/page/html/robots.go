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
	// quotes or among others: the author means it. forRobot matches rules for one.
	everybody = regexp.MustCompile(`(?i)\brobots\b`)
	robot     = regexp.MustCompile(`(?i)[\w-]*(?:bot\b|spider|crawl)[\w-]*|\b(?:yandex|slurp|teoma|yeti|sogou)\b|` + aside)
	forRobot  = regexp.MustCompile(`(?s)^\s*([\w-]+)\s*:(.*)`)
	noSearch  = regexp.MustCompile(`^(?:` + aside + `)$`)
)

// aside matches the names of robots that only train a model, answer one user, or fetch pictures, news or advertisements:
// whether search engines list a page is not what they are told.
const aside = `(?i:gptbot|chatgpt-user|claudebot|claude-user|anthropic-ai|ccbot|bytespider|cohere-ai|perplexity-user|` +
	`mistralai-user|amazonbot|duckassistbot|meta-externalagent|facebookbot|google-extended|google-agent|googleother|` +
	`applebot-extended|googlebot-(?:news|image|video)|adsbot-google|mediapartners-google)`

// RobotRule is what a page says to one robot, or to all.
type RobotRule struct {
	Robot string // its name, "" for all
	Text  string
}

// Counts reports whether the rule counts for a sitemap, which is for all search engines. What one of them is told counts
// for all, and an unknown robot may be one.
func (r RobotRule) Counts() bool { return !noSearch.MatchString(r.Robot) }

// HeaderRules reads the value of an X-Robots-Tag, which may have the name of a robot before what is for it. Behind the
// first comma nobody knows for whom a rule is, as two headers may have been joined there: it counts.
func HeaderRules(value string) (all []RobotRule) {
	for part := range strings.SplitSeq(value[:min(len(value), maxRules)], ",") {
		last := len(all) - 1
		if m := forRobot.FindStringSubmatch(part); m != nil && robot.FindString(m[1]) == m[1] {
			all = append(all, RobotRule{m[1], m[2]})
		} else if last < 0 || !all[last].Counts() {
			all = append(all, RobotRule{"", part})
		} else {
			all[last].Text += "," + part
		}
	}
	return all
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

// Robots reads the values of X-Robots-Tag headers. Rules for one robot count for all, unless it is none of a search engine,
// and the most restrictive ones win. unavailableAfter is the earliest valid date, or zero.
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

// add adds a rule, if it counts. Whatever stands between their letters, noindex and none forbid a listing: what is unclear
// must not be listed. "noindex: all" is a mistake of somebody who wants noindex.
func (r *Rules) add(rule RobotRule) {
	v := rule.Text
	if !rule.Counts() {
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
