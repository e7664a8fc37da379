package explorer

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/page/words"
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

func TestCauseIsWhatKeepsMostPagesOut(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		n          int
		st         servemap.Stats
	}{
		{"no page at all", "", 0, servemap.Stats{}},
		{"pages that are listed", "", 0, servemap.Stats{Listed: 3, Verdicts: map[string]int{"listed link": 3}}},
		{"many that are not to be listed", "private", 1, servemap.Stats{Listed: 1,
			Verdicts: map[string]int{"excluded noindex": 5, "waiting not-seen": 4, "excluded private": 1}}},
		{"many that the owner bars", "private", 1, servemap.Stats{Listed: 1,
			Verdicts: map[string]int{"excluded rule-never": 779, "excluded forgotten": 2, "excluded private": 1}}},
		{"nothing but these", "noindex", 5, servemap.Stats{Verdicts: map[string]int{"excluded noindex": 5}}},
		{"an entry that keeps out all the others", "no-store", 1, servemap.Stats{Hints: []string{messages.ForOne.String()},
			Verdicts: map[string]int{"excluded query-not-canonical": 6, "excluded no-store": 1}}},
		{"responses that showed no page", "cookie", 7,
			servemap.Stats{Ignored: map[string]uint64{"cookie": 7, "not-html": 2}}},
	} {
		if name, _, n := cause(tt.st); name != tt.want || n != tt.n {
			t.Errorf("%s: %d %s, want %d %s", tt.name, n, name, tt.n, tt.want)
		}
	}
}

// What the log names for the file can be pasted, a line each, in place of the lines that the file has.
func TestLogSaysTheLinesOfTheFile(t *testing.T) {
	words.Use(words.Keys)
	t.Cleanup(func() { words.Use(words.Options) })
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private")
		testkit.PageOfItsURL("/a", "/b", "/c?id=1", "/c?id=2", "/c?id=3")(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		e := &Explorer{Site: s.Site, Handler: s.Site.Wrap(h), Inside: true, Public: "/", Query: []string{"lang"},
			Log: s.Logged.Logger()}
		_, err := e.Run(s.Context(), servemap.ExploreOptions{})
		base.Check(t, err)
		s.Logged.Want(t, 1, `write into the file"="public = ['/']" "and the line"="query = ['lang', 'id']"`)
	})
}

func TestStartExploresAgainWhereTheSiteRefusedPages(t *testing.T) {
	for _, tt := range []struct {
		name, refused string
		want          []int
	}{
		{"several in a row", "/a /b", []int{1, 2, 2}}, {"one page, which may lead to all others", "/b", []int{1, 2, 2}},
	} {
		explored, refused := filepath.Join(t.TempDir(), "explored"), tt.refused
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" && strings.Contains(refused, r.URL.Path) {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			testkit.PageOfItsURL("/a", "/b")(w, r)
		})
		testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
			for _, want := range tt.want {
				e := &Explorer{Site: s.Site, Handler: s.Site.Wrap(h), Inside: true, Explored: explored, Log: s.Logged.Logger()}
				e.AtStart(s.Context(), false, servemap.ExploreOptions{})
				s.Logged.Want(t, want, "msg=explored")
				refused = ""
			}
		})
	}
}

// A site that gives no page is walked once a day. In between only its entry is asked for, so that it is explored soon
// after it works. What comes after the start does not wait for that.
func TestStartTriesUntilTheSiteGivesAPage(t *testing.T) {
	for _, tt := range []struct {
		name    string
		status  int
		downFor time.Duration
		atMost  int // requests meanwhile
	}{
		{"it starts late", http.StatusInternalServerError, time.Minute, 150},
		{"all that its sitemap names is not found", http.StatusNotFound, 24*time.Hour - time.Minute, 450},
		{"it has moved away", http.StatusNotFound, 240 * time.Hour, 5000},
	} {
		synctest.Test(t, func(t *testing.T) {
			down, asked, log := atomic.Bool{}, atomic.Int64{}, new(base.Log)
			down.Store(true)
			sitemap := "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
			for i := range 100 {
				sitemap += fmt.Sprintf("<url><loc>%s/a%d</loc></url>", testkit.Origin, i)
			}
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch asked.Add(1); {
				case r.URL.Path == "/sitemap.xml":
					w.Header().Set("Content-Type", "application/xml")
					io.WriteString(w, sitemap+"</urlset>")
				case down.Load():
					w.WriteHeader(tt.status)
				default:
					testkit.PageOfItsURL("/a")(w, r)
				}
			})
			site, err := servemap.New(testkit.Origin, nil, &servemap.Options{Robots: "User-agent: *", Logger: log.Logger()})
			base.Check(t, err)
			e := &Explorer{Site: site, Handler: h, Inside: true, Log: log.Logger()}
			later := e.AtStart(t.Context(), false, servemap.ExploreOptions{})
			if later == nil {
				t.Fatalf("%s: nothing is left to do: %s", tt.name, log)
			}
			done := make(chan struct{})
			go func() { defer close(done); later() }()
			time.Sleep(tt.downFor)
			if n, text := int(asked.Load()), log.String(); n > tt.atMost || strings.Count(text, "not explored yet") != 1 ||
				!strings.Contains(text, "no page to begin with") || strings.Contains(text, "msg=explored") {
				t.Errorf("%s: %d requests while it is down: %s", tt.name, n, text)
			}
			down.Store(false)
			<-done
			base.Check(t, site.Close(t.Context()))
			if text := log.String(); strings.Count(text, "msg=explored") != 1 {
				t.Error(text)
			}
		})
	}
}

func TestOtherSettingsExploreAgain(t *testing.T) {
	explored := filepath.Join(t.TempDir(), "explored")
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		for i, settings := range []string{"", "", "-query id", "-query id"} {
			e := &Explorer{Site: s.Site, Handler: s.Site.Wrap(testkit.PageOfItsURL("/a")), Inside: true, Explored: explored,
				Log: s.Logged.Logger(), Settings: settings}
			e.AtStart(s.Context(), false, servemap.ExploreOptions{})
			if n, want := strings.Count(s.Logged.String(), "msg=explored"), i/2+1; n != want {
				t.Errorf("start %d: explored %d times, want %d", i, n, want)
			}
		}
	})
}
