package merge

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/visits"
)

// step is something that happens to a site.
type step = func(*world)

func see(location, body string, changes ...change) step {
	return func(w *world) { w.Helper(); w.sight(location, body, changes...) }
}

func answers(location string, status int, changes ...change) step {
	return func(w *world) { w.Helper(); w.answer(location, status, changes...) }
}

func waits(d time.Duration) step { return func(w *world) { w.wait(d) } }

// times repeats what happens.
func times(n int, steps ...step) step {
	return func(w *world) {
		w.Helper()
		for range n {
			for _, s := range steps {
				s(w)
			}
		}
	}
}

func crawls(pages ...string) step { return func(w *world) { w.Helper(); w.crawl(pages...) } }

// is checks a verdict and its reason.
func is(location string, verdict eligibility.Verdict, reason eligibility.Reason) step {
	return func(w *world) { w.Helper(); w.wantVerdict(location, verdict, reason) }
}

// noTrace checks that a text is in no record.
func noTrace(text string) step { return func(w *world) { w.Helper(); w.wantNoTrace(text) } }

// story is what happens to a site, and which pages are listed in the end.
type story struct {
	name   string
	steps  []step
	listed []string
}

// tell runs stories, each in a subtest with a site of its own.
func tell(t *testing.T, o options, stories []story) {
	t.Helper()
	for _, s := range stories {
		run(t, s.name, o, func(w *world) {
			w.Helper()
			for _, step := range s.steps {
				step(w)
			}
			w.wantListed(s.listed...)
		})
	}
}

const (
	listed, waiting, held, excluded, gone = eligibility.Listed, eligibility.Waiting, eligibility.Held,
		eligibility.Excluded, eligibility.Gone
	noIndex = `<meta name="robots" content="noindex">`
)

