package ledger

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/tap"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
	"github.com/servemap/servemap/store/storetest"
)

const refreshEvery = 15 * time.Second

// told is how long it takes until what one process stores is in the files of
// the others: until they look, and render.
const told = refreshEvery + 2*time.Second

// newRig returns a ledger over st, in a bubble.
func newRig(t *testing.T, st store.Store, cfg Config) *rig {
	t.Helper()
	r := &rig{T: t, cfg: cfg, st: storetest.Strict(t, st), looked: map[string]int{}, log: new(strings.Builder)}
	r.start()
	return r
}

// inFleet runs fn in a bubble of virtual time, with two ledgers that share a
// store.
func inFleet(t *testing.T, fn func(a, b *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		st := new(memstore.Store)
		a := newRig(t, st, Config{RefreshEvery: refreshEvery})
		b := newRig(t, st, Config{RefreshEvery: refreshEvery})
		defer func() { a.stop(); b.stop() }()
		fn(a, b)
	})
}

// wantShown checks which of the locations are in the files being served.
func (r *rig) wantShown(want ...string) {
	r.Helper()
	for _, location := range []string{"/", "/a", "/b"} {
		if got := r.files.Lists(location); got != slices.Contains(want, location) {
			r.Errorf("the file lists %s: %v, want %v", location, got, !got)
		}
	}
}

func TestWhatOneProcessChangesIsInTheFilesOfTheOthers(t *testing.T) {
	inFleet(t, func(a, b *rig) {
		a.sight("/", html("home", "/a", "/b"))
		a.sight("/a", html("a"))
		time.Sleep(told)
		b.wantShown("/", "/a")
		b.sight("/b", html("b"))
		time.Sleep(told)
		a.wantShown("/", "/a", "/b")
		a.answer("/a", http.StatusGone)
		time.Sleep(told)
		b.wantShown("/", "/b")
		if err := b.ledger.Forget(b.Context(), "/b"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(told)
		a.wantShown("/")
	})
}

func TestTheDoubtOfAProcessThatDied(t *testing.T) {
	inFleet(t, func(a, b *rig) {
		a.sight("/", html("home", "/a"))
		a.sight("/a", html("a"))
		time.Sleep(told)
		a.answer("/a", http.StatusNotFound)
		a.stop()
		time.Sleep(pagerecord.ConfirmAfter + told)
		b.wantShown("/")
		b.wantVerdict("/a", admit.Gone, admit.NotFound)
		a.start()
	})
}

func TestADoubtThatAnotherProcessEndsAndOneHasAnew(t *testing.T) {
	inFleet(t, func(a, b *rig) {
		a.sight("/", html("home", "/a"))
		a.sight("/a", html("a"))
		a.answer("/a", http.StatusNotFound)
		time.Sleep(5 * time.Second)
		a.flush()
		time.Sleep(15 * time.Second)
		b.sight("/a", html("a, otherwise"))
		time.Sleep(30 * time.Second)
		b.answer("/a", http.StatusNotFound) // a has been in doubt for 52 seconds, and last looked at the others 2 seconds ago
		time.Sleep(10 * time.Second)
		a.wantVerdict("/a", admit.Listed, admit.ByLink)
		time.Sleep(pagerecord.ConfirmAfter)
		a.wantVerdict("/a", admit.Gone, admit.NotFound)
	})
}

func TestRobotsTxtThatAnotherProcessHasSeen(t *testing.T) {
	t.Run("is obeyed", func(t *testing.T) {
		inFleet(t, func(a, b *rig) {
			a.sight("/", html("home", "/a"))
			a.sight("/a", html("a"))
			time.Sleep(told)
			b.wantShown("/", "/a")
			robotsTxt(a, 200, "User-agent: *\nDisallow: /a\n")
			time.Sleep(told)
			b.wantShown("/")
			if b.files.Allows("/a") {
				t.Error("what another process saw disallowed is allowed")
			}
		})
	})
	t.Run("is not overwritten by one that did not know of it", func(t *testing.T) {
		inFleet(t, func(a, b *rig) {
			a.sight("/", html("home", "/a"))
			robotsTxt(a, 200, "User-agent: *\nDisallow: /a\n")
			b.ledger.Offer(&look.Sighting{Kind: admit.RobotsFile, Location: "/robots.txt", At: time.Now(), Response: &tap.Response{Status: http.StatusNotFound}})
			time.Sleep(told)
			for _, r := range []*rig{a, b} {
				if r.files.Allows("/a") {
					t.Error("one look that shows another robots.txt was enough")
				}
			}
		})
	})
}

func TestASourceThatAnotherProcessHasCaught(t *testing.T) {
	inFleet(t, func(a, b *rig) {
		old := time.Now().Add(-1000 * time.Hour)
		a.sight("/", html("home", "/a", "/b"))
		a.sight("/a", html("a"), lastModified(old))
		b.sight("/b", html("b"), lastModified(old))
		time.Sleep(told)
		if b.lastMod("/b") == 0 {
			t.Fatal("a date that is given is not used")
		}
		for i := range 4 {
			time.Sleep(time.Minute)
			a.sight("/a", html("a"), lastModified(old.Add(time.Duration(i+1)*time.Hour)))
		}
		time.Sleep(told)
		if got := b.lastMod("/b"); got != 0 {
			t.Errorf("lastmod %v of a source that another process has caught", fromSeconds(got).UTC())
		}
	})
}

func TestALinkWhoseTargetAnotherProcessHasDropped(t *testing.T) {
	inFleet(t, func(a, b *rig) {
		b.sight("/", html("home", "/a"))
		b.sight("/a", "<meta name=robots content=noindex>")
		b.sight("/", html("home again", "/a")) // from here on b knows that this link needs nothing more
		err := a.ledger.call(a.Context(), func(ctx context.Context) error {
			return a.ledger.drop(ctx, []string{a.ledger.site.Keys.Wait(a.ledger.site.Names.Of("/a").Hash)})
		})
		if err != nil {
			t.Fatal(err)
		}
		b.wantVerdict("/a", admit.Unknown, admit.None)
		time.Sleep(told)
		b.sight("/", html("home once more", "/a"))
		b.sight("/a", html("a"))
		b.wantListed("/", "/a")
	})
}

// A process that was cut off from the store delivers late what it saw.
func TestAnAnswerThatIsMergedLate(t *testing.T) {
	tests := []struct {
		name   string
		answer func(r *rig, at time.Time)
		late   time.Duration
		listed bool
	}{
		{"410, and the page was seen since", gone, 10 * time.Minute, true},
		{"301, and the page was seen since", moved, 10 * time.Minute, true},
		{"410 by a clock that was wrong", gone, 25 * time.Hour, false},
		{"410 after the page was seen", gone, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inFleet(t, func(a, b *rig) {
				b.sight("/", html("home", "/a"))
				b.sight("/a", html("a"))
				time.Sleep(told)
				tt.answer(a, time.Now().Add(-tt.late))
				time.Sleep(told)
				if got := a.files.Lists("/a") && b.files.Lists("/a"); got != tt.listed {
					t.Errorf("/a is listed: %v, want %v", got, tt.listed)
				}
			})
		})
	}
}

