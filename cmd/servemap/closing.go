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
)

// closing is what a crawl says at its end.
type closing struct {
	listed  int
	to      string // the file, "" if none is written
	scripts bool   // the site says nothing without them
	hints   []string
	broken  []inspect.Link
	orphans []leftOut // in the site's own sitemap, and linked nowhere
	faults  []leftOut // that check finds in listed pages
	left    []leftOut
	pages   int // that are left out
	beside  []leftOut
	cure    string // how to list more, "" if nothing is known to help
}

// leftOut is a reason for which pages or links are not listed.
type leftOut struct {
	n         int
	cause     string // the name of the reason, "" if why says it
	more      string // to say of it, such as (403)
	why, todo string
	some      []string // of them
}

// shownOf is how many addresses are shown of each reason.
const shownOf = 3

// leave notes what a crawl left out, each address once: pages that are known and not listed, by reason, and how many
// these are, as the inspector counts them; and beside them what else links and the site's sitemaps name. named has
// pages by their reason, walled the addresses where a bot wall answered, and got what was answered.
func (c *closing) leave(
	done servemap.Exploration, groups []inspect.Group, named map[string][]inspect.Link, walled []inspect.Link,
	got map[string]*answered,
) {
	t := newTold(walled, got, done.Skipped)
	c.broken = slices.DeleteFunc(c.broken, func(l inspect.Link) bool { return t.walled[l.URL].URL != "" })
	for _, l := range c.broken {
		t.tells(l.URL)
	}
	var unseen []inspect.Link
	for _, g := range unbroken(groups, named, c.broken) {
		if g.Care == messages.Fine {
			continue
		}
		c.pages += g.Pages
		links := named[g.Reason]
		switch g.Reason {
		case eligibility.NoPage.String(), eligibility.NotSeen.String(), eligibility.LinkFile.String():
			t.unseen += g.Pages
			unseen = append(unseen, links...)
		case eligibility.QueryNotCanonical.String(): // some of them were tried
			c.left = append(c.left, t.group(g, links, eligibility.AddressQuery))
		default:
			l := t.group(g, links, messages.ReasonNamed(g.Reason).Reason)
			if l.cause == eligibility.AddressQuery.String() {
				l.todo = messages.QueryRemedy(done.Params)
			}
			c.left = append(c.left, l)
		}
	}
	c.left = append(c.left, t.answered(unseen)...)
	c.left = append(c.left, t.unanswered(done.Waiting))
	c.beside = t.answered(slices.DeleteFunc(walled, func(l inspect.Link) bool { // the rest are no pages
		return t.is[l.URL] || slices.Contains([]string{".txt", ".xml", ".gz"}, path.Ext(l.URL))
	}))
	c.follow(t, done)
	if c.listed == 0 && len(walled) > 0 {
		c.hints = nil // the wall is why
	}
}

// unbroken returns the groups of pages that are not listed, without the broken links: those have a part of their own.
func unbroken(groups []inspect.Group, named map[string][]inspect.Link, broken []inspect.Link) (rest []inspect.Group) {
	is, of := map[string]bool{}, map[string]int{}
	for _, l := range broken {
		is[l.URL] = true
		of[l.Reason]++
	}
	for _, g := range groups {
		named[g.Reason] = slices.DeleteFunc(named[g.Reason], func(l inspect.Link) bool { return is[l.URL] })
		if g.Pages -= of[g.Reason]; g.Pages > 0 {
			rest = append(rest, g)
		}
	}
	return rest
}

// follow notes the links that were not followed, and what the site's sitemaps name in vain.
func (c *closing) follow(t *told, done servemap.Exploration) {
	done.Skipped = t.skipped
	for _, l := range done.LeftOut() {
		switch cause := messages.ReasonNamed(l.Cause).Reason; {
		case cause == eligibility.LinkFile, cause == eligibility.LinkHeld, cause == eligibility.LinkElsewhere:
			// files follow, and pages are named with another reason
		case cause == eligibility.LinkLeft, slices.Contains(unasked, cause):
			c.left = append(c.left, t.link(l, done))
		default:
			c.beside = append(c.beside, t.link(l, done))
		}
	}
	none := func(l leftOut) bool { return l.n <= 0 }
	c.left, c.beside = slices.DeleteFunc(c.left, none), slices.DeleteFunc(append(c.beside, t.files()), none)
}

// unasked are the causes for which exploring does not ask for a page.
var unasked = []eligibility.Reason{
	eligibility.AddressQuery, eligibility.LinkActs, eligibility.LinkEndless, eligibility.LinkFailed,
}

