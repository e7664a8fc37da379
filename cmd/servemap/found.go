package main

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/check"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/inspect"
)

// found returns what there is to say of a crawl.
func (c *crawl) found(ctx context.Context, a *answers, done servemap.Exploration) (found closing, err error) {
	here := control.Here(a.handler(), nil)
	of, err := control.Get[summary](ctx, here, "/inspect/stats.json", nil)
	if err != nil {
		return found, err
	}
	links, err := control.Get[inspect.Links](ctx, here, "/inspect/links.json", nil)
	if err != nil {
		return found, err
	}
	named, err := namedOf(ctx, here, of.Reasons)
	if err != nil {
		return found, err
	}
	for _, u := range done.Held { // the inspector names none, and these only wait
		why := eligibility.Capability.String()
		named[why] = append(named[why], inspect.Link{URL: u})
	}
	got := c.site.answers()
	if says := c.unmatched(done, got, named); says != "" {
		of.Stats.Hints = append(of.Stats.Hints, says)
	}
	if err := unnamed(ctx, a, got, of.Reasons, named); err != nil {
		return found, err
	}
	var alone []string
	if !isCut(done) { // else nobody knows what has no link
		if alone, err = bySitemap(ctx, here); err != nil {
			return found, err
		}
	}
	listed, dated, err := written(ctx, a)
	if err != nil {
		return found, err
	}
	found = closing{listed: len(listed), all: c.all, hints: of.Stats.Hints, got: got,
		broken: brokenOf(append(links.Broken, named[eligibility.SoftNotFound.String()]...), done, got, c.site)}
	found.from = c.site.from
	found.broken = slices.DeleteFunc(found.broken, func(l inspect.Link) bool { // what is named alone is told as that
		_, n := found.from(l.URL)
		return n == 0 && slices.ContainsFunc(l.From, func(u string) bool { return got[u].names(l.URL) })
	})
	secrets := slices.DeleteFunc(exposed(got), func(l check.Link) bool { return l.Kind != "secret" })
	for _, l := range secrets {
		found.exposed = append(found.exposed, inspect.Link{URL: l.To})
	}
	found.secrets = c.site.secrets(secrets)
	for why, some := range named { // what is told apart, and is not listed, is counted by its reason too
		for _, l := range some {
			for _, apart := range [][]inspect.Link{found.broken, found.exposed} {
				for i := range apart {
					if apart[i].URL == l.URL && apart[i].Reason == "" {
						apart[i].Reason = why
					}
				}
			}
		}
	}
	load := explore.Load{Alone: done.Alone, AtOnce: done.AtOnce}
	says := []string{load.Says()}
	if found.listed > 0 { // else no file is written
		says = append(says, c.site.undated(dated), c.site.unwritten(c.Alternates, c.Images))
	}
	for _, hint := range says {
		if hint != "" {
			found.hints = append(found.hints, hint)
		}
	}
	for _, entry := range append([]string{c.site.origin.Folder()}, c.Entries...) {
		found.entries = append(found.entries, c.site.origin.URL(entry))
	}
	found.leave(done, of.Reasons, named)
	if found.faults, err = c.site.faults(listed, got); err != nil {
		return found, err
	}
	found.orphans = orphansOf(alone)
	if found.scripts = done.Pages <= fewPages && c.site.scripted(); found.scripts { // which says it of the site
		found.faults = slices.DeleteFunc(found.faults, func(l leftOut) bool { return l.kind == "scripts" })
	}
	if found.listed == 0 {
		found.none = c.none(ctx, a, got)
	}
	_, _, add := a.explorer.Missing(done)
	found.cure = c.cure(strings.Join(add, " "))
	return found, nil
}

// written returns the pages that are written, and how many of them have a date.
func written(ctx context.Context, a *answers) (listed []string, dated int, err error) {
	for p, err := range a.site.Pages(ctx) {
		if err != nil {
			return nil, 0, err
		}
		if listed = append(listed, p.URL); !p.LastModified.IsZero() {
			dated++
		}
	}
	return listed, dated, nil
}

