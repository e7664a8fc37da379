package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// numbered returns n paths, from number 0 on.
func numbered(format string, n int) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf(format, i))
	}
	return paths
}

// Addresses of visitors, each in another network.
const (
	ann  = "8.8.8.8"
	bob  = "9.9.9.9"
	carl = "1.1.1.1"
	dora = "4.4.4.4"
)

// betweenVisits is longer than the wait between two observations of a visited page.
const betweenVisits = 70 * time.Second

// crowd is a site whose visitors come from addresses that the test chooses.
type crowd struct{ *testkit.Site }

// inCrowd runs fn with a site of these pages in virtual time.
func inCrowd(t *testing.T, pages testkit.Paths, opts servemap.Options, fn func(crowd)) {
	t.Helper()
	testkit.Run(t, testkit.Setup{Options: opts, Handler: pages}, func(s *testkit.Site) { fn(crowd{s}) })
}

// visit gets a page from an address, waits until it is learned, and lets a while pass.
func (c crowd) visit(from, target string, headers ...string) {
	c.Helper()
	c.From(from, target, headers...)
	c.Settle()
	time.Sleep(betweenVisits)
}

// status answers with a status and a short page.
func status(code int, headers ...string) http.HandlerFunc {
	return testkit.Reply(code, testkit.HTML("", "an error"), headers...)
}
