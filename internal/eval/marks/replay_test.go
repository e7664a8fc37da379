package marks

import (
	"cmp"
	"context"
	"flag"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/eval/kit"
	parsed "github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/bench"
	"github.com/servemap/servemap/internal/testkit/visits"
	"github.com/servemap/servemap/store/memstore"
)

// history calls each for every fetch of some sites, one site after the other.
type history func(each func(*fetch) error) error

// replay runs every detector over a history, and adds the outcome to the report. Each site is replayed in virtual
// time, so that no outcome depends on how fast the machine is. later are the visits after each fetch.
func replay(t *testing.T, h history, later []time.Duration, to *report) error {
	var fetches []*fetch // of one site
	finish := func() {
		if len(fetches) > 0 {
			synctest.Test(t, func(t *testing.T) { to.add(replaySite(t, revisited(fetches, later))) })
		}
		fetches = nil
	}
	err := h(func(f *fetch) error {
		if len(fetches) > 0 && fetches[0].Site != f.Site {
			finish()
		}
		fetches = append(fetches, f)
		return nil
	})
	finish()
	return err
}

// revisited adds visits that get the same bytes as the fetch before them, while they come before the page's next fetch.
func revisited(fetches []*fetch, later []time.Duration) []*fetch {
	next, all := map[string]int64{}, slices.Clone(fetches)
	for _, f := range slices.Backward(fetches) {
		for _, d := range later {
			if at := f.Unix + int64(d/time.Second); next[f.Page] == 0 || at < next[f.Page] {
				again := *f
				again.Unix, again.Truth = at, truthSame
				all = append(all, &again)
			}
		}
		next[f.Page] = f.Unix
	}
	slices.SortStableFunc(all, func(a, b *fetch) int { return cmp.Compare(a.Unix, b.Unix) })
	return all
}

// site is the history of one site during its replay.
type site struct {
	t       *testing.T
	pages   map[string]*judged
	order   []string // of the pages
	last    map[string]*sight
	tallies []tally // of the simple detectors, of ours, and of the mark alone
	simple  []func(*sight) bool
	dates   []map[string]int64 // from the simple detectors, by page
	ours    *bench.Bench
	alone   alone
}

// seed alters the hashes of the blocks for the mark alone.
var seed = flag.Uint64("seed", 0, "another one gives the mark alone other hashes")

// alone is the mark without an indexer: it dates changes itself.
type alone struct {
	site  mark.Site
	marks map[string]mark.Mark
	dates map[string]int64
	was   map[string]int64 // before the last change
	last  map[string]int64 // when each was fetched
}

// take shows a fetch to the mark, as an indexer does. again says that it has the bytes of the fetch before.
func (a *alone) take(s *sight, again bool) {
	m, last := a.marks[s.Page], a.last[s.Page]
	a.last[s.Page] = s.Unix
	if again && !m.Holding() {
		m = m.Still(s.Unix)
		if a.marks[s.Page] = m; a.site.Disowns(m, a.dates[s.Page]) {
			a.dates[s.Page] = a.was[s.Page]
		}
		return
	}
	v := mark.Read(&s.facts, *seed)
	v.Last = last
	a.site.Consult(&v, m, location(s.Page), s.Unix)
	m, outcome, since := m.Observe(&v, s.Unix)
	if a.marks[s.Page] = m; outcome == mark.Changed {
		a.was[s.Page], a.dates[s.Page] = a.dates[s.Page], since
	} else if a.site.Disowns(m, a.dates[s.Page]) {
		a.dates[s.Page] = a.was[s.Page]
	}
}

// forever keeps pages although their last visit is long ago.
const forever = 100 * 365 * 24 * time.Hour

// replaySite replays the fetches of one site. All pages are listed, so that files are made of them.
func replaySite(t *testing.T, fetches []*fetch) []tally {
	s := &site{t: t, pages: map[string]*judged{}, last: map[string]*sight{}}
	for _, b := range baselines {
		s.tallies = append(s.tallies, tally{detector: b.name})
		s.simple = append(s.simple, b.fresh())
		s.dates = append(s.dates, map[string]int64{})
	}
	s.tallies = append(s.tallies, tally{detector: "ours"}, tally{detector: "the mark alone"})
	s.alone = alone{marks: map[string]mark.Mark{}, dates: map[string]int64{}, was: map[string]int64{},
		last: map[string]int64{}}
	rules, err := eligibility.NewRules([]eligibility.Rule{{Pattern: "/", Listing: eligibility.Always}})
	base.Check(t, err)
	time.Sleep(time.Until(time.Unix(fetches[0].Unix, 0)))
	s.ours, err = bench.New(kit.Origin, new(memstore.Store), bench.Options{KeepFor: forever, Rules: rules,
		Logger: slog.New(slog.DiscardHandler)})
	base.Check(t, err)
	defer s.ours.Close()
	for _, f := range fetches {
		time.Sleep(time.Until(time.Unix(f.Unix, 0)))
		s.take(f)
	}
	s.finish()
	return s.tallies
}

// take replays one fetch.
func (s *site) take(f *fetch) {
	p := s.pages[f.Page]
	if p == nil {
		p = newPage(len(s.tallies))
		s.pages[f.Page] = p
		s.order = append(s.order, f.Page)
	} else {
		s.ask(f.Page)
	}
	p.note(f)
	seen, before := &sight{fetch: f}, s.last[f.Page]
	again := before != nil && before.HTML == f.HTML
	if again {
		seen.facts = before.facts
	} else {
		seen.facts = parsed.Read([]byte(f.HTML), parsed.Options{ContentType: kit.HTML})
	}
	s.last[f.Page] = seen
	for i, detect := range s.simple {
		if detect(seen) {
			s.dates[i][f.Page] = f.Unix
		}
	}
	s.alone.take(seen, again)
	for i := range s.tallies {
		s.tallies[i].fetches++
	}
	body := strings.ReplaceAll(f.HTML, `rel="canonical"`, "") // it names the page's address on the real site
	s.ours.Indexer.Offer(visits.Page(location(f.Page), body, time.Unix(f.Unix, 0)))
	base.Check(s.t, s.ours.Indexer.Flush(context.Background()))
}

// location returns where a page is served.
func location(page string) string { return (&url.URL{Path: "/" + page}).EscapedPath() }

// ask notes the date that each detector publishes for a page now.
func (s *site) ask(name string) {
	p := s.pages[name]
	for i := range baselines {
		p.publish(i, s.dates[i][name], &s.tallies[i])
	}
	p.publish(len(baselines)+1, s.alone.dates[name], &s.tallies[len(baselines)+1])
	known, err := s.ours.Indexer.Page(context.Background(), location(name))
	base.Check(s.t, err)
	date := known.Entry.LastMod(s.ours.Files.Trust(), moment.Of(time.Now())).Seconds()
	p.publish(len(baselines), date, &s.tallies[len(baselines)])
}

// finish asks for the last dates, and counts.
func (s *site) finish() {
	for _, name := range s.order {
		p := s.pages[name]
		s.ask(name)
		for i := range s.tallies {
			s.tallies[i].pages++
			p.count(i, &s.tallies[i])
		}
		known, err := s.ours.Indexer.Page(context.Background(), location(name))
		base.Check(s.t, err)
		stored, _ := known.Mark.MarshalBinary()
		s.tallies[len(baselines)].bytes += len(stored)
	}
}
