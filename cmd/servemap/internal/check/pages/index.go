package pages

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/page/html"
)

// lastDay matches a rule with a date.
var lastDay = regexp.MustCompile(`(?i)unavailable_after`)

// rule is what a page says to crawlers.
type rule struct {
	html.RobotRule
	where string
}

// index judges whether the page may be indexed, by the rules that count for crawl too.
func (p *Page) index(metas []html.RobotRule, now time.Time) {
	var all []rule
	for _, v := range p.Header["X-Robots-Tag"] {
		for _, r := range html.HeaderRules(v) {
			all = append(all, rule{r, "in X-Robots-Tag"})
		}
	}
	for _, r := range metas {
		all = append(all, rule{r, "in a meta element"})
	}
	var some []string // crawlers
	where := ""
	for _, r := range all {
		noIndex, _, until := html.Robots([]string{r.Text})
		word, _, _ := html.Robots([]string{lastDay.ReplaceAllString(r.Text, "")}) // without that date too
		whom := strings.TrimSuffix(" for "+r.Robot, " for ")
		switch passed := !until.IsZero() && until.Before(now); {
		case !noIndex && !passed:
		case !r.Counts():
			if where = cmp.Or(where, r.where); !slices.Contains(some, r.Robot) {
				some = append(some, r.Robot)
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
