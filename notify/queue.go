package notify

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/servemap/servemap"
)

// change is what happened last to a page.
type change struct {
	url     string
	hash    hash
	at      time.Time
	told    time.Time       // when the page was last sent
	removed bool            // the page is no longer in the sitemap that this process serves
	reason  servemap.Reason // why, if the store knows
}

const (
	interval   = time.Hour // the least time between two sendings of one page
	rushWindow = time.Hour
	rushLeast  = 100 // pages; fewer are no rush, even on a small site
)

// rush reports whether so many pages changed in an hour that it must be a deploy, a
// template or an import: more than a quarter of the listed pages. Engines learn of a rush
// from the lastmod in the sitemap, and would take it amiss if all pages were sent.
func rush(changed, listed int) bool { return changed > max(rushLeast, listed/4) }

// changes reads the journal. recent is how many pages changed in the last hour, and waiting
// are the changes that are to be sent or dropped.
func (n *Notifier) changes(ctx context.Context, st state, now time.Time) (recent int, waiting []change, err error) {
	done, err := n.readSent(ctx)
	if err != nil {
		return 0, nil, err
	}
	hour, unsettled := now.Add(-rushWindow), st.Cursor.Add(-skew)
	since := hour
	if unsettled.Before(since) {
		since = unsettled
	}
	for c, err := range n.site.Changes(ctx, latest(since, st.Began)) {
		if err != nil {
			return 0, nil, err
		}
		if c.At.After(hour) {
			recent++
		}
		h := hashOf(c.URL)
		if !c.At.After(st.Floor) || c.At.Before(unsettled) || !done[h].change.Before(c.At) {
			continue
		}
		waiting = append(waiting, change{c.URL, h, c.At, done[h].at, c.Kind == servemap.ChangeRemoved, c.Reason})
	}
	return recent, waiting, nil
}

// collect returns the due pages, sorted by URL, and moves the cursor up to the first
// unsettled change.
func (n *Notifier) collect(ctx context.Context, st state) ([]change, error) {
	now := n.now()
	recent, waiting, err := n.changes(ctx, st, now)
	switch {
	case errors.Is(err, servemap.ErrTooOld):
		n.log.Warn("notify: changes of more than 7 days ago were not sent, and are no longer known; only what changes from now on is sent")
		return nil, n.skip(ctx, 0)
	case err != nil:
		return nil, err
	case rush(recent, n.site.Stats().Listed):
		if !n.rushing {
			n.log.Warn("notify: so many pages changed within an hour that they are not sent; the sitemap says when each changed",
				"changed", recent, "listed", n.site.Stats().Listed)
		}
		if n.rushing = true; len(waiting) == 0 {
			return nil, nil
		}
		return nil, n.skip(ctx, len(waiting))
	}
	n.rushing = false
	due, cursor := due(waiting, n.first, now, n.hold)
	n.cursor, n.pending = cursor, len(waiting)
	return due, nil
}

// due returns which of the waiting changes may be sent at now, sorted by URL, and the time
// before which nothing waits. The hold of a page begins when its first change was seen.
// Otherwise a page that changes each minute would never be sent. first has that time for
// each waiting page.
func due(waiting []change, first map[hash]time.Time, now time.Time, hold time.Duration) (due []change, cursor time.Time) {
	cursor = now
	seen := make(map[hash]bool, len(waiting))
	for _, c := range waiting {
		seen[c.hash] = true
		if at, known := first[c.hash]; !known || c.at.Before(at) {
			first[c.hash] = c.at
		}
		if c.at.Before(cursor) {
			cursor = c.at
		}
		if !now.Before(first[c.hash].Add(hold)) && !now.Before(c.told.Add(interval)) {
			due = append(due, c)
		}
	}
	for h := range first {
		if !seen[h] {
			delete(first, h)
		}
	}
	slices.SortFunc(due, func(a, b change) int { return cmp.Compare(a.url, b.url) })
	return due, cursor
}

// skip drops all changes up to now. rushed is how many pages that concerns in a rush, and 0
// for a gap in the journal.
func (n *Notifier) skip(ctx context.Context, rushed int) error {
	n.cursor, n.pending = time.Time{}, 0
	clear(n.first)
	_, err := n.update(ctx, func(st *state, now time.Time) error {
		if !st.leads(n.owner, now) {
			return errElsewhere
		}
		st.Floor, st.Cursor = now, now
		if st.Rushed += rushed; rushed == 0 {
			st.Began = now
		}
		return nil
	})
	return err
}

// sendable returns the pages that may be sent, and those that must not. A change is only a
// reason to look: the page's verdict at this moment decides. A page that is still listed, but
// gave one visitor another answer last, waits: its next answer decides.
func (n *Notifier) sendable(ctx context.Context, pages []change) (send, dropped []change, err error) {
	for _, c := range pages {
		e, err := n.site.Explain(ctx, c.url)
		switch {
		case err != nil:
			return nil, nil, err
		case mayTell(e, c):
			send = append(send, c)
		case !e.Listed:
			dropped = append(dropped, c)
		}
	}
	return send, dropped, nil
}

// mayTell reports whether engines may hear of a page: it is listed, or was until the site
// answered 404, 410 or a permanent redirect, and still answers so. If it is listed and gave
// another answer last, such as 403, it may be about to leave. If it is listed and this
// process no longer serves it in the sitemap, the store does not know the reason yet, which
// may be privacy.
func mayTell(e servemap.Explanation, c change) bool {
	if e.Listed {
		return !c.removed && (e.Status == http.StatusOK || e.Status == http.StatusNotModified)
	}
	return isGone(c.reason) && isGone(e.Reason)
}

// isGone reports whether a page left the sitemap because the site no longer has it there.
func isGone(reason servemap.Reason) bool {
	return reason == servemap.ReasonGone || reason == servemap.ReasonNotFound || reason == servemap.ReasonMoved
}
