package indexer

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

// A process that finds the site's record of a later version serves its last sitemap,
// stores nothing more, and says so once.
func TestOlderProcessStopsWhereALaterVersionHasTakenOver(t *testing.T) {
	for _, when := range []string{"while it runs", "before it starts"} {
		runInBubble(t, when, Config{RefreshEvery: time.Minute}, func(r *rig) {
			r.sight("/", html("home", "/a", "/b"))
			r.sight("/a", html("a"))
			r.wantListed("/", "/a")
			if when != "while it runs" {
				r.stop()
			}
			r.put(r.indexer.site.Keys.Site(), laterRecord())
			if when != "while it runs" {
				r.start()
			}
			before := r.dump()
			for range 3 {
				r.offer(seen("/b", html("b")))
				r.offer(seen("/a", html("another text of this page")))
				time.Sleep(time.Hour)
			}
			if !maps.Equal(r.dump(), before) {
				r.Error("it changed records")
			}
			if err := r.indexer.Forget(r.Context(), "/a"); !errors.Is(err, txn.ErrLater) {
				r.Errorf("Forget returned %v", err)
			}
			if when == "while it runs" && !r.files.Lists("/") {
				r.Error("the last sitemap is no longer served")
			}
			if err := r.indexer.Stats().Problem; !errors.Is(err, txn.ErrLater) {
				r.Errorf("the stats say %v", err)
			}
			if n := strings.Count(r.log.String(), "later version"); n < 1 || n > 2 { // the worker's and the files'
				r.Errorf("logged %d times:\n%s", n, r.log)
			}
		})
	}
}

// A changed origin starts anew beside the pages of the one before. The owner may not mean that.
func TestStoreOfAnotherOriginIsToldOnce(t *testing.T) {
	for _, tt := range []struct {
		name, key string
		cfg       Config
		want      int
	}{
		{"pages of another origin", "http://localhost:18120|page|/", Config{}, 1},
		{"pages of a later one in the order of keys", "https://tea.example.org|page|/", Config{}, 1},
		{"no page of it", "http://localhost:18120|active", Config{}, 0},
		{"a store that processes share", "http://localhost:18120|page|/", Config{RefreshEvery: time.Minute}, 0},
		{"one of many sites", "http://localhost:18120|page|/", Config{Shared: Shared{Memory: response.NewMemory(1 << 20)}},
			0},
	} {
		tt.cfg.Store = memstore.New()
		base.Check(t, tt.cfg.Store.Update(t.Context(), []string{tt.key}, func(values [][]byte) error {
			values[0] = []byte("x")
			return nil
		}))
		runInBubble(t, tt.name, tt.cfg, func(r *rig) {
			for range 2 {
				r.sight("/", html("home"))
				r.restart()
			}
			origin, _, _ := strings.Cut(tt.key, "|")
			if n := r.log.Count("has pages of " + origin +
				" and none of https://example.com, which is learned anew. If the other was only for trying, all is well; else " +
				"correct the origin."); n != tt.want {
				r.Errorf("told %d times, want %d:\n%s", n, tt.want, r.log)
			}
		})
	}
}

// A listed page has a record under its own location. A record under a hash that claims to
// be of a listed page must not name it.
func TestWaitingRecordThatClaimsToBeListed(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home"))
		r.put(r.indexer.site.Keys.Wait(r.indexer.site.Secret.Name("/token-8f14e45fceea167a").Hash),
			[]byte(r.dump()[r.indexer.site.Keys.Page("/")]))
		r.restart()
		r.sight("/token-8f14e45fceea167a", html("secret"))
		r.wantNoTrace("/token-8f14e45fceea167a")
	})
}

// A site has a box to log in on each page. After a restart its pages stay, whichever of them visitors come to: where a
// page with a text is among them it shows the box again, and where there is none nothing says that the pages are
// log-ins.
func TestBoxToLogInTakesNoPageAwayAfterARestart(t *testing.T) {
	const box = "<form><input type=password></form>"
	for _, tt := range []struct {
		name  string
		after []string // what visitors come to after the restart
	}{
		{"a page with a text is visited", []string{"/", "/text", "/a"}},
		{"only pages that say little are visited", []string{"/a", "/b"}},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			site := map[string]string{"/": html("home", "/a", "/b", "/text"), "/text": html("a text")}
			see := func(says string, visited ...string) {
				site["/a"], site["/b"] = html("<p>Black beans from the valley.<p>"+says), html("<p>Red lentils by the bag.<p>"+says)
				for _, location := range visited {
					r.sight(location, site[location]+box)
				}
			}
			see("Ten bags are left.", "/", "/text", "/a", "/b")
			r.wantListed("/", "/a", "/b", "/text")
			r.restart()
			for day := range 3 {
				see(fmt.Sprintf("%d bags are left.", 9-day), tt.after...)
				r.wait(25 * time.Hour)
			}
			r.wantListed("/", "/a", "/b", "/text")
		})
	}
}
