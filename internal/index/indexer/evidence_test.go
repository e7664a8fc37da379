package indexer

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
)

func TestPagesAreListedFromTheEntryOn(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a", "/b?page=2", "https://other.example/x", "mailto:x@example.com"))
		r.sight("/a", html("a", "c"))
		r.sight("/c", html("c"))
		r.sight("/b?page=2", html("b"))
		r.sight("/orphan", html("nobody links here"))
		r.wantListed("/", "/a", "/b?page=2", "/c")
		r.wantVerdict("/", eligibility.Listed, eligibility.ByEntry)
		r.wantVerdict("/c", eligibility.Listed, eligibility.ByLink)
		r.wantVerdict("/orphan", eligibility.Waiting, eligibility.NoEvidence)
		r.wantVerdict("/never-heard-of", eligibility.Unknown, eligibility.None)
	})
}

func TestPageSeenBeforeItsLinkIsListedWhenTheLinkIsAndReadAtItsNextVisit(t *testing.T) {
	inBubble(t, Config{Extensions: allExtensions}, func(r *rig) {
		deep := illustrated(`deep <a href="/deeper">x</a>`, "/1.png")
		r.sight("/deep", deep)
		r.sight("/deeper", html("deeper"))
		r.wantListed()
		r.sight("/", html("home", "/deep"))
		r.wantListed("/", "/deep")
		if r.looked["/deep"] == 0 {
			t.Error("/deep became listed, and its links wait; it was not made due")
		}
		r.wantImages("/deep")
		// The same bytes as before: they are read all the same, for their links and images.
		r.sight("/deep", deep)
		r.wantListed("/", "/deep", "/deeper")
		r.wantImages("/deep", "/1.png")
	})
}

func TestLinksThatProveNothing(t *testing.T) {
	page := func(link string) string { return "<html><head></head><body>" + link + "</body></html>" }
	for _, tt := range []struct {
		name, location, body string
		change               func(*observation.Exchange)
		want                 []string
	}{
		{"nofollow", "/", page(`<a rel="nofollow" href="/x">x</a>`), nil, []string{"/"}},
		{"ugc", "/", page(`<a rel="external ugc" href="/x">x</a>`), nil, []string{"/"}},
		{"sponsored", "/", page(`<a rel=sponsored href=/x>x</a>`), nil, []string{"/"}},
		{"nofollow for the page", "/", page(`<meta name=robots content=nofollow><a href="/x">x</a>`), nil, []string{"/"}},
		{"nofollow in a header", "/", page(`<a href="/x">x</a>`), robotsTag("nofollow"), []string{"/"}},
		{"in a comment", "/", page(`<!-- <a href="/x">x</a> -->`), nil, []string{"/"}},
		{"in a script", "/", page(`<script>"<a href='/x'>"</script>`), nil, []string{"/"}},
		{"to another host", "/", page(`<a href="https://evil.example/x">x</a>`), nil, []string{"/"}},
		{"image", "/", page(`<img src="/x">`), nil, []string{"/"}},
		{"form", "/", page(`<form action="/x"></form>`), nil, []string{"/"}},
		{"from a page that is not listed", "/orphan", page(`<a href="/x">x</a>`), nil, nil},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			if tt.change == nil {
				tt.change = func(*observation.Exchange) {}
			}
			r.sight(tt.location, tt.body, tt.change)
			r.sight("/x", html("x"))
			r.wantListed(tt.want...)
		})
	}
}

func TestLinkedArchiveLeadsToItsPages(t *testing.T) {
	const noindex = `<html><head><meta name="robots" content="noindex"></head><body><a href="/old">old</a></body></html>`
	home := html("home", "/archive")
	for _, tt := range []struct {
		name string
		see  func(*rig)
		want []string
	}{
		{"linked", func(r *rig) { r.sight("/", home); r.sight("/archive", noindex) }, []string{"/", "/old"}},
		{"read before it was linked", func(r *rig) {
			r.sight("/archive", noindex)
			r.sight("/", home)
			r.sight("/archive", noindex)
		}, []string{"/", "/old"}},
		{"not linked", func(r *rig) { r.sight("/", html("home")); r.sight("/archive", noindex) }, []string{"/"}},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			tt.see(r)
			r.sight("/old", html("old"))
			r.wantListed(tt.want...)
			r.wantVerdict("/archive", eligibility.Excluded, eligibility.NoIndex)
		})
	}
}

