package ledger

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/txn"
)

// bulletinKept is how long the record of a process stays that changes nothing, since
// it is gone in all likelihood. If it is not, it writes another one.
const bulletinKept = 24 * time.Hour

// bulletinQuiet is for how long the record must have been the same to who erases
// it, by its own clock, so that all others have had the time to read it: the clock
// that dated it may have been behind.
const bulletinQuiet = 10 * time.Minute

// others is what a process knows of those that share its store. It belongs to
// the worker.
type others struct {
	id    string           // of this process
	every time.Duration    // between two looks at what others have changed; 0 means that there are none
	asked time.Time        // the last look
	heard map[string]heard // of each, by the key of its bulletin; nil before the first look
}

// heard is what was heard of one other process.
type heard struct {
	seq   uint64    // the number of its last change
	since time.Time // the look that first saw that
}

func newOthers(every time.Duration) others {
	return others{id: strings.ToLower(rand.Text()), every: every}
}

func (o *others) exist() bool { return o.every > 0 }

// due returns when the next look is due.
func (o *others) due(now time.Time) time.Duration { return max(0, o.asked.Add(o.every).Sub(now)) }

// hear notes how far the others are, as a look at now has shown.
func (o *others) hear(told map[string]bulletin, now time.Time) {
	all := make(map[string]heard, len(told))
	for key, n := range told {
		h, known := o.heard[key]
		if !known || h.seq != n.seq {
			h = heard{n.seq, now}
		}
		all[key] = h
	}
	o.asked, o.heard = now, all
}

// quiet reports whether a process has changed nothing for so long that it is gone,
// and all others know what it had changed.
func (o *others) quiet(key string, n bulletin, now time.Time) bool {
	return now.UnixMilli()-n.at >= bulletinKept.Milliseconds() && now.Sub(o.heard[key].since) >= max(bulletinQuiet, 10*o.every)
}

// ownBulletin returns the key of this process's bulletin, to be read with what it
// changes; none if there is nobody to tell.
func (l *Ledger) ownBulletin() []string {
	if !l.others.exist() {
		return nil
	}
	return []string{l.keys.Bulletin(l.others.id)}
}

// tell has the others know of a change, once it is stored. now is when.
func (l *Ledger) tell(t *txn.Tx, now time.Time, parts map[int]bool, about ...topic) {
	if !l.others.exist() || len(parts) == 0 && len(about) == 0 {
		return
	}
	key := l.keys.Bulletin(l.others.id)
	t.Put(key, readBulletin(t.Get(key)).with(parts, about, now).encode())
}

// tell is [Ledger.tell] of what the merge has done.
func (m *merge) tell() {
	var about []topic
	for _, a := range []struct {
		is bool
		t  topic
	}{{m.effects.reputes, trustTopic}, {m.effects.doubts, doubtTopic}, {m.effects.erased, erasedTopic}} {
		if a.is {
			about = append(about, a.t)
		}
	}
	m.l.tell(m.Tx, m.now, m.effects.parts, about...)
}

// openOthers notes how far the others are. What they change from then on is seen
// by refresh, so all else is read after that.
func (l *Ledger) openOthers(ctx context.Context) error {
	if !l.others.exist() || l.others.heard != nil {
		return nil
	}
	told, err := l.readOthers(ctx)
	if err != nil {
		return err
	}
	l.others.hear(told, time.Now())
	return nil
}

// refresh takes in what others have changed, if it is time or at once.
func (l *Ledger) refresh(ctx context.Context, atOnce bool) error {
	if !l.others.exist() || !atOnce && l.others.due(time.Now()) > 0 {
		return nil
	}
	told, err := l.readOthers(ctx)
	if err != nil {
		return err
	}
	c := changes{parts: map[int]bool{}}
	for key, n := range told {
		c.since(n, l.others.heard[key].seq)
	}
	if err := l.takeIn(ctx, c); err != nil {
		return err
	}
	now := time.Now()
	l.others.hear(told, now)
	return l.dropStale(ctx, told, now)
}

// readOthers returns the bulletin of all others by their keys.
func (l *Ledger) readOthers(ctx context.Context) (map[string]bulletin, error) {
	told := map[string]bulletin{}
	err := txn.View(ctx, l.cfg.Store, []string{l.keys.Site()}, func(*txn.Tx) {}) // the guard looks for its version
	if err != nil {
		return nil, err
	}
	for r, err := range l.cfg.Store.Scan(ctx, l.keys.Bulletins(), "") {
		if err != nil {
			return nil, err
		}
		if r.Key != l.keys.Bulletin(l.others.id) {
			told[strings.Clone(r.Key)] = readBulletin(r.Value)
		}
	}
	return told, nil
}

// takeIn does what the changes of others ask for.
func (l *Ledger) takeIn(ctx context.Context, c changes) error {
	if c.all || c.topics[erasedTopic] {
		l.followed.forget()
	}
	if c.all || c.topics[doubtTopic] {
		if err := l.openDoubts(ctx); err != nil {
			return err
		}
	}
	anew := c.all
	if c.all || c.topics[trustTopic] {
		before := l.Doubts()
		if _, err := l.readTrust(ctx); err != nil {
			return err
		}
		anew = anew || l.Doubts() != before
	}
	if c.all || c.topics[robotsTopic] {
		before := l.robots.Load()
		if err := l.openRobots(ctx); err != nil {
			return err
		}
		if !l.robots.Load().rulesAs(before) {
			anew = true
			l.beginReview()
		}
	}
	if anew {
		l.cfg.Files.ChangedAll()
	}
	l.cfg.Files.Changed(slices.Collect(maps.Keys(c.parts))...)
	return nil
}

// dropStale erases the bulletin of processes that are gone.
func (l *Ledger) dropStale(ctx context.Context, told map[string]bulletin, now time.Time) error {
	for key, n := range told {
		if !l.others.quiet(key, n, now) {
			continue
		}
		err := txn.Update(ctx, l.cfg.Store, []string{key}, func(t *txn.Tx) {
			if readBulletin(t.Get(key)).seq == n.seq {
				t.Put(key, nil)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
