package notify

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap"
)

// change is what happened last to a page.
type change struct {
	url     string
	hash    hash
	kind    string // as kindOf says, once it waits
	at      time.Time
	found   bool            // the page was listed, and has not changed since
	removed bool            // the page is no longer in the sitemap that this process serves
	reason  servemap.Reason // why it was removed, if the store knows
}

// waiting is what this process remembers of a page that is to be sent.
type waiting struct {
	at    time.Time // the time of its last change when it was looked at
	due   time.Time // when to look at it
	never bool      // it is not sent, unless it changes again
}

const (
	interval = time.Hour // the least time between two sendings of one page
	// dateWait is how long a page that was only found may wait for a date of its own. A date
	// that the server or the page gives counts once it is an hour old.
	dateWait   = 2 * time.Hour
	newsFor    = 7 * 24 * time.Hour // a page with an older date is no news when it is found
	mostDays   = 7                  // how many days a change may wait
	maxWaiting = 100_000            // changes; if there are more, the oldest are given up
)

// choose returns the changes whose pages are to be looked at now: first those of whose kind few wait, and of one kind
// the oldest. It moves the cursor to the first change that waits, and notes when the first page may be sent. A page's
// wait counts from its first change, not from its last: otherwise a page that changes each minute would never be sent.
func (n *Notifier) choose(all []change, now time.Time) (due []change) {
	waits, alike, cursor := make(map[hash]waiting, len(all)), map[string]int{}, now.Add(-skew)
	n.st.Pending, n.st.NextSend = 0, time.Time{}
	for _, c := range all {
		if sent := n.sent[c.hash].Time(); !sent.Before(c.at) || !c.at.After(n.st.Floor) {
			continue
		}
		w, known := n.waits[c.hash]
		if !known || w.never && !w.at.Equal(c.at) {
			w = waiting{due: c.at.Add(n.hold)}
		}
		w.at = c.at
		if waits[c.hash] = w; w.never {
			continue
		}
		if c.at.Before(cursor) {
			cursor = c.at
		}
		c.kind = kindOf(c.url)
		next := latest(w.due, n.sent[c.hash].Time().Add(interval))
		if alike[c.kind]++; !c.found {
			if n.st.Pending++; n.st.Pending == 1 || next.Before(n.st.NextSend) {
				n.st.NextSend = next
			}
		}
		if !now.Before(next) {
			due = append(due, c)
		}
	}
	n.waits, n.st.Cursor = waits, latest(n.st.Cursor, cursor)
	slices.SortStableFunc(due, func(a, b change) int { return alike[a.kind] - alike[b.kind] })
	return due
}

// changes reads the changes that may wait, the oldest first. If they are too many, or the site does not remember
// all of them, the oldest are lost.
func (n *Notifier) changes(ctx context.Context, now time.Time) (all []change, err error) {
	since := latest(n.st.Cursor, now.AddDate(0, 0, -mostDays))
	for {
		all, err = all[:0], nil
		for c, failed := range n.site.Changes(ctx, since) {
			if err = failed; err != nil {
				break
			}
			if len(all) == maxWaiting {
				all, since = all[1:], all[0].at
			}
			all = append(all, change{
				url: c.URL, hash: hashOf(c.URL), at: c.At, reason: c.Reason,
				found: c.Kind == servemap.ChangeAdded && c.Listed.Equal(c.At), removed: c.Kind == servemap.ChangeRemoved,
			})
		}
		if !errors.Is(err, servemap.ErrTooOld) || now.Sub(since) < time.Minute {
			break
		}
		since = since.Add(now.Sub(since) / 64) // what the site remembers begins a little later
	}
	if err == nil && since.After(n.st.Cursor) {
		n.log.Warn("notify: changes that waited are not sent, since too many came later, or they are longer ago than the "+
			"site remembers", "before", since.UTC().Format(time.RFC3339))
	}
	return all, err
}

