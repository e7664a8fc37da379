package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
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
var crawlKinds = []string{"broken-link", "orphan", "advice", "fault", "noindex", "error", "denied", "login", "soft-404",
	"empty-page", "no-answer", "canonical", "canonical-scheme", "redirect", "stub", "hreflang", "hreflang-return"}

// found counts the findings of a crawl by the kinds of check. A finding about a page that is not listed has no level,
// so -fail meets it by the name of its kind alone.
func (c *closing) found() (all []report.Group) {
	count := map[string]int{"broken-link": len(c.broken), "orphan": 0}
	for _, a := range c.got {
		if a != nil {
			kind, _ := a.First()
			count[kind]++
		}
	}
	level := map[string]string{"broken-link": "advice", "orphan": "advice"}
	for _, l := range c.orphans {
		count["orphan"] += l.n
	}
	for _, l := range c.faults {
		level[l.kind] = "fault"
		count[l.kind] = max(count[l.kind], l.n)
	}
	for _, kind := range crawlKinds {
		if count[kind] > 0 {
			all = append(all, report.Group{Level: level[kind], Kind: kind, Count: count[kind]})
		}
	}
	return all
}

// write writes the summary: the result in one line, what to mend, and what was left out, most first.
func (c closing) write(w io.Writer, s report.Style) error {
	var b strings.Builder
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
	if len(c.broken) > 0 {
		fmt.Fprintf(&b, "\n%s\n", s.Paint("1;31", "Broken links: mend them, or what they lead to"))
	}
	for _, l := range c.broken {
		from := ""
		if some, n := c.from(l.URL); n > 0 {
			from = ", linked from " + check.Linking(some, n, c.all)
		} else if len(l.From) > 0 { // as canonical, in another language, or from a variant alone
			from = ", referred to by " + slices.Min(l.From)
		}
		fmt.Fprintf(&b, "  %s  %s%s\n", s.Escape(l.URL), s.Escape(c.got[l.URL].instead(l.Status)), s.Escape(from))
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
