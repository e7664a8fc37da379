package e2e

import (
	"net/http"
	"testing"

	"github.com/servemap/servemap/internal/testkit"
)

// status answers with a status and a short page.
func status(code int, headers ...string) http.HandlerFunc {
	return testkit.Reply(code, testkit.HTML("", "an error"), headers...)
}

func TestNoindexOfAFetchedFragmentDoesNotTakeThePageOut(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Fetch-Dest") == "empty" {
			testkit.Reply(http.StatusOK, "<p>news", "X-Robots-Tag", "noindex")(w, r)
			return
		}
		testkit.Page("home")(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		script := []string{"Sec-Fetch-Dest", "empty"}
		s.Get("/", script...)
		s.Get("/", script...)
		s.Get("/")
		s.WantListed("/")
		s.Get("/", script...)
		s.WantListed("/")
		if n := s.Stats().Ignored["fragment"]; n == 0 {
			s.Error("the stats do not count the fragments")
		}
	})
}
