package notify

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/servemap/servemap"
)

// change is what happened last to a page.
type change struct {
	url     string
	hash    hash
	at      time.Time
	told    time.Time       // when the page was last sent
	settled bool            // it was sent, or never will be
	found   bool            // the page was listed, and has not changed since
	removed bool            // the page is no longer in the sitemap that this process serves
	reason  servemap.Reason // why, if the store knows
}

// waiting is what this process remembers of the last change of a page.
type waiting struct {
	at    time.Time // of that change
	due   time.Time // when to send the page, zero if never
	dated bool      // the page was only found, and its own date says that it is news
}

// queue is what is known of the changes that are to be sent.
type queue struct {
	cursor  time.Time // nothing older waits
	read    time.Time // later changes were not all read
	pending int
	pages   map[hash]waiting
}

const (
	interval = time.Hour // the least time between two sendings of one page
	// dateWait is how long a page that was only found may wait for a date of its own. A date
	// that the server or the page gives counts once it is an hour old.
	dateWait = 2 * time.Hour
	newsFor  = 7 * 24 * time.Hour // a page with an older date is no news when it is found
	mostDays = 7                  // for which changes may wait
)

// collect returns the pages that are due, in the order in which to send them.
func (n *Notifier) collect(ctx context.Context, st state) ([]change, error) {
	now := n.now()
	changes, err := n.changes(ctx, st, now)
	if err != nil {
		return nil, err
	}
	n.follow(changes, n.hold)
	if err := n.date(ctx, changes, st.Floor, now); err != nil {
		return nil, err
	}
	held, groups := massChange(n.news(changes, now.Add(-massWindow)), max(massLeast, n.site.Stats().Listed/4))
	if held = n.drop(held); len(held) > 0 {
		n.log.Warn("notify: so many pages changed within an hour that these are not sent; the sitemap says when each changed", "pages", len(held), "groups", groups)
		n.owed = &post{name: sentName(now), settled: held}
		if err := n.pay(ctx); err != nil {
			return nil, err
		}
	}
	return n.due(changes, now), nil
}

// changes reads the changes of the last hour, and those that may still wait: of earlier ones at most as
// many as can be sent in a week. If the site does not remember all of them, the oldest are lost.
func (n *Notifier) changes(ctx context.Context, st state, now time.Time) (all []change, err error) {
	unsettled := st.Cursor.Add(-skew)
	ago := max(now.Sub(unsettled), massWindow, interval)
	sent, err := n.readSent(ctx, now.Add(-ago))
	if err != nil {
		return nil, err
	}
	for {
		all, n.read = all[:0], now
		recent := now.Add(-max(massWindow, interval))
		take := func(since time.Time) error {
			for c, err := range n.site.Changes(ctx, since) {
				if err != nil {
					return err
				}
				h, old := hashOf(c.URL), c.At.Before(recent)
				settled := !c.At.After(st.Floor) || c.At.Before(unsettled) || sent.done(h, c.At)
				switch {
				case old && settled:
					continue
				case old && len(all) == mostDays*n.perDay:
					n.read = c.At
					return nil
				}
				all = append(all, change{
					url: c.URL, hash: h, at: c.At, told: sent[h].at, reason: c.Reason, settled: settled,
					found: c.Kind == servemap.ChangeAdded && c.Listed.Equal(c.At), removed: c.Kind == servemap.ChangeRemoved,
				})
			}
			return nil
		}
		if err = take(now.Add(-ago)); err == nil && n.read.Before(recent) {
			err = take(recent)
		}
		if !errors.Is(err, servemap.ErrTooOld) || ago < time.Minute {
			break
		}
		ago -= ago / 64 // the first that it remembers are not far
	}
	if from := now.Add(-ago); err == nil && from.After(st.Cursor) {
		n.log.Warn("notify: changes that waited are not sent, since they are longer ago than the site remembers", "before", from.UTC().Format(time.RFC3339))
	}
	return all, err
}

