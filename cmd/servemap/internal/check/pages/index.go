package pages

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/crawlers"
	"github.com/servemap/servemap/internal/page/html"
)

var (
	// lastDay matches a rule with a date.
	lastDay = regexp.MustCompile(`(?i)unavailable_after`)
	// forBot matches rules for one crawler, bot the name of one, and everybody that of all.
	forBot    = regexp.MustCompile(`(?s)^\s*([\w-]+)\s*:(.*)`)
	everybody = regexp.MustCompile(`(?i)\brobots\b`)
	bot       = regexp.MustCompile(`(?i)[\w-]*(?:bot\b|spider|crawl)[\w-]*|\b(?:yandex|slurp|teoma|yeti|sogou)\b`)
)

// rule is what a page says to crawlers.
type rule struct {
	text, where string
	bot         string // for whom, "" for all
}

// index judges whether the page may be indexed. What it says to one crawler counts for the others only if a search
// engine has that one.
func (p *Page) index(metas []html.Meta, now time.Time) {
	var all []rule
	for _, v := range p.Header["X-Robots-Tag"] {
		all = append(all, rulesOf(v)...)
	}
	for _, m := range metas {
		names := bot.FindAllString(m.Name, -1)
		if len(names) == 0 || everybody.MatchString(m.Name) {
			names = []string{""}
		}
		for _, name := range names {
			if !m.Inert {
				all = append(all, rule{text: m.Content, where: "in a meta element", bot: name})
			}
		}
	}
	var some []string // crawlers
	where := ""
	for _, r := range all {
		noIndex, _, until := html.Robots([]string{r.text})
		word, _, _ := html.Robots([]string{lastDay.ReplaceAllString(r.text, "")}) // without that date too
		whom := strings.TrimSuffix(" for "+r.bot, " for ")
		switch passed := !until.IsZero() && until.Before(now); {
		case !noIndex && !passed:
		case r.bot != "" && !crawlers.IsSearch(r.bot):
			if where = cmp.Or(where, r.where); !slices.Contains(some, r.bot) {
				some = append(some, r.bot)
			}
		case noIndex && !word:
			p.tell("noindex", "says unavailable_after with a date that is not clear%s, %s; that counts as noindex", whom,
				r.where)
			return
		case noIndex:
			p.tell("noindex", "says noindex%s, %s", whom, r.where)
			return
		default:
			p.tell("noindex", "says unavailable_after %s%s, which has passed", until.UTC().Format("2 Jan 2006"), whom)
			return
		}
	}
	if len(some) > 0 {
		p.note("noindex-some", "says noindex for %s alone, %s", strings.Join(some, " and "), where)
	}
}

// rulesOf reads an X-Robots-Tag, which may have the name of a crawler before what is for it.
func rulesOf(tag string) (all []rule) {
	r := rule{where: "in X-Robots-Tag"}
	for i, part := range strings.Split(tag, ",") {
		m := forBot.FindStringSubmatch(part)
		if m == nil || bot.FindString(m[1]) != m[1] {
			r.text += "," + part
			continue
		}
		if i > 0 {
			all = append(all, r)
		}
		r.bot, r.text = m[1], m[2]
	}
	return append(all, r)
}
