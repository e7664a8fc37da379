package merge

import (
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/testkit/visits"
)

func TestPageLeavesAtOnceAndComesBack(t *testing.T) {
	for _, tt := range []struct {
		name    string
		is      step
		verdict eligibility.Verdict
		reason  eligibility.Reason
	}{
		{"410", answers("/a", http.StatusGone), gone, eligibility.StatusGone},
		{"private", answers("/a", 200, cacheControl("private, max-age=60")), excluded, eligibility.Private},
		{"noindex header", see("/a", html("a"), robotsTag("noindex")), excluded, eligibility.NoIndex},
		{"noindex meta", see("/a", head("<META CONTENT='NoIndex,follow' NAME=Robots>")), excluded, eligibility.NoIndex},
		{"unavailable_after has passed", see("/a", head(`<meta name="robots" content="unavailable_after: 1999-12-31">`)),
			excluded, eligibility.NoIndex},
		{"moved on the site", answers("/a", http.StatusMovedPermanently, redirect("/b"), own), gone, eligibility.Moved},
	} {
		runWithPage(t, tt.name, func(w *world) {
			tt.is(w)
			w.wantListed("/")
			w.wantVerdict("/a", tt.verdict, tt.reason)
			w.sight("/a", html("a is back"))
			w.wantListed("/", "/a")
		})
	}
}

func TestMoveForGoodTakesTheHistoryAlong(t *testing.T) {
	w := withPage(t)
	w.wait(time.Hour)
	w.sight("/a", html("a, otherwise"))
	first, changed := w.page("/a").FirstSeen, w.lastMod("/a")
	w.wait(time.Hour)
	w.answer("/a", http.StatusMovedPermanently, redirect("/b"), own)
	w.sight("/b", html("a, otherwise"))
	w.wantListed("/", "/b")
	w.wantLastMod("/b", changed)
	if got := w.page("/b").FirstSeen; got != first || changed == 0 {
		t.Errorf("first seen %v and changed %d, want what the old location has, %v", got, changed, first)
	}
}

func TestAnswersThatDenyNothingRemoveNoPage(t *testing.T) {
	for status, target := range map[int]string{
		http.StatusFound: "/elsewhere", http.StatusSeeOther: "/elsewhere",
		http.StatusTemporaryRedirect: "https://other.example/",
		// to itself
		http.StatusNotModified: "", http.StatusMovedPermanently: "http://example.com/a", http.StatusPermanentRedirect: "/a",
	} {
		runWithPage(t, http.StatusText(status), func(w *world) {
			w.answer("/a", status, redirect(target))
			w.wait(2 * time.Minute)
			w.wantListed("/", "/a")
		})
	}
}

func TestJunkLeavesNoRecords(t *testing.T) {
	w := newWorld(t, options{})
	w.sight("/", html("home"))
	before := slices.Sorted(maps.Keys(w.records))
	for _, status := range []int{401, 403, 404, 410, 301, 302, 304} {
		w.answer("/junk", status, redirect("/junk2"))
	}
	w.wait(2 * time.Minute)
	if after := slices.Sorted(maps.Keys(w.records)); !slices.Equal(after, before) {
		t.Errorf("records %q, there were %q before the junk", after, before)
	}
}

// waysToRefuse are the ways in which a site may refuse a page to one client alone.
var waysToRefuse = []struct {
	name   string
	refuse func(changes ...change) step
	reason eligibility.Reason
}{
	{"401", func(changes ...change) step { return answers("/a", http.StatusUnauthorized, changes...) },
		eligibility.Denied},
	{"403", func(changes ...change) step { return answers("/a", http.StatusForbidden, changes...) }, eligibility.Denied},
	{"log-in", func(changes ...change) step {
		return answers("/a", http.StatusFound, append(changes, redirect("/login?next=/a"))...)
	}, eligibility.LoginRedirect},
	{"log-in for good", func(changes ...change) step {
		return answers("/a", http.StatusMovedPermanently,
			append(changes, redirect("https://accounts.example/oauth/authorize"))...)
	}, eligibility.LoginRedirect},
	{"moved off the site", func(changes ...change) step {
		return answers("/a", http.StatusPermanentRedirect, append(changes, redirect("https://other.example/"))...)
	}, eligibility.Moved},
	{"leads on for now", func(changes ...change) step {
		return answers("/a", http.StatusTemporaryRedirect, append(changes, redirect("/elsewhere"))...)
	}, eligibility.LeadsOn},
	{"leads off the site for now", func(changes ...change) step {
		return answers("/a", http.StatusFound, append(changes, redirect("https://other.example/"))...)
	}, eligibility.LeadsOn},
	{"a canonical elsewhere", func(changes ...change) step {
		return see("/a", head(`<link rel=canonical href="https://example.com/b">`), changes...)
	}, eligibility.CanonicalElsewhere},
	{"two canonicals", func(changes ...change) step {
		return see("/a", head(`<link rel=canonical href="/a"><link rel=canonical href="/b">`), changes...)
	}, eligibility.CanonicalConflict},
	{"encoded in a way that cannot be read", func(changes ...change) step {
		return see("/a", "scrambled", append(changes, header(func(h *response.Header) { h.ContentEncoding = "x-own" }))...)
	}, eligibility.Encoding},
	{"a field for a password", func(changes ...change) step {
		return see("/a", html("log in")+"<form><input type=password></form>", changes...)
	}, eligibility.PasswordField},
}

