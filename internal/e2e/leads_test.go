package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// times returns n locations of a form with the numbers from 1 on.
func times(n int, form string) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf(form, i+1))
	}
	return paths
}

// moved redirects by a status.
func moved(status int, target string) http.HandlerFunc {
	return testkit.Reply(status, "", "Location", target)
}

// stub is a page that leads on, all with the same text.
func stub(head string) http.HandlerFunc {
	return testkit.Reply(http.StatusOK, "<!DOCTYPE html><html><head><title>One moment</title>"+head+
		"</head><body><p>You are being led on to the page that you have asked for.</p></body></html>")
}

// refresh is a stub as generators write it.
func refresh(target string) http.HandlerFunc {
	return stub(`<meta http-equiv="refresh" content="0; url=` + target + `">`)
}

// A page that leads on has moved, as by a redirect, once that has lasted for a day.
func TestPageThatBecomesAStubLeavesAndHandsOn(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/old"), "/old": testkit.Page("a page"),
		"/new": testkit.Page("a page")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/old")
		time.Sleep(time.Hour)
		synctest.Wait() // the site may be looking at the page
		site["/old"] = refresh("/new")
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/old")
		time.Sleep(25 * time.Hour)
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/new")
	})
}
