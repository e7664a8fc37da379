package ledger

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/store/memstore"
)

// hanging is a store whose updates wait for a word.
type hanging struct {
	memstore.Store
	release chan struct{}
}

func (h *hanging) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	<-h.release // whatever becomes of ctx
	return h.Store.Update(ctx, keys, fn)
}

func TestAHangingStoreIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &hanging{release: make(chan struct{})}
		var log strings.Builder
		g := Guard(st, "s|").(guarded)
		g.watch.logTo(slog.New(slog.NewTextHandler(&log, nil)))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 3 {
				_ = g.Update(t.Context(), []string{"k"}, func([][]byte) error { return nil })
			}
		}()
		for _, c := range []struct {
			after   time.Duration
			stalled bool
		}{{0, false}, {stallPatience - time.Second, false}, {2 * time.Second, true}, {time.Hour, true}} {
			time.Sleep(c.after)
			synctest.Wait()
			if err := g.watch.stalled(); (err != nil) != c.stalled {
				t.Errorf("after %v more: %v, want that it stalls: %t", c.after, err, c.stalled)
			}
		}
		if n := strings.Count(log.String(), "does not answer"); n != 1 {
			t.Errorf("a store that hangs was logged %d times, want once:\n%s", n, log.String())
		}
		close(st.release)
		<-done
		if err := g.watch.stalled(); err != nil {
			t.Errorf("a store that answers again: %v", err)
		}
	})
}

// TestTheBodyOfAScanMayTakeLong has the loop over a scan, and not the store, take
// its time.
func TestTheBodyOfAScanMayTakeLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := Guard(new(oneRecord), "s|").(guarded)
		for range g.Scan(t.Context(), "", "") {
			time.Sleep(time.Hour)
			if err := g.watch.stalled(); err != nil {
				t.Error(err)
			}
			break
		}
		if len(g.watch.begun) != 0 {
			t.Errorf("%d calls are still under way", len(g.watch.begun))
		}
	})
}
