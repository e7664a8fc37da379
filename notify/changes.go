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

const interval = time.Hour // the least time between two sendings of one page

// queue is what is known of the changes that are to be sent.
type queue struct {
	cursor  time.Time // nothing older waits
	pending int
	first   map[hash]time.Time // when the first change of each waiting page was seen
	rushing bool
}

// errGap says that changes are forgotten that were not sent.
var errGap = errors.New("changes of more than 7 days ago were not sent, and are no longer known; only what changes from now on is sent")

// collect returns the due pages, sorted by URL, and moves the cursor up to the first
// unsettled change.
func (n *Notifier) collect(ctx context.Context, st state) ([]change, error) {
	now := n.now()
	recent, waiting, err := n.changes(ctx, st, now)
	switch {
	case errors.Is(err, servemap.ErrTooOld):
		return nil, cmp.Or(n.skip(ctx, 0), errGap)
	case err != nil:
		return nil, err
	case recent.is(n.site.Stats().Listed):
		return nil, n.drop(ctx, recent, waiting)
	}
	n.rushing, n.pending = false, len(waiting)
	return n.due(waiting, now), nil
}

// changes reads which changes are to be sent or dropped, and counts those of the last hour.
func (n *Notifier) changes(ctx context.Context, st state, now time.Time) (recent rush, waiting []change, err error) {
	done, err := n.readSent(ctx)
	if err != nil {
		return recent, nil, err
	}
	recent.since = now.Add(-rushWindow)
	since, unsettled := recent.since, st.Cursor.Add(-skew)
	if unsettled.Before(since) {
		since = unsettled
	}
	for c, err := range n.site.Changes(ctx, since) {
		if err != nil {
			return recent, nil, err
		}
		recent.count(c)
		h := hashOf(c.URL)
		if !c.At.After(st.Floor) || c.At.Before(unsettled) || !done[h].change.Before(c.At) {
			continue
		}
		waiting = append(waiting, change{c.URL, h, c.At, done[h].at, c.Kind == servemap.ChangeRemoved, c.Reason})
	}
	return recent, waiting, nil
}

// due returns which of the waiting changes may be sent at now, sorted by URL, and moves the
// cursor to the first of them. The hold of a page begins when its first change was seen.
// Otherwise a page that changes each minute would never be sent.
func (n *Notifier) due(waiting []change, now time.Time) (due []change) {
	n.cursor = now
	first := make(map[hash]time.Time, len(waiting))
	for _, c := range waiting {
		if first[c.hash] = c.at; !n.first[c.hash].IsZero() && n.first[c.hash].Before(c.at) {
			first[c.hash] = n.first[c.hash]
		}
		if c.at.Before(n.cursor) {
			n.cursor = c.at
		}
		if !now.Before(first[c.hash].Add(n.hold)) && !now.Before(c.told.Add(interval)) {
			due = append(due, c)
		}
	}
	n.first = first
	slices.SortFunc(due, func(a, b change) int { return cmp.Compare(a.url, b.url) })
	return due
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
		case !e.Listed():
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
	if e.Listed() {
		return !c.removed && (e.Status == http.StatusOK || e.Status == http.StatusNotModified)
	}
	return isGone(c.reason) && isGone(e.Reason)
}

// isGone reports whether a page left the sitemap because the site no longer has it there.
func isGone(reason servemap.Reason) bool {
	return reason == servemap.ReasonGone || reason == servemap.ReasonNotFound || reason == servemap.ReasonMoved
}