// follow notes which changes wait, and until when. The hold of a page begins with its first change.
// Otherwise a page that changes each minute would never be sent.
func (q *queue) follow(changes []change, hold time.Duration) {
	pages := make(map[hash]waiting, len(changes))
	for _, c := range changes {
		w, due := q.pages[c.hash], c.at.Add(hold)
		if !w.at.Equal(c.at) {
			if !w.due.IsZero() && w.due.Before(due) {
				due = w.due
			}
			w = waiting{at: c.at, due: due}
		}
		if c.settled {
			w.due = time.Time{}
		}
		pages[c.hash] = w
	}
	q.pages = pages
}

// drop lets pages wait no longer, and returns those that did wait.
func (q *queue) drop(changes []change) (dropped []change) {
	for _, c := range changes {
		if w := q.pages[c.hash]; !w.due.IsZero() {
			w.due = time.Time{}
			q.pages[c.hash] = w
			dropped = append(dropped, c)
		}
	}
	return dropped
}

// date finds out which of the pages that were only found are news: those with a date of their own
// since the first start. The others may be as old as the site. A stranger who follows links finds as
// many of them as he likes.
func (n *Notifier) date(ctx context.Context, changes []change, floor, now time.Time) error {
	explained := 0
	for _, c := range changes {
		w := n.pages[c.hash]
		if !c.found || w.dated || w.due.IsZero() || now.Before(w.due) || explained == n.batch {
			continue
		}
		explained++
		e, err := n.site.Explain(ctx, c.url)
		switch age := now.Sub(c.at); {
		case err != nil:
			return err
		case e.LastModified.After(latest(floor, now.Add(-newsFor))):
			w.dated = true
		case age < dateWait:
			w.due = now.Add(age)
		default:
			w.due = time.Time{}
		}
		n.pages[c.hash] = w
	}
	return nil
}

// news returns the changes since a time that count for a mass change. A page that the site removed does
// not: no stranger can bring that about.
func (q *queue) news(changes []change, since time.Time) (news []change) {
	for _, c := range changes {
		if c.at.After(since) && !c.removed && (!c.found || q.pages[c.hash].dated) {
			news = append(news, c)
		}
	}
	return news
}

// due returns the pages that may be sent now, and moves the cursor to the first change that waits.
func (q *queue) due(changes []change, now time.Time) (due []change) {
	q.cursor, q.pending = q.read, 0
	for _, c := range changes {
		w := q.pages[c.hash]
		if w.due.IsZero() {
			continue
		}
		if c.at.Before(q.cursor) {
			q.cursor = c.at
		}
		if c.found && !w.dated {
			continue
		}
		if q.pending++; !now.Before(w.due) && !now.Before(c.told.Add(interval)) {
			due = append(due, c)
		}
	}
	takeTurns(due)
	return due
}

// sendable returns the pages that may be sent, and drops those that must not. A change is only a
// reason to look: the page's verdict at this moment decides. A page that is still listed, but gave
// one visitor another answer last, waits: its next answer decides.
func (n *Notifier) sendable(ctx context.Context, pages []change) (send []change, err error) {
	for _, c := range pages {
		e, err := n.site.Explain(ctx, c.url)
		switch {
		case err != nil:
			return nil, err
		case mayTell(e, c):
			send = append(send, c)
		case !e.Listed():
			n.drop([]change{c})
		}
	}
	return send, nil
}

// mayTell reports whether engines may hear of a page: it is listed, or was until the site answered
// 404, 410 or a permanent redirect, and still answers so. If it is listed and gave another answer
// last, such as 403, it may be about to leave. If it is listed and this process no longer serves it
// in the sitemap, the store does not know the reason yet, which may be privacy.
func mayTell(e servemap.Explanation, c change) bool {
	if e.Listed() {
		return !c.removed && (e.Status == http.StatusOK || e.Status == http.StatusNotModified)
	}
	return isGone(c.reason) && isGone(e.Reason)
}

// isGone reports whether a page left the sitemap because the site no longer has it there.
func isGone(reason servemap.Reason) bool {
	return reason == servemap.ReasonGone || reason == servemap.ReasonNotFound || reason == servemap.ReasonMoved
}