func TestLinksOfListedPagesListPages(t *testing.T) {
	x, archive := see("/x", html("x")), see("/archive", head(noIndex, "/old"))
	pager := func(links ...string) string { return head("<link rel=canonical href=/blog>", links...) }
	const secretURL = "/share/9f86d081884c7d659a2feaa0c55ad015"
	tell(t, options{}, []story{
		{"from the entry on", []step{
			see("/", html("home", "/a", "/b?page=2", "https://other.example/x", "mailto:x@example.com")),
			see("/a", html("a", "c")), see("/c", html("c")), see("/b?page=2", html("b")),
			see("/orphan", html("nobody links here")),
			is("/", listed, eligibility.ByEntry), is("/c", listed, eligibility.ByLink),
			is("/orphan", waiting, eligibility.NoEvidence), is("/never-heard-of", eligibility.Unknown, eligibility.None),
		}, []string{"/", "/a", "/b?page=2", "/c"}},
		{"that was seen before its link", []step{
			see("/deep", html("deep", "/deeper")), see("/deeper", html("deeper")), see("/", html("home", "/deep")),
			func(w *world) {
				if w.due["/deep"] == 0 {
					w.Error("/deep became listed, and its links wait; it was not made due")
				}
			},
			see("/deep", html("deep", "/deeper")), // the same bytes as before: they are read all the same, for their links
		}, []string{"/", "/deep", "/deeper"}},
		{"evidence is needed to enter, not to stay", []step{
			crawls("/a"), see("/", html("home without the link")), waits(time.Hour), see("/a", html("a changed")),
		}, []string{"/", "/a"}},

		{"nofollow", []step{see("/", html(`<a rel="nofollow" href="/x">x</a>`)), x}, []string{"/"}},
		{"nofollow for the page", []step{see("/", head(`<meta name=robots content=nofollow>`, "/x")), x}, []string{"/"}},
		{"nofollow in a header", []step{see("/", html("home", "/x"), robotsTag("nofollow")), x}, []string{"/"}},
		{"from a page that is not listed", []step{see("/orphan", html("orphan", "/x")), x}, nil},

		{"from a linked archive that is noindex", []step{
			see("/", html("home", "/archive")), archive, see("/old", html("old")), is("/archive", excluded, eligibility.NoIndex),
		}, []string{"/", "/old"}},
		{"from such an archive that was read before it was linked", []step{
			archive, see("/", html("home", "/archive")), archive, see("/old", html("old")),
		}, []string{"/", "/old"}},
		{"from such an archive that is not linked", []step{see("/", html("home")), archive, see("/old", html("old"))},
			[]string{"/"}},
		{"from an entry that is noindex", []step{see("/", head(noIndex, "/a")), see("/a", html("a"))}, []string{"/a"}},
		{"from an entry with a canonical elsewhere", []step{see("/", head(`<link rel="canonical" href="/home">`, "/a")),
			see("/a", html("a"))}, []string{"/a"}},

		{"from pages of a list that name the first one, each linked from the one before", []step{
			see("/", html("home", "/blog")), see("/blog", html("blog", "/blog/2")), see("/blog/2", pager("/blog/3", "/p2")),
			see("/blog/3", pager("/blog/2", "/p3")),
			see("/p2", html("p2")), see("/p3", html("p3")), is("/blog/3", excluded, eligibility.CanonicalElsewhere),
		}, []string{"/", "/blog", "/p2", "/p3"}},
		{"from such a page that was read before it was linked", []step{
			see("/blog/2", pager("/p2")), see("/", html("home", "/blog")), see("/blog", html("blog", "/blog/2")),
			see("/blog/2", pager("/p2")), see("/p2", html("p2")),
		}, []string{"/", "/blog", "/p2"}},
		{"from such a page that is not linked", []step{see("/", html("home", "/blog")), see("/blog", html("blog")),
			see("/blog/2", pager("/p2")), see("/p2", html("p2"))}, []string{"/", "/blog"}},
		{"from a linked list with a query", []step{
			see("/", html("home", "/?cat=2")), see("/?cat=2", html("list", "/x", "/?cat=2&paged=2"), ownQuery), x,
			see("/?cat=2&paged=2", html("its second page", "/old"), ownQuery), see("/old", html("old")),
			is("/?cat=2", excluded, eligibility.QueryNotCanonical),
		}, []string{"/", "/old", "/x"}},
		{"from a page at an address like a secret, once two saw the link to it", []step{
			see("/", html("home", secretURL)), see(secretURL, pager("/x")), x, is("/x", waiting, eligibility.NoEvidence),
			waits(24 * time.Hour), see("/", html("home, later", secretURL)), see(secretURL, pager("/x")), x,
		}, []string{"/", "/x"}},

		{"to a variant, for its canonical page", []step{
			see("/", html("home", "/p/1/blue")), see("/p/1/blue", variant("/p/1", same)),
			is("/p/1", waiting, eligibility.NotSeen),
			see("/p/1", variant("/p/1", same)),
		}, []string{"/", "/p/1"}},
		{"not for a canonical that the request names", []step{
			see("/", html("home", "/v")), see("/v", variant("/p", same),
				func(e *observation.Observation) { e.Named.Query = "/p" }), is("/p", eligibility.Unknown, eligibility.None),
		}, []string{"/"}},
		{"not for a canonical on another host", []step{see("/", html("home", "/v")),
			see("/v", variant("https://other.example/p", same)), is("/p", eligibility.Unknown, eligibility.None)}, []string{
			"/"}},
		{"not for a canonical that the header contradicts", []step{
			see("/", html("home", "/v")), see("/v", variant("/p", same),
				header(func(h *response.Header) { h.Link = `</q>; rel="canonical"` })),
			is("/p", eligibility.Unknown, eligibility.None), is("/q", eligibility.Unknown, eligibility.None),
		}, []string{"/"}},
	})
}

