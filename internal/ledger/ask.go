package ledger

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/rate"
)

// Page is what is known of one location.
type Page struct {
	Location   string
	Verdict    admit.Verdict
	Reason     admit.Reason
	FirstSeen  time.Time
	LastSeen   time.Time
	Status     int
	Looks      uint64
	Changes    uint64
	Doubted    time.Time // since when it may be gone, zero if there is no doubt
	Rule       bool      // a rule vouches for it
	Entry      bool
	Route      bool
	Link       bool
	Networks   int
	Siblings   int
	Part       int
	Listing    part.Entry
	Freq       rate.Freq // the likeliest, whether listed or not
	Confidence float64   // the probability of Freq
}

func (l *Ledger) page(location string, s *state, siblings int) Page {
	freq, p := s.rate.Freq()
	verdict, reason := s.verdict, s.reason
	rule, _ := l.cfg.Rules.Match(location)
	if rule.Listing == admit.Never {
		verdict, reason = admit.Excluded, admit.RuleNever // the rule may be newer than the record
	}
	return Page{
		Location: location,
		Verdict:  verdict, Reason: reason,
		FirstSeen: fromSeconds(s.firstSeen), LastSeen: fromMillis(s.lastSeen),
		Status: s.status, Looks: s.looks, Changes: s.changes, Doubted: fromMillis(s.missing),
		Rule: rule.Listing == admit.Always, Entry: s.hop > 0 || l.entries[location], Route: s.route, Link: s.link,
		Networks: len(s.networks), Siblings: siblings, Part: s.part,
		Listing: s.entry(l.cfg.Confidence), Freq: freq, Confidence: p,
	}
}

// Pages yields the listed pages in the order of their locations. A record that
// cannot be read is left out.
func (l *Ledger) Pages(ctx context.Context) iter.Seq2[Page, error] {
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
			p := l.page(strings.Clone(strings.TrimPrefix(r.Key, prefix)), s, 0)
			if p.Verdict == admit.Listed && !yield(p, nil) {
				return
			}
		}
	}
}

// Page returns what is known of location; its verdict is Unknown if that is
// nothing.
func (l *Ledger) Page(ctx context.Context, location string) (Page, error) {
	p := Page{Location: location}
	err := l.ask(ctx, func(key secret) error {
		var group uint64
		keys := []string{l.keys.page(location), l.keys.wait(key, location)}
		err := view(ctx, l.cfg.Store, keys, func(t *tx) {
			for _, k := range keys {
				if s, err := decodeState(t.Get(k)); err == nil {
					p, group = l.page(location, s, 0), s.group
					return
				}
			}
		})
		if err != nil || group == 0 {
			return err
		}
		kin := l.keys.kin(group)
		return view(ctx, l.cfg.Store, []string{kin}, func(t *tx) { p.Siblings = readCount(t.Get(kin)) })
	})
	if err != nil {
		return Page{}, fmt.Errorf("looking the page up: %w", err)
	}
	return p, nil
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
