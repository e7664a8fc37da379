package merge

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/index/observation"
)

// product is a page with a menu, some text and a price.
func product(n int, price, menu, text string) string {
	return fmt.Sprintf(`<html lang="en"><head><title>Thing %[1]d</title></head><body><div><ul>%[3]s</ul></div>
<div><h1>Thing %[1]d</h1><p>Thing number %[1]d is the best of all the things that we have ever made.</p><div><b>%[2]s</b></div>
<p>%[4]s</p><p>It is sent on the day that follows, number %[1]d too.</p></div></body></html>`, n, price, menu, text)
}

const (
	shopMenu = `<li><a href="/">Start</a><li><a href="/shop">Shop</a>`
	about    = "It comes in a box that keeps the rain off for a year or longer than that."
)

// runWithShop is withShop in a subtest.
func runWithShop(t *testing.T, name string, n int, fn func(w *world, pages []string)) {
	t.Run(name, func(t *testing.T) { withShop(t, n, fn) })
}

// quiet is how many observations without news it takes until a page's small news count at once.
const quiet = 5

// withShop runs fn with a site of n listed products that have been quiet for long enough.
func withShop(t *testing.T, n int, fn func(w *world, pages []string)) {
	run(t, "a site", options{}, func(w *world) {
		pages := numbered("/thing-%d", n)
		w.sight("/", html("home", pages...))
		for range 1 + quiet {
			for i, p := range pages {
				w.sight(p, product(i, fmt.Sprintf("€ %d.95", 20+i), shopMenu, about+p))
			}
			w.wait(time.Hour)
		}
		fn(w, pages)
	})
}

// A page that was seen only once may change by itself, so new text on it is held.
func TestHeldNewsAreConfirmedByMoreObservationsAndDatedToTheFirst(t *testing.T) {
	for _, again := range []string{"the same bytes", "other bytes", "after a restart"} {
		runWithShop(t, again, 3, func(w *world, _ []string) {
			pages := []string{"/thing-3"}
			w.sight("/", html("home, and more", pages...))
			w.sight(pages[0], product(0, "€ 19.95", shopMenu, about+pages[0]))
			w.wait(time.Hour)
			cheaper := product(0, "€ 9.95", shopMenu, about+pages[0])
			visited, was := w.due[pages[0]], w.lastMod(pages[0])
			first := w.now.Unix()
			w.sight(pages[0], cheaper)
			w.wantLastMod(pages[0], was)
			if w.due[pages[0]] != visited+1 {
				w.Error("a page that may have changed is not observed again soon")
			}
			w.wait(time.Hour)
			switch again {
			case "other bytes":
				cheaper = strings.Replace(cheaper, "<head>", "<head><meta name=x content=y>", 1)
			case "after a restart":
			}
			for range quiet {
				w.sight(pages[0], cheaper)
				w.wait(time.Hour)
			}
			w.wantLastMod(pages[0], first)
			if n := w.page(pages[0]).Dates.Count; n != 1 {
				w.Errorf("%d changes, want 1", n)
			}
		})
	}
}

// A text that a page shares only with its own variants is not boilerplate of the site.
func TestContentOfVariantsBelongsToThePage(t *testing.T) {
	withShop(t, 3, func(w *world, pages []string) {
		canonical := fmt.Sprintf(`<head><link rel="canonical" href="%s">`, pages[0])
		body := strings.Replace(product(0, "€ 20.95", shopMenu, about+pages[0]), "<head>", canonical, 1)
		news := strings.Replace(body, about, "All of this was written for the next winter.", 1)
		for _, v := range []string{"?a=1", "?b=1", "?c=1", "?d=1"} {
			w.sight(pages[0]+v, body, ownQuery)
		}
		w.wait(time.Hour)
		for _, v := range []string{"?a=1", "?b=1", "?c=1", "?d=1"} {
			w.sight(pages[0]+v, news, ownQuery)
		}
		want := w.now.Unix()
		for range 2 { // the first observation is held
			w.sight(pages[0], news)
			w.wait(time.Hour)
		}
		w.wantLastMod(pages[0], want)
	})
}

