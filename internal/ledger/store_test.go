package ledger

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/store/memstore"
)

func TestRestartLosesNothing(t *testing.T) {
	withPage(t, func(r *rig) {
		time.Sleep(time.Hour)
		r.sight("/a", html("a, otherwise"))
		before, lastMod := r.page("/a"), r.lastMod("/a")
		r.restart()
		r.wantListed("/", "/a")
		if after := r.page("/a"); !reflect.DeepEqual(after, before) {
			t.Errorf("after a restart\n%+v, before it\n%+v", after, before)
		}
		r.wantLastMod("/a", lastMod)
		r.sight("/a", html("a"))
		r.wantLastMod("/a", lastMod) // the mark knows the old text
	})
}

func TestPageWithMoreLinksThanATransactionTakes(t *testing.T) {
	inBubble(t, Config{MaxURLs: 400}, func(r *rig) {
		links := numbered("/p%d", 1500)
		see := func(locations []string) {
			for _, l := range locations {
				r.offer(seen(l, html(l)))
			}
		}
		see(links[:750]) // before the page that links to them
		r.sight("/", html("home", links...))
		see(links[750:])
		r.flush()
		r.wantListed(append(links, "/")...)
		if parts := r.pagesByPart(); len(parts) != 4 {
			t.Errorf("%d parts, want 4 of at most 400", len(parts))
		}
	})
}

func TestWaitingLocationsAreBounded(t *testing.T) {
	const most = 1000
	inBubble(t, Config{Store: new(memstore.Store), MaxWaiting: most}, func(r *rig) {
		r.sight("/", html("home", "/linked"))
		r.forget("/forgotten")
		for i := range 3 * most {
			if i%1000 == 0 {
				r.flush() // the queue is bounded
			}
			r.offer(seen(fmt.Sprintf("/junk/%d", i), "<p>junk"))
		}
		r.flush()
		if got := r.ledger.Stats().Waiting; got > most {
			t.Errorf("%d locations wait, at most %d may", got, most)
		}
		r.wantVerdict("/linked", admit.Waiting, admit.NotSeen)
		r.wantVerdict("/forgotten", admit.Excluded, admit.Forgotten)
	})
}

// A page that links to many others, each of which displaces one with many peers,
// takes more keys than a transaction has.
func TestLinksThatTakeTooManyKeys(t *testing.T) {
	inBubble(t, Config{Store: new(memstore.Store)}, func(r *rig) {
		var links []string
		for i := range 60 {
			var alternates []string
			for _, lang := range []string{"en", "de", "fr", "es", "it", "nl", "pl", "pt", "sv"} {
				alternates = append(alternates, fmt.Sprintf("%s=/%s/%d", lang, lang, i))
			}
			for _, a := range alternates {
				lang, location, _ := strings.Cut(a, "=")
				r.sight(location, inLanguages(fmt.Sprintf("page %d in %s. %s", i, lang, same), alternates...), route(location, true))
			}
			r.sight(fmt.Sprintf("/new/%d", i), inLanguages(fmt.Sprintf("page %d in en. %s", i, same), alternates...))
			links = append(links, fmt.Sprintf("/new/%d", i))
		}
		r.sight("/", html("home", append(links, "/after")...))
		r.sight("/after", html("after"))
		r.wantVerdict("/after", admit.Listed, admit.ByLink)
		r.wantVerdict("/new/59", admit.Listed, admit.ByLink)
	})
}