// sendable returns the pages that may be sent. A change is only a reason to look: the page's verdict at this
// moment decides. Pages that may not be sent are looked at later.
func (n *Notifier) sendable(ctx context.Context, pages []change) (send []change, err error) {
	for _, c := range pages {
		e, err := n.site.Explain(ctx, c.url)
		if err != nil {
			return nil, err
		}
		if now := n.now(); mayTell(e, c) && isNews(e, c, n.st.Floor, now) {
			send = append(send, c)
		} else {
			n.waits[c.hash] = lookLater(e, c, now)
		}
	}
	return send, nil
}

// isNews reports whether a change is news. A page that was only found must have a date since the first start: its own,
// or that of the first link to it, on a page that had been read before without that link. Other found pages may be as
// old as the site, and a stranger who follows links finds as many of them as he likes.
func isNews(e servemap.Explanation, c change, firstStart, now time.Time) bool {
	return !c.found || e.LastModified.After(latest(firstStart, now.Add(-newsFor)))
}

// lookLater says when to look again at a page that may not be sent now: within an hour, or never.
func lookLater(e servemap.Explanation, c change, now time.Time) waiting {
	age := now.Sub(c.at)
	return waiting{at: c.at, due: now.Add(min(age, interval)), never: !e.Listed() || c.found && age >= dateWait}
}

// mayTell reports whether engines may hear of a page: it is listed, or was until the site answered
// 404, 410 or a permanent redirect, and still answers so. If it is listed and gave another answer
// last, such as 403, it may be about to leave. If it is listed and this process no longer serves it
// in the sitemap, the store does not know the reason yet, which may be privacy.
func mayTell(e servemap.Explanation, c change) bool {
	if e.Listed() {
		return !c.removed && (e.Status == http.StatusOK || e.Status == http.StatusNotModified)
	}
	return slices.Contains(gone, c.reason) && slices.Contains(gone, e.Reason)
}

// gone are the reasons for which a page left the sitemap because the site no longer has it there.
var gone = []servemap.Reason{servemap.ReasonGone, servemap.ReasonNotFound, servemap.ReasonMoved}

// limitStep is how often more pages may be sent: a post for each page is too many.
const limitStep = 5 * time.Minute

// allowed returns how many pages may be sent now. Half of a day's limit may be sent at once, and the rest as the day
// goes on. A stranger may make pages change by the hundred: what changes after them still finds room within minutes.
func (n *Notifier) allowed() int { return n.allowedAt(n.now().UTC()) - n.st.SentToday }

// allowedAt returns how many pages may be sent from the begin of a day to a time of it.
func (n *Notifier) allowedAt(at time.Time) int {
	at = at.Truncate(limitStep)
	passed := at.Sub(at.Truncate(24*time.Hour)).Hours() / 24
	return int(math.Ceil(float64(n.perDay) * (1 + passed) / 2))
}

// allowedAgain returns when more pages may be sent, today or as the next day begins.
func (n *Notifier) allowedAgain() time.Time {
	at := n.now().UTC().Truncate(limitStep)
	day := at.Truncate(24 * time.Hour).Add(24 * time.Hour)
	for at = at.Add(limitStep); at.Before(day) && n.allowedAt(at) <= n.st.SentToday; {
		at = at.Add(limitStep)
	}
	return at
}

// kindOf returns the kind of a page. Pages of one kind are likely to change together. The kind says the top folder, how
// many parts follow, which of these have numbers, and whether there is a query: "/blog/*/#" for "/blog/tags/page-2".
func kindOf(url string) (kind string) {
	_, location, _ := strings.Cut(url, "://")
	_, location, _ = strings.Cut(location, "/")
	path, _, query := strings.Cut(location, "?")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		switch {
		case strings.ContainsAny(part, "0123456789"):
			part = "#"
		case i > 0 || len(parts) == 1:
			part = "*"
		}
		kind += "/" + part
	}
	if query {
		kind += "?"
	}
	return kind
}
