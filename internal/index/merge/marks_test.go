package merge

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/testkit/base"
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

// quiet is how many observations without news it takes until a page's small news count at once.
const quiet = 5

// withShop returns a site of n listed products that have been quiet for long enough.
func withShop(t *testing.T, n int) (w *world, pages []string) {
	w, pages = newWorld(t, options{}), numbered("/thing-%d", n)
	w.sight("/", html("home", pages...))
	for range 1 + quiet {
		for i, p := range pages {
			w.sight(p, product(i, fmt.Sprintf("€ %d.95", 20+i), shopMenu, about+p))
		}
		w.wait(time.Hour)
	}
	return w, pages
}

// A page that was seen only once may change by itself, so new text on it is held.
func TestHeldNewsAreConfirmedByMoreObservationsAndDatedToTheFirst(t *testing.T) {
	for _, again := range []string{"the same bytes", "other bytes"} {
		t.Run(again, func(t *testing.T) {
			w, _ := withShop(t, 3)
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
			if again == "other bytes" {
				cheaper = strings.Replace(cheaper, "<head>", "<head><meta name=x content=y>", 1)
			}
			for range quiet {
				w.sight(pages[0], cheaper)
				w.wait(time.Hour)
			}
			w.wantLastMod(pages[0], first)
			base.Equal(w, w.page(pages[0]).Dates.Count, 1, "changes")
		})
	}
}

// A text that a page shares only with its own variants is not boilerplate of the site.
func TestContentOfVariantsBelongsToThePage(t *testing.T) {
	w, pages := withShop(t, 3)
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
}

// negotiated is a page in the language that a visitor prefers, English if there is no such text. says is the
// language that it names: "its own", one that it always names, or "".
func negotiated(lang, edit, says string) string {
	texts := map[string]string{
		"en": "It comes in a box that keeps the rain off for a year or longer than that. Nobody has ever sent one back to us.",
		"de": "Es kommt in einer Kiste, die den Regen für ein Jahr oder länger abhält. Niemand hat je eines zurückgeschickt.",
		"fr": "Il arrive dans une boîte qui le protège de la pluie pendant un an ou plus. Personne ne nous l'a jamais rendu.",
	}
	text := texts[lang]
	if text == "" {
		lang, text = "en", texts["en"]
	}
	attr := ""
	if says == "its own" {
		says = lang
	}
	if says != "" {
		attr = fmt.Sprintf(" lang=%q", says)
	}
	return fmt.Sprintf(`<html%s><head><title>Thing</title></head><body><main><h1>Thing %s</h1><p>%s</p><p>%s</p></main></body></html>`,
		attr, lang, text, edit)
}

func speaking(lang string) func(*observation.Observation) {
	return func(s *observation.Observation) {
		s.Prefers = observation.Preferred("Accept-Language",
			http.Header{"Accept-Language": {lang + "-XX," + lang + ";q=0.9"}})
	}
}

// A page that answers in the visitor's language has one text: that in the language of its first visitor, or that which
// the site gets itself. What others get changes nothing, until for a day nobody got its own.
func TestPageHasTheTextOfOneLanguage(t *testing.T) {
	const edit = "From the next winter on, all of it will be made of wood that grows beside the house."
	for _, tt := range []struct {
		name   string
		says   string
		langs  []string // of the visitors, in turn
		looks  bool     // the site looks itself, and gets English
		edited []string // the languages whose text is edited
		later  []string // the visitors from then on
		dated  int      // the visit after the edit that dates it, 0 for none
	}{
		{"two, declared, its own is edited", "its own", []string{"en", "de"}, false, []string{"en"}, nil, 1},
		{"two, declared, another is edited", "its own", []string{"en", "de"}, false, []string{"de"}, nil, 0},
		{"two, not declared, its own is edited", "", []string{"de", "en"}, false, []string{"de"}, nil, 1},
		{"three, not declared, another is edited", "", []string{"en", "de", "fr"}, false, []string{"de", "fr"}, nil, 0},
		{"two, and visitors of languages that the site does not have", "its own", strings.Fields("en de es it nl"), false,
			[]string{"en"}, nil, 1},
		{"many, which the page does not declare", "en", strings.Fields("en de es it nl en de no es it nl no pl ro ru sk"),
			false, []string{"en"}, nil, 1},
		{"in bursts", "", strings.Fields("en en en de de de"), false, []string{"en", "de"}, nil, 1},
		{"an odd first visitor, and all others get another one", "its own", strings.Fields("fr" + strings.Repeat(" en", 29)),
			false, []string{"en"}, []string{"en"}, 1},
		{"the site itself gets English, its visitors German", "its own", []string{"de"}, true, []string{"en", "de"}, nil, 1},
		{"the site itself gets what its visitors prefer, not declared", "", []string{"en"}, true, []string{"en"}, nil, 1},
		{"the site itself gets what some prefer, not declared", "", []string{"de", "en"}, true, []string{"en"}, nil, 1},
		{"the site itself gets English, not declared, and German is edited", "", []string{"de", "en"}, true, []string{"de"},
			nil, 0},
		{"the site itself gets English, and German is edited", "its own", []string{"en", "de"}, true, []string{"de"}, nil, 0},
	} {
		run(t, tt.name, options{}, func(w *world) {
			w.sight("/", html("home", "/a"))
			if tt.looks {
				w.site.Looking = Works
			}
			see := func(lang, edit string) (at int64) { // when what decides was seen
				text := func(lang string) string {
					is := lang
					if lang != "de" && lang != "fr" {
						is = "en"
					}
					if !slices.Contains(tt.edited, is) {
						return negotiated(lang, "", tt.says)
					}
					return negotiated(lang, edit, tt.says)
				}
				w.looks, at = nil, w.now.Unix()
				if w.sight("/a", text(lang), speaking(lang)); slices.Contains(w.looks, "/a") ||
					tt.looks && w.page("/a").Observations == 1 {
					at = w.now.Unix()
					w.sight("/a", text("en"), own)
				}
				w.wait(time.Hour)
				return at
			}
			for i := range 30 {
				see(tt.langs[i%len(tt.langs)], "")
			}
			if p := w.page("/a"); p.Dates.Count != 0 || w.lastMod("/a") != 0 {
				w.Fatalf("%d changes of a page that stayed as it was", p.Dates.Count)
			}
			visitors, want := tt.langs, int64(0)
			if tt.later != nil {
				visitors = tt.later
			}
			for i := range 4 * len(visitors) {
				if at := see(visitors[i%len(visitors)], edit); i == tt.dated-1 {
					want = at
				}
			}
			if p := w.page("/a"); p.Dates.Count != uint64(min(tt.dated, 1)) {
				w.Errorf("%d changes", p.Dates.Count)
			}
			w.wantLastMod("/a", want)
		})
	}
}