func TestRedirectingEntryLeadsToItsTargets(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.answer("/", http.StatusFound, redirect("/en"))
		r.answer("/en", http.StatusTemporaryRedirect, redirect("/en/"))
		r.answer("/en/", http.StatusFound, redirect("/en/third"))
		r.sight("/en/", html("welcome", "/a"))
		r.sight("/a", html("a"))
		r.sight("/en/third", html("third"))
		r.wantListed("/en/", "/a")
		r.wantVerdict("/en/", eligibility.Listed, eligibility.ByEntry)
	})
}

func TestEntryThatLeadsEachVisitorElsewhereListsNoTarget(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		for _, pad := range numbered("/pad/%d", 5) {
			r.answer("/", http.StatusFound, redirect(pad))
			r.sight(pad, html("private "+pad))
		}
		r.wantListed("/pad/0") // the one that could not be told from a home page
		for range 2 {
			r.answer("/", http.StatusFound, redirect("/home"))
			time.Sleep(time.Second)
		}
		r.sight("/home", html("home"))
		r.wantListed("/home", "/pad/0")
	})
}

func TestEntryLeadsOnThoughItIsNotListed(t *testing.T) {
	for name, head := range map[string]string{
		"noindex":             `<meta name="robots" content="noindex">`,
		"canonical elsewhere": `<link rel="canonical" href="/home">`,
	} {
		runInBubble(t, name, Config{}, func(r *rig) {
			r.sight("/", "<html><head>"+head+`</head><body><a href="/a">a</a></body></html>`)
			r.sight("/a", html("a"))
			r.wantListed("/a")
		})
	}
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
		visit, ofSiblings func(*observation.Exchange)
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
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			links := numbered("/post/%d", tt.siblings)
			r.sight("/", html("home", links...))
			for _, l := range links {
				r.sight(l, html("post "+l), tt.ofSiblings)
			}
			body := html("a page of its own")
			if tt.location == query {
				body = variant(query, "a page of its own")
			}
			for i := range tt.networks {
				r.sight(tt.location, body, from(fmt.Sprintf("203.0.%d.0/24", i)), tt.visit)
			}
			if tt.listed {
				r.wantVerdict(tt.location, eligibility.Listed, eligibility.ByNetworks)
			} else {
				r.wantVerdict(tt.location, eligibility.Waiting, eligibility.NoEvidence)
				r.wantNoTrace("orphan")
			}
			r.wantNoTrace("203.0")
		})
	}
	runInBubble(t, "siblings that left do not count", Config{}, func(r *rig) {
		r.crawl("/post/0", "/post/1", "/post/2")
		r.answer("/post/0", http.StatusGone)
		for i := range 5 {
			r.sight("/post/orphan", html("orphan"), from(fmt.Sprintf("203.0.%d.0/24", i)))
		}
		r.wantVerdict("/post/orphan", eligibility.Waiting, eligibility.NoEvidence)
	})
}

func TestEvidenceIsNeededToEnterNotToStay(t *testing.T) {
	withPage(t, func(r *rig) {
		r.sight("/", html("home without the link"))
		time.Sleep(time.Hour)
		r.sight("/a", html("a changed"))
		r.wantListed("/", "/a")
	})
}

func TestForgottenPageStaysOut(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/secret-plan")
		r.wantListed("/", "/secret-plan")
		r.forget("/secret-plan")
		r.flush()
		r.wantListed("/")
		r.wantNoTrace("secret-plan")
		r.sight("/", html("home again", "/secret-plan"))
		r.sight("/secret-plan", html("plan"))
		r.restart()
		r.sight("/secret-plan", html("plan"), route("/secret-plan", true))
		r.wantListed("/")
		r.wantVerdict("/secret-plan", eligibility.Excluded, eligibility.Forgotten)

		r.restartWith(eligibility.Rule{Pattern: "/secret-plan", Listing: eligibility.Always})
		r.sight("/secret-plan", html("plan"))
		r.wantListed("/", "/secret-plan")
		r.restartWith()
		r.wantListed("/")
		r.sight("/secret-plan", html("plan"))
		r.wantVerdict("/secret-plan", eligibility.Excluded, eligibility.Forgotten)
	})
}