func TestRedirectsLeadToPages(t *testing.T) {
	to := func(status int, at, target string, changes ...change) step {
		return func(w *world) { w.answer(at, status, append(changes, redirect(target))...); w.wait(2 * time.Second) }
	}
	var pads []step
	for _, pad := range numbered("/pad/%d", 5) {
		pads = append(pads, to(302, "/", pad), see(pad, html("private "+pad)))
	}
	hops := func(n int) (steps []step) {
		at := "/"
		for i := range n {
			steps, at = append(steps, to(302, at, fmt.Sprintf("/h%d", i+1), own)), fmt.Sprintf("/h%d", i+1)
		}
		return steps
	}
	leadsOn := func(to string) string { return head(`<meta http-equiv=refresh content="0; url=` + to + `">`) }
	later := func(to string) string { return strings.Replace(leadsOn(to), "0;", "5;", 1) }
	room, blue := see("/", html("home", "/room")), see("/rooms/blue", html("blue"))
	tell(t, options{}, []story{
		{"an entry, twice", []step{
			to(302, "/", "/en"), to(307, "/en", "/en/"), to(302, "/en/", "/en/third"),
			see("/en/", html("welcome", "/a")), see("/a", html("a")), see("/en/third", html("third")),
			is("/en/", listed, eligibility.ByEntry),
		}, []string{"/a", "/en/", "/en/third"}},
		{"an entry, ten times", append(hops(10), see("/h10", html("the end"))), []string{"/h10"}},
		{"an entry, eleven times", append(hops(11), see("/h11", html("the end"))), nil},
		{"a link that leads on for now, asked for by the site itself", []step{room, to(303, "/room", "/rooms/blue", own),
			blue}, []string{"/", "/rooms/blue"}},
		{"a link that leads on for now, time and again", []step{room, to(302, "/room", "/rooms/blue"), waits(24 * time.Hour),
			to(302, "/room", "/rooms/blue"), blue}, []string{"/"}},
		{"a link to a page that leads on in HTML", []step{room, see("/room", leadsOn("/rooms/blue"), own), blue},
			[]string{"/", "/rooms/blue"}},
		{"a link to a page that leads to a log-in", []step{room, see("/room", leadsOn("/login"), own),
			see("/login", html("who are you"))}, []string{"/"}},
		{"a page that leads on later", []step{
			room, see("/room", html("the room"), own), waits(time.Hour), see("/room", leadsOn("/rooms/blue"), own), blue,
		}, []string{"/", "/room"}},
		{"a page that leads on a day later too", []step{
			room, see("/room", html("the room"), own), see("/room", leadsOn("/rooms/blue"), own), waits(24 * time.Hour),
			see("/room", leadsOn("/rooms/blue"), own), blue,
		}, []string{"/", "/rooms/blue"}},
		{"a page that leads on after a while later", []step{
			room, see("/room", html("the room"), own), see("/room", later("/rooms/blue"), own), waits(24 * time.Hour),
			see("/room", later("/rooms/blue"), own), blue,
		}, []string{"/", "/room", "/rooms/blue"}},
		{"a link to a page that begins a download from elsewhere", []step{
			room, see("/room", later("https://cdn.example.net/room.zip"), own),
		}, []string{"/", "/room"}},
		{"links to pages that lead to a log-in elsewhere, later", []step{
			see("/", html("home", "/a", "/b")),
			see("/a", later("https://id.example.net/login"), own),
			see("/b", later("https://id.example.net/?return=https://example.com/b"), own),
		}, []string{"/"}},
		{"a link to a page that leads elsewhere", []step{room, see("/room", leadsOn("https://cdn.example.net/room"), own)},
			[]string{"/"}},
		{"an entry, each visitor elsewhere", append(pads, to(302, "/", "/home"), to(302, "/", "/home", own),
			see("/home", html("home"))),
			[]string{"/home", "/pad/0"}}, // where the site cannot look, the first cannot be told from a home page
		{"a public link, for good", []step{
			see("/", html("home", "/docs/index.html", "/temporary")), to(301, "/docs/index.html", "./"),
			to(302, "/temporary", "/session/1"),
			see("/docs/", html("docs")), see("/session/1", html("s")),
		}, []string{"/", "/docs/"}},
		{"a public link, each visitor to a page of his own", []step{room, to(301, "/room", "/rooms/blue"),
			to(301, "/room", "/rooms/red"), blue}, []string{"/"}},
		{"a public link, twice", []step{room, times(2, to(301, "/room", "/rooms/blue")), blue}, []string{"/"}},
		{"a public link, asked for by the site itself", []step{room, to(301, "/room", "/rooms/blue", own), blue},
			[]string{"/", "/rooms/blue"}},
		{"a public link, to the same page a day later", []step{
			room, to(301, "/room", "/rooms/blue"), waits(24 * time.Hour), to(301, "/room", "/rooms/blue"), blue,
		}, []string{"/", "/rooms/blue"}},
	})
}

