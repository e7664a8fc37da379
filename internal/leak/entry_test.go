package leak_test

import (
	"net/http"
	"testing"
)

// TestEntryThatLeadsEachVisitorElsewhere shows a site whose root redirects each visitor to another
// page. Programs that keep the session in the path do so.
func TestEntryThatLeadsEachVisitorElsewhere(t *testing.T) {
	for _, way := range []setup{ways[0], ways[2]} {
		t.Run(way.router, func(t *testing.T) {
			rows := []*row{
				{name: "token", route: "/start/{id}", canaries: tokens(uuids, rounds, 12),
					want: "held|waiting: capability|no-evidence"},
			}
			s := newScene(t, way, rows)
			s.world.pages["/"] = func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, s.pages[s.round.Load()].target, http.StatusFound)
			}
			s.visitAll()
			s.checkAll(t, rows[0])
			s.report(t, s.leaks())
		})
	}
}
