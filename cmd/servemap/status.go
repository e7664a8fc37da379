package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/check"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/words"
)

// status is what the inspector knows of the whole site, and what IndexNow does.
type status struct {
	summary
	Crawlers crawlers      `json:"crawlers"`
	IndexNow *inspect.Told `json:"indexnow,omitempty"` // nil if nobody was told anything yet
}

type summary struct {
	inspect.Overview
	Stats servemap.Stats `json:"stats"` // in place of the Overview's, which are of any type
}

type crawlers struct {
	Followed bool               `json:"followed"`
	Crawlers []servemap.Crawler `json:"crawlers"`
	Told     *inspect.Told      `json:"told,omitempty"`
}

func statusCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, _ string) error { return a.status(ctx) }
}

// status prints how the site stands.
func (a *asking) status(ctx context.Context) error {
	c, err := a.connect(ctx)
	if err != nil {
		return err
	}
	var p statusPage
	if err = p.ask(ctx, c); err == nil && !a.json {
		err = p.askMore(ctx, c)
	}
	c.Close() // before it prints, which may take long
	if err != nil {
		return err
	}
	if p.unserved = !a.served; p.unserved {
		p.Serving, p.Look = false, nil
		p.State = "No process serves the site; this is what is stored."
	}
	if a.json {
		return a.show(p.status)
	}
	if !a.served {
		p.State = words.Count(p.Stats.Listed, "page") + " listed; no process serves the site, and this is what is stored"
	}
	to := a.out.(terminal.Plain) // run has made it one
	p.Style = styleOf(to)
	_, err = to.To.Write([]byte(p.text()))
	return err
}

// statusPage is the status for people: what is listed, what to do, what waits, and what stays out. It says each thing
// once.
type statusPage struct {
	status
	report.Style
	links inspect.Links
	files inspect.Files
	named map[string][]inspect.Link // pages that are not listed, by reason

	unserved bool // no process serves the site, so only what is stored is known
}

func (p *statusPage) ask(ctx context.Context, c *control.Client) (err error) {
	if p.summary, err = control.Get[summary](ctx, c, "/inspect/stats.json", nil); err == nil {
		p.Crawlers, err = control.Get[crawlers](ctx, c, "/inspect/crawlers.json", nil)
	}
	p.IndexNow, p.Crawlers.Told = p.Crawlers.Told, nil
	return err
}

// askMore asks for what only people are shown.
func (p *statusPage) askMore(ctx context.Context, c *control.Client) (err error) {
	if p.links, err = control.Get[inspect.Links](ctx, c, "/inspect/links.json", nil); err != nil {
		return err
	}
	if p.files, err = control.Get[inspect.Files](ctx, c, "/inspect/files.json", nil); err != nil {
		return err
	}
	p.named, err = namedOf(ctx, c, p.Reasons)
	return err
}

// namedOf asks for some of the pages that are not listed, by their reason, and of those that only the site's own
// sitemap leads to.
func namedOf(
	ctx context.Context, c *control.Client, groups []inspect.Group,
) (named map[string][]inspect.Link, err error) {
	named = map[string][]inspect.Link{}
	for _, g := range groups {
		if g.Care == messages.Fine && g.Reason != eligibility.BySitemap.String() {
			continue // visitors find them
		}
		asked := url.Values{"reason": {g.Reason}}
		some, err := control.Get[struct{ Pages, Links []inspect.Link }](ctx, c, "/inspect/pages.json", asked)
		if err != nil {
			return nil, err
		}
		links := slices.DeleteFunc(some.Links, func(l inspect.Link) bool { return l.Reason != g.Reason }) // "gone" is a verdict too
		named[g.Reason] = append(links, some.Pages...)
	}
	return named, nil
}

