package ledger

import (
	"fmt"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/look"
)

// visitJunk lets three networks visit pages that nothing links to.
func (r *rig) visitJunk(n int, change func(*look.Sighting)) {
	for i := range n {
		for network := range 3 {
			r.sight(fmt.Sprintf("/p/junk-%d", i), html(fmt.Sprintf("junk %d", i)), from(fmt.Sprintf("10%d.0.0.0/24", network)), change)
		}
	}
}

func TestFloodThatMeetsTheNetworkCountIsCapped(t *testing.T) {
	const flood = admit.OrphansAllowed + 50
	pages := []string{"/p/one", "/p/two", "/p/three", "/q/one"}
	runInBubble(t, "of a route of which no page is linked", Config{}, func(r *rig) {
		r.crawl(pages...)
		r.visitJunk(flood, route("/p/{slug}", false))
		r.wantListed(append(pages, "/")...)
	})
	runInBubble(t, "of a folder of which pages are linked", Config{}, func(r *rig) {
		r.crawl(pages...)
		r.visitJunk(flood, func(*look.Sighting) {})
		if got, want := r.files.Listed(), 1+len(pages)+3+admit.OrphansAllowed; got != want {
			r.Errorf("%d pages are listed, want %d", got, want)
		}
		for _, p := range pages {
			r.wantVerdict(p, admit.Listed, admit.ByLink)
		}
		last := fmt.Sprintf("/p/junk-%d", flood-1)
		r.wantVerdict(last, admit.Held, admit.Growth)
		r.wantNoTrace(last)
		if got := r.hints.Given(); len(got) != 1 || got[0] != hint.Growth {
			r.Errorf("hints %q", r.hints.Texts())
		}
		r.answer("/p/junk-0", 410) // which makes room for another
		r.sight(last, html("junk"))
		r.wantVerdict(last, admit.Listed, admit.ByNetworks)
	})
}
