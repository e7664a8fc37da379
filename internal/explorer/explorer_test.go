package explorer

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/texts"
)

// shared is a store that says that processes share it.
type shared struct{ *base.Store }

func (shared) Shared() bool { return true }

func TestFirstExplorationWaitsForTheStore(t *testing.T) {
	state := filepath.Join(t.TempDir(), "exploring")
	synctest.Test(t, func(t *testing.T) {
		st, log := base.NewStore(), new(base.Log)
		st.Down(errors.New("connection refused"))
		site, err := servemap.New(testkit.Origin, shared{st}, &servemap.Options{Logger: log.Logger()})
		base.Check(t, err)
		e := &Explorer{Site: site, Handler: testkit.PageOfItsURL("/a"), State: state, Log: log.Logger()}
		done := make(chan struct{})
		go func() { defer close(done); e.AtStart(t.Context(), false, 0) }()
		time.Sleep(time.Minute)
		if text := log.String(); !strings.Contains(text, "exploring waits") || strings.Contains(text, "msg=explored") {
			t.Errorf("while the store is down: %s", text)
		}
		st.Mend()
		<-done
		base.Check(t, site.Close(t.Context()))
		if text := log.String(); !strings.Contains(text, "msg=explored") || strings.Contains(text, "nothing is listed") {
			t.Error(text)
		}
	})
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
