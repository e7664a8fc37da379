package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/servemap/servemap/cmd/servemap/internal/check"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/words"
)

// closing is what a crawl says at its end.
type closing struct {
	listed  int
	to      string // the file, "" if none is written
	all     bool   // name all that is known, and not some
	scripts bool   // the site says nothing without them
	hints   []string
	got     map[string]*answered
	entries []string
	broken  []inspect.Link
	exposed []inspect.Link                         // what shows anybody a secret
	secrets []leftOut                              // says so
	from    func(to string) (some []string, n int) // the first pages that link to an address, and how many do
	orphans []leftOut                              // in the site's own sitemap, without a link that engines follow
	faults  []leftOut                              // that check finds in listed pages
	left    []leftOut
	beside  []leftOut
	cure    string // how to list more, "" if nothing is known to help
	none    string // why nothing is listed, "" if something is
}

// leftOut is a reason for which pages or links are not listed.
type leftOut struct {
	n         int
	cause     string // the name of the reason, "" if why says it
	kind      string // the name of the finding of check, "" if it is none
	more      string // to say of it, such as (403)
	why, todo string
	some      []string // of them
}

// shownOf is how many addresses are shown of each reason.
const shownOf = 3

// crawlKinds are the kinds and levels of what a crawl may find: of links, and in the answers of listed pages.
var crawlKinds = []string{"broken-link", "orphan", "advice", "fault", "secret", "noindex", "error", "denied", "login",
	"soft-404", "empty-page", "no-answer", "canonical", "canonical-scheme", "redirect", "stub", "hreflang", "hreflang-return"}

// found counts the findings of a crawl by the kinds of check, as the summary names them. A finding about a page that is
// not listed has no level, so -fail meets it by the name of its kind alone.
func (c *closing) found() (all []report.Group) {
	level := map[string]string{"broken-link": "advice", "orphan": "advice"}
	listed, others := map[string]int{"broken-link": len(c.broken)}, map[string]int{}
	for u := range c.named() {
		others[c.got[u].kind()]++
	}
	for _, l := range c.orphans {
		listed["orphan"] += l.n
	}
	for _, l := range slices.Concat(c.secrets, c.faults) {
		level[l.kind] = "fault"
		listed[l.kind] = l.n
	}
	for _, kind := range crawlKinds {
		if listed[kind] > 0 {
			all = append(all, report.Group{Level: level[kind], Kind: kind, Count: listed[kind]})
		}
		if others[kind] > listed[kind] {
			all = append(all, report.Group{Kind: kind, Count: others[kind] - listed[kind]})
		}
	}
	return all
}

// named returns the addresses that the summary names.
func (c *closing) named() map[string]bool {
	named := map[string]bool{}
	for _, l := range c.broken {
		named[l.URL] = true
	}
	for _, l := range slices.Concat(c.secrets, c.faults, c.orphans, c.left, c.beside) {
		for _, one := range l.some {
			address, _, _ := strings.Cut(one, " ")
			named[strings.TrimSuffix(address, ",")] = true
		}
	}
	return named
}

