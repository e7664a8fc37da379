package merge

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

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
	for _, again := range []string{"the same bytes", "other bytes"} {
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
			if again == "other bytes" {
				cheaper = strings.Replace(cheaper, "<head>", "<head><meta name=x content=y>", 1)
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
		s.Variant = observation.VariantOf("Accept-Language", http.Header{"Accept-Language": {lang + "-XX," + lang + ";q=0.9"}})
	}
}

// A page that answers in the visitor's language does not change with the
// visitor, and an edit in one language is a change.
func TestLanguageOfTheVisitorIsNoChangeAndAnEditIs(t *testing.T) {
	for _, tt := range []struct {
		name   string
		says   string
		langs  []string
		edited string
	}{
		{"two, declared, the first is edited", "its own", []string{"en", "de"}, "en"},
		{"two, not declared, the second is edited", "", []string{"en", "de"}, "de"},
		{"three, not declared", "", []string{"en", "de", "fr"}, "fr"},
		{"two, and visitors of languages that the site does not have", "its own", []string{"en", "de", "es", "it", "nl"}, "en"},
		{"two, and visitors of more languages than are remembered", "en", strings.Fields("en de es it nl en de no es it nl no pl ro ru sk sl sv"), "en"},
		{"in bursts", "", []string{"en", "en", "en", "de", "de", "de"}, "de"},
	} {
		run(t, tt.name, options{}, func(w *world) {
			w.sight("/", html("home", "/a"))
			see := func(i int, edit string) {
				lang := tt.langs[i%len(tt.langs)]
				if lang != tt.edited && !(tt.edited == "en" && lang != "de" && lang != "fr") {
					edit = ""
				}
				w.sight("/a", negotiated(lang, edit, tt.says), speaking(lang))
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

// A page of six paragraphs in each language, all of which are written anew. Every fourth visitor prefers German.
func TestTextThatIsRewrittenInAllLanguagesIsDated(t *testing.T) {
	for _, tt := range []struct {
		name, german string // what the German page says of its language
		by           func(lang string) func(*observation.Observation)
	}{
		{"Vary names the language, the page always names English", "en", speaking},
		{"Vary names nothing, the page names its language", "de", func(string) func(*observation.Observation) { return func(*observation.Observation) {} }},
	} {
		run(t, tt.name, options{}, func(w *world) {
			w.sight("/", html("home", "/a"))
			see := func(i int, version string) {
				lang := []string{"", "en", "de", "en"}[i%4]
				german, says, text := lang == "de", "en", ""
				if german {
					says = tt.german
				}
				for j := range 6 {
					for k := range 8 {
						text += fmt.Sprintf("%s%x ", map[bool]string{true: "wort", false: "word"}[german], xxh3.HashString(fmt.Sprint(version, german, j, k)))
					}
					text += "</p><p>"
				}
				w.sight("/a", negotiated("", text, says), tt.by(lang))
				w.wait(time.Hour)
			}
			for i := range 40 {
				see(i, "first")
			}
			if w.lastMod("/a") != 0 {
				w.Errorf("%d changes of a page that stayed as it was", w.page("/a").Dates.Count)
			}
			want := w.now.Unix()
			for i := range 12 {
				see(i, "second")
			}
			w.wantLastMod("/a", want)
		})
	}
}
