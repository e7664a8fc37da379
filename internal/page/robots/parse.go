package robots

import (
	"bytes"
	"iter"
	"regexp"
	"strings"
)

// maxBody is how many bytes of a file are read, and also bounds the text of the rules. RFC 9309,
// section 2.5, requires this much, and Google reads no more.
const maxBody = 500 << 10

// Enough is how many bytes of a file Parse should get of a longer one. It is more than Parse reads,
// so that Parse knows that a line is cut.
const Enough = 512 << 10

// Parse reads a robots.txt, at most 500 KiB of it. It never fails: it skips what it does not
// understand. It returns nil, which allows everything, unless a group for "*" disallows something.
func Parse(body []byte) *Rules {
	rules, _ := parse(body, everyone.MatchString)
	return rules
}

// ParseFor reads a robots.txt as the crawler with a product token does: if a group names it, that
// group counts in place of the one for "*" (RFC 9309, section 2.2.1).
func ParseFor(token string, body []byte) *Rules {
	rules, named := parse(body, func(agent string) bool {
		return strings.EqualFold(productToken.FindString(agent),
			token)
	})
	if !named {
		return Parse(body)
	}
	return rules
}

var (
	// productToken matches the name of a crawler. As in Google's parser, a version may follow.
	productToken = regexp.MustCompile(`^[A-Za-z_-]+`)
	// everyone matches "*", alone or, as in Google's parser, with a blank after it.
	everyone = regexp.MustCompile(`^\*(?:[ \t\v\f]|$)`)
)

// parse reads the groups of the agents that meant accepts. named says whether there is any.
func parse(body []byte, meant func(agent string) bool) (rules *Rules, named bool) {
	if len(body) > maxBody {
		// Half a line could allow more than the whole line.
		body = body[:maxBody]
		body = body[:bytes.LastIndexAny(body, "\r\n")+1]
	}
	c := collector{meant: meant, text: []byte("User-agent:*\n")}
	for line := range strings.FieldsFuncSeq(string(body), func(r rune) bool { return r == '\r' || r == '\n' }) {
		c.line(line)
	}
	return newRules(c.rules, c.text), c.named
}

// collector gathers the rules of the groups that are meant, line by line.
type collector struct {
	meant func(agent string) bool
	named bool // there is a group that is meant
	ours  bool // this group is one
	ruled bool // the group has a rule, so the next user-agent begins another group
	rules []rule
	text  []byte // the lines of the rules
}

// line reads one line. Only user-agent, allow and disallow lines begin or end a group (RFC 9309,
// section 2.2.4).
func (c *collector) line(line string) {
	name, value, ok := cutField(line)
	if !ok {
		return
	}
	switch {
	case userAgent.MatchString(name):
		if c.ruled {
			c.ours, c.ruled = false, false
		}
		c.ours = c.ours || c.meant(value)
		c.named = c.named || c.ours
	case allow.MatchString(name):
		c.rule(value, true)
	case disallow.MatchString(name):
		c.rule(value, false)
	}
}

// rule adds a rule if its group is meant and there is room. An empty pattern says nothing. No
// crawler obeys an allow that begins with neither "/" nor "*". A disallow like that probably lacks
// its slash.
func (c *collector) rule(pattern string, allow bool) {
	c.ruled = true
	slash := pattern != "" && (pattern[0] == '/' || pattern[0] == '*')
	if !c.ours || pattern == "" || allow && !slash {
		return
	}
	if !slash {
		pattern = "/" + pattern
	}
	line, says := "Disallow:"+pattern+"\n", "Disallow: "+pattern
	if allow {
		line, says = "Allow:"+pattern+"\n", ""
	}
	if len(c.text)+len(line) <= maxBody {
		c.text = append(c.text, line...)
		c.rules = append(c.rules, rule{NewPattern(pattern), says})
	}
}

// blanks may surround names and values.
const blanks = " \t\v\f"

// cutField splits a line into its name and value, without its comment. A byte order mark may begin
// any line, since people join files.
func cutField(line string) (name, value string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	line = strings.TrimRight(strings.TrimLeft(line, blanks+"\ufeff"), blanks)
	name, value, ok = strings.Cut(line, ":")
	if !ok {
		// As in Google's parser, the colon between two words may be missing.
		i := strings.IndexAny(line, " \t")
		if i < 0 {
			return "", "", false
		}
		name, value = line[:i], strings.Trim(line[i:], blanks)
		return name, value, !strings.ContainsAny(value, " \t")
	}
	return strings.Trim(name, blanks), strings.Trim(value, blanks), true
}

// The names of fields begin with these words. Misspelled words count if Google's parser accepts them
// (https://github.com/google/robotstxt, robots.cc, KeyIsDisallow).
var (
	userAgent = regexp.MustCompile(`(?i)^user[- ]?agent`)
	disallow  = regexp.MustCompile(`(?i)^(?:diss?all?ow|diasllow|disallaw)`)
	allow     = regexp.MustCompile(`(?i)^allow`)
)

// Sitemaps yields the values of the Sitemap lines of a robots.txt, as written. These lines do not
// belong to any group.
func Sitemaps(file []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.FieldsFuncSeq(string(file), func(c rune) bool { return c == '\r' || c == '\n' }) {
			name, value, ok := cutField(line)
			if ok && (strings.EqualFold(name, "sitemap") || strings.EqualFold(name, "site-map")) && !yield(value) {
				return
			}
		}
	}
}
