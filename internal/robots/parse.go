package robots

import (
	"bytes"
	"strings"
)

// maxBody is how much of a file is read, and how long a text may get, in bytes.
// RFC 9309, section 2.5, asks for 500 KiB at least.
const maxBody = 512 << 10

// Parse reads a robots.txt. It never fails: what it does not understand, it
// skips. It returns nil, which allows everything, for a file without a group
// for "*" that disallows something. At most 512 KiB are read.
func Parse(body []byte) *Rules {
	if len(body) > maxBody {
		// Half a line could allow more than the whole one.
		body = body[:maxBody]
		body = body[:bytes.LastIndexAny(body, "\r\n")+1]
	}
	c := collector{text: []byte("User-agent:*\n")}
	rest := string(body)
	for rest != "" {
		line := rest
		if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		c.line(line)
	}
	return newRules(c.rules, c.text)
}

// collector gathers the rules for all crawlers, line by line.
type collector struct {
	everyone bool // the group is for "*", among others
	ruled    bool // the group has a rule, so that the next user-agent begins another one
	rules    []rule
	text     []byte // their lines
}

// line reads one line. Lines other than user-agent, allow and disallow neither
// begin nor end a group (RFC 9309, section 2.2.4).
func (c *collector) line(line string) {
	name, value, ok := cutField(line)
	if !ok {
		return
	}
	switch fieldOf(name) {
	case userAgent:
		if c.ruled {
			c.everyone, c.ruled = false, false
		}
		c.everyone = c.everyone || isEveryone(value)
	case allow:
		c.rule(value, true)
	case disallow:
		c.rule(value, false)
	}
}

// rule adds a rule if it is for everyone and there is room. An empty pattern says
// nothing, nor does an allow that begins with neither "/" nor "*", which no crawler
// obeys. A disallow like that surely lacks its slash.
func (c *collector) rule(pattern string, allow bool) {
	c.ruled = true
	slash := pattern != "" && (pattern[0] == '/' || pattern[0] == '*')
	if !c.everyone || pattern == "" || allow && !slash {
		return
	}
	if !slash {
		pattern = "/" + pattern
	}
	line := "Disallow:" + pattern + "\n"
	if allow {
		line = "Allow:" + pattern + "\n"
	}
	if len(c.text)+len(line) <= maxBody {
		c.text = append(c.text, line...)
		c.rules = append(c.rules, rule{NewPattern(pattern, allow), allow})
	}
}

// blanks may stand around names and values.
const blanks = " \t\v\f"

// cutField splits a line into its name and value, without its comment. A byte
// order mark may begin any line, since files are put together from others.
func cutField(line string) (name, value string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	line = strings.TrimRight(strings.TrimLeft(line, blanks+"\ufeff"), blanks)
	name, value, ok = strings.Cut(line, ":")
	if !ok {
		// As in Google's parser, the colon may be missing between two words.
		i := strings.IndexAny(line, " \t")
		if i < 0 {
			return "", "", false
		}
		name, value = line[:i], strings.Trim(line[i:], blanks)
		return name, value, !strings.ContainsAny(value, " \t")
	}
	return strings.Trim(name, blanks), strings.Trim(value, blanks), true
}

// field is what a line is about.
type field uint8

const (
	other field = iota
	userAgent
	allow
	disallow
)

// fieldOf returns the field with this name. Names begin with one of its words,
// in any case. Misspelled words count where Google's parser takes them for the
// word (https://github.com/google/robotstxt, robots.cc, KeyIsDisallow).
func fieldOf(name string) field {
	const longest = len("user-agent")
	switch name = strings.ToLower(name[:min(len(name), longest)]); {
	case hasAnyPrefix(name, "user-agent", "useragent", "user agent"):
		return userAgent
	case hasAnyPrefix(name, "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"):
		return disallow
	case strings.HasPrefix(name, "allow"):
		return allow
	}
	return other
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// isEveryone reports whether a user-agent is "*", alone or, as in Google's
// parser, before a blank.
func isEveryone(agent string) bool {
	after, ok := strings.CutPrefix(agent, "*")
	return ok && (after == "" || strings.IndexByte(blanks, after[0]) >= 0)
}