func TestPageThatIsNotPublicIsStoredNowhereInClear(t *testing.T) {
	none := func(*observation.Exchange) {}
	for _, tt := range []struct {
		name, body string
		change     func(*observation.Exchange)
	}{
		{"waits for evidence", html("canary"), none},
		{"noindex", `<html><head><title>canary</title><meta name=robots content=noindex></head><body>canary`, none},
		{"canonical elsewhere", variant("/canary2", "canary"), none},
		{"seen by few networks", html("canary"), from("203.0.113.0/24")},
		{"route with a variable", html("canary"), route("/{canary}", false)},
		{"encoding unknown", "canary", header(func(h *response.Header) { h.ContentEncoding = "canary" })},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.sight("/", html("home"))
			r.sight("/canary", tt.body, tt.change)
			r.answer("/canary", http.StatusNotFound)
			r.answer("/canary", http.StatusMovedPermanently, redirect("/canary3"))
			r.sight("/canary", tt.body, tt.change)
			r.wantListed("/")
			r.wantNoTrace("canary")
		})
	}
}

// variant is a page that names another page, or itself, as canonical.
func variant(canonical, text string) string {
	return fmt.Sprintf(`<html><head><title>t</title><link rel=canonical href="%s"></head><body><main><p>%s</p></main></body></html>`, canonical, atLength(text))
}

// ownQuery gives a sighting a query that only the page's own canonical can allow.
func ownQuery(s *observation.Exchange) { s.OwnQuery = true }

func TestLinkToAVariantSpeaksForItsCanonicalPage(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/p/1/blue"))
		r.sight("/p/1/blue", variant("/p/1", same))
		r.wantVerdict("/p/1", eligibility.Waiting, eligibility.NotSeen)
		r.sight("/p/1", variant("/p/1", same))
		r.wantListed("/", "/p/1")
	})
}

func TestInvalidCanonicalCreditsNoPage(t *testing.T) {
	none := func(*observation.Exchange) {}
	for _, tt := range []struct {
		name, body string
		change     func(*observation.Exchange)
	}{
		{"on another host", variant("https://other.example/p", same), none},
		{"contradicted by the header", variant("/p", same), header(func(h *response.Header) { h.Link = `</q>; rel="canonical"` })},
		{"twice", "<html><head><link rel=canonical href=/p><link rel=canonical href=/q></head><body>x</body></html>", none},
		{"that is no location", variant("/p//x", same), none},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.sight("/", html("home", "/v"))
			r.sight("/v", tt.body, tt.change)
			for _, p := range []string{"/p", "/q", "/p//x"} {
				r.wantVerdict(p, eligibility.Unknown, eligibility.None)
			}
		})
	}
}

// visitJunk lets three networks visit pages that nothing links to.
func (r *rig) visitJunk(n int, change func(*observation.Exchange)) {
	for i := range n {
		for network := range 3 {
			r.sight(fmt.Sprintf("/p/junk-%d", i), html(fmt.Sprintf("junk %d", i)), from(fmt.Sprintf("10%d.0.0.0/24", network)), change)
		}
	}
}

func TestFloodThatMeetsTheNetworkCountIsCapped(t *testing.T) {
	const flood = eligibility.OrphansAllowed + 50
	pages := []string{"/p/one", "/p/two", "/p/three", "/q/one"}
	runInBubble(t, "of a route of which no page is linked", Config{}, func(r *rig) {
		r.crawl(pages...)
		r.visitJunk(flood, route("/p/{slug}", false))
		r.wantListed(append(pages, "/")...)
	})
	runInBubble(t, "of a folder of which pages are linked", Config{}, func(r *rig) {
		r.crawl(pages...)
		r.visitJunk(flood, func(*observation.Exchange) {})
		if got, want := r.files.Listed(), 1+len(pages)+3+eligibility.OrphansAllowed; got != want {
			r.Errorf("%d pages are listed, want %d", got, want)
		}
		for _, p := range pages {
			r.wantVerdict(p, eligibility.Listed, eligibility.ByLink)
		}
		last := fmt.Sprintf("/p/junk-%d", flood-1)
		r.wantVerdict(last, eligibility.Held, eligibility.Growth)
		r.wantNoTrace(last)
		r.answer("/p/junk-0", 410) // which makes room for another
		r.sight(last, html("junk"))
		r.wantVerdict(last, eligibility.Listed, eligibility.ByNetworks)
	})
}