func (p *statusPage) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.Paint("1", p.Escape(p.Origin+": "+p.State)))
	if facts := p.facts(); facts != "" {
		fmt.Fprintf(&b, "%s\n", report.Wrap(p.Escape(facts), "", p.Width))
	}
	links := slices.DeleteFunc(p.Stats.LeftOut, func(l servemap.LeftOut) bool {
		return l.Example == "" // a line about pages, which the reasons have
	})
	p.Reasons = unbroken(p.Reasons, p.named, p.links.Broken)
	for _, part := range []struct {
		care         messages.Care
		head, colour string
	}{
		{messages.Fine, "In the sitemap", "1;32"}, {messages.Look, "To do", "1;31"}, {messages.Wait, "Waiting", "1;33"},
		{messages.Intended, "Left out, most likely as it should be", "1"},
	} {
		text := ""
		if part.care == messages.Look {
			text = p.look()
		}
		for _, g := range p.Reasons {
			if g.Care != part.care || g.AsLinks {
				continue
			}
			l := groupOf(g, p.named[g.Reason])
			if g.Reason == eligibility.NotSeen.String() && p.unserved {
				l.todo = "Which ones, a process that serves the site says, and a crawl at its end."
			}
			if g.Care == messages.Wait && messages.ReasonNamed(g.Reason).Care == messages.Look { // a rule may list them
				l.todo = messages.Opened(g.Pages)
			}
			text += p.line(l)
		}
		for _, l := range links {
			care := messages.ReasonNamed(l.Cause).CareOf(p.Stats.Listed)
			for _, g := range p.Reasons {
				if g.Reason == l.Cause && g.AsLinks {
					care = g.Care
				}
			}
			if care == part.care {
				left := leftOut{n: l.Count, cause: l.Cause, todo: l.Remedy}
				if l.Example != "" {
					left.some = []string{l.Example}
				}
				text += p.line(left)
			}
		}
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n%s", p.Paint(part.colour, part.head), text)
		}
	}
	b.WriteString(p.uncounted() + p.engines())
	return b.String()
}

func (p *statusPage) line(l leftOut) string {
	var b strings.Builder
	l.write(&b, p.Style, shownOf, "")
	return b.String()
}

// facts says since when pages are served, and what became of them.
func (p *statusPage) facts() string {
	var said []string
	if p.Serving {
		said = append(said, "Served since "+clock(p.links.Read.Since)+".")
	}
	var changed time.Time
	for _, f := range p.files.Files {
		if f.Changed.After(changed) {
			changed = f.Changed
		}
	}
	if !changed.IsZero() {
		said = append(said, "The sitemap last changed "+clock(changed)+".")
	}
	if days := p.History.Days; len(days) > 0 {
		var week inspect.Day
		for _, d := range days[max(0, len(days)-7):] {
			week.Added, week.Changed, week.Removed = week.Added+d.Added, week.Changed+d.Changed, week.Removed+d.Removed
		}
		if dated := days[len(days)-1].Dated; dated > 0 {
			said = append(said, "Pages with a lastmod: "+words.Number(dated)+".")
		} else if p.Stats.Listed > 0 {
			said = append(said, "No page has a lastmod yet: dates appear as pages change.")
		}
		if week.Events() > 0 {
			said = append(said, fmt.Sprintf("In seven days: %s new, %s, %s gone.", words.Number(week.Added),
				words.Count(week.Changed, "change"), words.Number(week.Removed)))
		}
	}
	hidden := slices.ContainsFunc(p.Reasons, func(g inspect.Group) bool { return g.Care != messages.Fine })
	if read := p.links.Read.Pages; hidden && !p.unserved && read < p.Stats.Listed {
		said = append(said, fmt.Sprintf("The links of %s of %s were read since the start: what is not listed has its addresses here again "+
			"once the pages that link to it are visited.", words.Number(read), words.Count(p.Stats.Listed, "page")))
	}
	if p.Unused != "" {
		said = append(said, p.Unused)
	}
	return strings.Join(said, " ")
}

func clock(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }

