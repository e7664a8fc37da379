package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/check"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/explorer"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/store/memstore"
)

// linked crawls a site for check, from its start page and what is listed, learns into memory, and says where its links
// lead. What a stranger gets counts, also what may not be stored or has a listed parameter: nothing of it is published.
func (s *checking) linked(ctx context.Context, known check.Known) (found check.Crawl, err error) {
	c, err := s.crawlOf(ctx, known)
	if err != nil {
		return found, err
	}
	level := slog.LevelWarn
	if s.streams.err.(terminal.Plain).Lives() { // how far it is stands in one line there, and not in what somebody keeps
		level = slog.LevelInfo
	}
	log, err := newLog(s.streams, "", level)
	if err != nil {
		return found, err
	}
	a, err := newAnswers(&c.Settings, c.site, new(memstore.Store), func() {}, slog.New(slog.DiscardHandler))
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, a.end()) }()
	a.explorer.Explored, a.explorer.Inside = "", true
	a.site.Wrap(a.explorer.Handler)
	done, err := a.explorer.Explore(ctx, servemap.ExploreOptions{MaxRequests: c.Max, Concurrency: crawlAtOnce,
		Progress: explorer.Progress(log)})
	found.From, found.All = c.site.from, s.all
	found.Failed = slices.Sorted(slices.Values(done.Links[eligibility.LinkFailed.String()]))
	found.Endless = slices.Sorted(slices.Values(done.Links[eligibility.LinkEndless.String()]))
	found.Load = explore.Load{Alone: done.Alone, AtOnce: done.AtOnce}
	found.Whole = err == nil && done.Waiting == 0 && len(found.Failed) <= done.Pages
	inTime := ctx                           // what asks of each page alone ends with it
	if ctx.Err() != nil && done.Pages > 0 { // what it got until then counts
		ctx = context.WithoutCancel(ctx)
		err = a.site.Flush(ctx)
	}
	if err != nil {
		return found, c.why(err)
	}
	w := &walked{c.site, a, c.site.answers(), done, map[string]bool{}, &found}
	found.Exposed, found.Repeated = exposed(w.got), c.site.repeated()
	if err := w.pages(ctx); err != nil {
		return found, err
	}
	w.unlinked(inTime, known.Listed)
	if err := w.broken(ctx); err != nil {
		return found, err
	}
	if err := c.site.unasked(ctx, a, &found); err != nil {
		return found, err
	}
	w.moved()
	if len(found.Public) == 0 {
		found.Why = w.why(c.Origin+"/", c.wallsIn())
	}
	found.Scripts = done.Pages-len(found.Orphans) <= fewPages && c.site.scripted()
	return found, nil
}

// crawlOf returns the crawl of a site for check. It reads the list in place of a sitemap that the site has, which may
// be on another host.
func (s *checking) crawlOf(ctx context.Context, known check.Known) (c *crawl, err error) {
	c = &crawl{streams: s.streams, all: s.all, through: known.Through}
	c.Flags(flag.NewFlagSet("crawl", flag.ContinueOnError), "crawl")
	c.Fill()
	c.Database, c.Admin, c.Name, c.Sitemaps = "", "", "sitemap", []string{known.Origin + "/servemap-listed"}
	c.Public = []string{"/"}
	for _, u := range known.Listed {
		_, query, _ := strings.Cut(u, "?")
		for pair := range strings.SplitSeq(query, "&") {
			name, _, _ := strings.Cut(pair, "=")
			if plain, err := url.QueryUnescape(name); err == nil {
				name = plain
			}
			if location.CheckParam(name) == nil && !location.Tracks(name) && !slices.Contains(c.Query, name) {
				c.Query = append(c.Query, name)
			}
		}
	}
	if c.site, err = c.find(ctx, known.Origin); err != nil {
		return nil, err
	}
	c.site.nowhere, c.site.words = known.Nowhere, map[string]uint64{}
	site := c.site.Handler
	c.site.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/servemap-listed" {
			site.ServeHTTP(w, r)
			return
		}
		_, _ = io.WriteString(w, strings.Join(known.Listed, "\n"))
	})
	return c, nil
}

// walked is a crawl for check that has ended, and what is found in it.
type walked struct {
	site   *heard
	a      *answers
	got    map[string]*answered
	done   servemap.Exploration
	public map[string]bool // pages, also those that look private
	found  *check.Crawl
}

// here asks the answers in this process.
func (w *walked) here() *control.Client { return control.Here(w.a.handler(), nil) }

// private reports whether a page is sent as one for a single visitor.
func (w *walked) private(u string) bool { return w.got[u] != nil && w.got[u].Private }

// orphan notes a listed page that has no link that engines follow.
func (w *walked) orphan(u string) {
	w.found.Orphans = append(w.found.Orphans, w.site.orphan(u, len(w.found.Failed) > 0))
}

