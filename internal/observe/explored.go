package observe

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
)

// Pages yields the listed pages.
func (s *Visits) Pages(ctx context.Context) iter.Seq2[explore.Seen, error] {
	return func(yield func(explore.Seen, error) bool) {
		for p, err := range s.observer.cfg.Indexer.Pages(ctx) {
			seen := explore.Seen{
				Location: p.Location, Last: p.LastSeen.Time(), Watched: p.LastSeen.Sub(p.FirstSeen),
				Alone: !p.Rule && !p.IsEntry && p.Evidence.Proof() == eligibility.None, Mean: p.History.Mean,
			}
			if !yield(seen, err) || err != nil {
				return
			}
		}
	}
}

// Unseen reports whether nobody got the page at a location yet.
func (s *Visits) Unseen(ctx context.Context, loc string) bool {
	p, err := s.observer.cfg.Indexer.Page(ctx, loc)
	return err == nil && p.Reason == eligibility.NotSeen && !p.Endless
}

// Held returns the URLs of those pages that are held.
func (s *Visits) Held(ctx context.Context, locations []string) (urls []string) {
	for _, loc := range locations {
		if p, err := s.observer.cfg.Indexer.Page(ctx, loc); err == nil && p.Verdict == eligibility.Held {
			urls = append(urls, s.observer.cfg.Normalizer.Origin().URL(loc))
		}
	}
	return urls
}

// Own reports whether a location is that of a file of the sitemap.
func (s *Visits) Own(loc string) bool { return s.observer.cfg.Files.OwnsLocation(loc) }

// Target returns the request target of a location, without what a proxy removes.
func (s *Visits) Target(loc string) string {
	return strings.TrimPrefix(loc, s.observer.cfg.StrippedPrefix)
}

// Answered counts the status of an answer, see [metrics.Result].
func (s *Visits) Answered(status int) { s.answered.Count(status) }

// Results returns how many answers there were of each kind.
func (s *Visits) Results() map[string]uint64 { return s.answered.Counts() }

// TakeBack takes out pages of a space without end, once they are read.
func (s *Visits) TakeBack(ctx context.Context, locations []string) error {
	if len(locations) == 0 {
		return nil
	}
	if err := s.observer.cfg.Indexer.Flush(ctx); err != nil {
		return err
	}
	return s.observer.cfg.Indexer.TakeBack(ctx, locations)
}

// mostQueued is how many pages of an exploration may wait to be read. So there is room for
// the pages that visitors see.
const mostQueued = 32

// Rest waits until few pages wait to be read, the store cannot be used, or ctx ends.
func (s *Visits) Rest(ctx context.Context) error {
	for s.observer.cfg.Indexer.Queued() > mostQueued {
		if err := s.observer.cfg.Indexer.Stats().Problem; err != nil {
			return err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
