package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/words"
)

// closing is what a crawl says at its end.
type closing struct {
	listed  int
	to      string // the file, "" if none is written
	scripts bool   // the site says nothing without them
	hints   []string
	broken  []inspect.Link
	orphans leftOut // in the site's own sitemap, and linked nowhere
	left    []leftOut
	cure    string // how to list more, "" if nothing is known to help
}

// leftOut is a reason for which pages or links are not listed.
type leftOut struct {
	n         int
	why, todo string
	some      []string // of them
}

// shownOf is how many addresses are shown of each reason.
const shownOf = 3

// skipped returns what an exploration left out before it asked.
func skipped(done servemap.Exploration) (left []leftOut) {
	for _, l := range done.LeftOut() {
		line := leftOut{n: l.Count, why: l.Means, todo: l.Remedy}
		switch cause := messages.ReasonNamed(l.Cause).Reason; {
		case cause == eligibility.LinkFile, cause == eligibility.LinkHeld, cause == eligibility.LinkElsewhere:
			continue // pictures and other files, and pages that are named with another reason
		case cause == eligibility.LinkActs:
			line.some = done.Acting
		case l.Example != "":
			line.some = []string{l.Example}
		}
		if l.Cause == eligibility.AddressHost.String() { // a crawl has no -hosts
			line.todo = "A sitemap is for one host. If this one is yours too, crawl it as well."
		}
		left = append(left, line)
	}
	return left
}

// rowsOf returns links by what they answered. One without an answer is in none.
func rowsOf(links []inspect.Link) (rows []leftOut) {
	place := map[string]int{}
	for _, l := range links {
		why := outcome(l)
		m := messages.ReasonNamed(why.String())
		switch {
		case why == eligibility.None:
			continue
		case why == eligibility.LinkWalled:
			m.Why += fmt.Sprintf(" (%s, %d)", l.Reason, l.Status)
		case why != eligibility.LinkLogin && l.Status != http.StatusOK:
			m.Why += fmt.Sprintf(" (%d)", l.Status)
		}
		at, is := place[m.Why]
		if !is {
			at, place[m.Why] = len(rows), len(rows)
			rows = append(rows, leftOut{why: m.Why, todo: m.Todo})
		}
		if l.To != "" {
			l.URL += " → " + l.To
		}
		rows[at].n, rows[at].some = rows[at].n+1, append(rows[at].some, l.URL)
	}
	return rows
}

// outcome returns what a linked page answered with, None for nothing.
func outcome(l inspect.Link) eligibility.Reason {
	_, why := eligibility.Leads(l.To)
	redirects := l.Status >= 300 && l.Status < 400
	switch {
	case l.Verdict == eligibility.LinkWalled.String():
		return eligibility.LinkWalled
	case l.Status == http.StatusUnauthorized || l.Status == http.StatusForbidden:
		return eligibility.LinkRefused
	case redirects && why == eligibility.LoginRedirect:
		return eligibility.LinkLogin
	case redirects:
		return eligibility.LinkRedirects
	case l.Status == http.StatusOK:
		return eligibility.LinkNoHTML
	case l.Status >= 400:
		return eligibility.LinkError
	}
	return eligibility.None
}

// leave notes what a crawl left out, each page once: by the bot wall that answered in its place, as a broken link, by its
// answer, or by the reason for which it was not asked for. named has pages by their reason.
func (c *closing) leave(
	done servemap.Exploration, groups []inspect.Group, named map[string][]inspect.Link, walled []inspect.Link,
) {
	walled = slices.DeleteFunc(walled, func(l inspect.Link) bool { // these are no pages
		return slices.Contains([]string{".txt", ".xml", ".gz"}, path.Ext(l.URL))
	})
	told := map[string]bool{}
	if done.Skipped = maps.Clone(done.Skipped); done.Skipped == nil {
		done.Skipped = map[string]int{}
	}
	tell := func(l inspect.Link) (first bool) {
		failed := eligibility.LinkFailed.String()
		if first = !told[l.URL]; first && explore.Repeats(l.Status) && done.Skipped[failed] > 0 {
			done.Skipped[failed]--
		}
		told[l.URL] = true
		return first
	}
	linked := map[string]bool{}
	for _, l := range slices.Concat(named[eligibility.NoPage.String()], named[eligibility.NotSeen.String()]) {
		linked[l.URL] = true
	}
	unlinked := 0 // entries
	for _, l := range walled {
		if tell(l); !linked[l.URL] {
			unlinked++
		}
	}
	c.broken = slices.DeleteFunc(c.broken, func(l inspect.Link) bool { return !tell(l) })
	unasked := 0 // which the inspector tells apart from those that nobody got
	for _, g := range groups {
		if messages.ReasonNamed(g.Reason).Verdict() == eligibility.Unknown {
			unasked += g.Pages
		}
	}
	unread, rest := walled, -unlinked // what is told by its answer, and how many pages no row tells yet
	for _, g := range groups {
		switch {
		case g.Care == messages.Fine:
		case g.Reason == eligibility.NoPage.String(), g.Reason == eligibility.NotSeen.String():
			if g.Reason == eligibility.NotSeen.String() {
				g.Pages += unasked
			}
			fresh, left := unlisted(g, named[g.Reason], done, tell)
			unread, rest = append(unread, fresh...), rest+left
		case messages.ReasonNamed(g.Reason).Verdict() == eligibility.Unknown: // not asked for, as a row of the links tells
		default:
			c.left = append(c.left, groupOf(g, named[g.Reason]))
			link := g.Reason
			if link == eligibility.QueryNotCanonical.String() { // some of them were tried
				link = eligibility.AddressQuery.String()
			}
			if n := done.Skipped[link]; n > 0 {
				done.Skipped[link] = max(0, n-g.Pages)
			}
		}
	}
	if rest > 0 {
		c.left = append(c.left, leftOut{n: rest, why: messages.ReasonNamed(eligibility.LinkNotGot.String()).Why})
	}
	c.left = slices.Concat(c.left, rowsOf(unread), skipped(done))
	if c.listed == 0 && len(walled) > 0 {
		c.hints = nil // the wall is why
	}
}

