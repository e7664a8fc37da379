package notify

import (
	"context"
	"time"

	"github.com/servemap/servemap"
)

const (
	rushWindow = time.Hour
	rushLeast  = 100 // pages; fewer are no rush, even on a small site
)

// rush counts the pages that changed in the last hour.
type rush struct {
	since   time.Time
	changed int
}

func (r *rush) count(c servemap.Change) {
	if c.At.After(r.since) {
		r.changed++
	}
}

// is reports whether so many pages changed that it must be a deploy, a template or an import:
// more than a quarter of the listed pages. Engines learn of a rush from the lastmod in the
// sitemap, and would take it amiss if all pages were sent.
func (r *rush) is(listed int) bool { return r.changed > max(rushLeast, listed/4) }

// drop drops the changes of a rush: none up to now is sent.
func (n *Notifier) drop(ctx context.Context, r rush, waiting []change) error {
	if !n.rushing {
		n.log.Warn("notify: so many pages changed within an hour that they are not sent; the sitemap says when each changed",
			"changed", r.changed, "listed", n.site.Stats().Listed)
	}
	n.rushing = true
	if len(waiting) == 0 {
		return nil
	}
	return n.skip(ctx, len(waiting))
}

// skip lets no change up to now be sent, so many of them for a rush.
func (n *Notifier) skip(ctx context.Context, rushed int) error {
	n.cursor, n.pending = time.Time{}, 0
	clear(n.first)
	_, err := n.update(ctx, func(st *state) error {
		if !n.leads(*st) {
			return errElsewhere
		}
		st.Floor, st.Rushed = n.now(), st.Rushed+rushed
		st.Cursor = st.Floor
		return nil
	})
	return err
}
