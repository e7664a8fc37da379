package observe

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/crawl/look"
	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/index/merge"
)

// Looks is how a site looks at its own pages: as Explore asked, or else in this process. The Looker says when. An
// Observer must have it before it runs.
type Looks struct {
	*look.Looker
	Inner   atomic.Pointer[http.Handler]   // what the site wraps
	Several atomic.Bool                    // it wraps parts of a program, or does so for each request
	Asks    atomic.Pointer[explore.Config] // how Explore asked the site, nil if it did not

	own        *Own
	entry      string
	off        bool
	controlled time.Time // when a look last got the entry; only the Looker uses it
}

// NewLooks returns the looks of a site with an entry. off says that it makes none.
func NewLooks(entry string, off bool) *Looks {
	l := &Looks{entry: entry, off: off}
	l.Looker = look.New(l.ask, func() uint64 { return l.own.observer.cfg.Indexer.Stats().Observations })
	return l
}

// Behind returns the site behind the files of this process, nil if that is not known.
func (l *Looks) Behind() http.Handler {
	if h := l.Inner.Load(); h != nil {
		return l.own.Inside(*h)
	}
	return nil
}

// Looking reports whether the site looks at all, and whether looks get answers.
func (l *Looks) Looking() merge.Looking {
	switch {
	case !l.can():
		return merge.Never
	case !l.FindOut():
		return merge.Silent
	}
	return merge.Works
}

func (l *Looks) can() bool {
	inside := l.Inner.Load() != nil && !l.Several.Load() && !l.own.Rewritten()
	return !l.off && (inside || l.Asks.Load() != nil)
}

// visited asks for a look at a page, since the answer that a visitor got may not count. If the visitor may be logged
// in, it asks only once the site was explored. Before that, a look in this process may get what something in front
// gives to him alone. Exploring shows what strangers get: it asks through the origin, unless the owner said that
// nothing in front keeps strangers out.
func (l *Looks) visited(location string, anonymous bool) {
	if (anonymous || l.Asks.Load() != nil) && l.can() && !action.Waits(location) &&
		l.own.observer.cfg.Indexer.Allows(location) {
		l.Want(location)
	}
}

// Linked asks for a look at a page that a listed one links to and nobody got yet, once Explore has proved the origin.
func (l *Looks) Linked(location string) {
	if cfg := l.Asks.Load(); cfg != nil && l.can() && l.own.observer.cfg.Indexer.Allows(location) && cfg.Worth(location) {
		l.Want(location)
	}
}

// controlEvery is how often a look at an entry shows that looks get what visitors get.
const controlEvery = 10 * time.Minute

// ask asks for one of the site's own pages. It does so only while the site gives itself its entry too. Otherwise the
// site may refuse such requests, or need something that another part of the server adds to a visitor's.
func (l *Looks) ask(ctx context.Context, location string) (works, answered bool) {
	if l.own.foreign() {
		if l.own.asksAgain(ctx); l.own.foreign() {
			return true, true // what it showed would not count
		}
	}
	cfg, handler := l.Asks.Load(), l.Behind()
	switch {
	case cfg != nil:
	case handler == nil:
		return false, false
	default:
		inside := l.own.unproved(handler)
		cfg = &inside
	}
	time.Sleep(time.Millisecond) // so that the look has a later time than the visit
	if location == "" || time.Since(l.controlled) >= controlEvery {
		status, to := explore.Get(ctx, *cfg, l.entry)
		if status == 0 || status >= http.StatusBadRequest || to == l.entry { // to itself, as from http to https
			return false, false
		}
		l.controlled = time.Now()
	}
	return true, location == "" || explore.Look(ctx, *cfg, location)
}
