package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/texts"
)

// shared is a store that says that processes share it.
type shared struct{ *base.Store }

func (shared) Shared() bool { return true }

func TestFirstExplorationWaitsForTheStore(t *testing.T) {
	log := newLines()
	logger := slog.New(slog.NewTextHandler(log, nil))
	st := base.NewStore()
	st.Down(errors.New("connection refused"))
	site, err := newSite(&settings{Origin: origin, Shared: true}, shared{st}, logger)
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close(context.WithoutCancel(t.Context()))
	e := &explorer{site: site, handler: http.HandlerFunc(blog), state: filepath.Join(t.TempDir(), "exploring"), log: logger}
	done := make(chan struct{})
	go func() { defer close(done); e.atStart(t.Context(), false, 0) }()
	log.await(t, "exploring waits")
	st.Mend()
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
		{"a hint", 5, servemap.Stats{Hints: []string{"The page says noindex."}, Verdicts: map[string]int{"excluded no-store": 5}}, "saw pages: 5. A warning above says why."},
		{
			"a verdict", 5, servemap.Stats{Verdicts: map[string]int{"excluded no-store": 4, "excluded noindex": 1, "waiting not-seen": 9}},
			"What keeps 4 of them out: The responses say Cache-Control: no-store. Send that only with pages for one visitor, or give -public for the others, such as -public /.",
		},
		{"responses", 0, servemap.Stats{Ignored: map[string]uint64{"cookie": 3, "status": 1}}, "saw no page. Responses that did not count: 3, the visitor has a cookie; if everybody gets it and it is never a log-in, name it in -cookie"},
		{"nothing", 0, servemap.Stats{}, "See what the site answers"},
	} {
		if got := texts.InFlags(nothingListed(tt.pages, tt.stats)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFirstStartThatListsNothingWarns(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		blog(w, r)
	}, "-explore")
	line := s.log.await(t, "nothing is listed")
	if log := s.log.String(); !strings.Contains(line, "level=WARN") || strings.Count(log, "give -public") != 1 {
		t.Errorf("the cause is not told once: %s", log)
	}
	if out := must(t, "stats", "-data", s.data); !strings.Contains(out, "excluded no-store: The responses say Cache-Control: no-store.") || !strings.Contains(out, "give -public") {
		t.Error(out)
	}
}
