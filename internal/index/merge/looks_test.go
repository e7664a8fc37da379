package merge

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/visits"
)

// Where the site can look itself, what one visitor gets asks for a look, and what the look gets decides.
func TestOneVisitorsWordAsksForALook(t *testing.T) {
	edited := html("a, and a new sentence that nobody has read before, which is long enough to count")
	for _, tt := range []struct {
		name  string
		gets  func(changes ...change) step // of "/a", unless at says otherwise
		at    string
		then  func(w *world) bool // whether it counts
		after time.Duration       // until a second look, 0 if one is enough
	}{
		{"410", func(c ...change) step { return answers("/a", http.StatusGone, c...) }, "/a", left, 0},
		{"private", func(c ...change) step { return answers("/a", 200, append(c, cacheControl("private"))...) }, "/a", left,
			0},
		{"noindex in a header", func(c ...change) step { return see("/a", html("a"), append(c, robotsTag("noindex"))...) },
			"/a", left, 0},
		{"noindex in the page", func(c ...change) step { return see("/a", head(`<meta name=robots content=noindex>`), c...) },
			"/a", left, 0},
		{"moved", func(c ...change) step { return answers("/a", 301, append(c, redirect("/b"))...) }, "/a", left, 0},
		// it has lasted by now
		{"404", func(c ...change) step { return answers("/a", http.StatusNotFound, c...) }, "/a", left, 0},
		{"403", func(c ...change) step { return answers("/a", http.StatusForbidden, c...) }, "/a", left, 24 * time.Hour},
		{"another canonical", func(c ...change) step { return see("/a", variant("/b", "a"), c...) }, "/a", left,
			24 * time.Hour},
		{"a field for a password", func(c ...change) step { return see("/a", html("a")+"<input type=password>", c...) }, "/a",
			left, 24 * time.Hour},
		{"a new text", func(c ...change) step { return see("/a", edited, c...) }, "/a",
			func(w *world) bool { return w.lastMod("/a") != 0 }, 0},
		{"a new link", func(c ...change) step { return see("/", html("home", "/a", "/x"), c...) }, "/", func(w *world) bool {
			w.sight("/x", html("x"))
			return w.page("/x").Listed()
		}, 0},
	} {
		runWithPage(t, tt.name, func(w *world) {
			w.site.Looking = Works
			w.wait(time.Hour)
			for range 3 {
				tt.gets()(w)
				w.wait(5 * time.Minute)
			}
			if !slices.Contains(w.looks, tt.at) || tt.then(w) {
				w.Fatalf("visitors decided: %q are to be looked at", w.looks)
			}
			tt.gets(own)(w)
			if tt.after != 0 {
				if tt.then(w) {
					w.Fatal("one look decided")
				}
				w.wait(tt.after)
				tt.gets(own)(w)
			}
			if !tt.then(w) {
				w.Error("the site's own look does not count")
			}
		})
	}
}

// What a visitor gets who is anonymous by the owner's word alone, as with a cookie that he named, lists a page once the
// site itself gets it too.
func TestPageOfAClientWhomTheOwnerVouchesForWaitsForALook(t *testing.T) {
	byTheOwner := func(e *observation.Observation) { e.Named.Vouched = true }
	for _, tt := range []struct {
		name    string
		looking Looking
		itself  step
		listed  bool
	}{
		{"the site gets it", Works, see("/a", html("a"), own), true},
		{"the site is refused", Works, answers("/a", http.StatusForbidden, own), false},
		{"the site cannot look", Silent, see("/", html("home", "/a")), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, options{})
			w.site.Looking = tt.looking
			w.sight("/", html("home", "/a"), own)
			see("/a", html("a"), byTheOwner)(w)
			if tt.looking == Works && (w.page("/a").Listed() || !slices.Contains(w.looks, "/a")) {
				t.Errorf("listed before the look: %t; %q are to be looked at", w.page("/a").Listed(), w.looks)
			}
			tt.itself(w)
			see("/a", html("a"), byTheOwner)(w)
			base.Equal(t, w.page("/a").Listed(), tt.listed, "listed")
		})
	}
}