// unlisted returns those of the linked pages that the crawl did not get of which an answer is known and nothing was told
// yet, as tell reports, and how many others there are. Those that were not asked for are told by their own cause.
func unlisted(
	g inspect.Group, links []inspect.Link, done servemap.Exploration, tell func(inspect.Link) bool,
) (fresh []inspect.Link, rest int) {
	rest = g.Pages
	fresh = slices.DeleteFunc(slices.Clone(links), func(l inspect.Link) bool {
		why := outcome(l)
		if why != eligibility.None {
			rest--
		}
		offSite := why == eligibility.LinkRedirects && l.To == "" && done.Skipped[eligibility.LinkOffSite.String()] > 0
		return why == eligibility.None || !tell(l) || offSite
	})
	if g.Reason == eligibility.NotSeen.String() {
		rest -= done.Waiting
		for _, why := range []eligibility.Reason{
			eligibility.LinkActs, eligibility.LinkFailed, eligibility.LinkEndless, eligibility.AddressQuery,
		} {
			rest -= done.Skipped[why.String()]
		}
	}
	return fresh, max(0, rest)
}

// groupOf returns what there is to say of the pages of a reason.
func groupOf(g inspect.Group, named []inspect.Link) leftOut {
	m := messages.ReasonNamed(g.Reason)
	l := leftOut{n: g.Pages, why: m.Why, todo: m.Todo}
	for _, p := range named {
		l.some = append(l.some, p.URL)
	}
	return l
}

// write writes the summary: the result in one line, what to mend, and what was left out, most first.
func (c closing) write(w io.Writer, s report.Style) error {
	var b strings.Builder
	n := 0
	for _, l := range c.left {
		n += l.n
	}
	result := fmt.Sprintf("%s listed · %s · %s left out", report.Number(c.listed), report.Count(len(c.broken), "broken link"), report.Number(n))
	if c.to != "" {
		result += " → " + s.Escape(c.to)
	}
	fmt.Fprintf(&b, "\n%s\n", s.Paint("1", result))
	if c.scripts {
		c.hints = []string{"Its pages are empty without scripts, so nothing leads from one to the next, and what they say is not known. Most AI crawlers run no scripts, " +
			"and search engines run them later. Render the pages on the server, or at the build; then crawl again."}
	}
	for _, hint := range c.hints {
		fmt.Fprintf(&b, "\n%s\n", s.Paint("33", report.Wrap(s.Escape(hint), "", s.Width)))
	}
	if len(c.broken) > 0 {
		fmt.Fprintf(&b, "\n%s\n", s.Paint("1;31", "Broken links"))
	}
	slices.SortFunc(c.broken, func(a, b inspect.Link) int { return strings.Compare(a.URL, b.URL) })
	for _, l := range c.broken {
		from := ""
		if len(l.From) > 0 {
			from = ", linked from " + l.From[0]
		}
		if more := len(l.From) - 1; more > 0 {
			from += fmt.Sprintf(" and %s", report.Count(more, "other page"))
		}
		fmt.Fprintf(&b, "  %s  %d%s\n", s.Escape(l.URL), l.Status, s.Escape(from))
	}
	if c.orphans.n > 0 {
		fmt.Fprintf(&b, "\n%s\n", s.Paint("1;33", "Listed, but linked nowhere"))
		c.orphans.write(&b, s)
	}
	if len(c.left) > 0 {
		fmt.Fprintf(&b, "\n%s\n", s.Paint("1;33", "Left out"))
	}
	slices.SortFunc(c.left, func(a, b leftOut) int { return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.why, b.why)) })
	for _, l := range c.left {
		l.write(&b, s)
	}
	if c.cure != "" {
		fmt.Fprintf(&b, "\n%s\n", s.Paint("33", s.Escape(c.cure)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// says says why pages were left out, and what helps.
func (l leftOut) says() string {
	text := strings.TrimSpace(words.Say(l.why))
	text = strings.TrimSuffix(strings.ToUpper(text[:1])+text[1:], ".") + ". "
	return strings.TrimSpace(text + strings.TrimPrefix(words.Say(l.todo), ". "))
}

// write writes why pages were left out, what helps, and some of them.
func (l leftOut) write(b *strings.Builder, s report.Style) {
	wrapped := report.Wrap(s.Escape(l.says()), strings.Repeat(" ", 8), s.Width)
	fmt.Fprintf(b, "  %s%s\n", s.Paint("1", fmt.Sprintf("%4s", report.Number(l.n))), strings.TrimPrefix(wrapped, strings.Repeat(" ", 6)))
	shown := l.some[:min(len(l.some), shownOf)]
	for _, address := range shown {
		fmt.Fprintf(b, "        - %s\n", s.Escape(address))
	}
	if more := l.n - len(shown); more > 0 && len(shown) > 0 {
		fmt.Fprintf(b, "        and %s more\n", report.Number(more))
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
	return report.Style{Width: to.Width(), Paint: to.Paint, Escape: func(text string) string { return terminal.Escape(text, "") }}
}