func gone(r *rig, at time.Time) {
	r.answer("/a", http.StatusGone, func(s *look.Sighting) { s.At = at })
}

func moved(r *rig, at time.Time) {
	r.answer("/a", http.StatusMovedPermanently, func(s *look.Sighting) { s.At, s.Response.Header.Location = at, "/b" })
}

// What several processes see of a site, each a part, gives the sitemap that one
// gives which sees all.
func TestSeveralProcessesKnowWhatOneWould(t *testing.T) {
	tests := []struct {
		name     string
		n        int
		restarts bool // after one, a change may need a second look, and its label with it
	}{
		{"two", 2, false},
		{"four", 4, false},
		{"two, and some start anew", 2, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := tt.n
			synctest.Test(t, func(t *testing.T) {
				st := new(memstore.Store)
				one := newRig(t, new(memstore.Store), Config{MaxURLs: 5})
				fleet := make([]*rig, n)
				for i := range fleet {
					fleet[i] = newRig(t, st, Config{MaxURLs: 5, RefreshEvery: refreshEvery})
				}
				all := append(slices.Clone(fleet), one)
				rnd := rand.New(rand.NewPCG(uint64(n), 1))
				traffic(rnd, func(s func() *look.Sighting) {
					i := rnd.IntN(n)
					for _, r := range []*rig{fleet[i], one} {
						if !r.ledger.Offer(s()) {
							t.Fatal("the queue is full")
						}
						r.flush()
					}
				}, func() {
					if tt.restarts {
						fleet[rnd.IntN(n)].restart()
					}
				})
				time.Sleep(5 * time.Minute)
				wantSameFiles(t, fleet, one, !tt.restarts)
				for _, r := range all {
					r.stop()
				}
			})
		})
	}
}

// traffic is two days of a site of 20 pages, some of which change, go and come
// back.
func traffic(rnd *rand.Rand, see func(func() *look.Sighting), restart func()) {
	const pages = 20
	var links []string
	version, status := map[string]int{}, map[string]int{}
	for i := range pages {
		links = append(links, fmt.Sprintf("/p/%d", i))
	}
	rounds, quiet := 300, 100 // at the end nothing changes, as what is new after a restart may need a second look
	if testing.Short() {
		rounds = 60
	}
	for round := range rounds + quiet {
		time.Sleep(time.Duration(rnd.IntN(8)+2) * time.Minute)
		location := links[rnd.IntN(pages)]
		switch what := rnd.IntN(20); {
		case round >= rounds:
		case what <= 1:
			version[location]++
		case what == 2:
			status[location] = []int{http.StatusGone, http.StatusNotFound}[rnd.IntN(2)]
		case what <= 4:
			delete(status, location)
		}
		if round < rounds && round%50 == 25 {
			restart()
		}
		if rnd.IntN(5) == 0 {
			see(func() *look.Sighting { return sighting("/", html("home", links...), http.StatusOK) })
		}
		body := html(fmt.Sprintf("the text of %s, in its version %d", location, version[location]), "/")
		see(func() *look.Sighting { return sighting(location, body, status[location]) })
	}
}

