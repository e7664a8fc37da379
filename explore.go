package servemap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/observe"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
)

// ExploreOptions adjusts [Site.Explore]. The zero values are the defaults.
type ExploreOptions struct {
	// MaxRequests is how many requests Explore makes at most; by default 20,000.
	MaxRequests int
	// Concurrency is how many requests run at once at most; by default 2.
	Concurrency int
	// Inside, if not nil, is the site's own handler, to ask in place of the origin. Then pages
	// that a proxy in front protects count as public.
	Inside http.Handler
	// Revisit makes Explore go on until ctx ends. It then requests so many pages a day at most that no visitor
	// requests: one that changes daily about twice a day, and each three times in Limits.KeepFor. So changes get a
	// lastmod, and pages that are gone leave.
	Revisit int
	// Paths are those of a router's own list. Explore asks for them too, and a page there is listed as one with a route
	// of its own. Left out are paths with a variable, such as /p/{id}, with a verb, such as /cache/clear, and with a
	// name such as admin or debug.
	Paths []string
	// Sitemaps are sitemaps that the site has, such as "/old.xml", besides what its robots.txt names and "/sitemap.xml",
	// also one behind this Site's own. Explore asks for what they list, and a page there is listed since the owner has
	// published it. Their dates are not believed.
	Sitemaps []string
	// Progress, if not nil, is called a few times a second and at the end.
	Progress func(Exploration)
}

// Exploration says how far [Site.Explore] has got. Once Progress has returned, Explore may
// change it.
type Exploration struct {
	Requests int `json:"requests"` // made so far
	Pages    int `json:"pages"`    // requests answered with HTML
	Waiting  int `json:"waiting"`  // locations still to request
	// Skipped counts by reason the links that Explore did not follow, such as "acting",
	// "disallowed", "nofollow", "query" or "endless". Pages "elsewhere" were requested, but
	// not answered by this process, so they taught it nothing. Pages "held" are in Held.
	Skipped map[string]int `json:"skipped,omitempty"`
	// Examples have for each of these reasons the first such link, as a URL, or as its page has it if it is none.
	Examples map[string]string `json:"examples,omitempty"`
	// Acting are the URLs of links that may act, one of each shape, at most 100. If one is a
	// page, a [Rule] with [DecisionAlways] lets the next exploration request it.
	Acting []string `json:"acting,omitempty"`
	// Params keep linked pages out of the sitemap, as "id: 20 linked pages of /view"; at most 20.
	Params []string `json:"params,omitempty"`
	// Held are, at the end, the URLs of requested pages that are held for their address, at most 100.
	Held []string `json:"held,omitempty"`
	// Stale are URLs that the site's own sitemap lists, and that were answered with an error, at most 100.
	Stale []string `json:"stale,omitempty"`
}

// ErrElsewhere is wrapped by the error of [Site.Explore] if the public origin does not lead to this process.
var ErrElsewhere = explore.ErrElsewhere

// LeftOut is a line of the table of what was left out.
type LeftOut struct {
	Cause   string `json:"cause"` // such as "query", "endless" or "no-store"
	Count   int    `json:"count"`
	Example string `json:"example,omitempty"` // a URL
	Means   string `json:"means"`             // a sentence
	Remedy  string `json:"remedy,omitempty"`  // what to do if it is a mistake
}

// LeftOut is the table of the links that were not followed, first what may be a mistake.
func (e Exploration) LeftOut() []LeftOut {
	counts := maps.Clone(e.Skipped)
	if counts == nil {
		counts = map[string]int{}
	}
	counts[eligibility.LinkLeft.String()] = e.Waiting
	return leftOut(messages.TableOf(counts, e.Examples), e.Params)
}

func leftOut(table []messages.Left, params []string) (all []LeftOut) {
	for _, l := range table {
		if l.Cause == eligibility.AddressQuery.String() {
			l.Remedy = messages.QueryRemedy(params)
		}
		all = append(all, LeftOut(l))
	}
	return all
}

// String says it in one line, as "120 requests, 118 pages, 0 left, 2 acting".
func (e Exploration) String() string {
	text := fmt.Sprintf("%d requests, %d pages, %d left", e.Requests, e.Pages, e.Waiting)
	for _, why := range slices.Sorted(maps.Keys(e.Skipped)) {
		text += fmt.Sprintf(", %d %s", e.Skipped[why], why)
	}
	return text
}