// write writes the summary: the result in one line, what to mend, and what was left out, most first.
func (c closing) write(w io.Writer, s report.Style) error {
	var b strings.Builder
	escape := s.Escape
	s.Escape = func(text string) string { return escape(report.Hide(text)) }
	left, most := 0, shownOf
	if c.all {
		most = math.MaxInt
	}
	for _, l := range c.left {
		left += l.n
	}
	result := fmt.Sprintf("%s listed · %s · %s left out", words.Number(c.listed),
		words.Count(len(c.broken), "broken link"), words.Number(left))
	if c.to != "" {
		result += " → " + s.Escape(c.to)
	}
	fmt.Fprintf(&b, "\n%s\n", s.Paint("1", result))
	if c.scripts {
		c.hints = []string{"Its pages are empty without scripts, so nothing leads from one to the next, and what they say " +
			"is not known. Most AI crawlers run no scripts, " +
			"and search engines run them later. Render the pages on the server, or at the build; then crawl again."}
	}
	for _, hint := range c.hints {
		fmt.Fprintf(&b, "\n%s\n", s.Paint("33", report.Wrap(s.Escape(hint), "", s.Width)))
	}
	if len(c.secrets) > 0 {
		fmt.Fprintf(&b, "\n%s\n", s.Paint("1;31", "Secrets that anybody can read"))
	}
	for _, l := range c.secrets {
		l.write(&b, s, most, "; -all names them")
	}
	if len(c.broken) > 0 {
		fmt.Fprintf(&b, "\n%s\n", s.Paint("1;31", "Broken links: mend them, or what they lead to"))
	}
	listed := c.toldAsBroken()
	for _, l := range c.broken {
		from := ""
		if some, n := c.from(l.URL); n > 0 {
			from = ", linked from " + check.Linking(some, n, c.all)
		} else if len(l.From) > 0 { // as canonical, in another language, or from a variant alone
			from = ", referred to by " + slices.Min(l.From)
		}
		if listed[l.URL] { // words alone take no page out
			from += "; it is listed, and -never keeps it out"
		}
		fmt.Fprintf(&b, "  %s  %s%s\n", s.Escape(l.URL), s.Escape(c.instead(l)), s.Escape(from))
	}
	for _, part := range []struct {
		head string
		all  []leftOut
	}{
		{"Listed, but search engines will object, as servemap check says", c.faults},
		{"Listed, but hard to find", c.orphans}, {"Left out", c.left}, {"Besides, and not counted above", c.beside},
	} {
		if len(part.all) > 0 {
			fmt.Fprintf(&b, "\n%s\n", s.Paint("1;33", part.head))
		}
		slices.SortStableFunc(part.all, func(a, b leftOut) int {
			return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.cause+a.more, b.cause+b.more))
		})
		for _, l := range part.all {
			how := "; -all names them"
			if known := len(l.some); known < l.n {
				how = "; -all names " + words.Number(known-shownOf) + " of them"
			}
			l.write(&b, s, most, how)
		}
	}
	if c.cure != "" {
		fmt.Fprintf(&b, "\n%s\n", s.Paint("33", s.Escape(c.cure)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// toldAsBroken takes the faults that stand among the broken links too out of their rows, and returns their addresses.
func (c *closing) toldAsBroken() map[string]bool {
	broken, listed := map[string]bool{}, map[string]bool{}
	for _, l := range c.broken {
		broken[l.URL] = true
	}
	c.faults = slices.Clone(c.faults)
	for i := range c.faults {
		l := &c.faults[i]
		some := slices.DeleteFunc(slices.Clone(l.some), func(one string) bool {
			address, _, _ := strings.Cut(one, " ")
			listed[address] = listed[address] || broken[address]
			return broken[address]
		})
		l.n, l.some = l.n-(len(l.some)-len(some)), some
	}
	c.faults = slices.DeleteFunc(c.faults, func(l leftOut) bool { return l.n == 0 })
	return listed
}

// instead says what a broken link leads to.
func (c *closing) instead(l inspect.Link) string {
	n := c.got[l.URL]
	if _, _, loops := (&table{got: c.got}).end(n); loops {
		return n.looping()
	}
	if n == nil && l.Status == http.StatusOK {
		return "shows what the site shows where it has no page"
	}
	return n.instead(l.Status)
}

// says says why pages were left out, and what helps.
func (l leftOut) says() string {
	if l.cause != "" {
		r := messages.ReasonOf(l.cause, l.n)
		l.why, l.todo = r.Why+l.more, cmp.Or(l.todo, r.Todo)
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(l.why), ".") + ". " + l.todo)
}

// write writes why pages were left out, what helps, some of them, and how more are named.
func (l leftOut) write(b *strings.Builder, s report.Style, most int, how string) {
	wrapped := report.Wrap(s.Escape(l.says()), strings.Repeat(" ", 8), s.Width)
	fmt.Fprintf(b, "  %s%s\n", s.Paint("1", fmt.Sprintf("%4s", words.Number(l.n))),
		strings.TrimPrefix(wrapped, strings.Repeat(" ", 6)))
	shown := l.some[:min(len(l.some), most)]
	for _, address := range shown {
		if why := messages.ReasonNamed(l.cause).Reason; why == eligibility.Capability || slices.Contains(unasked, why) {
			address = cmp.Or(pages.Secret(address), address) // whom it is for, nobody knows
		}
		fmt.Fprintf(b, "        - %s\n", s.Escape(address))
	}
	if more := l.n - len(shown); more > 0 && len(shown) > 0 {
		if len(shown) == len(l.some) { // no more have a name
			how = ""
		}
		fmt.Fprintf(b, "        and %s more%s\n", words.Number(more), how)
	}
}

// unhinted leaves out of the log the hints, which the summary has.
type unhinted struct{ slog.Handler }

func (u unhinted) Handle(ctx context.Context, r slog.Record) error {
	if messages.Logs(r.Message) {
		return nil
	}
	return u.Handler.Handle(ctx, r)
}

func (u unhinted) WithAttrs(attrs []slog.Attr) slog.Handler {
	return unhinted{u.Handler.WithAttrs(attrs)}
}

func (u unhinted) WithGroup(name string) slog.Handler { return unhinted{u.Handler.WithGroup(name)} }

// styleOf returns how texts are shown at a stream.
func styleOf(to terminal.Plain) report.Style {
	return report.Style{Width: to.Width(), Paint: to.Paint,
		Escape: func(text string) string { return terminal.Escape(text, "") }}
}
