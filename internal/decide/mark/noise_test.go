package mark_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/mark"
)

func token(r *rand.Rand) string { return fmt.Sprintf("%016x", r.Uint64()) }

// pool draws a text of n words from a fixed list.
func pool(name string, r *rand.Rand, size, n int) string {
	fixed := rand.New(rand.NewPCG(uint64(len(name)), uint64(r.IntN(size))))
	return sentence(fixed, n)
}

var kinds = []noise{
	{"tokens", func(w *website, a *article, s *slots) {
		s.head += `<meta name="csrf-token" content="` + token(w.r) + `">`
		s.byline += `<form><input type="hidden" name="t" value="` + token(w.r) + `"></form><div data-key="` + token(w.r) + `"></div>`
	}},
	{"visible request ids", func(w *website, a *article, s *slots) { s.end += "<p>Request " + token(w.r) + "</p>" }},
	{"nonces", func(w *website, a *article, s *slots) {
		s.head += fmt.Sprintf(`<script nonce="%s">var t="%s"</script>`, token(w.r), token(w.r))
	}},
	{"timestamps", func(w *website, a *article, s *slots) {
		s.end += fmt.Sprintf("<p>This page was made at %02d:%02d:%02d by the server</p>", w.now/3600%24, w.now/60%60, w.now%60)
	}},
	{"ages", func(w *website, a *article, s *slots) {
		s.byline += fmt.Sprintf("<p>Updated %d hours ago</p>", 1+w.r.IntN(20))
	}},
	{"counters", func(w *website, a *article, s *slots) {
		s.byline += fmt.Sprintf("<span>%d views</span>", w.now/60%100000+int64(a.id))
	}},
	{"counter of the site", func(w *website, a *article, s *slots) {
		s.foot += fmt.Sprintf("<p>%d visitors since 1999</p>", w.now/7)
		s.end += fmt.Sprintf("<p>%d readers are online</p>", w.r.IntN(500))
	}},
	{"ads", func(w *website, a *article, s *slots) {
		s.middle += `<div class="ad"><p>` + pool("ad", w.r, 200, 15) + "</p></div>"
	}},
	{"related links", func(w *website, a *article, s *slots) {
		s.end += "<h3>You may like</h3><ul>"
		for range 3 {
			other := w.pages[w.r.IntN(len(w.pages))]
			s.end += fmt.Sprintf(`<li><a href="/%d">%s</a></li>`, other.id, other.title)
		}
		s.end += "</ul>"
	}},
	{"two versions of a call", func(w *website, a *article, s *slots) {
		if w.r.IntN(2) == 0 {
			s.cta = "Get ten per cent off when you sign up for the letter today"
		}
	}},
	{"another language", func(w *website, a *article, s *slots) {
		if w.r.IntN(3) == 0 && a.mark != (mark.Mark{}) {
			s.lang = "de"
		}
	}},
	{"cookie banner", func(w *website, a *article, s *slots) {
		if w.r.IntN(3) > 0 {
			s.top += `<div class="consent"><p>We use cookies to remember what you like and to count our visitors.</p><button>Accept</button></div>`
		}
	}},
	{"rotating quotes", func(w *website, a *article, s *slots) {
		s.middle += "<blockquote>" + pool("quote!", w.r, 6, 12) + "</blockquote>"
	}},
	{"a random quote of 30", func(w *website, a *article, s *slots) {
		s.middle += "<p>" + pool("thirty", w.r, 30, 14) + "</p>"
	}},
	{"a fresh sentence", func(w *website, a *article, s *slots) { s.end += "<p>" + sentence(w.r, 12) + "</p>" }},
	{"the date of today", func(w *website, a *article, s *slots) {
		s.byline += "<p>Last updated: " + time.Unix(w.now, 0).UTC().Format("2 January 2006") + "</p>"
		s.end += "<p>Prices as of " + time.Unix(w.now, 0).UTC().Format("2006-01-02") + " with all taxes</p>"
	}},
	{"weather of the hour", func(w *website, a *article, s *slots) {
		r := rand.New(rand.NewPCG(5, uint64(w.now/3600)))
		s.middle += fmt.Sprintf("<p>It is %d degrees, with a %s wind</p>", r.IntN(30), words[r.IntN(len(words))])
	}},
	{"two headlines", func(w *website, a *article, s *slots) {
		s.byline += "<h2>" + pool(a.title, w.r, 2, 7) + "</h2>"
	}},
	{"latest news beside", func(w *website, a *article, s *slots) {
		s.aside += "<ul>"
		for i := range 3 {
			fixed := rand.New(rand.NewPCG(99, uint64(w.now/7200)+uint64(i)))
			s.aside += `<li><a href="/n">` + sentence(fixed, 5) + "</a></li>"
		}
		s.aside += "</ul>"
	}},
	{"challenges", func(w *website, a *article, s *slots) {
		if w.r.IntN(5) == 0 && a.mark != (mark.Mark{}) {
			s.whole = `<html><head><title>Just a moment</title></head><body><h1>Checking your browser</h1><p>Ray ` + token(w.r) + "</p></body></html>"
		}
	}},
	{"errors", func(w *website, a *article, s *slots) {
		if w.r.IntN(9) == 0 && a.mark != (mark.Mark{}) {
			s.whole = `<html lang="en"><body><main><h1>Sorry</h1><p>Something went wrong on our side. Please try again in a while.</p></main></body></html>`
		}
	}},
}

// rotation makes every page a list, of which each look shows other items.
var rotation = noise{"list rotation", func(w *website, a *article, s *slots) { s.whole = w.list(a) }}

// seeds is how many sites of each sort are made up.
var seeds = flag.Int("seeds", 1, "how many random sites to try each noise and edit on")

// learning is how many looks at each page teach what moves.
const learning = 40

// templates runs a test for each template of a site and each seed. In short mode it runs
// only the harder template of one site.
func templates(t *testing.T, fn func(t *testing.T, seed int, soup bool)) {
	if testing.Short() {
		fn(t, 0, true)
		return
	}
	for seed := range *seeds {
		for soup, name := range map[bool]string{false: "semantic", true: "soup of divs"} {
			t.Run(fmt.Sprintf("%s %d", name, seed), func(t *testing.T) {
				t.Parallel()
				fn(t, seed, soup)
			})
		}
	}
}

func TestNoiseIsNoChange(t *testing.T) {
	rows := append([]noise{{"none", func(*website, *article, *slots) {}}, rotation}, kinds...)
	if testing.Short() {
		rows = rows[:2]
	}
	for _, k := range rows {
		t.Run(k.name, func(t *testing.T) {
			templates(t, func(t *testing.T, seed int, soup bool) { wantQuiet(t, newWebsite(seed, soup, 8, k), 0) })
		})
	}
	t.Run("all together", func(t *testing.T) {
		templates(t, func(t *testing.T, seed int, soup bool) { wantQuiet(t, newWebsite(seed, soup, 8, kinds...), 6) })
	})
}

func wantQuiet(t *testing.T, w *website, most int) {
	w.rounds(learning)
	taught := w.changes()
	w.rounds(60)
	if n := w.changes() - taught; n > most {
		t.Errorf("%d false changes in %d looks after learning (%d while learning)", n, 60*len(w.pages), taught)
	}
	t.Logf("%d false changes while learning, in %d looks", taught, learning*len(w.pages))
}
