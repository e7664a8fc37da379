package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/servemap/servemap/internal/testkit"
)

// Strangers ask for large pages at made-up addresses. These requests are still running when
// visitors follow links to new pages.
func TestSlowJunkDoesNotKeepNewPagesOut(t *testing.T) {
	const line = "<p>Nothing.</p>"
	news := []string{"/news/one", "/news/two", "/news/three", "/news/four", "/news/five", "/news/six"}
	links := map[string][]string{"/": {"/news"}, "/news": news}
	var sent, release chan struct{}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/junk/") {
			testkit.PageOfItsURL(links[r.URL.Path]...)(w, r)
			return
		}
		testkit.Reply(http.StatusOK, testkit.HTML("", r.URL.Path)+strings.Repeat(line, 1<<20/len(line)))(w, r)
		sent <- struct{}{}
		<-release
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		sent, release = make(chan struct{}), make(chan struct{})
		s.Visit("/")
		var junk sync.WaitGroup
		for n := range 20 {
			junk.Go(func() { s.Get(fmt.Sprintf("/junk/%d", n)) })
			<-sent
		}
		s.Visit("/news")
		s.Visit(news...)
		s.WantListed(append(news, "/", "/news")...)
		close(release)
		junk.Wait()
	})
}
