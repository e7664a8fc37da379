package merge

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/secret"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/visits"
)

// world is a site and its records, without a store or a clock: observations are merged as they come.
type world struct {
	*testing.T
	site    *Site
	now     time.Time
	records map[string][]byte
	due     map[string]int // how often each location was made due
	pending map[string]moment.Time
	looks   []string // locations that the site is to look at
}

// options change a world before it begins.
type options struct {
	rules      []eligibility.Rule
	entries    []string // "/" if there are none
	extensions extension.Set
}

func newWorld(t *testing.T, o options) *world {
	t.Helper()
	origin, err := location.ParseOrigin("https://example.com")
	base.Check(t, err)
	w := &world{T: t, now: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), records: map[string][]byte{},
		due: map[string]int{}, pending: map[string]moment.Time{}}
	w.site = site()
	w.site.Secret = secret.Key("a secret that is no secret at all"[:32])
	w.site.Layout = shards.Layout{Keys: w.site.Keys, URL: origin.URL}
	w.site.Journal = changelog.Log{Keys: w.site.Keys}
	w.site.Extensions = o.extensions
	w.site.Entries = map[string]bool{}
	w.site.Owns = func(string) bool { return false }
	if o.entries == nil {
		o.entries = []string{"/"}
	}
	for _, e := range o.entries {
		w.site.Entries[e] = true
	}
	w.rule(o.rules...)
	return w
}

// own says that the site itself asked.
func own(e *observation.Observation) { e.Explored = true }

// run runs fn in a subtest with a world of its own.
func run(t *testing.T, name string, o options, fn func(*world)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { fn(newWorld(t, o)) })
}

// withPage begins with a home page that links to a listed page /a.
func withPage(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, options{})
	w.crawl("/a")
	w.wantListed("/", "/a")
	return w
}

// runWithPage is withPage in a subtest.
func runWithPage(t *testing.T, name string, fn func(*world)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { fn(withPage(t)) })
}

// rule sets the owner's rules, and reviews all pages by them.
func (w *world) rule(rules ...eligibility.Rule) {
	w.Helper()
	origin, err := location.ParseOrigin("https://example.com")
	base.Check(w, err)
	w.site.Rules, err = eligibility.NewRules(rules)
	base.Check(w, err)
	w.site.Normalizer, err = location.New(origin, location.Config{More: w.site.Rules.Query})
	base.Check(w, err)
	w.review()
}

// review decides again about all pages that are or were listed.
func (w *world) review() {
	for _, key := range slices.Sorted(maps.Keys(w.records)) {
		if location, is := strings.CutPrefix(key, w.site.Keys.Pages()); is {
			w.update(func(m *Transaction) { m.Review(location) })
		}
	}
}

// update runs a transaction.
func (w *world) update(fn func(*Transaction)) {
	values := make(map[string][]byte, len(w.records))
	maps.Copy(values, w.records)
	m := New(txn.New(values), w.site, w.now)
	fn(m)
	m.Settle()
	for key, value := range m.Written() {
		if w.records[key] = value; value == nil {
			delete(w.records, key)
		}
	}
	done := m.Effects
	if done.Erased {
		w.site.Followed.Forget()
	}
	w.site.Followed.Add(done.Followed...)
	w.site.Growth.Add(done.Grown, w.now)
	w.site.Layout.Filling = slices.Max(append(slices.Collect(maps.Keys(done.Shards)), w.site.Layout.Filling))
	maps.Copy(w.pending, done.Pending)
	for _, location := range done.Ended {
		delete(w.pending, location)
	}
	w.looks = append(w.looks, done.Looks...)
	for _, location := range done.Due {
		w.due[location]++
	}
	if done.Reputes {
		w.site.Reputations = codec.Read[lastmod.Reputations](w.records[w.site.Keys.Trust()])
		w.site.Trust = w.site.Reputations.Trust()
	}
	for _, move := range done.Moves {
		w.site.Listed += count(move.To) - count(move.From)
	}
}

func count(s eligibility.Standing) int {
	if s.Listed() {
		return 1
	}
	return 0
}

// merge merges an observation as the indexer does.
func (w *world) merge(v *observation.Observation) {
	if w.site.Observe(v, w.record(v.Location)) {
		w.site.Read(v, true)
	}
	w.update(func(m *Transaction) {
		if r := m.Apply(v); r.Follow {
			m.FollowedAll(v, m.Follow(v, w.site.Fresh(v), r.News, pagerecord.Settled))
		}
	})
}

