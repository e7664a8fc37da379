package merge

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
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
	listed, waiting, held, excluded, gone = eligibility.Listed, eligibility.Waiting, eligibility.Held, eligibility.Excluded, eligibility.Gone
	noIndex                               = `<meta name="robots" content="noindex">`
)

func TestLinksOfListedPagesListPages(t *testing.T) {
	x, archive := see("/x", html("x")), see("/archive", head(noIndex, "/old"))
	tell(t, options{}, []story{
		{"from the entry on", []step{
			see("/", html("home", "/a", "/b?page=2", "https://other.example/x", "mailto:x@example.com")),
			see("/a", html("a", "c")), see("/c", html("c")), see("/b?page=2", html("b")), see("/orphan", html("nobody links here")),
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
		{"ugc", []step{see("/", html(`<a rel="external ugc" href="/x">x</a>`)), x}, []string{"/"}},
		{"sponsored", []step{see("/", html(`<a rel=sponsored href=/x>x</a>`)), x}, []string{"/"}},
		{"nofollow for the page", []step{see("/", head(`<meta name=robots content=nofollow>`, "/x")), x}, []string{"/"}},
		{"nofollow in a header", []step{see("/", html("home", "/x"), robotsTag("nofollow")), x}, []string{"/"}},
		{"in a comment", []step{see("/", html(`<!-- <a href="/x">x</a> -->`)), x}, []string{"/"}},
		{"in a script", []step{see("/", html(`<script>"<a href='/x'>"</script>`)), x}, []string{"/"}},
		{"to another host", []step{see("/", html("home", "https://evil.example/x")), x}, []string{"/"}},
		{"image", []step{see("/", html(`<img src="/x">`)), x}, []string{"/"}},
		{"form", []step{see("/", html(`<form action="/x"></form>`)), x}, []string{"/"}},
		{"from a page that is not listed", []step{see("/orphan", html("orphan", "/x")), x}, nil},

		{"from a linked archive that is noindex", []step{
			see("/", html("home", "/archive")), archive, see("/old", html("old")), is("/archive", excluded, eligibility.NoIndex),
		}, []string{"/", "/old"}},
		{"from such an archive that was read before it was linked", []step{
			archive, see("/", html("home", "/archive")), archive, see("/old", html("old")),
		}, []string{"/", "/old"}},
		{"from such an archive that is not linked", []step{see("/", html("home")), archive, see("/old", html("old"))}, []string{"/"}},
		{"from an entry that is noindex", []step{see("/", head(noIndex, "/a")), see("/a", html("a"))}, []string{"/a"}},
		{"from an entry with a canonical elsewhere", []step{see("/", head(`<link rel="canonical" href="/home">`, "/a")), see("/a", html("a"))}, []string{"/a"}},

		{"to a variant, for its canonical page", []step{
			see("/", html("home", "/p/1/blue")), see("/p/1/blue", variant("/p/1", same)), is("/p/1", waiting, eligibility.NotSeen),
			see("/p/1", variant("/p/1", same)),
		}, []string{"/", "/p/1"}},
		{"not for a canonical on another host", []step{see("/", html("home", "/v")), see("/v", variant("https://other.example/p", same)), is("/p", eligibility.Unknown, eligibility.None)}, []string{"/"}},
		{"not for a canonical that the header contradicts", []step{
			see("/", html("home", "/v")), see("/v", variant("/p", same), header(func(h *response.Header) { h.Link = `</q>; rel="canonical"` })),
			is("/p", eligibility.Unknown, eligibility.None), is("/q", eligibility.Unknown, eligibility.None),
		}, []string{"/"}},
		{"not for two canonicals", []step{
			see("/", html("home", "/v")), see("/v", head("<link rel=canonical href=/p><link rel=canonical href=/q>")),
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
	room, blue := see("/", html("home", "/room")), see("/rooms/blue", html("blue"))
	tell(t, options{}, []story{
		{"an entry, twice", []step{
			to(302, "/", "/en"), to(307, "/en", "/en/"), to(302, "/en/", "/en/third"),
			see("/en/", html("welcome", "/a")), see("/a", html("a")), see("/en/third", html("third")), is("/en/", listed, eligibility.ByEntry),
		}, []string{"/a", "/en/"}},
		{"an entry, each visitor elsewhere", append(pads, times(2, to(302, "/", "/home")), see("/home", html("home"))),
			[]string{"/home", "/pad/0"}}, // the first could not be told from a home page
		{"a public link, for good", []step{
			see("/", html("home", "/docs/index.html", "/temporary")), to(301, "/docs/index.html", "./"), to(302, "/temporary", "/session/1"),
			see("/docs/", html("docs")), see("/session/1", html("s")),
		}, []string{"/", "/docs/"}},
		{"a public link, each visitor to a page of his own", []step{room, to(301, "/room", "/rooms/blue", from(netA)), to(301, "/room", "/rooms/red", from(netB)), blue}, []string{"/"}},
		{"a public link, one visitor twice", []step{room, times(2, to(301, "/room", "/rooms/blue", from(netA))), blue}, []string{"/"}},
		{"a public link, everybody to one page", []step{room, to(301, "/room", "/rooms/blue", from(netA)), to(301, "/room", "/rooms/blue", from(netB)), blue}, []string{"/", "/rooms/blue"}},
		{"a public link, to the same page a day later", []step{
			room, to(301, "/room", "/rooms/blue", from(netA)), waits(24 * time.Hour), to(301, "/room", "/rooms/blue", from(netA)), blue,
		}, []string{"/", "/rooms/blue"}},
	})
}

const secretPage = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"

const same = "The same text at several locations, which is long enough to tell this page apart from any other one."

func TestSecretLocationNeedsALinkThatSeveralSaw(t *testing.T) {
	by := func(network []string) (changes []change) {
		for _, n := range network {
			changes = append(changes, from(n))
		}
		return changes
	}
	link := func(network ...string) step { return see("/", html("home", secretPage), by(network)...) }
	page := func(network ...string) step {
		return see(secretPage, html("only for who has the link"), by(network)...)
	}
	newLink := see("/", html("home, new", secretPage))
	leads := func(network string) step { return answers("/", 302, redirect(secretPage), from(network)) }
	routed := see(secretPage, html("only for who has the link"), route(secretPage, true))
	otherLink := see("/", html("home", "/d/9b2504e0-4f89-41d3-9a0c-0305e82c3377"), from(netB))
	for _, tt := range []struct {
		name  string
		steps []step
		is    bool
	}{
		{"nothing links to it", []step{see("/", html("home")), page(netA), page(netB), page(netC), page("8.8.8.0/24")}, false},
		{"a link, seen once", []step{link(netA), page(netA)}, false},
		{"a link, seen twice by one network", []step{link(netA), link(netA), page()}, false},
		{"a link, seen by visitors of no known network", []step{link(), link(), page()}, false},
		{"a link, seen by two networks", []step{link(netA), page(), link(netB)}, true},
		{"a link, seen by two networks before the page was", []step{link(netA), link(netB), page()}, true},
		{"a link, seen a day apart", []step{link(netA), page(), waits(24 * time.Hour), link(netA)}, true},
		{"a link, seen a day apart on a page that has changed", []step{link(), page(), waits(24 * time.Hour), newLink}, true},
		{"a link, seen an hour apart", []step{link(), page(), waits(time.Hour), newLink}, false},
		{"a link, seen by two networks after a visitor of none", []step{link(), page(), link(netA), link(netB)}, true},
		{"a link to each visitor's own page", []step{link(netA), page(), otherLink}, false},
		{"a route of its own", []step{see("/", html("home")), routed}, false},
		{"an entry that redirects one visitor to it", []step{leads(netA), page()}, false},
		{"an entry that redirects everybody to it", []step{leads(netA), page(), leads(netB)}, true},
	} {
		run(t, tt.name, options{}, func(w *world) {
			for _, s := range tt.steps {
				s(w)
			}
			if w.page(secretPage).Listed() != tt.is {
				w.Errorf("listed is %t, want %t", !tt.is, tt.is)
			}
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
		see("/", html("home", "/x/winter"), from(netA)), see("/x/winter", html("winter"), route("/x/{code}", false)),
		is("/x/winter", held, eligibility.Capability), waits(24 * time.Hour), see("/", html("home", "/x/winter"), from(netA)),
	}, []string{"/", "/x/winter"}}})
}

func TestPageThatEnoughNetworksSawIsListed(t *testing.T) {
	none := func(*observation.Exchange) {}
	post, kind := route("/post/{id}", false), route("/{kind}/orphan", false)
	const query = "/post/x?token=orphan"
	for _, tt := range []struct {
		name              string
		networks          int
		siblings          int
		location          string
		visit, ofSiblings change
		listed            bool
	}{
		{"three networks beside three linked posts", 3, 3, "/post/orphan", none, none, true},
		{"two networks", 2, 3, "/post/orphan", none, none, false},
		{"one network many times", 10, 3, "/post/orphan", from("203.0.113.0/24"), none, false},
		{"two linked posts", 3, 2, "/post/orphan", none, none, false},
		{"many networks beside nothing", 20, 3, "/other/orphan", none, none, false},
		{"siblings by route", 3, 3, "/post/orphan", post, post, true},
		{"another route in the same folder", 3, 3, "/post/orphan", kind, post, false},
		{"a query that only the page names", 9, 3, query, ownQuery, none, false},
	} {
		run(t, tt.name, options{}, func(w *world) {
			links := numbered("/post/%d", tt.siblings)
			w.sight("/", html("home", links...))
			for _, l := range links {
				w.sight(l, html("post "+l), tt.ofSiblings)
			}
			body := html("a page of its own")
			if tt.location == query {
				body = variant(query, "a page of its own")
			}
			for i := range tt.networks {
				w.sight(tt.location, body, from(fmt.Sprintf("203.0.%d.0/24", i)), tt.visit)
			}
			if tt.listed {
				w.wantVerdict(tt.location, listed, eligibility.ByNetworks)
			} else {
				w.wantVerdict(tt.location, waiting, eligibility.NoEvidence)
				w.wantNoTrace("orphan")
			}
		})
	}
	run(t, "siblings that left do not count", options{}, func(w *world) {
		w.crawl("/post/0", "/post/1", "/post/2")
		w.answer("/post/0", http.StatusGone)
		for i := range 5 {
			w.sight("/post/orphan", html("orphan"), from(fmt.Sprintf("203.0.%d.0/24", i)))
		}
		w.wantVerdict("/post/orphan", waiting, eligibility.NoEvidence)
	})
}

// visitJunk lets three networks visit pages that nothing links to.
func (w *world) visitJunk(n int, change change) {
	for i := range n {
		for network := range 3 {
			w.sight(fmt.Sprintf("/p/junk-page-%d", i), html(fmt.Sprintf("junk %d", i)), from(fmt.Sprintf("10%d.0.0.0/24", network)), change)
		}
	}
}

func TestFloodThatMeetsTheNetworkCountIsCapped(t *testing.T) {
	const flood = eligibility.OrphansAllowed + 10
	pages := []string{"/p/one", "/p/two", "/p/three", "/q/one"}
	run(t, "of a route of which no page is linked", options{}, func(w *world) {
		w.crawl(pages...)
		w.visitJunk(flood, route("/p/{slug}", false))
		w.wantListed(append(pages, "/")...)
	})
	run(t, "of a folder of which pages are linked", options{}, func(w *world) {
		w.crawl(pages...)
		w.visitJunk(flood, func(*observation.Exchange) {})
		if got, want := w.site.Listed, 1+len(pages)+3+eligibility.OrphansAllowed; got != want {
			w.Errorf("%d pages are listed, want %d", got, want)
		}
		last := fmt.Sprintf("/p/junk-page-%d", flood-1)
		w.wantVerdict(last, held, eligibility.Growth)
		w.wantNoTrace(last)
		w.answer("/p/junk-page-0", 410) // which makes room for another
		w.sight(last, html("junk"))
		w.wantVerdict(last, listed, eligibility.ByNetworks)
	})
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

// What was known of the links to a page is enough to list it again.
func TestForgottenPageThatIsAllowedComesBack(t *testing.T) {
	for _, location := range []string{"/plan", "/reset/plan", "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"} {
		run(t, location, options{}, func(w *world) {
			for range 2 {
				w.crawl(location)
				w.wait(25 * time.Hour)
			}
			w.wantListed("/", location)
			w.forget(location)
			w.update(func(m *Transaction) { m.Allow(location) })
			w.wantListed("/")
			w.crawl(location) // the home page shows the same links as before
			w.wantListed("/", location)
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

func TestPageThatIsNotPublicIsStoredNowhereInClear(t *testing.T) {
	none := func(*observation.Exchange) {}
	for _, tt := range []struct {
		name, body string
		change     change
	}{
		{"waits for evidence", html("canary"), none},
		{"noindex", head(noIndex + "<title>canary</title>"), none},
		{"canonical elsewhere", variant("/canary2", "canary"), none},
		{"seen by few networks", html("canary"), from("203.0.113.0/24")},
		{"route with a variable", html("canary"), route("/{canary}", false)},
		{"encoding unknown", "canary", header(func(h *response.Header) { h.ContentEncoding = "canary" })},
	} {
		tell(t, options{}, []story{{tt.name, []step{
			see("/", html("home")), see("/canary", tt.body, tt.change), answers("/canary", 404), answers("/canary", 301, redirect("/canary3")),
			see("/canary", tt.body, tt.change), noTrace("canary"),
		}, []string{"/"}}})
	}
}

func TestRulesActOnWhatIsStored(t *testing.T) {
	rules := func(rr ...eligibility.Rule) step { return func(w *world) { w.rule(rr...) } }
	colour := eligibility.Rule{Pattern: "/shop", Query: []string{"colour"}}
	tell(t, options{}, []story{
		{"never", []step{crawls("/a", "/b/c"), rules(eligibility.Rule{Pattern: "/b/", Listing: eligibility.Never}), is("/b/c", excluded, eligibility.RuleNever)}, []string{"/", "/a"}},
		{"never no more", []step{crawls("/b/c"), rules(eligibility.Rule{Pattern: "/b/", Listing: eligibility.Never}), rules()}, []string{"/", "/b/c"}},
		{"a parameter that is allowed later", []step{
			see("/", html("home", "/shop?colour=red")), see("/shop?colour=red", html(same), ownQuery), is("/shop?colour=red", excluded, eligibility.QueryNotCanonical),
			rules(colour), see("/shop?colour=red", html(same)),
		}, []string{"/", "/shop?colour=red"}},
		{"a parameter that is no longer allowed", []step{
			rules(colour), crawls("/shop?colour=red", "/shop?page=2"), see("/item?id=5", variant("/item?id=5", "item"), ownQuery),
			see("/", html("home", "/shop?colour=red", "/shop?page=2", "/item?id=5")), rules(), is("/shop?colour=red", excluded, eligibility.QueryNotCanonical),
		}, []string{"/", "/item?id=5", "/shop?page=2"}},
	})
}

// Explain can tell that a page is for one visitor.
func TestUnknownPageForOneVisitorIsNoted(t *testing.T) {
	for directive, why := range map[string]eligibility.Reason{"private, must-revalidate": eligibility.Private, "no-store, no-cache": eligibility.NoStore} {
		tell(t, options{}, []story{{directive, []step{
			see("/", html("home", "/linked")), answers("/for-one", 200, cacheControl(directive)), answers("/linked", 200, cacheControl(directive)),
			is("/for-one", excluded, why), is("/linked", excluded, why), noTrace("for-one"),
			see("/for-one", html("a page for all")), is("/for-one", waiting, eligibility.NoEvidence), see("/linked", html("another page for all")),
		}, []string{"/", "/linked"}}})
	}
}

// Requests with tracking parameters speak for a page, and never against it.
func TestTrackedVisits(t *testing.T) {
	three := func(location, text string, networks ...string) (steps []step) {
		for _, n := range networks {
			steps = append(steps, see(location, html(text), tracked, from(n)))
		}
		return steps
	}
	campaign := html("the landing page of a campaign")
	tell(t, options{}, []story{
		{"take no page out", []step{
			crawls("/a"), see("/a", campaign, tracked, robotsTag("noindex")), see("/a", head(noIndex), tracked), waits(time.Hour),
		}, []string{"/", "/a"}},
		{"list a linked page", []step{see("/", html("home", "/a")), see("/a", campaign, tracked), is("/a", listed, eligibility.ByLink)}, []string{"/", "/a"}},
		{"list no page that forbids it", []step{see("/", html("home", "/a")), see("/a", campaign, tracked, robotsTag("noindex"))}, []string{"/"}},
		{"have links that prove nothing", []step{see("/", html("home", "/a"), tracked), see("/a", html("a"))}, []string{"/"}},
		{"come from networks that count", append(append([]step{crawls("/p/one", "/p/two", "/p/three")},
			three("/p/orphan", "a page that nothing links to", "8.8.8.0/24", "9.9.9.0/24", "1.1.1.0/24")...), is("/p/orphan", listed, eligibility.ByNetworks)),
			[]string{"/", "/p/one", "/p/orphan", "/p/three", "/p/two"}},
		{"show what the site answers to anything", append(append([]step{
			crawls("/p/one", "/p/two", "/p/three"), see("/p/one", html("text of /p/one"), from("8.8.4.0/24")), see("/p/one", html("text of /p/one"), from("9.9.8.0/24")),
		}, three("/p/junk", "text of /p/one", "8.8.8.0/24", "9.9.9.0/24", "1.1.1.0/24")...), is("/p/junk", held, eligibility.Duplicate)),
			[]string{"/", "/p/one", "/p/three", "/p/two"}},
	})
	w := newWorld(t, options{})
	w.sight("/", html("home", "/a"))
	w.sight("/a", campaign, tracked, lastModified(w.now.Add(-48*time.Hour)))
	if p := w.page("/a"); p.Observations != 0 || w.due["/a"] == 0 {
		t.Errorf("after a tracked visit /a has %d observations and was made due %d times; want none, and due", p.Observations, w.due["/a"])
	}
	w.wait(24 * time.Hour)
	first := w.moment().Second()
	w.sight("/a", html("a"))
	if p := w.page("/a"); p.FirstSeen != first || p.Observations != 1 {
		t.Errorf("/a was first seen at %v, after %d observations; want %v and 1", p.FirstSeen, p.Observations, first)
	}
}

// Where three networks and three linked pages beside it are all that speaks for an address, it must
// read like a name, and nobody must have got a cookie with it.
func TestNetworksAloneListOnlyNamesInWordsThatAnybodyGets(t *testing.T) {
	given := func(e *observation.Exchange) { e.Given = true }
	deep := route("/x/{a}/{b}/{c}", false)
	for _, tt := range []struct {
		location string
		change   change
		listed   bool
	}{
		{"/blue-teapot", from(netA), true},
		{"/blue-teapot", given, false},
		{"/.env", from(netA), false},
		{"/jane(at)example.com", from(netA), false},
		{"/123-45-6789", from(netA), false},
		{"/DE89370400440532013000", from(netA), false},
		{"/x/sess/ab12cd/page", deep, false},
		{"/x/garden/roses/pruning", deep, true},
	} {
		run(t, fmt.Sprint(tt.location, " ", tt.listed), options{}, func(w *world) {
			linked := []string{"/one", "/two", "/three", "/x/a/b/one", "/x/a/b/two", "/x/a/b/three"}
			w.sight("/", html("home", linked...))
			for i, l := range linked {
				w.sight(l, html("text of "+l), func(e *observation.Exchange) {
					if i > 2 {
						deep(e)
					}
				})
			}
			for i := range 4 {
				w.sight(tt.location, html("text of "+tt.location), tt.change, from(fmt.Sprintf("8.8.%d.0/24", i)))
			}
			if got := w.page(tt.location).Listed(); got != tt.listed {
				w.Errorf("listed: %v", got)
			}
		})
	}
}