// told remembers what was told of a crawl.
type told struct {
	got     map[string]*answered
	walled  map[string]inspect.Link
	is      map[string]bool // by URL
	skipped map[string]int  // links that are still to be told, by reason
	unseen  int             // pages that gave nothing, and are still to be told
}

func newTold(walled []inspect.Link, got map[string]*answered, skipped map[string]int) *told {
	t := &told{
		got: got, walled: map[string]inspect.Link{}, is: map[string]bool{}, skipped: map[string]int{},
	}
	maps.Copy(t.skipped, skipped)
	for _, l := range walled {
		t.walled[l.URL] = l
	}
	return t
}

// unanswered tells of the pages that have no name and no answer, but for those that links tell by their cause.
func (t *told) unanswered(waiting int) leftOut {
	t.unseen -= waiting
	for _, why := range unasked {
		t.unseen -= t.skipped[why.String()]
	}
	rest := leftOut{
		n: t.unseen, why: "page is not named here: its address looks like a secret, or was not asked for",
		todo: "If it is for the public, link to it by an address without the secret.",
	}
	if rest.n > 1 {
		rest.why = "pages are not named here: their addresses look like secrets, or were not asked for"
		rest.todo = "If they are for the public, link to them by addresses without the secrets."
	}
	return rest
}

// group tells of the pages of a reason, and not again of the links that were left out for it.
func (t *told) group(g inspect.Group, links []inspect.Link, link eligibility.Reason) leftOut {
	for _, l := range links {
		t.tells(l.URL)
	}
	t.tell(link, g.Pages)
	return groupOf(g, links)
}

// tells notes that an address is told. What the site was too busy for was counted as a link that failed.
func (t *told) tells(u string) {
	t.is[u] = true
	if a := t.got[u]; a != nil && explore.Repeats(a.link.Status) {
		t.tell(eligibility.LinkFailed, 1)
	}
}

// tell takes away so many of the links that were left out for a reason.
func (t *told) tell(link eligibility.Reason, n int) {
	if left := t.skipped[link.String()]; left > 0 {
		t.skipped[link.String()] = max(0, left-n)
	}
}

// answered tells of the linked pages that the crawl did not get, by what they answered.
func (t *told) answered(links []inspect.Link) (left []leftOut) {
	by := map[string]*leftOut{}
	for _, l := range links {
		line, address := t.outcome(l)
		if line.cause == "" {
			continue
		}
		key := line.cause + line.more + line.todo
		if by[key] == nil {
			by[key] = &line
		}
		by[key].n, by[key].some = by[key].n+1, append(by[key].some, address)
		t.tells(l.URL)
		t.unseen--
	}
	for _, l := range by {
		t.tell(messages.ReasonNamed(l.cause).Reason, l.n)
		left = append(left, *l)
	}
	return left
}

// outcome returns what a linked page answered with, and its address with what is known of it. It returns no cause for
// one that was not asked for.
func (t *told) outcome(l inspect.Link) (line leftOut, address string) {
	why, says, wall := eligibility.None, "", t.walled[l.URL]
	if a := t.got[l.URL]; a != nil {
		l.Status, l.To, says = a.link.Status, a.link.To, a.says()
	}
	_, leads := eligibility.Leads(l.To)
	host, _ := split(l.URL)
	to, _ := split(l.To)
	redirects := l.Status >= 300 && l.Status < 400
	address = l.URL
	if l.To != "" {
		address += " → " + l.To
	}
	if redirects || l.Status >= 400 {
		line.more = fmt.Sprintf(" (%d)", l.Status)
	}
	switch {
	case wall.URL != "":
		why, line.more = eligibility.LinkWalled, fmt.Sprintf(" (%s, %d)", wall.Reason, wall.Status)
	case l.Status == http.StatusUnauthorized || l.Status == http.StatusForbidden:
		why = eligibility.LinkRefused
	case redirects && leads == eligibility.LoginRedirect:
		why, line.more = eligibility.LinkLogin, ""
	case redirects && l.To != "" && to != host:
		why, line.more = eligibility.LinkOffSite, ""
	case redirects && len(l.From) == 0 && l.Verdict != "":
		why, line.todo = eligibility.LinkRedirects, "No link leads here, so nothing needs to be done."
	case redirects:
		why = eligibility.LinkRedirects
	case l.Status == http.StatusOK && says != "":
		why, address = eligibility.LinkNotGot, l.URL+" "+says
	case l.Status == http.StatusOK:
		why = eligibility.LinkNoHTML
	case l.Status >= 400:
		why = eligibility.LinkError
	}
	if why != eligibility.None {
		line.cause = why.String()
	}
	return line, address
}