const secretPage = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"

const same = "The same text at several locations, which is long enough to tell this page apart from any other one."

func TestSecretLocationNeedsALinkThatLasts(t *testing.T) {
	const other = "/d/9b2504e0-4f89-41d3-9a0c-0305e82c3377"
	link := func(by ...change) step { return see("/", html("home", secretPage), by...) }
	page := see(secretPage, html("only for who has the link"))
	newLink := see("/", html("home, new", secretPage))
	leads := answers("/", 302, redirect(secretPage))
	for _, tt := range []struct {
		name  string
		steps []step
		is    bool
	}{
		{"nothing links to it", []step{see("/", html("home")), page, waits(25 * time.Hour), page}, false},
		{"a link, seen once", []step{link(), page}, false},
		{"a link, seen within a day three times", []step{link(), page, link(), waits(23 * time.Hour), link(), page}, false},
		{"a link, seen a day apart", []step{link(), page, waits(24 * time.Hour), link()}, true},
		{"a link, seen a day apart before the page was", []step{link(), waits(24 * time.Hour), link(), page}, true},
		{"a link, seen a day apart on a page that has changed", []step{link(), page, waits(24 * time.Hour), newLink}, true},
		{"a link to each visitor's own page, day by day", []step{link(), page, waits(24 * time.Hour),
			see("/", html("home", other)), page}, false},
		{"a route of its own", []step{see("/", html("home")), see(secretPage, html("only for who has the link"),
			route(secretPage, true))}, false},
		{"an entry that redirects to it", []step{leads, page, waits(23 * time.Hour), leads}, false},
		{"an entry that redirects to it, a day apart", []step{leads, page, waits(24 * time.Hour), leads}, true},
	} {
		run(t, tt.name, options{}, func(w *world) {
			for _, s := range tt.steps {
				s(w)
			}
			base.Equal(w, w.page(secretPage).Listed(), tt.is, "listed")
			if !tt.is {
				w.wantVerdict(secretPage, held, eligibility.Capability)
				w.wantNoTrace("3f2504e0")
			}
		})
	}
	run(t, "an entry", options{entries: []string{"/", secretPage}}, func(w *world) {
		w.sight(secretPage, html("only for who has the link"))
		w.wantListed(secretPage)
	})
	// Only the page knows its route, and nobody told the one that links to it; that is read again the
	// next day.
	tell(t, options{}, []story{{"a variable of its route named like a secret", []step{
		see("/", html("home", "/x/winter")), see("/x/winter", html("winter"), route("/x/{code}", false)),
		is("/x/winter", held, eligibility.Capability), waits(24 * time.Hour), see("/", html("home", "/x/winter")),
	}, []string{"/", "/x/winter"}}})
}

func TestForgottenPageStaysOut(t *testing.T) {
	w := newWorld(t, options{})
	always := eligibility.Rule{Pattern: "/secret-plan", Listing: eligibility.Always}
	w.crawl("/secret-plan")
	w.wantListed("/", "/secret-plan")
	w.forget("/secret-plan")
	w.wantListed("/")
	w.wantNoTrace("secret-plan")
	w.sight("/", html("home again", "/secret-plan"))
	w.sight("/secret-plan", html("plan"), route("/secret-plan", true))
	w.wantListed("/")
	w.wantVerdict("/secret-plan", excluded, eligibility.Forgotten)
	w.rule(always)
	w.sight("/secret-plan", html("plan"))
	w.wantListed("/", "/secret-plan")
	w.rule()
	w.wantVerdict("/secret-plan", excluded, eligibility.Forgotten)
}