// wait lets time pass. Pages whose minute is over leave.
func (w *world) wait(d time.Duration) {
	end := w.now.Add(d)
	for {
		location, at := "", moment.Of(end)
		for l, since := range w.pending {
			if over := since.Add(pagerecord.ConfirmAfter); over < at || over == at && (location == "" || l < location) {
				location, at = l, over
			}
		}
		if location == "" {
			break
		}
		if over := at.Time(); over.After(w.now) {
			w.now = over
		}
		delete(w.pending, location)
		w.update(func(m *Transaction) { m.Confirm(location) })
	}
	w.now = end
}

func (w *world) moment() moment.Time { return moment.Of(w.now) }

type change = visits.Change

// sight merges a page that somebody got. change adjusts the observation.
func (w *world) sight(location, body string, changes ...change) {
	w.Helper()
	w.merge(visits.Page(location, body, w.now, changes...))
	w.wait(2 * time.Second)
}

// answer merges a response other than a page.
func (w *world) answer(location string, status int, changes ...change) {
	w.Helper()
	if e := visits.Answer(location, status, w.now, changes...); e.Kind != eligibility.Nothing {
		w.merge(e)
	}
}

// crawl merges a home page that links to pages, and then these.
func (w *world) crawl(pages ...string) {
	w.Helper()
	w.sight("/", html("home", pages...))
	for _, p := range pages {
		w.sight(p, html(p[1:]))
	}
}

func (w *world) forget(location string) { w.update(func(m *Transaction) { m.Forget(location) }) }

// record returns the record of a location.
func (w *world) record(location string) *pagerecord.Page {
	p, _ := New(txn.New(maps.Clone(w.records)), w.site, w.now).Load(location)
	return p
}

// known is what is known of a location by its record, with the verdict that holds now.
type known struct {
	*pagerecord.Page
	Entry shards.Entry
}

func (w *world) page(location string) known {
	p := w.record(location)
	r := p.Judged()
	p.Standing = eligibility.Revise(r, w.site.Context(&r, w.site.Robots, w.moment()))
	return known{p, p.Entry()}
}

// entry returns the stored entry of a listed page.
func (w *world) entry(location string) shards.Entry {
	w.Helper()
	e, err := shards.DecodeEntry(w.records[w.site.Keys.List(w.record(location).Shard, location)])
	base.Check(w, err)
	return e
}

// wantListed checks which locations are listed, by their records and in the sitemap's entries.
func (w *world) wantListed(want ...string) {
	w.Helper()
	var got []string
	for key := range w.records {
		if location, is := strings.CutPrefix(key, w.site.Keys.Pages()); is && w.page(location).Listed() {
			got = append(got, location)
			w.entry(location)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	base.EqualLists(w, got, want, "listed are")
}

// wantVerdict checks the verdict and its reason.
func (w *world) wantVerdict(location string, verdict eligibility.Verdict, reason eligibility.Reason) {
	w.Helper()
	if p := w.page(location); p.Verdict != verdict || p.Reason != reason {
		w.Errorf("%s is %v because of %v, want %v because of %v", location, p.Verdict, p.Reason, verdict, reason)
	}
}

// wantNoTrace checks that a text is nowhere in the records.
func (w *world) wantNoTrace(text string) {
	w.Helper()
	for key, value := range w.records {
		if strings.Contains(key+string(value), text) {
			w.Errorf("%q is in the record %q", text, key)
		}
	}
}

// The observations that the tests merge; see package visits.
var (
	illustrated, inLanguages = visits.Illustrated, visits.InLanguages
	html, variant, numbered  = visits.HTML, visits.Variant, visits.Numbered
	head, route, at          = visits.Head, visits.Route, visits.At
	header, lastModified     = visits.Header, visits.LastModified
	robotsTag, cacheControl  = visits.RobotsTag, visits.CacheControl
	redirect, ownQuery       = visits.Redirect, visits.OwnQuery
	fromSeconds              = visits.FromSeconds
)

// trust returns which dates count, as the files see it.
func (w *world) trust() lastmod.Trust {
	var all lastmod.Gatherer
	for key, value := range w.records {
		if strings.HasPrefix(key, string(w.site.Keys)+"list|") {
			e, err := shards.DecodeEntry(value)
			base.Check(w, err)
			all.Add(e.Date)
		}
	}
	return lastmod.Judge([]lastmod.Summary{all.Summarise()}, w.site.Trust)
}

// lastMod returns the published date of a location in Unix seconds, 0 for none.
func (w *world) lastMod(location string) int64 {
	w.Helper()
	return w.page(location).Entry.LastMod(w.trust(), w.moment()).Seconds()
}

// wantLastMod checks the published date of a location, 0 for none.
func (w *world) wantLastMod(location string, want int64) {
	w.Helper()
	if got := w.lastMod(location); got != want {
		w.Errorf("the lastmod of %s is %v, want %v; it is %v", location, fromSeconds(got).UTC(), fromSeconds(want).UTC(),
			w.now)
	}
}