// askedForHead is the answer to a HEAD request. It says little: many sites answer any HEAD with 200.
func askedForHead(w *world) {
	e := visits.Answer("/a", http.StatusOK, w.now)
	e.Kind = eligibility.Alive
	w.merge(e)
}

func notModified(w *world) { w.answer("/a", http.StatusNotModified) }
func seen(w *world)        { w.sight("/a", html("a")) }

// One client may be refused what all others get, and a front may refuse everybody for an hour.
func TestRefusalNeedsAnotherDay(t *testing.T) {
	none := func(*world) {}
	for _, tt := range []struct {
		name      string
		again     bool // it is refused again
		after     time.Duration
		meanwhile step
		out       bool
	}{
		{"once", false, 48 * time.Hour, none, false},
		{"again within the minute", true, 10 * time.Second, none, false},
		{"again a day later", true, 24 * time.Hour, none, true},
		{"a witness before another day", true, 24 * time.Hour, seen, false},
		{"a 304 before another day", true, 24 * time.Hour, notModified, false},
		{"a HEAD before another day", true, 24 * time.Hour, askedForHead, true},
	} {
		for _, way := range waysToRefuse {
			if pagerecord.Variable(way.reason) && tt.name == "a 304 before another day" {
				continue // the client may have the page with just that
			}
			runWithPage(t, tt.name+", "+way.name, func(w *world) {
				start := w.now
				way.refuse()(w)
				w.wait(tt.after / 2)
				tt.meanwhile(w)
				w.wait(start.Add(tt.after).Sub(w.now))
				w.wantListed("/", "/a")
				if tt.again {
					way.refuse()(w)
				}
				w.wait(pagerecord.ConfirmAfter)
				if !tt.out {
					w.wantListed("/", "/a")
					return
				}
				w.wantListed("/")
				if p := w.page("/a"); p.Reason != way.reason {
					w.Errorf("/a is out because of %v, want %v", p.Reason, way.reason)
				}
				w.sight("/a", html("a"))
				w.wantListed("/", "/a")
			})
		}
	}
}

func TestRefusalAndNotFoundHaveEachItsOwnTime(t *testing.T) {
	refused, missing := answers("/a", http.StatusForbidden), answers("/a", http.StatusNotFound)
	tell(t, options{}, []story{
		{"a 404 a day after a refusal has its minute", []step{crawls("/a"), refused, waits(24 * time.Hour), missing},
			[]string{"/", "/a"}},
		{"a refusal within that minute takes nothing off it", []step{
			crawls("/a"), missing, waits(30 * time.Second), refused, waits(time.Minute), is("/a", gone, eligibility.NotFound),
		}, []string{"/"}},
	})
}

// withPages returns a site with a home page and n listed pages, which it names.
func withPages(t *testing.T, n int) (w *world, pages []string) {
	w, pages = newWorld(t, options{}), numbered("/p%03d", n)
	w.crawl(pages...)
	return w, pages
}

// missing answers 404 for some pages.
func (w *world) missing(pages ...string) {
	for _, p := range pages {
		w.answer(p, http.StatusNotFound)
	}
}

// wantLeft checks that all pages but the home page and those of rest are out.
func (w *world) wantLeft(rest ...string) {
	w.Helper()
	w.wantListed(append([]string{"/"}, rest...)...)
}

// A site may refuse its own machine, or a front everybody. Deleting pages looks the same until another day has passed.
func TestManyPagesLeaveOnlyByAnotherDay(t *testing.T) {
	w, pages := withPages(t, 40)
	for range 3 {
		w.missing(pages...)
		w.wait(pagerecord.ConfirmAfter)
	}
	w.wantLeft(pages[10:]...)
	w.wait(22 * time.Hour)
	w.missing(pages...)
	w.wantLeft(pages[10:]...)
	w.sight(pages[10], html(pages[10][1:]))
	w.wait(2 * time.Hour)
	w.wantLeft(pages[10:]...) // nobody asked since
	w.missing(pages[11:]...)
	w.wantLeft(pages[10])
}

// A page that somebody gets although others were told 404 does not count among those that leave in a day.
func TestPageThatIsThereIsNotCountedAsTakenOut(t *testing.T) {
	w, pages := withPages(t, 30)
	w.missing(pages[:4]...)
	for _, p := range pages[:4] {
		w.sight(p, html(p[1:]))
	}
	w.missing(pages[20:]...)
	w.wait(pagerecord.ConfirmAfter)
	w.wantLeft(pages[:20]...)
}