// sighting is what an answer with a status shows; 0 is 200.
func sighting(location, body string, status int) *look.Sighting {
	s := &look.Sighting{Kind: admit.Witness, Location: location, At: time.Now(), Response: witness(body)}
	if status != 0 && status != http.StatusOK {
		s.Response = &tap.Response{Status: status, Complete: true}
		s.Kind, s.Reason = admit.Response(http.MethodGet, location, s.Response)
	}
	return s
}

// wantSameFiles checks that all processes of a fleet serve the same files, and
// list and date, and with labels label, the same pages as one.
func wantSameFiles(t *testing.T, fleet []*rig, one *rig, labels bool) {
	t.Helper()
	want := published(t, one, labels)
	if len(want) < 10 {
		t.Errorf("only %d pages are listed", len(want))
	}
	first := served(fleet[0])
	if len(first) < 3 {
		t.Errorf("there are the files %q only", slices.Sorted(maps.Keys(first)))
	}
	for i, r := range fleet {
		if got := published(t, r, labels); !maps.Equal(got, want) {
			t.Errorf("process %d lists\n%v, one process alone\n%v", i, got, want)
		}
		if got := served(r); !maps.Equal(got, first) {
			t.Errorf("process %d serves\n%v\nprocess 0\n%v", i, got, first)
		}
	}
}

// published returns what is published of each listed page.
func published(t *testing.T, r *rig, labels bool) map[string]string {
	t.Helper()
	all := map[string]string{}
	for p, err := range r.ledger.Pages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		lastMod := p.Entry.LastMod(r.files.Trust(), moment.Of(time.Now())).Seconds()
		if all[p.Location] = fmt.Sprint(lastMod); labels {
			all[p.Location] += " " + p.Entry.Freq.String()
		}
	}
	return all
}

// served returns the files that are served, with their headers.
func served(r *rig) map[string]string {
	all := map[string]string{}
	names := []string{"sitemap.xml"}
	for i := range 20 {
		names = append(names, fmt.Sprintf("sitemap-%d.xml", i+1))
	}
	for _, name := range names {
		w := httptest.NewRecorder()
		r.files.Serve(w, httptest.NewRequest(http.MethodGet, "/"+name, nil))
		if w.Code == http.StatusOK {
			all[name] = w.Header().Get("Etag") + "\n" + w.Body.String()
		}
	}
	return all
}

// laterRecord is a record that a later version of the program wrote.
func laterRecord() []byte {
	b := []byte{2, 8, 1}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// A look that seems to be the same as the last one is read all the same where
// another process has merged a look in between that was another.
func TestALookIsTheSameOnlyAsTheLastOneThatIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := new(memstore.Store)
		st := &hooked{Store: shared, page: "/a"}
		one := newRig(t, st, Config{RefreshEvery: refreshEvery})
		two := newRig(t, shared, Config{RefreshEvery: refreshEvery})
		defer func() { one.stop(); two.stop() }()
		noindex := `<html><head><meta name=robots content="noindex, nofollow"></head><body>a</body></html>`
		one.sight("/", html("home", "/a"))
		one.sight("/a", html("a"))
		one.sight("/a", noindex)
		one.wantVerdict("/a", admit.Excluded, admit.NoIndex)
		between := func(func()) error {
			st.before.Store(nil)
			two.sight("/a", html("a, which may be listed"))
			two.wantVerdict("/a", admit.Listed, admit.ByLink)
			return nil
		}
		st.before.Store(&between)
		one.sight("/a", noindex, func(s *look.Sighting) { s.At = s.At.Add(5 * time.Second) }) // it is the last look
		one.wantVerdict("/a", admit.Excluded, admit.NoIndex)
		if one.files.Lists("/a") || one.page("/a").Looks != 4 {
			t.Errorf("/a, which last said noindex, is in the files: %v; it has %d looks, want 4", one.files.Lists("/a"), one.page("/a").Looks)
		}
	})
}

// A page that was seen to be gone twice before that was stored comes back by what
// another process sees.
func TestAPageThatWasGoneTwiceComesBack(t *testing.T) {
	inFleet(t, func(a, b *rig) {
		a.sight("/", html("home", "/a"))
		a.sight("/a", html("a"))
		time.Sleep(told)
		var seen []*look.Sighting
		for range 2 {
			resp := &tap.Response{Status: http.StatusGone, Complete: true}
			seen = append(seen, &look.Sighting{Kind: admit.Vanished, Reason: admit.StatusGone, Location: "/a", At: time.Now(), Response: resp})
			a.files.Withdraw("/a", time.Now())
			time.Sleep(time.Millisecond)
		}
		for _, s := range seen {
			a.ledger.Offer(s)
		}
		a.flush()
		a.wantShown("/")
		time.Sleep(told)
		b.sight("/a", html("a is here again"))
		time.Sleep(told)
		b.wantShown("/", "/a")
		a.wantShown("/", "/a")
	})
}
