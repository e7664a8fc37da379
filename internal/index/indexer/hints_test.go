package indexer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/testkit/base"
)

// What package tally needs before it gives a hint.
const (
	shellsNeeded = 5
	fewPages     = 20
	fewFor       = 5 * time.Minute
)

func TestHintsSayWhyPagesAreNotListed(t *testing.T) {
	base.OneByOne(t)
	shell := `<html><head><title>App</title></head><body><div id=app></div><script src=/app.js></script></body></html>`
	lasts := func(do func(*rig)) func(*rig) {
		return func(r *rig) { do(r); time.Sleep(time.Minute); do(r) }
	}
	for _, tt := range []struct {
		name string
		do   func(*rig)
		want messages.Hint // 0 for none
	}{
		{"nothing wrong", func(r *rig) { r.crawl("/a", "/b") }, 0},
		{"a client-side application", func(r *rig) {
			r.sight("/", shell+"<a href=/a></a>")
			for i := range shellsNeeded {
				r.sight(fmt.Sprintf("/p%d", i), shell+"<a href=/a></a>")
			}
		}, messages.ClientApp},
		{"a few pages like the entry", func(r *rig) {
			r.sight("/", shell+"<a href=/a></a>")
			for range 10 {
				r.sight("/index.html", shell+"<a href=/a></a>")
			}
		}, 0},
		{"queries of the entry that change nothing", func(r *rig) {
			r.sight("/", shell+"<a href=/a></a>")
			for i := range shellsNeeded {
				r.sight(fmt.Sprint("/?s=", i), shell+"<a href=/a></a>", ownQuery)
			}
		}, 0},
		{"queries of one page that shows what the entry does", func(r *rig) {
			r.sight("/", shell+"<a href=/a></a>")
			for i := range shellsNeeded {
				r.sight(fmt.Sprint("/start?do=", i), shell+"<a href=/a></a>", ownQuery)
			}
		}, 0},
		{"an entry that is noindex", lasts(func(r *rig) {
			r.sight("/", "<html><head><meta name=robots content=noindex></head><body>x</body></html>")
		}), messages.Forbidden},
		{"an entry that is not to be stored", lasts(func(r *rig) { r.answer("/", 200, cacheControl("no-store")) }),
			messages.ForOne},
		{"a page that is not to be stored", func(r *rig) { r.answer("/a", 200, cacheControl("no-store")) }, 0},
		{"an entry with a canonical on the site", lasts(func(r *rig) { r.sight("/", variant("/home", same)) }), 0},
		{"a page that is denied", func(r *rig) { r.answer("/a", 401) }, 0},
		{"robots.txt forbids the entry", func(r *rig) { serveRobots(r, 200, "User-agent: *\nDisallow: /") },
			messages.Forbidden},
		{"robots.txt forbids something else", func(r *rig) { serveRobots(r, 200, "User-agent: *\nDisallow: /admin") }, 0},
		{"an entry that leads to another host", lasts(func(r *rig) {
			r.answer("/", 301, redirect("https://shop.example.com/"))
		}), messages.OtherOrigin},
		{"an entry that leads to another host by its HTML, and is noindex", lasts(func(r *rig) {
			r.sight("/", "<html><head><meta name=robots content=noindex>"+
				"<meta http-equiv=refresh content='0; url=https://shop.example.com/en/'></head></html>")
		}), messages.OtherOrigin},
		{"an entry that leads to a log-in elsewhere, which leads back", lasts(func(r *rig) {
			r.answer("/", 302, redirect("https://id.example.org/?return=https://example.com/"))
		}), messages.NoPageYet},
		{"an entry that leads to a consent elsewhere by its HTML", lasts(func(r *rig) {
			r.sight("/", "<html><head><meta http-equiv=refresh content='0; "+
				"url=https://id.example.org/?return=https://example.com/'></head></html>")
		}), messages.NoPageYet},
		{"a page that leads to www", func(r *rig) { r.answer("/a", 301, redirect("https://www.example.com/a")) }, 0},
		{"an entry all links of which lead to www",
			lasts(func(r *rig) { r.sight("/", html("home", "https://www.example.com/a", "//www.example.com/b")) }),
			messages.OtherOrigin},
		{"an entry some links of which lead to www",
			lasts(func(r *rig) { r.sight("/", html("home", "https://www.example.com/a", "/b")) }), 0},
		{"an entry that says nofollow", lasts(func(r *rig) {
			r.sight("/", "<html><head><title>t</title><meta name=robots content=nofollow></head><body><a "+
				"href=/a></a>x</body></html>")
		}), messages.Forbidden},
		{"an entry that says nofollow in its header", lasts(func(r *rig) {
			r.sight("/", html("home", "/a"), robotsTag("nofollow"))
		}), messages.Forbidden},
		{"a page that says nofollow", func(r *rig) {
			r.crawl("/a")
			r.sight("/a", html("another", "/b"), robotsTag("nofollow"))
		}, 0},
		{"hardly any page listed for minutes", func(r *rig) {
			r.orphans(numbered("/orphans/%d", fewPages-1)...)
			time.Sleep(fewFor)
			r.sight("/", html("home again", "/a"))
		}, messages.Few},
		{"hardly any page listed at first",
			func(r *rig) { r.orphans(numbered("/orphans/%d", fewPages-1)...); time.Sleep(fewFor - time.Minute) }, 0},
		{"hardly any page listed of few", func(
			r *rig) {
			r.orphans(numbered("/orphans/%d", fewPages-2)...)
			time.Sleep(fewFor)
		}, 0},
		{"a share of the pages listed", func(r *rig) {
			r.orphans(numbered("/orphans/%d", fewPages)...)
			r.crawl("/1", "/2", "/3", "/4", "/5")
			time.Sleep(fewFor)
		}, 0},
		{"hardly any page listed as the owner wants it",
			func(r *rig) { r.orphans(numbered("/never/%d", fewPages)...); time.Sleep(fewFor) }, 0},
		{"many withdrawals", func(r *rig) { r.withdraw25(0) }, messages.Leaving},
		{"many withdrawals by the owner", func(r *rig) {
			pages := numbered("/p%d", 30)
			r.crawl(pages...)
			for _, p := range pages[:25] {
				r.forget(p)
			}
		}, 0},
		{"many withdrawals by a new rule", func(r *rig) {
			r.crawl(numbered("/p%d", 30)...)
			rules, err := eligibility.NewRules([]eligibility.Rule{{Pattern: "/p", Listing: eligibility.Never}})
			r.check(err)
			r.cfg.Settings.Rules = rules
			r.restart()
		}, 0},
		{"many copies, each of which leaves for one with a shorter address", func(r *rig) {
			pages := numbered("/%02d/reviews", 25)
			for i := range pages {
				pages[i] += strings.Repeat("x", len(pages)-i)
			}
			r.sight("/", html("home", pages...))
			for i, p := range pages {
				r.sight(p, html(fmt.Sprint(same, i%2)))
			}
		}, 0},
		{"many withdrawals in a long time", func(r *rig) { r.withdraw25(time.Hour) }, 0},
	} {
		never, err := eligibility.NewRules([]eligibility.Rule{{Pattern: "/never/", Listing: eligibility.Never}})
		base.Check(t, err)
		cfg := Config{Settings: merge.Settings{Rules: never}}
		runInBubble(t, tt.name, cfg, func(r *rig) {
			tt.do(r)
			got := r.hints.Given()
			if tt.want == 0 && len(got) > 0 || tt.want != 0 && (len(got) != 1 || got[0] != tt.want) {
				r.Errorf("hints %q, want %q", r.hints.Texts(), tt.want)
			}
			if why := r.hints.Texts(); tt.want == messages.Leaving &&
				!strings.Contains(why[0], " Most often: pages were answered ") {
				r.Errorf("it does not say why they left: %s", why)
			}
		})
	}
}

