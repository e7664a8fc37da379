package main

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// late is a store that cannot be used until there is set.
type late struct {
	store.Store
	there atomic.Bool
}

var errLate = errors.New("connection refused")

func (l *late) View(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if !l.there.Load() {
		return errLate
	}
	return l.Store.View(ctx, keys, fn)
}

func (l *late) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if !l.there.Load() {
		return errLate
	}
	return l.Store.Update(ctx, keys, fn)
}

func (l *late) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	if !l.there.Load() {
		return func(yield func(store.Record, error) bool) { yield(store.Record{}, errLate) }
	}
	return l.Store.Scan(ctx, prefix, after)
}

func (*late) Shared() bool { return true }

func TestFirstExplorationWaitsForTheStore(t *testing.T) {
	log := newLines()
	logger := slog.New(slog.NewTextHandler(log, nil))
	st := &late{Store: new(memstore.Store)}
	site, err := newSite(&settings{Origin: origin, Shared: true}, st, logger)
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close(context.WithoutCancel(t.Context()))
	e := &explorer{site: site, handler: http.HandlerFunc(blog), state: filepath.Join(t.TempDir(), "exploring"), log: logger}
	done := make(chan struct{})
	go func() { defer close(done); e.atStart(t.Context(), false, 0) }()
	log.await(t, "exploring waits")
	st.there.Store(true)
	log.await(t, "msg=explored")
	<-done
}
