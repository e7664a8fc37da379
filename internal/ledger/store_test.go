package ledger

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

func TestARestartLosesNothing(t *testing.T) {
	withPage(t, func(r *rig) {
		time.Sleep(time.Hour)
		r.sight("/a", html("a, otherwise"))
		before, lastMod := r.page("/a"), r.lastMod("/a")
		r.restart()
		r.flush()
		r.wantListed("/", "/a")
		if after := r.page("/a"); !reflect.DeepEqual(after, before) {
			t.Errorf("after a restart\n%+v, before it\n%+v", after, before)
		}
		if got := r.lastMod("/a"); got != lastMod {
			t.Errorf("lastmod %d after a restart, %d before it", got, lastMod)
		}
		r.sight("/a", html("a"))
		if got := r.lastMod("/a"); got != lastMod {
			t.Error("an old text was taken for a change: the mark did not survive the restart")
		}
	})
}

func TestTroubleOfTheStore(t *testing.T) {
	refused := errors.New("the disk is on fire")
	tests := []struct {
		name   string
		before error
		after  error
		panics bool
		logged int // times that the log tells of it
	}{
		{"refuses", refused, nil, false, 1},
		{"is unavailable, and says so itself", fmt.Errorf("%w: locked", store.ErrUnavailable), nil, false, 0},
		{"stores, and the answer is lost", nil, refused, false, 1},
		{"panics", nil, nil, true, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := &troubled{Store: new(memstore.Store)}
			inBubble(t, Config{Store: st}, func(r *rig) {
				r.sight("/", html("home", "/a"))
				r.sight("/a", html("a"))
				time.Sleep(time.Hour)

				st.set(tt.before, tt.after, tt.panics)
				k := &look.Sighting{Kind: admit.Witness, Location: "/a", At: time.Now(), Response: witness(html("a, otherwise", "/b"))}
				r.ledger.Offer(k)
				if err := r.ledger.Flush(r.Context()); err == nil {
					t.Fatal("Flush returned nil although nothing can be stored")
				}
				if r.ledger.Stats().Problem == nil {
					t.Error("Stats tell of no problem")
				}
				time.Sleep(time.Minute) // it is tried again and again

				st.set(nil, nil, false)
				time.Sleep(5 * time.Second)
				if err := r.ledger.Stats().Problem; err != nil {
					t.Errorf("Stats still tell of a problem: %v", err)
				}
				r.flush()
				p := r.page("/a")
				if p.Changes != 1 || p.Looks != 2 {
					t.Errorf("%d looks and %d changes, want 2 and 1: what was seen counts once", p.Looks, p.Changes)
				}
				r.sight("/b", html("b"))
				r.wantListed("/", "/a", "/b")
				if got := strings.Count(r.log.String(), "the store cannot be used"); got != tt.logged {
					t.Errorf("the log tells of it %d times, want %d:\n%s", got, tt.logged, r.log)
				}
			})
		})
	}
}

func TestTwoLedgersShareAStore(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		other := *r
		other.start()
		defer other.stop()
		other.sight("/a", html("a"))
		r.sight("/a", html("a"))
		time.Sleep(time.Hour)
		r.sight("/a", html("a, otherwise"))
		time.Sleep(time.Hour)
		other.sight("/a", html("a, otherwise"))
		other.wantListed("/", "/a")
		if p := r.page("/a"); p.Changes != 1 || p.Looks != 4 {
			t.Errorf("%d looks and %d changes, want 4 and 1", p.Looks, p.Changes)
		}
	})
}

func TestADamagedRecordIsLeftOut(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a", "/b"))
		r.sight("/a", html("a"))
		r.sight("/b", html("b"))
		for _, key := range []string{"https://example.com|page|/a", "https://example.com|list|000001|/b"} {
			err := r.st.Update(r.Context(), []string{key}, func(values [][]byte) error {
				if values[0] == nil {
					t.Fatalf("there is no record %q", key)
				}
				values[0] = append([]byte("?"), values[0]...)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		r.files.ChangedAll()
		r.flush()
		if got := r.files.Damaged(); got != 1 {
			t.Errorf("%d damaged entries, want 1", got)
		}
		if r.files.Lists("/b") || !r.files.Lists("/a") {
			t.Error("the damaged entry alone must be missing")
		}
		r.sight("/a", html("a"))
		r.sight("/a", html("a, changed"))
		r.sight("/b", html("b, changed"))
		time.Sleep(time.Minute)
		r.sight("/b", html("b, changed again"))
		r.wantListed("/", "/a", "/b")
		if got := strings.Count(r.log.String(), "damaged"); got != 1 {
			t.Errorf("the log tells of damage %d times, want once:\n%s", got, r.log)
		}
	})
}

func TestManyLinks(t *testing.T) {
	const pages = 1500 // more than one transaction takes
	inBubble(t, Config{MaxURLs: 400}, func(r *rig) {
		links := make([]string, pages)
		want := []string{"/"}
		for i := range links {
			links[i] = fmt.Sprintf("/p%d", i)
			want = append(want, links[i])
		}
		// Half of them are seen before the page that links to them.
		for _, l := range links[:pages/2] {
			r.ledger.Offer(&look.Sighting{Kind: admit.Witness, Location: l, At: time.Now(), Response: witness(html(l))})
		}
		r.sight("/", html("home", links...))
		for _, l := range links[pages/2:] {
			r.ledger.Offer(&look.Sighting{Kind: admit.Witness, Location: l, At: time.Now(), Response: witness(html(l))})
		}
		r.flush()
		r.wantListed(want...)
		parts := map[int]int{}
		for p, err := range r.ledger.Pages(r.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			parts[p.Part]++
		}
		if len(parts) != 4 {
			t.Errorf("parts %v, want 4 of at most 400", parts)
		}
	})
}

func TestWaitingLocationsAreBounded(t *testing.T) {
	const most = 1000
	inBubble(t, Config{Store: new(memstore.Store), MaxWaiting: most}, func(r *rig) {
		r.sight("/", html("home", "/linked"))
		if err := r.ledger.Forget(r.Context(), "/forgotten"); err != nil {
			t.Fatal(err)
		}
		for i := range 3 * most {
			if !r.ledger.Offer(&look.Sighting{Kind: admit.Witness, Location: fmt.Sprintf("/junk/%d", i), At: time.Now(), Response: witness("<p>junk")}) {
				r.flush()
			}
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
				r.ledger.Offer(seen(location, html(text)))
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
		r.ledger.Offer(seen("/p/hub", html("hub", want[2:]...)))
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
			r.ledger.Offer(seen(l, html(fmt.Sprintf("The text of the pair of pages number %d, long enough to tell it from the others.", i/2))))
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