// none says of where a crawl begins that lists nothing what it got there, or where that redirects in the end, or why
// that is not listed.
func (c *crawl) none(ctx context.Context, a *answers, got map[string]*answered) string {
	entry := c.site.origin.URL(append(slices.Clone(c.Entries), c.site.origin.Folder())[0])
	at, there := entry, got[entry]
	if to, end, _ := (&table{got: got}).end(there); to != "" {
		at, there, entry = to, end, entry+" redirects to "+to+". "+to
	}
	if there != nil && slices.Contains(refusals, there.kind()) {
		return entry + " " + there.says() + ". Crawl it again once strangers get a page there, or give -entry with one that they get."
	}
	e, err := a.site.Explain(ctx, at)
	if why := messages.ReasonNamed(string(e.Reason)).Why; err == nil && why != "" {
		return entry + ": " + why + "."
	}
	return "See above what was left out."
}

// refusals are the kinds of what check finds in an answer that is no page for strangers.
var refusals = []string{"error", "denied", "busy", "login", "wall", "no-answer", "coding", "soft-404", "empty-page"}

// unmatched names the patterns and parameters of the owner that fit nothing that the crawl met, such as misspelt ones,
// "" for none. Of a crawl that did not come to its end, or that keeps not all that it met, nobody knows.
func (c *crawl) unmatched(done servemap.Exploration, got map[string]*answered, named map[string][]inspect.Link) string {
	met := c.site.linked()
	for u, n := range got {
		if n == nil || n.Status < http.StatusBadRequest { // a crawl asks for what -always names
			met = append(met, u)
		}
	}
	for _, some := range named {
		for _, l := range some {
			met = append(met, l.URL)
		}
	}
	for cause, some := range done.Links {
		if cause == eligibility.RuleNever.String() && len(some) < done.Skipped[cause] {
			return ""
		}
		met = append(met, some...)
	}
	if isCut(done) || done.Skipped[eligibility.LinkFailed.String()] > 0 || len(got) == mostHeard {
		return ""
	}
	var idle []string
	for _, of := range []struct {
		flag     string
		patterns []string
	}{{"-never", c.Never}, {"-always", c.Always}, {"-public", c.Public}} {
		for _, p := range of.patterns {
			rule, _ := eligibility.NewRules([]eligibility.Rule{{Pattern: p, Listing: eligibility.Never}}) // Check had no objection
			if !slices.ContainsFunc(met, func(u string) bool {
				_, is := rule.Match(strings.TrimPrefix(u, c.site.origin.URL("")))
				return is
			}) {
				idle = append(idle, of.flag+" "+p)
			}
		}
	}
	for _, name := range c.Query {
		if !slices.ContainsFunc(met, func(u string) bool {
			_, query, _ := strings.Cut(u, "?")
			values, _ := url.ParseQuery(query)
			return values.Has(name)
		}) {
			idle = append(idle, "-query "+name)
		}
	}
	if len(idle) == 0 {
		return ""
	}
	return "No page matched " + strings.Join(idle, ", ") + "."
}

// mostNamed is how many addresses -all names of a kind.
const mostNamed = 1000

// mostUnnamed bounds the answers in which unnamed looks for pages that no listed page links to.
const mostUnnamed = 1000

// unnamed adds to the pages that are not listed those that no listed page links to, such as an entry that redirects.
func unnamed(
	ctx context.Context, a *answers, got map[string]*answered, groups []inspect.Group, named map[string][]inspect.Link,
) error {
	left, is := map[string]int{}, map[string]bool{}
	for _, g := range groups {
		if left[g.Reason] = g.Pages - len(named[g.Reason]); g.Care == messages.Fine {
			left[g.Reason] = 0
		}
		for _, l := range named[g.Reason] {
			is[l.URL] = true
		}
	}
	for p, err := range a.site.Pages(ctx) {
		if err != nil {
			return err
		}
		is[p.URL] = true
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(got)), func(u string) bool { return is[u] })
	for _, u := range others[:min(len(others), mostUnnamed)] {
		e, err := a.site.Explain(ctx, u)
		if ctx.Err() != nil {
			return err
		}
		if why := string(e.Reason); left[why] > 0 {
			left[why]--
			named[why] = append(named[why], inspect.Link{URL: u, Verdict: string(e.Verdict), Reason: why})
		}
	}
	return nil
}

// cure says how to crawl so that more is listed. add are the flags for that, "" for none.
func (c *crawl) cure(add string) string {
	if add == "" {
		return ""
	}
	if len(c.Public)+len(c.Query) > 0 {
		return "If these pages are public, add " + add
	}
	return "If these pages are public: servemap crawl " + c.Origin + " " + add
}

// fewPages is how many pages a crawl finds at most of a site whose links are written by scripts.
const fewPages = 3
