package inspect

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/page/words"
)

// functions are what the templates call.
var functions = template.FuncMap{
	"num": func(n any) string { return words.Thousands(fmt.Sprint(n)) }, "count": counted, "ago": ago, "started": started,
	"next": nextObservation, "date": date, "iso": iso, "span": Span, "bytes": words.Size,
	"path": showPath, "plot": plotOf, "share": share, "word": func(v any) string { return verdicts[fmt.Sprint(v)].Word },
	"tone":    func(v any) string { return verdicts[fmt.Sprint(v)].Tone },
	"care":    careWord,
	"percent": percent, "took": took, "lines": linesOf,
	"spans": func() any { return spans }, "say": words.Say, "evidence": evidenceOf, "in": in, "why": why,
	"shorten": shorten, "ages": func() any { return ages },
	"now": time.Now, "last": func(c []Link) Link { return c[len(c)-1] }, "menu": func() any { return menu },
	"script": func() template.HTML { return template.HTML("<script>" + script + "</script>") },
	"upper":  upper, "lower": lower, "less": func(n int) int { return n - 1 }, "plain": messages.Bare, "free": free,
	"heads":  headsOf,
	"states": statesOf, "reasons": reasonsOf,
	"often": often, "days": daysOf, "timeline": timelineOf, "crawlers": crawlersOf, "month": monthOf,
}

// counted is count for the templates.
func counted(n any, thing string) string {
	i, _ := strconv.ParseUint(fmt.Sprint(n), 10, 64)
	return words.Count(i, thing)
}

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func date(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }

// ago says how long before now something was, as people say it.
func ago(t, now time.Time) string {
	if d := now.Sub(t); d >= 5*time.Second {
		return Span(d) + " ago"
	}
	return "just now"
}

// started says when the program started.
func started(t, now time.Time) string {
	if now.Sub(t) < day {
		return "since the program started at " + t.UTC().Format("15:04 UTC")
	}
	return "since the program started on " + date(t)
}

// nextObservation says when a request for a page next teaches something.
func nextObservation(at, now time.Time) string {
	if at.Sub(now) < time.Second {
		return "at the next visit"
	}
	return "at the first visit after " + Span(at.Sub(now))
}

// units are the units of time that people use.
var units = []struct {
	seconds float64
	name    string
}{{365.25 * 86400, "year"}, {30.44 * 86400, "month"}, {7 * 86400, "week"}, {86400, "day"}, {3600, "hour"},
	{60, "minute"}, {1, "second"}}

// Span writes a time in the largest unit that it fills.
func Span(d time.Duration) string {
	seconds := d.Seconds()
	for _, u := range units {
		if n := int(seconds/u.seconds + 0.5); seconds >= u.seconds*0.95 {
			return words.Count(max(n, 1), u.name)
		}
	}
	return "less than a second"
}

// often says how often a page changes, and how many of its changes were seen.
func often(changes int, likely, least, most time.Duration) string {
	every := "about every " + strings.TrimPrefix(Span(likely), "1 ")
	every += fmt.Sprintf(" (between %s and %s)", Span(least), Span(most))
	if changes == 0 {
		return "Text that moves by itself, as a clock does, changes " + every + ". No change of the content was seen yet."
	}
	was := "were"
	if changes == 1 {
		was = "was"
	}
	return upper(every) + ". " + words.Count(changes, "change") + " " + was + " seen."
}

// percent writes a part of a whole. Only none is 0 %, and only the whole is 100 %.
func percent(p float64) string {
	switch n := int(p*100 + 0.5); {
	case n == 0 && p > 0:
		return "< 1 %"
	case n == 100 && p < 1:
		return "99 %"
	default:
		return strconv.Itoa(n) + " %"
	}
}

// took writes how long an answer took.
func took(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", max(d.Milliseconds(), 1))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// show returns what the inspector shows for a URL of the site: its path, readable.
func (c *Config) show(u string) string { return showPath(c.root(), u) }

func showPath(root, u string) string {
	loc, ok := strings.CutPrefix(u, root)
	if !ok {
		loc = u
	}
	text, err := url.PathUnescape(loc)
	if err != nil || !utf8.ValidString(text) || strings.ContainsFunc(text,
		func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }) {
		return loc
	}
	return text
}

// shorten keeps a stranger's text from filling the page.
func shorten(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

// verdicts have the headline of each verdict, and its colour.
var verdicts = map[string]struct{ Word, Tone string }{
	"listed": {"Listed", "good"}, "waiting": {"Waiting", "wait"}, "held": {"Held back", "wait"},
	"excluded": {"Excluded", "look"}, "gone": {"Gone", "look"},
	"unknown": {"Not known", "none"}, "": {"", "look"}, // "" is for an answer that is no page
}

// careWord says what an owner should do about pages with a [messages.Care].
func careWord(care any) string {
	if text := fmt.Sprint(care); text != string(messages.Look) {
		return text
	}
	return "look into it"
}

// share returns which part of a whole something is.
func share(part, whole int) float64 { return float64(part) / float64(max(whole, part, 1)) }

// linesOf breaks a page's entry of the sitemap into lines, one for each element in it.
func linesOf(xml string) string { return strings.ReplaceAll(strings.TrimSpace(xml), "><", ">\n<") }

// menu are the views that every page links to.
var menu = []struct{ Name, Href, Text string }{
	{"overview", "./", "Overview"}, {"pages", "pages", "Pages"}, {"links", "links", "Links"},
	{"changes", "changes", "Changes"}, {"crawlers", "crawlers", "Engines"}, {"files", "files", "Files"},
}

// evidenceOf says in words which kinds of evidence a page has.
func evidenceOf(kinds any) (all []string) {
	has := strings.Fields(strings.Trim(fmt.Sprint(kinds), "[]"))
	for _, e := range []struct{ kind, text string }{
		{"entry", "Entry page"}, {"link", "Linked on the site"}, {"route", "It has its own route"},
		{"sitemap", "In the site's own sitemap"}, {"rule", "Your rule lists it"},
	} {
		if slices.Contains(has, e.kind) {
			all = append(all, e.text)
		}
	}
	return all
}

// free returns the ways to list a page without one of the rules: the page shows these to copy below them.
func free(missing []string, rules string) (ways []string) {
	return slices.DeleteFunc(slices.Clone(missing), func(way string) bool {
		return rules != "" && slices.ContainsFunc(strings.Split(rules, "\n"), func(rule string) bool {
			return strings.Contains(way, strings.TrimSuffix(rule, ","))
		})
	})
}

// upper returns a text that begins with a capital, unless it begins with code, as servemap.Rule{ is.
func upper(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if first, size := utf8.DecodeRuneInString(s); unicode.IsLower(first) && !strings.ContainsAny(word, ".{") {
		return string(unicode.ToUpper(first)) + s[size:]
	}
	return s
}

// lower returns a sentence as it stands behind a number.
func lower(s string) string { return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):] }

// in gives a nested template both the view and the part of its data that it shows.
func in(v view, data any) any { return struct{ View, Data any }{v, data} }

// why says in some words what a reason means.
func why(reason any) string { return messages.ReasonNamed(fmt.Sprint(reason)).Why }
