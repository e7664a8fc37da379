package explorer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
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
		e := &Explorer{Site: site, Handler: testkit.PageOfItsURL("/a"), Inside: true, State: state, Log: log.Logger()}
		done := make(chan struct{})
		go func() { defer close(done); e.AtStart(t.Context(), false, 0) }()
		time.Sleep(time.Minute)
		if text := log.String(); !strings.Contains(text, "not explored") || strings.Contains(text, "msg=explored") {
			t.Errorf("while the store is down: %s", text)
		}
		st.Mend()
		<-done
		base.Check(t, site.Close(t.Context()))
		if text := log.String(); !strings.Contains(text, "msg=explored") || strings.Contains(text, "could not be listed") {
			t.Error(text)
		}
	})
}

func TestExplorationWhoseStateIsDamagedBeginsAnew(t *testing.T) {
	state := filepath.Join(t.TempDir(), "exploring")
	base.Check(t, os.WriteFile(state, []byte("damaged"), 0o600))
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		s.Visit("/", "/a")
		e := &Explorer{Site: s.Site, Handler: s.Site.Wrap(testkit.PageOfItsURL("/a")), Inside: true, State: state, Log: s.Logged.Logger()}
		e.AtStart(s.Context(), false, 0)
		if text := s.Logged.String(); !strings.Contains(text, "msg=explored") || strings.Contains(text, "listed already") {
			t.Error(text)
		}
		if _, err := os.Stat(state); !os.IsNotExist(err) {
			t.Errorf("the state is still there: %v", err)
		}
	})
}

func TestOtherSettingsExploreAgain(t *testing.T) {
	state := filepath.Join(t.TempDir(), "exploring")
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		for i, settings := range []string{"", "", "-query id", "-query id"} {
			e := &Explorer{Site: s.Site, Handler: s.Site.Wrap(testkit.PageOfItsURL("/a")), Inside: true, State: state, Log: s.Logged.Logger(), Settings: settings}
			e.AtStart(s.Context(), false, 0)
			if n, want := strings.Count(s.Logged.String(), "msg=explored"), i/2+1; n != want {
				t.Errorf("start %d: explored %d times, want %d", i, n, want)
			}
		}
	})
}