// pages finds the public pages, and of these the ones that only the list names. What few pages say to be private,
// nobody should list or link to, nor what says that there is no page.
func (w *walked) pages(ctx context.Context) error {
	private := 0
	for p, err := range w.a.site.Pages(ctx) {
		if err != nil {
			return err
		}
		if w.public[p.URL] = true; w.got[p.URL].denies() {
			continue
		}
		if w.found.Public = append(w.found.Public, p.URL); w.private(p.URL) {
			private++
		}
	}
	for _, u := range slices.Sorted(slices.Values(w.done.Links[eligibility.LinkHeld.String()])) {
		if _, n := w.site.from(u); n > 0 && pages.Looks(u) && !w.got[u].denies() && !w.private(u) {
			w.found.Held = append(w.found.Held, u)
		}
	}
	alone, err := bySitemap(ctx, w.here())
	if err != nil {
		return err
	}
	for _, u := range alone {
		w.orphan(u)
	}
	if pages.Few(private, len(w.found.Public)) {
		w.found.Public = slices.DeleteFunc(w.found.Public, w.private)
		w.found.Orphans = slices.DeleteFunc(w.found.Orphans, func(l check.Link) bool { return w.private(l.To) })
	}
	return nil
}

// unlinked finds the listed addresses that are no public pages only because nothing but the list names them, such as a
// PDF. Where the crawl did not come to its end, nobody names orphans.
func (w *walked) unlinked(ctx context.Context, listed []string) {
	for _, u := range listed {
		if !w.found.Whole {
			return
		}
		if w.public[u] {
			continue
		}
		e, err := w.a.site.Explain(ctx, u)
		if ctx.Err() != nil {
			w.found.Whole = false
			return
		}
		linked := len(e.LinkedFrom) > 0 ||
			slices.ContainsFunc(e.Evidence, func(by servemap.Reason) bool { return by != servemap.ReasonSitemap })
		if n := w.got[e.URL]; err == nil && !linked && !w.public[e.URL] &&
			(e.Verdict != servemap.VerdictExcluded || e.Reason == servemap.ReasonQueryNotCanonical) &&
			e.Reason != servemap.ReasonDuplicate && (n == nil || n.Read && !n.Told()) {
			w.orphan(e.URL)
		}
	}
}

// broken finds the links that lead to no page. One to which only a redirect leads is told as that, and what Cloudflare
// writes in place of mail addresses is none.
func (w *walked) broken(ctx context.Context) error {
	links, err := control.Get[inspect.Links](ctx, w.here(), "/inspect/links.json", nil)
	if err != nil {
		return err
	}
	soft := eligibility.SoftNotFound.String()
	named, err := namedOf(ctx, w.here(), []inspect.Group{{Reason: soft}})
	if err != nil {
		return err
	}
	for _, l := range brokenOf(append(links.Broken, named[soft]...), w.done, w.got, w.site) {
		if n := w.got[l.URL]; len(l.From) > 0 && !strings.Contains(l.URL, "/cdn-cgi/") {
			w.found.Links = append(w.found.Links, check.Link{Kind: "broken-link", To: l.URL, From: slices.Min(l.From),
				Passing: n != nil && n.Status >= http.StatusInternalServerError,
				Says:    cmp.Or(w.loop(n), n.says(), "shows what the site shows where it has no page")})
		}
	}
	return nil
}

// loop says of an answer that it redirects without end, "" if it does not.
func (w *walked) loop(n *answered) string {
	if _, _, loops := (&table{got: w.got}).end(n); !loops {
		return ""
	}
	return n.looping()
}

// moved finds the links that lead to a lasting redirect.
func (w *walked) moved() {
	for _, u := range slices.Sorted(maps.Keys(w.got)) {
		n := w.got[u]
		if n == nil || n.Status != http.StatusMovedPermanently && n.Status != http.StatusPermanentRedirect {
			continue
		}
		some, _ := w.site.from(u)
		if kind, says := n.First(); kind == "redirect" && len(some) > 0 {
			to, there, loops := (&table{got: w.got}).end(n)
			if loops { // a broken link
				continue
			} else if to != n.to {
				if says += ", and its chain ends at " + to; there != nil && there.Status >= http.StatusBadRequest {
					says += ", which " + there.says()
				}
			}
			w.found.Links = append(w.found.Links, check.Link{Kind: "moved-link", To: u, From: some[0], Says: says})
		}
	}
}

// why says why nothing could be listed of a site that begins at root. walls names the bot walls that answered.
func (w *walked) why(root, walls string) string {
	_, means, _ := w.a.explorer.Missing(w.done)
	first := w.got[root]
	if to, there, _ := (&table{got: w.got}).end(first); to != "" && there.says() != "" {
		root, first = root+" redirects to "+to+". "+to, there
	}
	if answer := first.says(); answer != "" && first.Wall == "" { // where all begins
		means = root + " " + answer + "."
	}
	says := []string{"The crawl could list none of", words.Count(w.done.Pages, "page") + ".", means, walls}
	return strings.Join(strings.Fields(strings.Join(says, " ")), " ")
}