func left(w *world) bool { return !w.page("/a").Listed() }

// A look that gets the page refutes what visitors got. One that is refused is not refuted by them.
func TestLookRefutesVisitorsAndNotTheOtherWayRound(t *testing.T) {
	refused, gets := answers("/a", http.StatusForbidden), see("/a", html("a"), own)
	runWithPage(t, "the site gets the page", func(w *world) {
		w.site.Looking = Works
		for range 30 {
			refused(w)
			gets(w)
			w.wait(time.Hour)
		}
		w.wantListed("/", "/a")
	})
	runWithPage(t, "visitors get the page", func(w *world) {
		w.site.Looking = Works
		for range 26 {
			answers("/a", http.StatusForbidden, own)(w)
			seen(w)
			w.wait(time.Hour)
		}
		w.wantListed("/")
	})
	runWithPage(t, "looks get nothing that decides", func(w *world) {
		w.site.Looking = Works
		for range 24 {
			refused(w)
			w.wait(time.Hour)
			w.wantListed("/", "/a")
		}
		refused(w)
		w.wantListed("/")
	})
}

// A page that redirects for now leaves once that has lasted for a day in which nobody got it.
func TestPageThatLeadsOnForNowLeavesOnceThatHasLasted(t *testing.T) {
	leads := func(to string, c ...change) step { return answers("/a", 302, append(c, redirect(to))...) }
	for _, tt := range []struct {
		name            string
		visitor, itself step
		others          step // what another visitor gets in between
		stays           bool
	}{
		{"everybody", leads("/b"), leads("/b", own), leads("/b"), false},
		{"everybody, off the site", leads("https://other.example/"), leads("https://other.example/", own),
			leads("https://other.example/"), false},
		{"everybody, to a log-in", leads("/login"), leads("/login", own), leads("/login"), false},
		{"everybody, to itself, as for a cookie", leads("/a"), leads("/a", own), leads("/a"), true},
		{"everybody, to what names the page, as a log-in does", leads("/konto?x=1&to=https%3A%2F%2Fexample.com%2Fa"),
			leads("/konto?to=%2Fa", own), leads("/konto?to=/a"), false},
		{"visitors, to what names the page, as for their age", leads("/age?to=/a"), see("/a", html("a"), own),
			leads("/age?to=/a"), true},
		{"everybody, to an address that names another page", leads("/age?to=%2Fb"), leads("/age?to=%2Fb", own),
			leads("/age?to=/b"), false},
		{"a visitor, as for his language", leads("/de/a"), see("/a", html("a"), own), leads("/de/a"), true},
		{"the site itself, as it has no language", leads("/choose"), leads("/choose", own), seen, true},
	} {
		runWithPage(t, tt.name, func(w *world) {
			w.site.Looking = Works
			for range 8 {
				tt.visitor(w)
				tt.itself(w)
				w.wait(4 * time.Hour)
				tt.others(w)
				w.wait(4 * time.Hour)
			}
			if left(w) == tt.stays {
				w.Errorf("listed: %t", tt.stays)
			}
		})
	}
}

// A site may answer "private" to whoever has any cookie.
func TestPageThatIsPrivateForAVisitorIsLookedAt(t *testing.T) {
	w := newWorld(t, options{})
	w.site.Looking = Works
	w.sight("/", html("home", "/a"), own)
	w.answer("/a", 200, cacheControl("private"))
	if !slices.Contains(w.looks, "/a") {
		t.Fatalf("%q are to be looked at", w.looks)
	}
	w.sight("/a", html("a"), own)
	w.wantListed("/", "/a")
}

func TestNoLookActs(t *testing.T) {
	w := newWorld(t, options{})
	w.site.Looking = Works
	w.sight("/", html("home", "/items/5/history"), own)
	w.sight("/items/5/history", html("history"))
	w.answer("/items/5/history", http.StatusGone)
	if slices.Contains(w.looks, "/items/5/history") {
		t.Errorf("%q are to be looked at", w.looks)
	}
	w.wantListed("/") // where the site cannot look, visitors decide
}

