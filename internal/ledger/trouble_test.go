package ledger

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
	"github.com/servemap/servemap/store/memstore"
)

// offer hands over looks at one page that nobody has time to merge one by one.
func (r *rig) offer(location string, bodies ...string) {
	for _, body := range bodies {
		r.ledger.Offer(&look.Sighting{Kind: admit.Witness, Location: location, At: time.Now(), Response: witness(body)})
		time.Sleep(2 * time.Second)
	}
}

func TestSeveralLooksAtOnePageAtOnce(t *testing.T) {
	const noindex = `<html><head><meta name=robots content=noindex></head><body>a</body></html>`
	st := &troubled{Store: new(memstore.Store)}
	inBubble(t, Config{Store: st}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		r.sight("/a", noindex)
		st.set(errors.New("busy"), nil, false)
		r.offer("/a", html("public for a moment"), noindex)
		st.set(nil, nil, false)
		time.Sleep(5 * time.Second)
		r.flush()
		r.wantVerdict("/a", admit.Excluded, admit.NoIndex)
	})
}

// TestLostAnswers has a store do what it is told, and lose the answer, at each
// step of what leads to a verdict.
func TestLostAnswers(t *testing.T) {
	lost := errors.New("the answer is lost")
	withLoss := func(r *rig, st *troubled, deed func()) {
		st.set(nil, lost, false)
		deed()
		st.set(nil, nil, false)
		time.Sleep(5 * time.Second)
		r.flush()
	}
	see := func(r *rig, status int) {
		resp := &tap.Response{Status: status, Complete: true}
		kind, why := admit.Response(http.MethodGet, "/a", resp)
		r.ledger.Offer(&look.Sighting{Kind: kind, Reason: why, Location: "/a", At: time.Now(), Response: resp})
		_ = r.ledger.Flush(r.Context()) // it fails, as the answer is lost
	}
	t.Run("of a doubt", func(t *testing.T) {
		st := &troubled{Store: new(memstore.Store)}
		inBubble(t, Config{Store: st}, func(r *rig) {
			r.sight("/", html("home", "/a"))
			r.sight("/a", html("a"))
			withLoss(r, st, func() { see(r, http.StatusNotFound) })
			time.Sleep(2 * time.Minute)
			r.flush()
			r.wantListed("/")
		})
	})
	t.Run("of the end of a doubt", func(t *testing.T) {
		st := &troubled{Store: new(memstore.Store)}
		inBubble(t, Config{Store: st}, func(r *rig) {
			r.sight("/", html("home", "/a"))
			r.sight("/a", html("a"))
			see(r, http.StatusNotFound)
			time.Sleep(10 * time.Second)
			withLoss(r, st, func() {
				r.offer("/a", html("a"))
				_ = r.ledger.Flush(r.Context())
			})
			time.Sleep(2 * time.Minute)
			r.flush()
			r.wantListed("/", "/a")
		})
	})
	t.Run("of a source that was caught", func(t *testing.T) {
		st := &troubled{Store: new(memstore.Store)}
		inBubble(t, Config{Store: st}, func(r *rig) {
			old := time.Now().Add(-1000 * time.Hour)
			r.sight("/", html("home", "/a", "/b"))
			r.sight("/b", html("b"), lastModified(old))
			r.sight("/b", html("b"), lastModified(old.Add(time.Hour)))
			r.sight("/a", html("a"), lastModified(old))
			withLoss(r, st, func() {
				k := &look.Sighting{Kind: admit.Witness, Location: "/a", At: time.Now(), Response: witness(html("a"))}
				lastModified(old.Add(time.Hour))(k)
				r.ledger.Offer(k)
				_ = r.ledger.Flush(r.Context())
			})
			if got := r.lastMod("/a"); got != 0 {
				t.Errorf("lastmod %v of a source that was caught", fromSeconds(got).UTC())
			}
		})
	})
}

func TestAWitnessInTimeSavesThePageWhenItIsMergedLate(t *testing.T) {
	st := &troubled{Store: new(memstore.Store)}
	inBubble(t, Config{Store: st}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		r.sight("/a", html("a"))
		r.answer("/a", http.StatusNotFound)
		time.Sleep(50 * time.Second)
		st.set(errors.New("busy"), nil, false)
		r.offer("/a", html("a"))
		time.Sleep(time.Minute)
		st.set(nil, nil, false)
		time.Sleep(10 * time.Second)
		r.flush()
		r.wantListed("/", "/a")
	})
}

