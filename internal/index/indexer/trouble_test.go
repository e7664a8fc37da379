package indexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// mendSoon repairs the store, and waits until everything queued is stored.
func (r *rig) mendSoon(st *base.Store) {
	r.Helper()
	st.Mend()
	r.wait(5 * time.Second)
}

var errStore = errors.New("the disk is on fire")

func TestTroubleOfTheStoreIsLoggedOnceAndLosesNothing(t *testing.T) {
	for _, tt := range []struct {
		name    string
		trouble func(*base.Store)
		logged  int // times that the log tells of it
	}{
		{"refuses", func(st *base.Store) { st.Refuse(errStore) }, 1},
		{"is unavailable, and logs that itself",
			func(st *base.Store) { st.Refuse(fmt.Errorf("%w: locked", store.ErrUnavailable)) }, 0},
		{"stores, and the answer is lost", func(st *base.Store) { st.LoseAnswers(errStore) }, 1},
		{"panics", func(st *base.Store) {
			st.OnUpdate(func(context.Context, []string, func([][]byte) error) error { panic("store is broken") })
		}, 1},
	} {
		st := base.NewStore()
		runInBubble(t, tt.name, Config{Store: st}, func(r *rig) {
			r.crawl("/a")
			time.Sleep(time.Hour)
			tt.trouble(st)
			r.offer(seen("/a", html("a, otherwise", "/b")))
			if err := r.indexer.Flush(r.Context()); err == nil {
				r.Fatal("Flush returned nil although nothing can be stored")
			}
			if r.indexer.Stats().Problem == nil {
				r.Error("Stats tell of no problem")
			}
			time.Sleep(time.Minute) // it is tried again and again
			r.mendSoon(st)
			if err := r.indexer.Stats().Problem; err != nil {
				r.Errorf("Stats still tell of a problem: %v", err)
			}
			r.wantObservations("/a", 2, 1) // what was seen counts once
			r.sight("/b", html("b"))
			r.wantListed("/", "/a", "/b")
			r.wantLogged("the store cannot be used", tt.logged)
		})
	}
}

// A call of the owner fails. After that, the store gets only reads.
func TestOnlyAWriteSaysThatTheStoreWorksAgain(t *testing.T) {
	for _, tt := range []struct {
		name    string
		refusal error
		logged  int
	}{
		{"a store that logs nothing itself", errStore, 1},
		{"one that does", fmt.Errorf("%w: the disk cannot be written", store.ErrUnavailable), 0},
	} {
		st := base.NewStore()
		runInBubble(t, tt.name, Config{Store: st}, func(r *rig) {
			r.crawl("/a")
			time.Sleep(time.Hour)
			st.OnlyRead(tt.refusal)
			for range 60 {
				if err := r.indexer.Forget(r.Context(), "/a"); !errors.Is(err, tt.refusal) {
					r.Fatalf("Forget: %v, want the store's refusal", err)
				}
				for range 5 {
					time.Sleep(time.Second)
					if r.indexer.Stats().Problem == nil {
						r.Fatal("Stats tell of no problem although nothing can be written")
					}
				}
			}
			r.mendSoon(st)
			if err := r.indexer.Stats().Problem; err != nil {
				r.Errorf("Stats still tell of a problem: %v", err)
			}
			r.wantLogged("the store cannot be used", tt.logged)
		})
	}
}

// A folder was removed and made again. Waiting locations are keyed with the site's secret,
// so the new folder must hold it too.
func TestStoreThatComesBackEmptyGetsASecret(t *testing.T) {
	st := base.NewStore()
	inBubble(t, Config{Store: st}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		time.Sleep(time.Hour)
		st.RefuseSync(fmt.Errorf("%w: its folder was removed", store.ErrUnavailable))
		r.offer(seen("/a", html("a")))
		time.Sleep(5*time.Second + 500*time.Millisecond) // between two attempts
		if r.indexer.Stats().Problem == nil {
			t.Fatal("Stats tell of no problem")
		}
		r.drop("")
		r.mendSoon(st)
		r.sight("/", html("home", "/a"))
		if r.dump()[r.indexer.site.Keys.Site()] == "" {
			t.Error("the store that came back has no secret")
		}
		r.sight("/a", html("a"))
		r.wantListed("/", "/a")
	})
}

func TestWitnessInTimeSavesThePageThoughItIsMergedLate(t *testing.T) {
	st := base.NewStore()
	inBubble(t, Config{Store: st}, func(r *rig) {
		r.crawl("/a")
		r.answer("/a", http.StatusNotFound)
		time.Sleep(50 * time.Second)
		st.Refuse(errStore)
		r.offer(seen("/a", html("a")))
		time.Sleep(time.Minute)
		r.mendSoon(st)
		r.wait(5 * time.Second)
		r.wantListed("/", "/a")
	})
}

// damage makes a record unreadable.
func (r *rig) damage(key string) {
	r.Helper()
	was, ok := r.dump()[key]
	if !ok {
		r.Fatalf("there is no record %q", key)
	}
	r.put(key, []byte("?"+was))
}

