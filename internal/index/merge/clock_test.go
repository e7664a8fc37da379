package merge

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/response"
)

const years = 365 * 24 * time.Hour

// lastModAt returns the published date of a location, 0 for none, when the
// clock shows a time.
func (w *world) lastModAt(location string, now time.Time) int64 {
	w.Helper()
	return w.page(location).Entry.LastMod(w.trust(), moment.Of(now)).Seconds()
}

// fickle is a page whose text and dates change at random, seen by a clock that is wrong
// now and then.
type fickle struct {
	*rand.Rand
	w        *world
	location string
	version  int
	edited   time.Time
	server   func(now time.Time) time.Time
	page     func(now time.Time) time.Time
	told     int64 // the last date that was published by the right clock
}

// source returns a way to date a page.
func (p *fickle) source() func(now time.Time) time.Time {
	lag := time.Duration(p.IntN(4000)) * time.Second
	stuck := p.w.now.Add(-time.Duration(p.IntN(900)) * time.Hour)
	switch p.IntN(7) {
	case 0:
		return func(now time.Time) time.Time { return now.Add(-lag) }
	case 1:
		return func(now time.Time) time.Time { return now.Truncate(24 * time.Hour) }
	case 2:
		return func(now time.Time) time.Time { return stuck.Add(time.Duration(p.IntN(3)) * time.Hour) }
	case 3:
		return func(now time.Time) time.Time { return stuck }
	case 4:
		return func(now time.Time) time.Time { return now.Add(lag) }
	case 5:
		return func(time.Time) time.Time { return time.Time{} }
	}
	return func(time.Time) time.Time { return p.edited }
}

func (p *fickle) body(now time.Time, links ...string) string {
	body := html(fmt.Sprintf("This is what %s has to say in its version %d, and nothing else.", p.location, p.version), links...)
	if d := p.page(now); !d.IsZero() {
		body = modified(d) + body
	}
	return body
}

// look shows the page to a clock that is off by so much.
func (p *fickle) look(w *world, off time.Duration, links ...string) {
	now := w.now.Add(off)
	if p.IntN(6) == 0 {
		p.version++
		p.edited = now.Add(-time.Duration(p.IntN(600)) * time.Second)
	}
	w.sight(p.location, p.body(now, links...), at(now), header(func(h *response.Header) {
		if d := p.server(now); !d.IsZero() {
			h.LastModified = d.UTC().Format(http.TimeFormat)
		}
	}))
}

// told checks the published date of the page when the clock is off by so much. A date
// published while the clock was wrong may be later than one published when it is right.
func (p *fickle) check(w *world, off time.Duration) {
	w.Helper()
	now := w.now.Add(off)
	got := w.lastModAt(p.location, now)
	if got > now.Unix() {
		w.Errorf("%s has a lastmod after now, %v", p.location, fromSeconds(got).UTC())
	}
	if off != 0 || got == 0 {
		return
	}
	if got < p.told {
		w.Errorf("the lastmod of %s goes back from %v to %v", p.location, fromSeconds(p.told).UTC(), fromSeconds(got).UTC())
	}
	p.told = got
}

// A lastmod is never in the future and never goes back, whatever dates the site gives
// and whatever its clock does for a while.
func TestLastModNeverGoesBack(t *testing.T) {
	seeds := 24
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		run(t, fmt.Sprint("seed ", seed), options{}, func(w *world) { w.live(rand.New(rand.NewPCG(uint64(seed), 7))) })
	}
}

// live runs a site of a few fickle pages through a hundred visits.
func (w *world) live(rnd *rand.Rand) {
	var pages []*fickle
	links := []string{"/p0", "/p1", "/p2"}
	for _, l := range append(links, "/late") {
		p := &fickle{Rand: rnd, w: w, location: l, edited: w.now.Add(-100 * time.Hour)}
		p.server, p.page = p.source(), p.source()
		pages = append(pages, p)
	}
	w.sight("/", html("home", links...))
	for step := range 100 {
		if step == 20 {
			w.sight("/", html("home with more of it", append(links, "/late")...))
		}
		w.wait(time.Duration(rnd.ExpFloat64() * float64(5*time.Hour)))
		off := []time.Duration{10 * years, -10 * years, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}[rnd.IntN(12)]
		for range 1 + rnd.IntN(3) {
			pages[rnd.IntN(len(pages))].look(w, off)
		}
		switch rnd.IntN(30) {
		case 0:
		case 1, 2:
			p := pages[rnd.IntN(len(pages))]
			p.server = p.source() // the site was mended, or broken
		}
		for _, p := range pages {
			p.check(w, off)
		}
		if off == 0 {
			continue
		}
		for _, p := range pages {
			p.look(w, 0) // the clock is right again
			p.check(w, 0)
		}
	}
}

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
			if p := w.page("/still"); p.FirstSeen.After(w.now) || p.LastSeen.After(w.now) {
				w.Errorf("seen from %v to %v", p.FirstSeen, p.LastSeen)
			}
		})
	}
}

func TestLookByAClockThatWasAheadIsReplacedByTheNext(t *testing.T) {
	runWithPage(t, "with a page", func(w *world) {
		w.answer("/a", http.StatusNotModified, at(w.now.Add(10*years)))
		w.wait(time.Hour)
		want := w.now
		w.answer("/a", http.StatusNotModified)
		if got := w.page("/a").LastSeen; !got.Equal(want) {
			w.Errorf("last seen %v, want %v", got.UTC(), want.UTC())
		}
	})
}

// A clock that was ahead for a moment delays no withdrawal.
func TestClockThatWasAheadDelaysNoWithdrawal(t *testing.T) {
	for _, test := range []struct {
		name   string
		off    time.Duration
		change func(*world)
	}{
		{"noindex, 6 h", 6 * time.Hour, func(w *world) { w.sight("/p", head(noIndex)) }},
		{"410, 6 h", 6 * time.Hour, func(w *world) { w.answer("/p", 410) }},
		{"private, 6 h", 6 * time.Hour, func(w *world) { w.answer("/p", 200, cacheControl("private")) }},
		{"404, 6 h", 6 * time.Hour, func(w *world) { w.answer("/p", 404); w.wait(2 * time.Minute) }},
		{"410, none", 0, func(w *world) { w.answer("/p", 410) }},
		{"410, 2 days", 48 * time.Hour, func(w *world) { w.answer("/p", 410) }},
	} {
		run(t, test.name, options{}, func(w *world) {
			w.sight("/", html("home", "/p"))
			w.sight("/p", html("a page of the site with quite some text that anybody may read"), at(w.now.Add(test.off)))
			w.wantListed("/", "/p")
			w.wait(time.Hour)
			test.change(w)
			w.wantListed("/")
		})
	}
}
