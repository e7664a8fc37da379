package ledger

import (
	"fmt"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/hint"
)

func TestAFloodThatMeetsTheNetworkCountIsCapped(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		pages := []string{"/p/one", "/p/two", "/p/three", "/q/one"}
		r.crawl(pages...)
		junk := 0
		for i := range admit.OrphansAllowed + 50 {
			p := fmt.Sprintf("/p/junk-%d", i)
			for n := range 3 {
				r.sight(p, html(fmt.Sprintf("junk %d", i)), from(fmt.Sprintf("10%d.0.0.0/24", n)), route("/p/{slug}", false))
			}
			if r.page(p).Verdict == admit.Listed {
				junk++
			}
		}
		if junk != 0 {
			t.Errorf("%d pages of a route of which none is linked are listed", junk)
		}
		for _, p := range pages[:3] {
			r.sight(p, html(p[1:]), route("/p/{slug}", false))
		}
	})
	inBubble(t, Config{}, func(r *rig) {
		pages := []string{"/p/one", "/p/two", "/p/three", "/q/one"}
		r.crawl(pages...)
		const flood = admit.OrphansAllowed + 50
		for i := range flood {
			for n := range 3 {
				r.sight(fmt.Sprintf("/p/junk-%d", i), html(fmt.Sprintf("junk %d", i)), from(fmt.Sprintf("10%d.0.0.0/24", n)))
			}
		}
		if got, want := r.files.Listed(), 1+len(pages)+3+admit.OrphansAllowed; got != want {
			t.Errorf("%d pages are listed, want %d", got, want)
		}
		for _, p := range pages {
			r.wantVerdict(p, admit.Listed, admit.ByLink)
		}
		r.wantVerdict(fmt.Sprintf("/p/junk-%d", flood-1), admit.Held, admit.Growth)
		r.wantNoTrace(fmt.Sprintf("/p/junk-%d", flood-1))
		if got := r.hints.Given(); len(got) != 1 || got[0] != hint.Growth {
			t.Errorf("hints %q", r.hints.Texts())
		}
		// One that leaves makes room for another.
		r.answer("/p/junk-0", 410)
		r.sight(fmt.Sprintf("/p/junk-%d", flood-1), html("junk"))
		r.wantVerdict(fmt.Sprintf("/p/junk-%d", flood-1), admit.Listed, admit.ByNetworks)
	})
}