// Whatever listed it lists it again, at the next visit.
func TestForgottenPageKeepsTheEvidenceForIt(t *testing.T) {
	led := func(w *world) { w.answer("/", 301, redirect("/plan")) }
	linked := func(location string) func(*world) { return times(2, crawls(location), waits(25*time.Hour)) }
	for _, tt := range []struct {
		name, location string
		see            func(*world)
	}{
		{"link", "/plan", linked("/plan")},
		{"link to an address like a secret", secretPage, linked(secretPage)},
		{"route", "/plan", func(w *world) { w.sight("/plan", html("plan"), route("/plan", true)) }},
		{"a redirected entry", "/plan", func(w *world) { led(w); w.sight("/plan", html("plan")) }},
	} {
		run(t, tt.name, options{}, func(w *world) {
			tt.see(w)
			if before := w.record(tt.location); !before.Listed() {
				w.Fatalf("it is %+v", before.Standing)
			}
			w.forget(tt.location)
			w.update(func(m *Transaction) { m.Allow(tt.location) })
			if w.sight(tt.location, html("plan")); !w.record(tt.location).Listed() {
				w.Errorf("it is %+v", w.record(tt.location).Standing)
			}
		})
	}
}

// A search says so below its head, so that a head alone does not show that a page is none.
func TestARouteListsOnlyAPageThatWasReadWhole(t *testing.T) {
	const search = `<html><head><title>find</title></head><body><form action="/find"><input type=search name=for></form>`
	for _, tt := range []struct {
		name, body string
		full, want bool
	}{
		{"a page", html("find"), true, true},
		{"the head of a page", html("find"), false, false},
		{"a search", search, true, false},
		{"the head of a search", search, false, false},
	} {
		run(t, tt.name, options{}, func(w *world) {
			v := visits.Page("/find", tt.body, w.now, route("/find", true))
			w.site.Observe(v, w.record("/find"))
			w.site.Read(v, tt.full)
			w.update(func(m *Transaction) { m.Apply(v) })
			base.Equal(t, w.record("/find").Listed(), tt.want, "after it, is it listed")
			w.sight("/find", tt.body, route("/find", true))
			base.Equal(t, w.record("/find").Listed(), tt.body != search, "after a visit that is read, is it listed")
		})
	}
}

func TestForgettingAndAllowingAnUnknownAddressInventsNoVisit(t *testing.T) {
	w := newWorld(t, options{})
	w.crawl()
	before := len(w.records)
	w.forget("/dish/soup")
	w.wantVerdict("/dish/soup", excluded, eligibility.Forgotten)
	w.update(func(m *Transaction) { m.Allow("/dish/soup") })
	if w.record("/dish/soup").Loaded.Known || len(w.records) != before {
		t.Errorf("%d records, and were %d", len(w.records), before)
	}
}

// Explain can tell that a page is for one visitor.
func TestUnknownPageForOneVisitorIsNoted(t *testing.T) {
	for directive, why := range map[string]eligibility.Reason{"private, must-revalidate": eligibility.Private,
		"no-store, no-cache": eligibility.NoStore} {
		tell(t, options{}, []story{{directive, []step{
			see("/", html("home", "/linked")), answers("/for-one", 200, cacheControl(directive)),
			answers("/linked", 200, cacheControl(directive)),
			is("/for-one", excluded, why), is("/linked", excluded, why), noTrace("for-one"),
			see("/for-one", html("a page for all")), is("/for-one", waiting, eligibility.NoEvidence),
			see("/linked", html("another page for all")),
		}, []string{"/", "/linked"}}})
	}
}