func TestPageWhoseRecordIsDamagedCanLeave(t *testing.T) {
	for _, status := range []int{http.StatusGone, http.StatusNotFound} {
		runWithPage(t, http.StatusText(status), func(r *rig) {
			r.damage("https://example.com|page|/a")
			r.answer("/a", status)
			r.wait(2 * time.Minute)
			r.wantListed("/")
		})
	}
}

func TestDamagedRecordsComeBackWithVisits(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/b")
		r.damage("https://example.com|page|/a")
		r.damage("https://example.com|list|000001|/b")
		r.files.ChangedAll()
		r.flush()
		if served, _ := r.files.Metrics(); served.Damaged != 1 {
			t.Errorf("%d damaged entries, want 1", served.Damaged)
		}
		r.wantShown("/", "/a")
		r.sight("/a", html("a"))
		r.sight("/a", html("a, changed"))
		r.sight("/b", html("b, changed"))
		time.Sleep(time.Minute)
		r.sight("/b", html("b, changed again"))
		r.wantListed("/", "/a", "/b")
		r.wantLogged("damaged", 1)
	})
}

func TestPageIsListedOnceThoughItsRecordAndThatOfTheLastPartAreLost(t *testing.T) {
	inBubble(t, Config{MaxURLs: 2}, func(r *rig) {
		r.crawl("/b", "/a")
		r.answer("/b", http.StatusGone) // which leaves room in the first part
		r.damage("https://example.com|page|/a")
		r.put("https://example.com|shard|000002", nil)
		r.restart()
		r.sight("/", html("home again", "/a"))
		r.sight("/a", html("a, changed"))
		if entries := r.kind("list|"); len(entries) != 2 {
			r.Errorf("two pages have the entries %q", slices.Sorted(maps.Keys(entries)))
		}
	})
}

func TestDamagedSecretIsTold(t *testing.T) {
	withPage(t, func(r *rig) {
		r.damage("https://example.com|site")
		r.restart()
		r.wantListed("/", "/a")
		if r.indexer.Stats().Damaged == 0 {
			t.Error("Stats does not tell")
		}
		r.wantLogged("the site's secret in the store is damaged", 1)
	})
}

// What the owner has forgotten stays out whichever records are damaged, until the owner allows it.
func TestBarHoldsWhateverIsDamaged(t *testing.T) {
	for _, kinds := range [][]string{{"wait|"}, {"site"}, {"bar|"}, {"page|/"}, {""}} {
		runInBubble(t, "records of "+strings.Join(kinds, " and "), Config{}, func(r *rig) {
			visit := func(home string) {
				r.sight("/", html(home, "/a", "/b"))
				r.sight("/a", html("a"))
				r.sight("/b", html("b"))
			}
			visit("home")
			r.wantListed("/", "/a", "/b")
			r.forget("/a")
			for _, kind := range kinds {
				for key := range r.kind(kind) {
					r.damage(key)
				}
			}
			r.restart()
			r.wantVerdict("/a", eligibility.Excluded, eligibility.Forgotten)
			visit("home")
			r.wantListed("/", "/b")
			r.wantVerdict("/a", eligibility.Excluded, eligibility.Forgotten)
			r.check(r.indexer.Allow(r.Context(), "/a"))
			visit("home again")
			r.wantListed("/", "/a", "/b")
		})
	}
}

func TestLinksOfAPageAreStoredInSeveralTransactions(t *testing.T) {
	base.OneByOne(t)
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
		if got := r.indexer.Stats().Waiting; got > most {
			t.Errorf("%d locations wait, at most %d may", got, most)
		}
		r.wantVerdict("/linked", eligibility.Waiting, eligibility.NotSeen)
		r.wantVerdict("/forgotten", eligibility.Excluded, eligibility.Forgotten)
	})
}

// A page that links to many others, each of which displaces one with many peers,
// takes more keys than a transaction has.
func TestLinksThatTakeTooManyKeysAreStoredInSteps(t *testing.T) {
	base.OneByOne(t)
	inBubble(t, Config{Store: new(memstore.Store)}, func(r *rig) {
		var links []string
		for i := range 60 {
			var alternates []string
			for _, lang := range []string{"en", "de", "fr", "es", "it", "nl", "pl", "pt", "sv"} {
				alternates = append(alternates, fmt.Sprintf("%s=/%s/%d", lang, lang, i))
			}
			for _, a := range alternates {
				lang, location, _ := strings.Cut(a, "=")
				r.sight(location, inLanguages(fmt.Sprintf("page %d in %s. %s", i, lang, same), alternates...),
					route(location, true))
			}
			r.sight(fmt.Sprintf("/n/%d", i), inLanguages(fmt.Sprintf("page %d in en. %s", i, same), alternates...))
			links = append(links, fmt.Sprintf("/n/%d", i))
		}
		r.sight("/", html("home", append(links, "/after")...))
		r.sight("/after", html("after"))
		r.wantVerdict("/after", eligibility.Listed, eligibility.ByLink)
		r.wantVerdict("/n/59", eligibility.Listed, eligibility.ByLink)
	})
}
