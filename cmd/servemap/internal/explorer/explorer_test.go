package explorer

import (
	"errors"
	"net/http"
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
		go func() { defer close(done); e.AtStart(t.Context(), false, servemap.ExploreOptions{}) }()
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

func TestLogSaysHowManyPagesAreListed(t *testing.T) {
	noIndex := testkit.Reply(http.StatusOK, testkit.HTML(`<meta name="robots" content="noindex">`, "none of this"))
	private := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private")
		testkit.Page(r.URL.Path)(w, r)
	}
	for _, tt := range []struct {
		name    string
		handler http.Handler
		counts  string
		warns   bool
	}{
		{"no page at all", http.NotFoundHandler(), "pages=0 listed=0", false},
		{"a page that is listed", testkit.Paths{"/": testkit.Page("home")}, "pages=1 listed=1", false},
		{"a page among many that are not to be listed", testkit.Paths{
			"/": testkit.Page("home", "/a", "/b", "/c", "/none-1", "/none-2"), "/a": noIndex, "/b": noIndex, "/c": noIndex,
		}, "pages=4 listed=1", false},
		{"a page among many for one visitor each", testkit.Paths{
			"/": testkit.Page("home", "/a", "/b", "/c"), "/a": private, "/b": private, "/c": private,
		}, "pages=4 listed=1", true},
		{"a page that is not", testkit.Paths{"/": noIndex}, "pages=1 listed=0", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			explored := filepath.Join(t.TempDir(), "explored")
			testkit.Run(t, testkit.Setup{Handler: tt.handler}, func(s *testkit.Site) {
				e := &Explorer{Site: s.Site, Handler: s.Site.Wrap(tt.handler), Inside: true, Explored: explored, Log: s.Logged.Logger()}
				e.AtStart(s.Context(), false, servemap.ExploreOptions{})
				text := s.Logged.String()
				if warns := strings.Contains(text, "most pages could not be listed"); !strings.Contains(text, tt.counts) || warns != tt.warns {
					t.Error(text)
				}
			})
		})
	}
}

func TestOtherSettingsExploreAgain(t *testing.T) {
	explored := filepath.Join(t.TempDir(), "explored")
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		for i, settings := range []string{"", "", "-query id", "-query id"} {
			e := &Explorer{Site: s.Site, Handler: s.Site.Wrap(testkit.PageOfItsURL("/a")), Inside: true, Explored: explored, Log: s.Logged.Logger(), Settings: settings}
			e.AtStart(s.Context(), false, servemap.ExploreOptions{})
			if n, want := strings.Count(s.Logged.String(), "msg=explored"), i/2+1; n != want {
				t.Errorf("start %d: explored %d times, want %d", i, n, want)
			}
		}
	})
}
