package indexer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
)

const same = "The same text at several locations, which is long enough to tell this page apart from any other one."

func TestDuplicatesAreOnePage(t *testing.T) {
	routed := route("/a", true)
	type page struct {
		location, body string
		change         func(*observation.Exchange)
	}
	a, b := page{"/a", html(same), func(*observation.Exchange) {}}, page{"/b", html(same), func(*observation.Exchange) {}}
	with := func(p page, body string, change func(*observation.Exchange)) page {
		return page{p.location, body, change}
	}
	both, onlyB := page{"/", html("home", "/a", "/b"), a.change}, page{"/", html("home", "/b"), a.change}
	for _, tt := range []struct {
		name string
		see  []page
		want string // the one that is listed beside the entry
	}{
		{"the oldest of linked ones", []page{both, a, b}, "/a"},
		{"the linked one before the one with a route of its own", []page{onlyB, with(a, a.body, routed), b}, "/b"},
		{"the linked one, whatever comes first", []page{onlyB, b, with(a, a.body, routed)}, "/b"},
		{"the one that names itself", []page{both, a, with(b, variant("/b", same), b.change)}, "/b"},
		{"one that is linked later", []page{{"/", html("home"), a.change}, with(a, a.body, routed), b, onlyB}, "/b"},
		{"the bytes differ", []page{both, a, with(b, strings.Replace(html(same), "<main>", `<header>Visitor 1,234</header><main data-nonce="x">`, 1), b.change)}, "/a"},
		{"little text and the same bytes", []page{both, with(a, html("ok"), a.change), with(b, html("ok"), b.change)}, "/a"},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			for _, p := range tt.see {
				r.sight(p.location, p.body, p.change)
			}
			r.wantListed("/", tt.want)
			other := map[string]string{"/a": "/b", "/b": "/a"}[tt.want]
			r.wantVerdict(other, eligibility.Held, eligibility.Duplicate)
			if got := r.page(other).SameAs; got != tt.want {
				r.Errorf("%s is explained as the same as %q", other, got)
			}
			r.restart()
			r.wantListed("/", tt.want)
		})
	}
}

func TestPagesThatDifferAreListedBoth(t *testing.T) {
	titled := func(title string) string {
		return "<html><head><title>" + title + "</title></head><body>" + same + "</body></html>"
	}
	for _, tt := range []struct{ name, a, b string }{
		{"other titles", titled("one"), titled("two")},
		{"other text", html(same + " One."), html(same + " Two.")},
		{"other images", html(same + "<img src=1.jpg>"), html(same + "<img src=2.jpg>")},
		{"little text in other bytes", html("ok <!-- 1 -->"), html("ok <!-- 2 -->")},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.sight("/", html("home", "/a", "/b"))
			r.sight("/a", tt.a)
			r.sight("/b", tt.b)
			r.wantListed("/", "/a", "/b")
		})
	}
}

func TestDuplicateTakesThePlaceOfOneThatLeaves(t *testing.T) {
	for name, leave := range map[string]func(*rig){
		"gone":      func(r *rig) { r.answer("/a", 410) },
		"changed":   func(r *rig) { r.sight("/a", html(same+" And more.")) },
		"forgotten": func(r *rig) { r.forget("/a") },
	} {
		runInBubble(t, name, Config{}, func(r *rig) {
			r.sight("/", html("home", "/a", "/b"))
			r.sight("/a", html(same))
			r.sight("/b", html(same))
			leave(r)
			r.sight("/b", html(same))
			r.wantVerdict("/b", eligibility.Listed, eligibility.ByLink)
		})
	}
}

func TestEntryIsNoDuplicate(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		home := html(same, "/index.html")
		r.sight("/index.html", home, route("/index.html", true))
		r.sight("/", home)
		r.sight("/index.html", home)
		r.wantListed("/")
		r.wantVerdict("/index.html", eligibility.Held, eligibility.Duplicate)
	})
}

func TestPageThatARuleListsIsListedThoughManyShowItsContent(t *testing.T) {
	inBubble(t, Config{Rules: rules(t, eligibility.Rule{Pattern: "/v/", Listing: eligibility.Always})}, func(r *rig) {
		r.sight("/", html("home"))
		all := numbered("/v/%d", 2*eligibility.ClusterSize)
		for _, l := range all {
			r.sight(l, html(same))
		}
		if got := r.files.Listed(); got != 1+len(all) {
			t.Errorf("%d pages are listed", got)
		}
	})
}

