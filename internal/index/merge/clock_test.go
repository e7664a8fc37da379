package merge

import (
	"net/http"
	"testing"
	"time"
)

const years = 365 * 24 * time.Hour

// A clock that is ten years off for a while changes nothing that lasts.
func TestClockThatIsOffForAWhileSpoilsNoDate(t *testing.T) {
	for _, off := range []time.Duration{10 * years, -10 * years} {
		run(t, off.String(), options{}, func(w *world) {
			w.sight("/", html("home", "/still", "/edited", "/new"))
			see := func(off time.Duration, still, edited string) {
				w.sight("/still", html(still), at(w.now.Add(off)))
				w.sight("/edited", html(edited), at(w.now.Add(off)))
			}
			see(0, "still", "first")
			w.wait(time.Hour)
			see(0, "the still one", "second")
			still := w.lastMod("/still")
			step := w.now.Unix()
			for range 5 {
				w.wait(time.Hour)
				see(off, "the still one", "edited by a clock that was off")
			}
			w.sight("/new", html("new"), at(w.now.Add(off)))
			for range 12 {
				w.wait(24 * time.Hour)
				see(0, "the still one", "edited by a clock that was off")
				w.sight("/new", html("new"))
				if got := w.lastMod("/still"); got != still {
					w.Fatalf("an unchanged page had the lastmod %v, and has %v", fromSeconds(still).UTC(), fromSeconds(got).UTC())
				}
			}
			w.wantListed("/", "/edited", "/new", "/still")
			if got := w.lastMod("/edited"); got < step || got > w.now.Unix() {
				w.Errorf("the edited page has the lastmod %v", fromSeconds(got).UTC())
			}
			want := w.now.Unix()
			see(0, "the still one, edited", "another edit")
			for _, page := range []string{"/still", "/edited"} {
				if got := w.lastMod(page); got < want || got > want+3 {
					w.Errorf("%s has the lastmod %v after an edit at %v", page, fromSeconds(got).UTC(), fromSeconds(want).UTC())
				}
			}
			if p := w.page("/still"); p.FirstSeen > w.moment() || p.LastSeen > w.moment() {
				w.Errorf("seen from %v to %v", p.FirstSeen, p.LastSeen)
			}
		})
	}
}

// A clock that was ahead for a moment delays no withdrawal.
func TestClockThatWasAheadDelaysNoWithdrawal(t *testing.T) {
	ahead := func(w *world) { w.sight("/p", html("a page that anybody may read"), at(w.now.Add(6*time.Hour))) }
	for name, leaves := range map[string]step{"noindex": see("/p", head(noIndex)), "410": answers("/p", 410),
		"404": times(1, answers("/p", 404), waits(2*time.Minute))} {
		tell(t, options{}, []story{{name, []step{see("/", html("home", "/p")), ahead, waits(time.Hour), leaves},
			[]string{"/"}}})
	}
}

// A process that was cut off from the store delivers its observations late.
func TestAnswerThatIsMergedLateCountsAtItsTime(t *testing.T) {
	gone, moved := func(late time.Duration) step {
		return func(w *world) { w.answer("/a", http.StatusGone, at(w.now.Add(-late))) }
	}, func(w *world) {
		w.answer("/a", http.StatusMovedPermanently, redirect("/b"), at(w.now.Add(-10*time.Minute)))
	}
	tell(t, options{}, []story{
		{"410, and the page was seen since", []step{crawls("/a"), gone(10 * time.Minute)}, []string{"/", "/a"}},
		{"301, and the page was seen since", []step{crawls("/a"), moved}, []string{"/", "/a"}},
		{"410 after the page was seen", []step{crawls("/a"), gone(0)}, []string{"/"}},
	})
}