// negotiated is a page in the language that a visitor prefers.
func negotiated(lang, edit string, declared bool) string {
	text := map[string]string{
		"en": "It comes in a box that keeps the rain off for a year or longer than that. Nobody has ever sent one back to us.",
		"de": "Es kommt in einer Kiste, die den Regen für ein Jahr oder länger abhält. Niemand hat je eines zurückgeschickt.",
		"fr": "Il arrive dans une boîte qui le protège de la pluie pendant un an ou plus. Personne ne nous l'a jamais rendu.",
	}[lang]
	attr := ""
	if declared {
		attr = fmt.Sprintf(" lang=%q", lang)
	}
	return fmt.Sprintf(`<html%s><head><title>Thing</title></head><body><main><h1>Thing %s</h1><p>%s</p><p>%s</p></main></body></html>`,
		attr, lang, text, edit)
}

func speaking(lang string) func(*observation.Exchange) {
	return func(s *observation.Exchange) {
		s.Variant = observation.VariantOf("Accept-Language", http.Header{"Accept-Language": {lang + "-XX," + lang + ";q=0.9"}})
	}
}

// A page that answers in the visitor's language does not change with the
// visitor, and an edit in one language is a change.
func TestLanguageOfTheVisitorIsNoChangeAndAnEditIs(t *testing.T) {
	for _, tt := range []struct {
		name     string
		declared bool
		langs    []string
		edited   string
	}{
		{"two, declared, the first is edited", true, []string{"en", "de"}, "en"},
		{"two, declared, the second is edited", true, []string{"en", "de"}, "de"},
		{"two, not declared, the first is edited", false, []string{"en", "de"}, "en"},
		{"two, not declared, the second is edited", false, []string{"en", "de"}, "de"},
		{"three, not declared", false, []string{"en", "de", "fr"}, "fr"},
		{"in bursts", false, []string{"en", "en", "en", "de", "de", "de"}, "de"},
	} {
		run(t, tt.name, options{}, func(w *world) {
			w.sight("/", html("home", "/a"))
			see := func(i int, edit string) {
				lang := tt.langs[i%len(tt.langs)]
				if lang != tt.edited {
					edit = ""
				}
				w.sight("/a", negotiated(lang, edit, tt.declared), speaking(lang))
				w.wait(time.Hour)
			}
			for i := range 30 {
				see(i, "")
			}
			if p := w.page("/a"); p.Dates.Count != 0 || w.lastMod("/a") != 0 {
				w.Fatalf("%d changes of a page that stayed as it was", p.Dates.Count)
			}
			var want int64
			for i := range 4 * len(tt.langs) {
				if want == 0 && tt.langs[i%len(tt.langs)] == tt.edited {
					want = w.now.Unix()
				}
				see(i, "From the next winter on, all of it will be made of wood that grows beside the house.")
			}
			if p := w.page("/a"); p.Dates.Count != 1 {
				w.Errorf("%d changes, want 1", p.Dates.Count)
			}
			w.wantLastMod("/a", want)
		})
	}
}

// A variant that was never seen before may be the first to show an edit. The edit must still
// be found in the others.
func TestEditThatANewLanguageShowsFirstIsDated(t *testing.T) {
	run(t, "a site", options{}, func(w *world) {
		w.sight("/", html("home", "/a"))
		for range 4 {
			w.sight("/a", html("What it has said since the beginning."), speaking("en"))
			w.wait(time.Hour)
		}
		edited := html("This is not at all what it said in the beginning, and it is longer too.")
		w.sight("/a", edited, speaking("it"))
		if got := w.page("/a").Dates.Count; got != 0 {
			t.Errorf("%d changes, by a visitor whose page may be another one", got)
		}
		w.wait(time.Hour)
		want := w.now.Unix()
		w.sight("/a", edited, speaking("en"))
		w.wantLastMod("/a", want)
	})
}

// built is a static site with the time of its build as Last-Modified. Each page has a
// text, in one of several editions.
func built(w *world, pages []string, at time.Time, menu string, edition func(i int) int) {
	w.Helper()
	for i, p := range pages {
		text := fmt.Sprintf("%s%s In its edition %d it has grown a new lid, of which page %d says more.", about, p, edition(i), i)
		w.sight(p, product(i, fmt.Sprintf("€ %d.95", 20+i), menu, text), lastModified(at.Add(time.Duration(i)*time.Second/20)))
	}
}

