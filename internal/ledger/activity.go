package ledger

import (
	"context"
	"math/bits"
	"time"

	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/txn"
)

// spans is how many spans the time for which unseen pages are kept is cut into.
const spans = 64

// activeEnough is in how many spans the site must have been observed since a
// page was seen last, before it leaves for not being seen: a site that stood
// still, or a clock that jumped, proves nothing of its pages.
const activeEnough = 8

// activity says in which of the last spans the site was observed.
type activity struct {
	length int64  // of a span, in seconds
	last   int64  // the number of the latest span, counted from the Unix epoch
	seen   uint64 // bit i is set if it was observed in the span last-i
	unread record.Unread
}

// observed returns the activity with the span of now added. A clock that went
// back adds nothing.
func (a activity) observed(now, length int64) activity {
	span := now / length
	if a.length != length || a.seen == 0 {
		return activity{length, span, 1, a.unread}
	}
	if span > a.last {
		a.seen = a.seen<<min(64, span-a.last) | 1
		a.last = span
	}
	return a
}

// ahead reports whether the site was observed later than now.
func (a activity) ahead(now int64) bool { return a.length != 0 && now/a.length < a.last }

// since returns in how many spans after that of the time t the site was
// observed.
func (a activity) since(t int64) int {
	if a.length == 0 {
		return 0
	}
	after := a.last - t/a.length
	if after <= 0 {
		return 0
	}
	if after < spans {
		return bits.OnesCount64(a.seen & (1<<after - 1))
	}
	return bits.OnesCount64(a.seen)
}

func readActivity(b []byte) (a activity) {
	a.unread, _ = record.Read(b, func(f record.Field) bool {
		switch f.Num {
		case 1:
			a.length = f.Seconds()
		case 2:
			a.last = f.Seconds()
		case 3:
			a.seen = f.Value
		default:
			return false
		}
		return true
	})
	if a.length <= 0 || a.last < 0 {
		return activity{unread: a.unread} // no clock has seen that
	}
	return a
}

func (a activity) encode() []byte {
	var e record.Encoder
	e.Int(1, a.length)
	e.Int(2, a.last)
	e.Fixed(3, a.seen)
	e.Keep(a.unread)
	return e.Seal()
}

// spanLength returns the length of a span in seconds, at least a minute, as all
// that is stored is gone through once in each.
func (l *Ledger) spanLength() int64 {
	return max(60, int64(l.cfg.KeepFor/time.Second)/spans)
}

// openActivity reads what was stored of the activity.
func (l *Ledger) openActivity(ctx context.Context) error {
	return txn.View(ctx, l.cfg.Store, []string{l.keys.Active()}, func(t *txn.Tx) { l.activity = readActivity(t.Get(l.keys.Active())) })
}

// noteActivity stores, once in each span, that the site is observed.
func (l *Ledger) noteActivity(ctx context.Context, now time.Time) error {
	length := l.spanLength()
	anew := l.clock.judge(now, l.activity.ahead(now.Unix()))
	if l.clock.behind() || !anew && l.activity.observed(now.Unix(), length) == l.activity {
		return nil
	}
	var merged activity
	err := txn.Update(ctx, l.cfg.Store, []string{l.keys.Active()}, func(t *txn.Tx) {
		stored := readActivity(t.Get(l.keys.Active()))
		if anew && stored.ahead(now.Unix()) {
			stored = activity{unread: stored.unread}
		}
		merged = stored.observed(now.Unix(), length)
		t.Put(l.keys.Active(), merged.encode())
	})
	if err == nil {
		l.activity = merged
	}
	return err
}

// expired reports whether a location was not seen for so long that it is not
// kept. seen is when it was, in Unix seconds.
func (l *Ledger) expired(seen int64, now time.Time) bool {
	return seen != 0 && now.Unix()-seen >= int64(l.cfg.KeepFor/time.Second) && l.activity.since(seen) >= activeEnough
}
