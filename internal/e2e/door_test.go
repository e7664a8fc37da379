package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// TestKeyOfTheInspectorIsKeptNowhere opens the link where it is right and where it is wrong, on a
// site whose pages repeat the address and link to it.
func TestKeyOfTheInspectorIsKeptNowhere(t *testing.T) {
	mount := func(s *servemap.Site) http.Handler {
		r := mux.NewRouter()
		r.PathPrefix("/inspect/").Handler(s.Inspector(nil))
		r.PathPrefix("/").HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			testkit.Page(r.RequestURI, r.RequestURI, r.Referer(), "/a")(w, r)
		})
		s.Mount(r)
		return r
	}
	testkit.Run(t, testkit.Setup{Mount: mount}, func(s *testkit.Site) {
		link := s.InspectorLink("/inspect/")
		_, key, _ := strings.Cut(link, "key=")
		s.Visit("/", "/a", link)
		for _, wrong := range []string{"/", "/inspect", "/a", "/b"} {
			s.Get(wrong + "?key=" + key)
			s.Get(wrong, "Referer", "https://example.com"+link)
			s.Get("/page", "Referer", s.InspectorLink("https://example.com"+wrong))
		}
		s.Get("/inspect/?key=" + key + "x")
		s.Settle()
		if n := strings.Count(s.Logged.String(), key); n != 1 || !strings.Contains(s.Logged.String(), "link=\"/inspect/?key="+key) {
			t.Errorf("the key is %d times in the log: %s", n, s.Logged)
		}
		s.Shut()
		base.WantNoTrace(t, s.Store, new(testkit.Log), key)
		base.WantNoTrace(t, s.Store, new(testkit.Log), url.QueryEscape(key))
	})
}