// Explore walks the site through its public origin, from the entries along the links, and
// requests what the sitemap lists that the site has behind this one, and what rules with
// [DecisionAlways] name without a star. It returns when all it
// found is in the sitemap. So a site has its sitemap before its first visitor. If opts is
// nil, it uses the defaults.
//
// First Explore finds out, for some seconds, whether the origin leads to this process; the
// server may begin to listen meanwhile. If not, the error says so, and nothing is explored
// without [ExploreOptions.Inside]. So it gets what a stranger gets, whatever a proxy in
// front does. It makes only GET requests, to the origin alone, without cookies, as
// "servemap-explore". It obeys robots.txt and nofollow, leaves to visitors what may act,
// such as /logout and /items/5/hide, and slows down or pauses when the site does. A
// calendar without end is left after some pages that show nothing new.
//
// The error is that of ctx if ctx ended, or says why the exploration could not begin or go
// on. The Exploration counts what was done until then, and what was learned stays.
func (s *Site) Explore(ctx context.Context, opts *ExploreOptions) (Exploration, error) {
	if opts == nil {
		opts = &ExploreOptions{}
	}
	cfg, err := s.exploring(opts)
	if err != nil {
		return Exploration{}, fmt.Errorf("servemap: exploring: %w", err)
	}
	report, err := explore.Run(ctx, cfg)
	if err == nil {
		s.looks.Asks.Store(&cfg)         // looks go the same way from now on, as a stranger gets the page
		s.hints.End(messages.Unexplored) // before the revisits, which do not end
		err = s.Flush(ctx)
	}
	if (err == nil || len(report.Skipped) > 0) && cfg.Walks() {
		done := Exploration(report)
		if err != nil { // what it did not ask for was left by no limit
			done.Waiting = 0
		}
		s.left.Store(&done)
		for _, l := range done.LeftOut() {
			args := []any{"cause", l.Cause, "links", l.Count}
			if l.Example != "" && messages.MayName(l.Cause) {
				args = append(args, "such as", l.Example)
			}
			s.log.Logger().Info(strings.TrimSpace(messages.NotFollowed+l.Means+" "+l.Remedy), args...)
		}
	}
	if err == nil && opts.Revisit > 0 {
		err = explore.Revisit(ctx, cfg, opts.Revisit, s.opts.Limits.KeepFor/3)
	}
	if another := errors.Is(err, explore.ErrAnother) && s.observer.Own.Another(); !another && errors.Is(err, explore.ErrElsewhere) {
		cut := s.observer.Own.CutInFront()
		why := strings.TrimPrefix(err.Error(), explore.ErrElsewhere.Error()+": ")
		if err = fmt.Errorf("%w; %s", err, messages.Elsewhere(cut)); cut != "" {
			why += "; " + messages.Elsewhere(cut)
		}
		s.hints.Give(messages.Unexplored, "What came there: "+why+".")
	}
	if err != nil {
		err = fmt.Errorf("servemap: exploring: %w", err)
	}
	return Exploration(report), err
}

// Exploring reports whether the site made a request itself, by [Site.Explore] or to look at
// a page of its own (see Limits.Looks), for handlers behind [Site.Wrap] or [Site.Mount].
// They can leave such requests out of their statistics and limits.
func Exploring(r *http.Request) bool { return observe.Explores(r) }

func (s *Site) exploring(opts *ExploreOptions) (cfg explore.Config, err error) {
	routes := map[string]bool{}
	cfg = s.observer.Own.Door(routes)
	cfg.Behind = s.looks.Behind
	cfg.Entries, cfg.MaxRequests, cfg.Concurrency = s.entries, cmp.Or(max(opts.MaxRequests, 0), 20_000), cmp.Or(max(opts.Concurrency, 0), 2)
	cfg.Ledger = explore.NewLedger(cfg.MaxRequests)
	for _, path := range opts.Paths {
		if r := s.norm.Parse(path); r.Reason == location.ReasonNone && !strings.ContainsAny(path, "{}[]<>():*+") && eligibility.Unlinked(r.Location) {
			cfg.Paths, routes[r.Location] = append(cfg.Paths, r.Location), true
		}
	}
	for _, url := range opts.Sitemaps {
		at := s.norm.Parse(url)
		if at.Location == "" {
			return cfg, fmt.Errorf(words.Say("{Sitemaps}: %q is no address of %s"), url, s.origin)
		}
		cfg.Sitemaps = append(cfg.Sitemaps, at.Location)
	}
	if s.opts.Robots != "" {
		cfg.Robots = []byte(s.opts.Robots)
	}
	if opts.Inside != nil {
		s.observer.Own.Leads()
		cfg.How, cfg.Handler = explore.Inside, s.observer.Own.Inside(opts.Inside)
		if s.path != s.origin.Folder() && cfg.Robots == nil {
			cfg.Robots = []byte{} // a proxy removes the prefix, so the host's robots.txt is not this handler's
		}
	}
	if opts.Progress != nil {
		cfg.Progress = func(r explore.Report) { opts.Progress(Exploration(r)) }
	}
	return cfg, nil
}
