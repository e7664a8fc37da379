package ledger

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/texts"
)

// Page is what is known of one location.
type Page struct {
	Location   string
	Verdict    admit.Verdict
	Reason     admit.Reason
	LastSeen   time.Time
	Status     int
	Looks      uint64
	Changes    uint64
	Doubted    time.Time // since when it may be gone, zero if there is no doubt
	Alone      bool      // that goes by what one network was told, and another must be told so too, or it again
	Nameless   bool      // that network is not known
	Rule       bool      // a rule vouches for it
	Entry      bool
	Led        bool
	Route      bool
	Link       bool
	Shown      bool // looks a day apart, or from two networks, saw such a link
	Unprompted bool // a look saw it whose request named no page but public ones
	Word       admit.Word
	Networks   int
	Siblings   int
	Canonical  string // the other location that it names as the canonical one
	SameAs     string // the listed page that shows the same, where it is held for that
	Pattern    string // of the rule that decides whether it is listed, "" for none
	Alternates []Alternate
	Part       int
	Listing    part.Entry
	Freq       rate.Freq // as rate.Estimate says, whether listed or not
	Confidence float64   // the probability of Freq
	History
}

func (l *Ledger) page(location string, s *state, key secret, siblings int) Page {
	freq, p := s.rate.Freq()
	verdict, reason := s.verdict, s.reason
	rule, _ := l.cfg.Rules.Match(location)
	switch { // what may be newer than the record
	case rule.Listing == admit.Never:
		verdict, reason = admit.Excluded, admit.RuleNever
	case !l.Allows(location):
		verdict, reason = admit.Excluded, admit.Disallowed
	case s.listed() && s.ended(time.Now()):
		verdict, reason = admit.Excluded, admit.NoIndex
	}
	return Page{
		Location: location,
		Verdict:  verdict, Reason: reason,
		LastSeen: fromMillis(s.lastSeen),
		Status:   s.status, Looks: s.looks, Changes: s.dates.Changes(), Doubted: fromMillis(s.missing),
		Alone:    s.missing != 0 && (!s.hasMinute() || time.Since(fromMillis(s.missing)) > 2*confirmAfter),
		Nameless: s.missing != 0 && s.missingNet == 0,
		Rule:     rule.Listing == admit.Always, Entry: l.entries[location], Led: s.hop > 0, Route: s.route, Link: s.link,
		Shown: s.shown, Unprompted: s.unprompted, Word: admit.WordOf(location, s.variable),
		Networks: len(s.networks), Siblings: siblings, Canonical: key.unseal(location, s.canonical), Pattern: rule.Pattern,
		Alternates: s.alternates(),
		Part:       s.part, Listing: s.entry(l.cfg.Confidence), Freq: freq, Confidence: p,
		History: s.history(),
	}
}

// History is what is known of when a page's content changed.
type History struct {
	lastmod.History

	// Mean is the mean time between changes that is likely now. It lies between
	// Least and Most with a probability of about 80 %. All are 0 before a change
	// was seen.
	Mean, Least, Most time.Duration

	Ignored mark.Ignored
}

func (s *state) history() History {
	h := History{History: s.dates.History(), Ignored: s.mark.Ignored()}
	held, more := s.mark.Awaited()
	h.FirstSeen, h.Held, h.More = fromSeconds(s.firstSeen), fromSeconds(held), more
	least, mean, most := s.rate.Interval()
	h.Least, h.Mean, h.Most = duration(least), duration(mean), duration(most)
	return h
}

// duration returns a number of seconds as a Duration, the longest one for more.
func duration(seconds float64) time.Duration {
	if seconds >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}

// Told says what the page's lastmod goes by; see [texts.LastMod].
func (p Page) Told(trust lastmod.Trust, now time.Time) string {
	return texts.LastMod(p.Listing.Candidates, p.History.History, trust, moment.Of(now))
}

// Alternate is the page in another language. It is listed, and names the page in
// turn.
type Alternate struct{ Lang, Location string }

func (s *state) alternates() (all []Alternate) {
	for _, p := range s.peers {
		all = append(all, Alternate{p.lang, p.location})
	}
	return all
}

// Evidence returns what is known for and against listing the page.
func (p Page) Evidence() admit.Evidence {
	return admit.Evidence{
		Entry: p.Entry, Led: p.Led, Route: p.Route, Link: p.Link, Shown: p.Shown, Unprompted: p.Unprompted,
		Networks: p.Networks, Siblings: p.Siblings, Word: p.Word,
	}
}

// Pages yields the listed pages in the order of their locations. A record that
// cannot be read is left out. It ends when ctx does, whatever the store does.
func (l *Ledger) Pages(ctx context.Context) iter.Seq2[Page, error] {
	return eachWithin(ctx, l.pages)
}

func (l *Ledger) pages(ctx context.Context) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		prefix := l.keys.pages()
		for r, err := range l.cfg.Store.Scan(ctx, prefix, "") {
			if err != nil {
				yield(Page{}, err)
				return
			}
			s, err := decodeState(r.Value)
			if err != nil || !s.listed() {
				continue
			}
			p := l.page(strings.Clone(strings.TrimPrefix(r.Key, prefix)), s, nil, 0)
			if p.Verdict == admit.Listed && !yield(p, nil) {
				return
			}
		}
	}
}

// Page returns what is known of location; its verdict is Unknown if that is
// nothing. It returns when ctx ends, whatever the store does.
func (l *Ledger) Page(ctx context.Context, location string) (Page, error) {
	p, err := within(ctx, func() (Page, error) { return l.pageOf(ctx, location) })
	if err != nil {
		return Page{}, fmt.Errorf("looking the page up: %w", err)
	}
	return p, nil
}

func (l *Ledger) pageOf(ctx context.Context, location string) (Page, error) {
	p := l.page(location, new(state), nil, 0)
	err := l.ask(ctx, func(key secret) error {
		var group, showing uint64
		keys := []string{l.keys.page(location), l.keys.wait(key, location)}
		err := view(ctx, l.cfg.Store, keys, func(t *tx) {
			for _, k := range keys {
				if s, err := decodeState(t.Get(k)); err == nil {
					p, group, showing = l.page(location, s, key, 0), s.group, s.showing
					return
				}
			}
		})
		if err != nil {
			return err
		}
		kin, twin := l.keys.kin(group), l.keys.twin(showing)
		return view(ctx, l.cfg.Store, []string{kin, twin}, func(t *tx) {
			p.Siblings = readKin(t.Get(kin)).siblings
			if p.Reason == admit.Duplicate {
				p.SameAs = readTwin(t.Get(twin)).listed
			}
		})
	})
	return p, err
}

// ask runs fn with the site's secret, which may not have been read yet.
func (l *Ledger) ask(ctx context.Context, fn func(secret) error) error {
	var key secret
	err := view(ctx, l.cfg.Store, []string{l.keys.site()}, func(t *tx) { key, _ = readSecret(t.Get(l.keys.site())) })
	if err != nil || key == nil {
		return err // without a secret nothing was stored yet
	}
	return fn(key)
}
