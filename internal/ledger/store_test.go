package ledger

import (
	"fmt"
	"net/http"
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

func TestTwoLedgersShareAStore(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		other := openRig(r.T, r.st, r.cfg)
		defer func() { other.stop() }()
		other.sight("/a", html("a"))
		r.sight("/a", html("a"))
		time.Sleep(time.Hour)
		r.sight("/a", html("a, otherwise"))
		time.Sleep(time.Hour)
		other.sight("/a", html("a, otherwise"))
		other.wantListed("/", "/a")
		r.wantLooks("/a", 4, 1)
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

// Each page of a batch is moved to another one.
func TestBatchThatNeedsMoreKeysThanATransactionTakes(t *testing.T) {
	inBubble(t, Config{Store: new(memstore.Store)}, func(r *rig) {
		links, to := numbered("/old%d/page", 128), numbered("/new%d/page", 128)
		r.sight("/", html("home", links...))
		for _, l := range links {
			r.sight(l, html(l))
		}
		for _, l := range to {
			r.sight(l, html(l), route(l, true))
		}
		for i, l := range links {
			r.offer(answered(l, http.StatusMovedPermanently, redirect(to[i])))
		}
		r.flush()
		r.wantListed(append(to, "/")...)
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

// Many parts have room for a page each, after one has left each of them, and each page
// that is added finds the part full which the one before it went to: so a transaction
// asks for ever more parts.
func TestManyPartsWithRoomForOnePage(t *testing.T) {
	const per, parts, left, links = 120, 40, 34, 120
	rules := rules(t, admit.Rule{Pattern: "/p/", Listing: admit.Always})
	inBubble(t, Config{Store: new(memstore.Store), MaxURLs: per, Rules: rules, Unbudgeted: true}, func(r *rig) {
		offer := func(location, text string) {
			if !r.ledger.Offer(seen(location, html(text))) {
				r.flush()
				r.offer(seen(location, html(text)))
			}
		}
		for i := range per * parts {
			offer(fmt.Sprintf("/p/%d", i), fmt.Sprintf("The page number %d, which has a text of its own that no other page has.", i))
		}
		want := []string{"/p/hub", "/p/after"}
		for i := range links {
			want = append(want, fmt.Sprintf("/w/page%c%c", 'a'+i/26, 'a'+i%26))
			offer(want[i+2], fmt.Sprintf("The page number %d of those that wait for somebody to link to them.", i))
		}
		r.flush()
		for i := range left {
			r.answer(fmt.Sprintf("/p/%d", i*per), http.StatusGone)
		}
		r.offer(seen("/p/hub", html("hub", want[2:]...)))
		r.flush()
		r.sight("/p/after", html("a page that comes after"))
		for _, location := range want {
			if !r.files.Lists(location) {
				t.Errorf("%s is not listed", location)
			}
		}
		if got, want := r.files.Listed(), per*parts-left+len(want); got != want {
			t.Errorf("%d pages are listed, want %d", got, want)
		}
	})
}

// An owner names more pages than one transaction takes, each of which was held as
// the duplicate of one that is listed.
func TestManyPagesThatARuleNames(t *testing.T) {
	const pages = 130
	inBubble(t, Config{Store: new(memstore.Store), Unbudgeted: true}, func(r *rig) {
		var links, named []string
		var always []admit.Rule
		for i := range pages {
			links = append(links, fmt.Sprintf("/x%c%c/page", 'a'+i/26, 'a'+i%26), fmt.Sprintf("/y%c%c/page", 'a'+i/26, 'a'+i%26))
			named = append(named, links[2*i+1])
			always = append(always, admit.Rule{Pattern: named[i] + "$", Listing: admit.Always})
		}
		r.sight("/", html("home", links...))
		for i, l := range links {
			r.offer(seen(l, html(fmt.Sprintf("The text of the pair of pages number %d, long enough to tell it from the others.", i/2))))
			time.Sleep(time.Millisecond)
		}
		r.flush()
		if got, want := r.files.Listed(), 1+pages; got != want {
			t.Fatalf("%d pages are listed to begin with, want one of each pair and the home page, %d", got, want)
		}
		r.restartWith(always...)
		if err := r.ledger.Stats().Problem; err != nil {
			t.Errorf("the ledger has a problem: %v", err)
		}
		for _, l := range named {
			if !r.files.Lists(l) {
				t.Errorf("%s is not listed", l)
			}
		}
	})
}