func TestPagesThatShowOneErrorTextAreNotListed(t *testing.T) {
	const notFound = "The page was not found. " + same
	runInBubble(t, "linked", Config{}, func(r *rig) {
		links := numbered("/dead-%d", eligibility.ClusterSize+5)
		r.sight("/", html("home", append(links, "/real")...))
		r.sight("/real", html("A real page."))
		for _, l := range links {
			r.sight(l, html(notFound))
		}
		r.wantListed("/", "/real")
		r.wantVerdict(links[0], eligibility.Held, eligibility.SoftNotFound)
	})
	runInBubble(t, "known to enough networks beside linked pages", Config{}, func(r *rig) {
		r.crawl("/one", "/two", "/three")
		for _, network := range []string{netA, netB, netC, netD} {
			for _, l := range numbered("/random-%d", 30) {
				r.sight(l, html(notFound), from(network))
			}
		}
		r.wantListed("/", "/one", "/two", "/three")
		r.wantVerdict("/random-7", eligibility.Held, eligibility.Duplicate)
		r.wantNoTrace("random")
	})
	runInBubble(t, "a stranger cannot take a real page out by it", Config{}, func(r *rig) {
		r.sight("/", html("home", "/p/1/blue-shoes"))
		r.sight("/p/1/blue-shoes", html(same))
		for _, l := range numbered("/p/1/junk-%d", 2*eligibility.ClusterSize) {
			r.sight(l, html(same), from(netA))
		}
		r.sight("/p/1/blue-shoes", html(same))
		r.wantListed("/", "/p/1/blue-shoes")
	})
}

func TestDuplicatesAreKnownAfterARestart(t *testing.T) {
	visitors := []string{"8.8.0.0/24", "8.8.1.0/24", "8.8.2.0/24"}
	for _, tt := range []struct {
		name, other, body string
		listed            bool
	}{
		{"another location", "/post-2", html(same), false},
		{"another query", "/post?page=2", html(same), true},
		{"one that names it as canonical", "/post-2", variant("/post", same), true},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.crawl("/one", "/two", "/three")
			for _, network := range visitors[:2] {
				r.sight("/post", html(same), from(network))
				r.sight(tt.other, tt.body, from(network))
			}
			r.restart()
			r.sight("/post", html(same), from(visitors[2]))
			if got := r.page("/post").Verdict == eligibility.Listed; got != tt.listed {
				r.Errorf("listed: %t, want %t", got, tt.listed)
			}
		})
	}
}

func TestClusterTakesOutNoEstablishedPage(t *testing.T) {
	for _, tt := range []struct {
		name, body, copies string
		age                time.Duration
	}{
		{"which names itself", variant("/about", same), "/about/%d", 0},
		{"which was listed for a day", html(same), "/about/%d", 25 * time.Hour},
		{"whose copies have a query", html(same), "/about?page=%d", 0},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			links := numbered(tt.copies, 2*eligibility.ClusterSize)
			r.sight("/", html("home", append(links, "/about")...))
			r.sight("/about", tt.body)
			time.Sleep(tt.age)
			r.sight("/about", tt.body)
			for _, l := range links {
				r.sight(l, html(same))
			}
			r.wantListed("/", "/about")
		})
	}
}

func TestPageThatOnlyVisitorsSpokeForLeavesWithACrowd(t *testing.T) {
	const crowdNeeded = 5 // see package crowd
	inBubble(t, Config{}, func(r *rig) {
		junk := func(n int, network func(i int) string) {
			for i := range n {
				r.sight(fmt.Sprintf("/junk-%d", i), html(same), from(network(i)))
			}
			r.sight("/casino", html(same))
		}
		r.crawl("/one", "/two", "/three")
		for i := range 3 {
			r.sight("/casino", html(same), from(fmt.Sprintf("8.8.%d.0/24", i)))
		}
		r.wantVerdict("/casino", eligibility.Listed, eligibility.ByNetworks)
		junk(5*crowdNeeded, func(int) string { return netA }) // by one who asks for anything
		r.wantListed("/", "/casino", "/one", "/two", "/three")
		junk(crowdNeeded, func(i int) string { return fmt.Sprintf("9.9.%d.0/24", i) })
		r.wantListed("/", "/one", "/two", "/three")
	})
}
