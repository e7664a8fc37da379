package indexer

import (
	"testing"
	"time"
)

// A source that was caught dates nothing, also after a restart, until a month has passed
// without a lie.
func TestCaughtSourceIsForgivenAfterAMonth(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a", "/b"))
		old := time.Now().Add(-30 * 24 * time.Hour)
		r.sight("/b", html("b"), lastModified(old))
		r.wantLastMod("/b", old.Unix())
		for range 2 {
			r.sight("/a", html("a"), lastModified(time.Now()))
		}
		for range 2 {
			r.flush()
			r.wantLastMod("/b", 0)
			r.restart()
		}
		time.Sleep(29 * 24 * time.Hour)
		r.flush()
		r.wantLastMod("/b", 0)
		time.Sleep(3 * 24 * time.Hour)
		r.flush()
		r.wantLastMod("/b", old.Unix())
	})
}