// split returns the host of a URL, and what stands behind it.
func split(address string) (host, loc string) {
	_, rest, _ := strings.Cut(address, "://")
	host, loc, _ = strings.Cut(rest, "/")
	return host, "/" + loc
}

// link tells of the links that an exploration left out for one cause.
func (t *told) link(l servemap.LeftOut, done servemap.Exploration) leftOut {
	line := leftOut{n: l.Count, cause: l.Cause}
	cause := messages.ReasonNamed(l.Cause).Reason
	some := []string{l.Example}
	switch cause {
	case eligibility.AddressQuery:
		line.todo = l.Remedy // it names the parameters
	case eligibility.LinkActs:
		some = done.Acting
	case eligibility.LinkStale:
		some = done.Stale
	case eligibility.AddressHost: // a crawl has no -hosts
		line.todo = "A sitemap is for one host. If this one is yours too, crawl it as well."
	}
	for _, u := range some {
		switch {
		case u == "":
			continue
		case t.is[u] && cause == eligibility.LinkStale:
			line.n-- // told as a broken link, or as refused
			continue
		case t.is[u]:
			continue
		}
		t.is[u] = true
		if a := t.got[u]; a != nil && a.Told() {
			u += " " + a.says()
		}
		line.some = append(line.some, u)
	}
	line.some = line.some[:min(len(line.some), line.n)]
	return line
}

// files tells of the files that the crawl got and has not told of yet.
func (t *told) files() leftOut {
	l := leftOut{cause: eligibility.LinkFile.String()}
	for _, u := range slices.Sorted(maps.Keys(t.got)) {
		if a := t.got[u]; a != nil && a.file && !t.is[u] {
			l.n, l.some = l.n+1, append(l.some, u)
		}
	}
	return l
}

// groupOf returns what there is to say of the pages of a reason.
func groupOf(g inspect.Group, named []inspect.Link) leftOut {
	l := leftOut{n: g.Pages, cause: g.Reason}
	for _, p := range named {
		l.some = append(l.some, p.URL)
	}
	return l
}

// write writes the summary: the result in one line, what to mend, and what was left out, most first.
func (c closing) write(w io.Writer, s report.Style) error {
	var b strings.Builder
	result := fmt.Sprintf("%s listed · %s · %s left out", report.Number(c.listed),
		report.Count(len(c.broken), "broken link"), report.Number(c.pages))
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
		fmt.Fprintf(&b, "\n%s\n", s.Paint("1;31", "Broken links"))
	}
	slices.SortFunc(c.broken, func(a, b inspect.Link) int { return strings.Compare(a.URL, b.URL) })
	for _, l := range c.broken {
		from := ""
		if len(l.From) > 0 {
			from = ", linked from " + slices.Min(l.From)
		}
		if len(l.From) > 1 { // of which only some are known
			from += " and others"
		}
		fmt.Fprintf(&b, "  %s  %d%s\n", s.Escape(l.URL), l.Status, s.Escape(from))
	}
	for _, part := range []struct {
		head string
		all  []leftOut
	}{
		{"Listed, but search engines will object, as servemap check says", c.faults},
		{"Listed, but linked nowhere", c.orphans}, {"Left out", c.left}, {"Besides", c.beside},
	} {
		if len(part.all) > 0 {
			fmt.Fprintf(&b, "\n%s\n", s.Paint("1;33", part.head))
		}
		slices.SortStableFunc(part.all, func(a, b leftOut) int {
			return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.cause+a.more, b.cause+b.more))
		})
		for _, l := range part.all {
			l.write(&b, s)
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

// write writes why pages were left out, what helps, and some of them.
func (l leftOut) write(b *strings.Builder, s report.Style) {
	wrapped := report.Wrap(s.Escape(l.says()), strings.Repeat(" ", 8), s.Width)
	fmt.Fprintf(b, "  %s%s\n", s.Paint("1", fmt.Sprintf("%4s", report.Number(l.n))),
		strings.TrimPrefix(wrapped, strings.Repeat(" ", 6)))
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
	return report.Style{Width: to.Width(), Paint: to.Paint,
		Escape: func(text string) string { return terminal.Escape(text, "") }}
}
