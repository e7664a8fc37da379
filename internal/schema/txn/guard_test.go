package txn

import (
	"context"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// hanging is a store whose updates wait until release is closed.
type hanging struct {
	memstore.Store
	release chan struct{}
}

func (h *hanging) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	<-h.release // even if ctx ends
	return h.Store.Update(ctx, keys, fn)
}

func TestHangingStoreIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &hanging{release: make(chan struct{})}
		var log strings.Builder
		g := Guard(st, "s|site", slog.New(slog.NewTextHandler(&log, nil)))
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
		}{{0, false}, {patience - time.Second, false}, {2 * time.Second, true}, {time.Hour, true}} {
			time.Sleep(c.after)
			synctest.Wait()
			if err := g.Stalled(); (err != nil) != c.stalled {
				t.Errorf("after %v more: %v, want that it stalls: %t", c.after, err, c.stalled)
			}
		}
		if n := strings.Count(log.String(), "does not answer"); n != 1 {
			t.Errorf("a store that hangs was logged %d times, want once:\n%s", n, log.String())
		}
		close(st.release)
		<-done
		if err := g.Stalled(); err != nil {
			t.Errorf("a store that answers again: %v", err)
		}
	})
}

// TestBodyOfAScanMayTakeLong takes its time in the loop over a scan, not in the store.
func TestBodyOfAScanMayTakeLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := Guard(new(oneRecord), "s|site", slog.New(slog.DiscardHandler))
		for range g.Scan(t.Context(), "", "") {
			time.Sleep(time.Hour)
			if err := g.Stalled(); err != nil {
				t.Error(err)
			}
			break
		}
		time.Sleep(time.Hour)
		if err := g.Stalled(); err != nil {
			t.Errorf("after the scan: %v", err)
		}
	})
}

func TestPanicOfAStoreIsAnError(t *testing.T) {
	st := Guard(panicking{}, "s|site", slog.New(slog.DiscardHandler))
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"View":   func() error { return st.View(ctx, nil, nil) },
		"Update": func() error { return st.Update(ctx, nil, nil) },
		"Sync":   func() error { return st.Sync(ctx) },
		"Scan": func() error {
			for _, err := range st.Scan(ctx, "", "") {
				if err != nil {
					return err
				}
			}
			return nil
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), "panicked") {
			t.Errorf("%s returned %v", name, err)
		}
	}
	defer func() {
		base.Equal(t, recover(), "of the loop", "the panic of the loop's body comes out as")
	}()
	for range Guard(new(oneRecord), "s|site", slog.New(slog.DiscardHandler)).Scan(ctx, "", "") {
		panic("of the loop")
	}
}

// TestScanThatIsLeftYieldsNoMore has a store that panics while it cleans up after a scan. If the loop
// has ended, a further record or error would end the process.
func TestScanThatIsLeftYieldsNoMore(t *testing.T) {
	g := Guard(panicsAtEnd{}, "s|site", slog.New(slog.DiscardHandler))
	for _, err := range g.Scan(t.Context(), "", "") {
		if err != nil {
			t.Error(err)
		}
		break
	}
	var last error
	for _, err := range g.Scan(t.Context(), "", "") {
		last = err
	}
	if last == nil || !strings.Contains(last.Error(), "panicked") {
		t.Errorf("a loop to the end of the scan got %v, want the panic", last)
	}
}

type panicsAtEnd struct{ panicking }

func (panicsAtEnd) Scan(context.Context, string, string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		defer func() { panic("cleaning up") }()
		yield(store.Record{Key: "a"}, nil)
	}
}

type panicking struct{ store.Store }

func (panicking) View(context.Context, []string, func([][]byte) error) error   { panic("view") }
func (panicking) Update(context.Context, []string, func([][]byte) error) error { panic("update") }
func (panicking) Sync(context.Context) error                                   { panic("sync") }
func (panicking) Scan(context.Context, string, string) iter.Seq2[store.Record, error] {
	return func(func(store.Record, error) bool) { panic("scan") }
}

type oneRecord struct{ panicking }

func (*oneRecord) Scan(context.Context, string, string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) { yield(store.Record{Key: "a"}, nil) }
}
