package main

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/servemap/servemap"
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
	if strings.Contains(log.String(), "nothing is listed") {
		t.Error(log)
	}
}

func TestExplorationThatListsNothingSaysWhy(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pages int
		stats servemap.Stats
		want  string
	}{
		{"a hint", 5, servemap.Stats{Hints: []string{"The page says noindex."}, Verdicts: map[string]int{"excluded no-store": 5}}, "saw pages: 5. The page says noindex."},
		{
			"a verdict", 5, servemap.Stats{Verdicts: map[string]int{"excluded no-store": 4, "excluded noindex": 1, "waiting not-seen": 9}},
			"What keeps 4 of them out: The responses say Cache-Control: no-store. Send that only with pages for one visitor, or give -public for the others, such as -public /.",
		},
		{"responses", 0, servemap.Stats{Ignored: map[string]uint64{"cookie": 3, "status": 1}}, "saw no page. Responses that did not count: 3, the visitor has a cookie; if everybody gets it, name it in -cookie"},
		{"nothing", 0, servemap.Stats{}, "See what the site answers"},
	} {
		if got := inFlags.Replace(nothingListed(tt.pages, tt.stats)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFirstStartThatListsNothingWarns(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		blog(w, r)
	}, "-explore")
	if line := s.log.await(t, "nothing is listed"); !strings.Contains(line, "level=WARN") || !strings.Contains(line, "-public") {
		t.Error(line)
	}
	if out := must(t, "stats", "-data", s.data); !strings.Contains(out, "excluded no-store: The responses say Cache-Control: no-store.") || !strings.Contains(out, "give -public") {
		t.Error(out)
	}
}