// A field to log in that the start page has too stands in a box of the site's, once a page with a text has it.
func TestPageWithTheBoxOfItsSiteIsNoLogIn(t *testing.T) {
	const box = "<form><input type=password></form>"
	brief := func(text string, links ...string) string { return html("<b>"+text+"</b>", links...) + box }
	restarts := func(w *world) { w.site.box = eligibility.Box{} }
	home := see("/", html("home", "/a", "/b", "/imprint")+box)
	products := []step{see("/a", brief("a")), see("/b", brief("b"))}
	imprint := see("/imprint", html("imprint")+box)
	walled := func(w *world) {
		w.Helper()
		for _, page := range []string{"/", "/a", "/b", "/imprint"} {
			w.sight(page, brief("Log in to see "+page)+fmt.Sprintf("<input type=hidden value=%d>", w.now.Unix()))
		}
		w.wait(25 * time.Hour)
	}
	tell(t, options{}, []story{
		{"the start page has none", []step{see("/", html("home", "/a")), see("/a", html("a")+box)}, []string{"/"}},
		{"the start page has it", []step{home, see("/a", html("a")+box)}, []string{"/", "/a"}},
		{"the start page alone, and log-ins that say little", []step{home, products[0], products[1], products[0],
			is("/a", excluded, eligibility.PasswordField), see("/imprint", html("imprint")), products[0]},
			[]string{"/", "/imprint"}},
		{"products that say little", []step{home, imprint, products[0], products[1]}, []string{"/", "/a", "/b", "/imprint"}},
		{"and came first", []step{home, products[0], products[1], imprint, products[0], products[1]},
			[]string{"/", "/a", "/b", "/imprint"}},
		{"and came before the start page", []step{products[0], imprint, home, products[0], products[1], imprint},
			[]string{"/", "/a", "/b", "/imprint"}},
		{"beside an account, with a form of its own", []step{home, imprint, products[0],
			see("/b", brief("Your account")+box)}, []string{"/", "/a", "/imprint"}},
		{"beside a page for no index", []step{home,
			see("/imprint", "<meta name=robots content=noindex>"+html("imprint")+box), products[0]}, []string{"/"}},
		{"log-ins come before all pages", []step{crawls("/a", "/b", "/imprint"), walled, is("/a", listed, eligibility.ByLink),
			walled}, []string{"/"}},
		{"log-ins come before all pages after a restart", []step{crawls("/a", "/b", "/imprint"), restarts, walled, walled},
			[]string{"/"}},
		{"and these had a box, after a restart", []step{home, imprint, products[0], products[1], restarts, walled, walled},
			[]string{"/"}},
		{"and these had a box", []step{home, imprint, products[0], products[1], walled, walled, walled}, []string{"/"}},
		{"the address says that it is a log-in", []step{see("/", html("home", "/login")+box), see("/login", html("a")+box)},
			[]string{"/"}},
		{"all pages show one log-in", []step{see("/", html("log in", "/a")+box), see("/a",
			html("log in", "/a")+box+"<input type=hidden value=/a>")}, []string{"/"}},
		{"the start page got it later", []step{see("/", html("home", "/a")), see("/a", html("a")+box),
			see("/", html("home", "/a")+box), see("/a", html("a")+box)}, []string{"/", "/a"}},
		{"the start page has it no more", []step{see("/", html("home", "/a")+box), see("/", html("home", "/a")),
			see("/a", html("a")+box)}, []string{"/"}},
		{"where the start page leads", []step{answers("/", http.StatusFound, redirect("/en/"), own),
			see("/en/", html("home", "/a", "/imprint")+box, own), see("/imprint", html("imprint")+box, own),
			see("/a", brief("a"), own)}, []string{"/a", "/en/", "/imprint"}},
		{"after a restart", []step{home, imprint, products[0], restarts, see("/a", brief("new")), home,
			see("/a", brief("new")), waits(23 * time.Hour), see("/a", brief("new")), see("/imprint", html("new imprint")+box),
			waits(2 * day), see("/a", brief("new"))}, []string{"/", "/a", "/imprint"}},
	})
}