// One odd answer gives no hint, since a visitor may choose what he is answered. What the site got itself does.
func TestHintNeedsAnAnswerThatLasts(t *testing.T) {
	base.OneByOne(t)
	for _, tt := range []struct {
		name string
		do   func(r *rig, change ...func(*observation.Observation))
		want messages.Hint
	}{
		{"an entry that is denied", func(r *rig, change ...func(*observation.Observation)) { r.answer("/", 401, change...) },
			messages.NoPageYet},
		{"an entry that leads to www", func(r *rig, change ...func(*observation.Observation)) {
			r.answer("/", 301, append(change, redirect("https://www.example.com/"))...)
		}, messages.OtherOrigin},
		{"an entry that names another host", func(r *rig, change ...func(*observation.Observation)) {
			r.sight("/", variant("https://www.other.com/", same), change...)
		}, messages.OtherOrigin},
		{"an entry that names localhost", func(r *rig, change ...func(*observation.Observation)) {
			r.sight("/", variant("http://localhost:3000/", same), change...)
		}, messages.Canonicals},
		{"an entry without links", func(r *rig,
			change ...func(*observation.Observation)) {
			r.sight("/", html("home"), change...)
		}, messages.DeadEnd},
	} {
		want := func(r *rig, hints ...messages.Hint) {
			if got := r.hints.Given(); !slices.Equal(got, hints) {
				r.Errorf("hints %q, want %q", r.hints.Texts(), hints)
			}
		}
		runInBubble(t, tt.name+" for visitors", Config{}, func(r *rig) {
			for range 3 {
				tt.do(r)
				want(r)
				time.Sleep(20 * time.Second)
			}
			tt.do(r)
			want(r, tt.want)
			r.sight("/", html("home", "/a"))
			want(r) // its cause has gone
		})
		runInBubble(t, tt.name+" for the site itself", Config{}, func(r *rig) {
			tt.do(r, func(e *observation.Observation) { e.Explored = true })
			want(r, tt.want)
		})
	}
}

// A stranger who asks for made-up addresses of a site that shows its home page there makes no client-side application
// of it.
func TestSiteThatListsPagesIsNoClientSideApplication(t *testing.T) {
	base.OneByOne(t)
	inBubble(t, Config{}, func(r *rig) {
		pages := numbered("/p%d", shellsNeeded)
		r.crawl(pages...)
		home := html("home", pages...)
		r.sight("/", home)
		for i := range 4 * shellsNeeded {
			r.sight(fmt.Sprintf("/made-up-%d", i), home)
		}
		if got := r.hints.Given(); len(got) > 0 {
			r.Errorf("hints %q", r.hints.Texts())
		}
	})
}

// orphans lets visitors get pages that nothing links to.
func (r *rig) orphans(locations ...string) {
	r.sight("/", html("home", "/a"))
	for _, location := range locations {
		r.sight(location, html("page "+location))
	}
}

// withdraw25 takes out 25 of 30 pages, one after another.
func (r *rig) withdraw25(gap time.Duration) {
	pages := numbered("/p%d", 30)
	r.crawl(pages...)
	for _, p := range pages[:25] {
		r.answer(p, 410)
		time.Sleep(gap)
	}
}