// look says what needs the owner's attention besides the pages and links that are left out.
func (p *statusPage) look() string {
	var b strings.Builder
	forOne := slices.ContainsFunc(p.Reasons, func(g inspect.Group) bool {
		return g.Reason == eligibility.Private.String() || g.Reason == eligibility.NoStore.String()
	})
	for _, l := range append(p.troubles(), p.Look...) {
		if l.View == "links" || strings.HasPrefix(l.View, "pages?") || forOne && messages.ForOne.In([]string{l.Text}) {
			continue // more of them follows
		}
		fmt.Fprintf(&b, "%s\n", report.Wrap(p.Escape(l.Text), "        ", p.Width))
	}
	if len(p.links.Broken) == 0 {
		return b.String()
	}
	_, links, _ := strings.Cut(words.Count(len(p.links.Broken), "broken link"), " ")
	broken := leftOut{n: len(p.links.Broken), why: links, todo: "Mend the links, or the pages where they lead."}
	for _, l := range p.links.Broken {
		from := check.Linking(l.From, l.Linking, false)
		broken.some = append(broken.some, fmt.Sprintf("%s answers %d, linked from %s", l.URL, l.Status, from))
	}
	return b.String() + p.line(broken)
}

// troubles says what is wrong with the store, and what was lost.
func (p *statusPage) troubles() (all []inspect.Look) {
	if p.Stats.Store != "" {
		all = append(all, inspect.Look{Text: "The store cannot be used: " + p.Stats.Store})
	}
	if n := p.Stats.Damaged; n > 0 {
		damaged := words.Count(int(n), "record") + " of the store could not be read; what was in them is learned again."
		all = append(all, inspect.Look{Text: damaged})
	}
	if n := p.Stats.Dropped; n > 0 {
		all = append(all, inspect.Look{Text: words.Count(int(n), "visit") + " taught nothing, as too many came at once."})
	}
	return all
}

// uncounted says which answers showed nothing of a public page.
func (p *statusPage) uncounted() string {
	text := ""
	for _, r := range p.Responses {
		if slices.ContainsFunc(p.Reasons, func(g inspect.Group) bool { return g.Reason == r.Reason }) {
			continue // the pages above tell it
		}
		_, todo, _ := strings.Cut(r.Means, ". ")
		text += p.line(leftOut{n: int(r.Count), cause: r.Reason, todo: todo})
	}
	if text != "" {
		text = "\n" + p.Paint("1", "Visits that did not count") + "\n" + text
	}
	return text
}

// engines says what search engines fetched, and what they were told.
func (p *statusPage) engines() string {
	var lines []string
	for _, c := range p.Crawlers.Crawlers {
		if len(c.Days) == 0 {
			continue
		}
		last := c.Days[0]
		line := fmt.Sprintf("%s: %s on %s", c.Engine, words.Count(last.Claimed, "request"), last.Day.Format("2 Jan"))
		if len(c.Files) > 0 {
			line += ", read the sitemap " + clock(c.Files[0].At)
		}
		lines = append(lines, line)
	}
	if t := p.IndexNow; t != nil {
		sent, waits := words.Count(t.SentToday, "page"), words.Number(t.Pending)
		lines = append(lines, fmt.Sprintf("IndexNow: %s accepted today, %s waiting", sent, waits))
		if t.Waits != "" {
			lines = append(lines, fmt.Sprintf("  %s: the next is sent %s", t.Waits, clock(t.NextSend)))
		}
		for _, e := range t.Endpoints {
			lines = append(lines, "  "+e.URL+": "+cmp.Or(e.Verdict,
				"nothing was sent yet: it is told of what changes from the first start on, not of what was there"))
		}
		for _, f := range t.Sitemaps {
			line := "Search Console: " + f.URL + " was not downloaded yet"
			if !f.LastDownloaded.IsZero() {
				line = fmt.Sprintf("Search Console: %s, %s and %s, downloaded %s", f.URL,
					words.Count(f.Submitted, "page"), words.Count(f.Errors, "error"), clock(f.LastDownloaded))
			}
			lines = append(lines, line)
		}
	}
	for i, l := range lines {
		lines[i] = "  " + p.Escape(l) + "\n"
	}
	if len(lines) > 0 {
		return "\n" + p.Paint("1", "Search engines") + "\n" + strings.Join(lines, "")
	}
	return ""
}
