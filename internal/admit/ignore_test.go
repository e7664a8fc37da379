package admit

import (
	"net/http"
	"testing"

	"github.com/servemap/servemap/internal/tap"
)

func TestRulesThatIgnoreCacheControl(t *testing.T) {
	rs, err := NewRules([]Rule{{Pattern: "/wiki/", IgnoreCacheControl: true}, {Pattern: "/wiki/User:", Listing: Never}})
	if err != nil {
		t.Fatal(err)
	}
	page := func(cacheControl, robots string) *tap.Response {
		return ok(func(r *tap.Response) { r.Header.CacheControl, r.Header.RobotsTag = cacheControl, robots })
	}
	for _, tt := range []struct {
		name, method, location string
		resp                   *tap.Response
		status                 int
		kind                   Kind
		why                    Reason
	}{
		{"private", http.MethodGet, "/wiki/A", page("private, must-revalidate", ""), 200, Witness, None},
		{"no-store", http.MethodGet, "/wiki/A", page("no-store", ""), 200, Witness, None},
		{"beside the pattern", http.MethodGet, "/user/A", page("private", ""), 200, Forbidden, Private},
		{"not sent", http.MethodGet, "/wiki/A", page("private", ""), 304, Alive, None},
		{"not sent, beside the pattern", http.MethodGet, "/user/A", page("private", ""), 304, Forbidden, Private},
		{"a HEAD", http.MethodHead, "/wiki/A", page("no-store", ""), 200, Alive, None},
		{"a HEAD that says noindex", http.MethodHead, "/wiki/A", page("no-store", "noindex"), 200, Forbidden, NoIndex},
		{"a log-in is needed", http.MethodGet, "/wiki/A", page("private", ""), 403, Doubtful, Denied},
	} {
		tt.resp.Status = tt.status
		if kind, why := rs.Response(tt.method, tt.location, tt.resp); kind != tt.kind || why != tt.why {
			t.Errorf("%s: %v because of %v, want %v because of %v", tt.name, kind, why, tt.kind, tt.why)
		}
	}
	if r, _ := rs.Match("/wiki/User:me"); r.Listing != Never {
		t.Error("it hides the rule that says never")
	}
}