// A deploy gives every page a new menu and the time of the build. Only pages whose text it
// changed get that date.
func TestDeployDatesOnlyWhatItChanged(t *testing.T) {
	const pages = 60
	newMenu := shopMenu + `<li><a href="/jobs">Jobs</a><li><a href="/press">Press</a>`
	for _, tt := range []struct {
		name   string
		edited func(i int) bool
		menu   string
	}{
		{"nothing but the menu", func(int) bool { return false }, newMenu},
		{"nothing at all", func(int) bool { return false }, shopMenu},
		{"three pages in ten", func(i int) bool { return i%10 < 3 }, shopMenu},
		{"three pages in ten, and the menu", func(i int) bool { return i%10 < 3 }, newMenu},
	} {
		run(t, tt.name, options{}, func(w *world) {
			all := numbered("/thing-%d", pages)
			w.sight("/", html("home", all...))
			first := w.now.Add(-30 * 24 * time.Hour)
			for range 1 + quiet {
				built(w, all, first, shopMenu, func(int) int { return 1 })
				w.wait(24 * time.Hour)
			}
			deploy := w.now
			w.wait(time.Hour)
			for range 3 {
				built(w, all, deploy, tt.menu, func(i int) int {
					if tt.edited(i) {
						return 2
					}
					return 1
				})
				w.wait(24 * time.Hour)
			}
			for i, p := range all {
				got := w.lastMod(p)
				if !tt.edited(i) && got != 0 {
					w.Errorf("%s was restamped to %v", p, fromSeconds(got).UTC())
				}
				if tt.edited(i) && (got < deploy.Unix() || got > deploy.Add(2*time.Hour).Unix()) {
					w.Errorf("%s has the lastmod %v, and was edited at %v", p, fromSeconds(got).UTC(), deploy.UTC())
				}
			}
		})
	}
}

// A change that is confirmed later gets the given date that moved when it was first seen.
func TestLateChangeHasItsExactDate(t *testing.T) {
	withShop(t, 3, func(w *world, pages []string) {
		old := w.now.Add(-1000 * time.Hour)
		page := func(price string) string { return product(0, price, shopMenu, about+pages[0]) }
		w.sight(pages[0], page("€ 20.95"), lastModified(old))
		w.wait(5 * time.Hour)
		exact := w.now
		w.wait(5 * time.Hour)
		for range 2 {
			w.sight(pages[0], page("€ 9.95"), lastModified(exact))
			w.wait(time.Hour)
		}
		w.wantLastMod(pages[0], exact.Unix())
	})
}

// The estimate learns the time of a change from a believed source, and otherwise the time
// when it was seen.
func TestRateUsesTheDateOfABelievedSource(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(w *world) // the changes
		exact  bool
	}{
		{"believed", func(*world) {}, true},
		{"caught", func(w *world) {
			for range 2 {
				w.sight("/liar", html("liar"), lastModified(w.now))
			}
		}, false},
	} {
		run(t, tt.name, options{}, func(w *world) {
			w.sight("/", html("home", "/a", "/liar"))
			tt.before(w)
			var want rate.Estimate
			saved := w.now.Add(-100 * time.Hour)
			for i := range 8 {
				at := w.now
				page := html(fmt.Sprintf("This is what the page says in its edition %[1]d, and %[1]d times it says so.", i))
				w.sight("/a", page, lastModified(saved))
				if tt.exact && i > 0 {
					want = want.SawChangeAt(at.Unix(), saved.Unix())
				} else {
					want = want.Saw(at.Unix(), i > 0)
				}
				for range 6 { // observations without a change
					w.wait(time.Hour)
					want = want.Saw(w.now.Unix(), false)
					w.sight("/a", page, lastModified(saved))
				}
				saved = w.now
				w.wait(3 * time.Hour)
			}
			freq, p := want.Freq()
			got := w.page("/a")
			if is, sure := got.Freq(); is != freq || sure != p {
				w.Errorf("%v with %v, want %v with %v", is, sure, freq, p)
			}
			if by := got.Entry.By; (by == lastmod.Server) != tt.exact {
				w.Errorf("the change was dated by %v", by)
			}
		})
	}
}
