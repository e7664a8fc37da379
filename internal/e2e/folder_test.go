//go:build unix

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// endless is an endless site: each page links to the next ten.
func endless(w http.ResponseWriter, r *http.Request) {
	n := 0
	_, _ = fmt.Sscanf(r.URL.Path, "/page/%d", &n)
	var links []string
	for i := n + 1; i <= n+10; i++ {
		links = append(links, fmt.Sprintf("/page/%d", i))
	}
	testkit.Page(fmt.Sprint("page ", n), links...)(w, r)
}

// learnInFolder starts a site on a Badger folder, with one visitor who asks for one new page after the
// other, and waits until pages are listed. end ends the visits, the site and the store.
func learnInFolder(t *testing.T, dir string) (s *testkit.Site, end func() error) {
	t.Helper()
	log := new(testkit.Log)
	st := openFolder(t, dir, log.Logger())
	s = testkit.Start(t, testkit.Setup{Store: st, Log: log, Options: renderOften(), Handler: http.HandlerFunc(endless)})
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	stop := func() { cancel(); <-stopped }
	t.Cleanup(stop)
	go func() {
		defer close(stopped)
		pause := time.NewTicker(2 * time.Millisecond)
		defer pause.Stop()
		for n := 0; ctx.Err() == nil; n++ {
			if a := s.Get(fmt.Sprint("/page/", n%2000)); a.Status != http.StatusOK {
				s.Errorf("page %d: status %d", n, a.Status)
			}
			s.Get("/")
			<-pause.C
		}
	}()
	s.Await("pages are listed", func() bool { return s.Stats().Listed > 20 })
	return s, func() error {
		stop()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = s.Close(ctx) // what it saw last cannot be stored if the folder is gone
		base.Check(t, ctx.Err())
		return st.Close()
	}
}

// The folder disappears under a running program. It serves on and says so, and so does Close. The next
// program learns the site again.
func TestSiteServesWithoutItsFolderAndLearnsAfterARestart(t *testing.T) {
	for _, tt := range []struct{ name, command string }{
		{"removed", "until rm -rf data; do :; done"}, // a file may be made meanwhile
		{"emptied", "until find data -mindepth 1 -delete; do :; done"},
		{"replaced by a copy", "until cp -r data copy; do rm -rf copy; done; mv data elsewhere; mv copy data"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := t.TempDir()
			s, end := learnInFolder(t, filepath.Join(top, "data"))
			if out, err := exec.Command("sh", "-ec", "cd "+top+"; "+tt.command).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			const says = "removed, renamed or replaced while it was open"
			s.Await("Stats tells of the folder", func() bool { return strings.Contains(s.Stats().Store, says) })
			if body := s.Get("/sitemap.xml").Body; strings.Count(body, "<url>") < 20 {
				t.Errorf("the sitemap lists no pages any more:\n%s", body)
			}
			if err := end(); err == nil {
				t.Error("closing the store does not say that what was learned is lost")
			}
			s.Logged.Want(t, 1, "cannot be used now")
			_, end = learnInFolder(t, filepath.Join(top, "data"))
			base.Check(t, end())
		})
	}
}