func damage(r *rig, key string) {
	r.Helper()
	err := r.st.Update(r.Context(), []string{key}, func(values [][]byte) error {
		values[0] = append([]byte("?"), values[0]...)
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
}

func TestAPageWhoseRecordIsDamagedCanLeave(t *testing.T) {
	for _, status := range []int{http.StatusGone, http.StatusNotFound} {
		withPage(t, func(r *rig) {
			damage(r, "https://example.com|page|/a")
			r.answer("/a", status)
			time.Sleep(2 * time.Minute)
			r.flush()
			r.wantListed("/")
		})
	}
}

func TestADamagedSecretIsTold(t *testing.T) {
	withPage(t, func(r *rig) {
		damage(r, "https://example.com|site")
		r.restart()
		r.flush()
		r.wantListed("/", "/a")
		if !strings.Contains(r.log.String(), "Forget") || r.ledger.Stats().Damaged == 0 {
			t.Errorf("nothing tells that bars are lost:\n%s", r.log)
		}
	})
}

func TestAnEntryThatLeadsEachVisitorToAPageOfHisOwn(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		for i := range 5 {
			pad := fmt.Sprintf("/pad/%d", i)
			r.answer("/", http.StatusFound, location302(pad))
			r.sight(pad, html("private "+pad))
		}
		r.wantListed("/pad/0") // the one that could not be told from a home page
		for range 2 {
			r.answer("/", http.StatusFound, location302("/home"))
			time.Sleep(time.Second)
		}
		r.sight("/home", html("home"))
		r.wantListed("/home", "/pad/0")
	})
}

func TestAnEntryLeadsOnWhateverItSaysOfItself(t *testing.T) {
	for name, head := range map[string]string{
		"noindex":             `<meta name="robots" content="noindex">`,
		"canonical elsewhere": `<link rel="canonical" href="/home">`,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Config{}, func(r *rig) {
				r.sight("/", "<html><head>"+head+`</head><body><a href="/a">a</a></body></html>`)
				r.sight("/a", html("a"))
				r.wantListed("/a")
			})
		})
	}
}

func TestABatchThatNeedsTooManyKeys(t *testing.T) {
	inBubble(t, Config{Store: new(memstore.Store)}, func(r *rig) {
		const pages = 128
		var links []string
		want := []string{"/"}
		for i := range pages {
			links = append(links, fmt.Sprintf("/old%d/page", i))
			want = append(want, fmt.Sprintf("/new%d/page", i))
		}
		r.sight("/", html("home", links...))
		for _, l := range links {
			r.sight(l, html(l))
		}
		for _, l := range want[1:] {
			r.sight(l, html(l), route(l, true))
		}
		for i, l := range links {
			resp := &tap.Response{Status: 301, Complete: true, Header: tap.Header{Location: want[i+1]}}
			r.ledger.Offer(&look.Sighting{Kind: admit.Redirected, Location: l, At: time.Now(), Response: resp})
		}
		r.flush()
		r.wantListed(want...)
	})
}

// A visitor gets a page that is gone for good right after, as the next one is told;
// both are merged later than that, and the store may be full in between. What the
// older look leaves in the store is no verdict on the page.
func TestAnOlderWitnessUndoesNoWithdrawal(t *testing.T) {
	witnessed := func() *look.Sighting { return seen("/a", html("a")) }
	gone := func() *look.Sighting { return sighting("/a", "", http.StatusGone) }
	tests := []struct {
		name   string
		looks  []func() *look.Sighting
		stored int64 // how many of them are, until the store is full
	}{
		{"all is stored", []func() *look.Sighting{witnessed, gone}, 2},
		{"the store is full after the witness", []func() *look.Sighting{witnessed, gone}, 1},
		{"a withdrawal has settled before the witness came", []func() *look.Sighting{gone, witnessed, gone}, 3},
		{"it has, and the store is full after the witness", []func() *look.Sighting{gone, witnessed, gone}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := &hooked{Store: new(memstore.Store), page: "/a"}
			inBubble(t, Config{Store: st}, func(r *rig) {
				r.sight("/", html("home", "/a", "/b"))
				r.sight("/a", html("a"))
				r.sight("/b", html("b"))
				r.wantListed("/", "/a", "/b")
				st.fullAfter(tt.stored)
				var looks []*look.Sighting
				for _, look := range tt.looks {
					s := look()
					if looks = append(looks, s); s.Kind != admit.Witness {
						r.files.Withdraw("/a", s.At)
					}
					time.Sleep(time.Millisecond)
				}
				if err := r.mergeAll(looks); (err == nil) != (tt.stored == int64(len(looks))) {
					t.Errorf("merging %d looks returned %v although %d can be stored", len(looks), err, tt.stored)
				}
				wantOut := func(when string) {
					t.Helper()
					if r.files.Lists("/a") || !r.files.Lists("/b") {
						t.Errorf("%s: /a, which is gone, is listed: %v; /b: %v", when, r.files.Lists("/a"), r.files.Lists("/b"))
					}
				}
				for _, wait := range []time.Duration{0, 2 * time.Second, time.Minute} {
					time.Sleep(wait)
					wantOut(fmt.Sprint(wait, " later"))
				}
				st.before.Store(nil)
				time.Sleep(time.Minute)
				wantOut("all is stored")
				r.wantListed("/", "/b")
				r.sight("/a", html("a"))
				r.wantListed("/", "/a", "/b")
			})
		})
	}
}

// fullAfter has the store take so many updates of the page, and then no more.
func (s *hooked) fullAfter(stored int64) {
	var done atomic.Int64
	before := func(func()) error {
		if done.Load() >= stored {
			return errors.New("no space left on device")
		}
		return nil
	}
	after := func() { done.Add(1) }
	s.before.Store(&before)
	s.after.Store(&after)
}
