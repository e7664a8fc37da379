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
)

// shared is a store that says that processes share it.
type shared struct{ *base.Store }

func (shared) Shared() bool { return true }

func TestFirstExplorationWaitsForTheStore(t *testing.T) {
	explored := filepath.Join(t.TempDir(), "explored")
	synctest.Test(t, func(t *testing.T) {
		st, log := base.NewStore(), new(base.Log)
		st.Down(errors.New("connection refused"))
		site, err := servemap.New(testkit.Origin, shared{st}, &servemap.Options{Logger: log.Logger()})
		base.Check(t, err)
		e := &Explorer{Site: site, Handler: testkit.PageOfItsURL("/a"), Inside: true, Explored: explored, Log: log.Logger()}
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

func TestOtherSettingsExploreAgain(t *testing.T) {
	explored := filepath.Join(t.TempDir(), "explored")
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		for i, settings := range []string{"", "", "-query id", "-query id"} {
			e := &Explorer{Site: s.Site, Handler: s.Site.Wrap(testkit.PageOfItsURL("/a")), Inside: true, Explored: explored, Log: s.Logged.Logger(), Settings: settings}
			e.AtStart(s.Context(), false, 0)
			if n, want := strings.Count(s.Logged.String(), "msg=explored"), i/2+1; n != want {
				t.Errorf("start %d: explored %d times, want %d", i, n, want)
			}
		}
	})
}

func TestOneLineNamesAllParametersThatMayMakePages(t *testing.T) {
	for _, tt := range []struct {
		params []string
		want   string
	}{
		{[]string{"tag: 8 linked pages of /", "cat: 3 linked pages of /", "tag: 3 linked pages of /old", "ref: 2 linked pages of /"}, "-query tag,cat ("},
		{[]string{"id: 2 linked pages of /view", "ref: 1 linked pages of /"}, ""},
		{nil, "none makes pages by itself"},
	} {
		if got := giveQuery(tt.params); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q: %s", tt.params, got)
		}
	}
}