// What the site did not get at its origin, whatever came instead, waits until it does.
func TestPageThatIsKeptFromStrangersWaits(t *testing.T) {
	kept := func(e *observation.Observation) { e.Explored, e.Kept = true, true }
	for name, came := range map[string]func(w *world){
		"403":                func(w *world) { w.answer("/a", http.StatusForbidden, kept) },
		"another page":       func(w *world) { w.merge(visits.Answer("/a", 200, w.now, kept)) },
		"nothing":            func(w *world) { w.merge(visits.Answer("/a", 0, w.now, kept)) },
		"noindex":            func(w *world) { w.sight("/a", html("a"), robotsTag("noindex"), own) },
		"a log-in page":      func(w *world) { w.sight("/a", html("a")+"<input type=password>", own) },
		"a redirect to home": func(w *world) { w.answer("/a", 302, redirect("/"), kept) },
	} {
		run(t, name, options{}, func(w *world) {
			w.site.Looking = Works
			w.sight("/", html("home", "/a"), own)
			came(w)
			w.wait(time.Hour)
			came(w) // the bytes are the same
			for range 3 {
				seen(w)
				w.sight("/a", html("a"), own, func(e *observation.Observation) { e.Inside = true })
				w.wait(30 * time.Hour)
			}
			w.wantListed("/")
			w.sight("/a", html("a"), own)
			w.wantListed("/", "/a")
		})
	}
}

// What keeps a listed page from strangers may say nothing of the page, as an error does.
func TestListedPageThatIsKeptFromStrangersLeavesAsRefused(t *testing.T) {
	runWithPage(t, "503", func(w *world) {
		w.site.Looking = Works
		for range 2 {
			w.merge(visits.Answer("/a", http.StatusServiceUnavailable, w.now, own,
				func(e *observation.Observation) { e.Kept = true }))
			w.wait(25 * time.Hour)
		}
		w.wantVerdict("/a", gone, eligibility.Denied)
	})
}

// A page's own word is no refusal by a front: it holds at once, for however many pages.
func TestPagesThatTurnPrivateLeaveAtOnce(t *testing.T) {
	w, pages := withPages(t, 20)
	w.site.Looking = Works
	for _, p := range pages {
		w.answer(p, 200, cacheControl("private"), own, func(e *observation.Observation) { e.Kept = true })
	}
	w.wantLeft()
	w.wantVerdict(pages[19], excluded, eligibility.Private)
}

// A page in which this process had no part may be of a cache, or of a front that keeps strangers out.
func TestPageThatCameFromElsewhereIsComparedWithWhatVisitorsGet(t *testing.T) {
	elsewhere := func(e *observation.Observation) { e.Explored, e.Elsewhere = true, true }
	for _, tt := range []struct {
		name   string
		came   string
		listed []string
	}{
		{"the same bytes", html("a"), []string{"/", "/a"}},
		{"the page with a banner", html("a") + "<p>We use cookies, and tell everybody.", []string{"/", "/a"}},
		{"another page", html("say who you are, and where you work"), []string{"/"}},
	} {
		runWithPage(t, tt.name, func(w *world) {
			w.site.Looking = Works
			w.wait(time.Hour)
			before := w.lastMod("/a")
			for range 3 {
				w.sight("/a", tt.came, elsewhere)
				w.wait(time.Hour)
				w.sight("/a", html("a")) // to a visitor, or staff
				w.wantListed(tt.listed...)
				w.wait(30 * time.Hour)
			}
			if after := w.lastMod("/a"); after != before && len(tt.listed) == 2 {
				t.Errorf("it is dated %v, was %v", after, before)
			}
			w.sight("/a", html("a"), own)
			w.wantListed("/", "/a")
		})
	}
	run(t, "what visitors have not got", options{}, func(w *world) {
		w.site.Looking = Works
		w.sight("/", html("home", "/a"), own)
		w.sight("/a", html("a"), elsewhere)
		w.wantListed("/")
		w.sight("/a", html("a"))
		w.wantListed("/", "/a")
	})
}
