package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"
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
func runWithShop(t *testing.T, name string, n int, fn func(r *rig, pages []string)) {
	t.Run(name, func(t *testing.T) { withShop(t, n, fn) })
}

// withShop runs fn with a site of n listed products that were seen twice.
func withShop(t *testing.T, n int, fn func(r *rig, pages []string)) {
	inBubble(t, Config{}, func(r *rig) {
		pages := numbered("/thing-%d", n)
		r.sight("/", html("home", pages...))
		for range 2 {
			for i, p := range pages {
				r.sight(p, product(i, fmt.Sprintf("€ %d.95", 20+i), shopMenu, about+p))
			}
			time.Sleep(time.Hour)
		}
		fn(r, pages)
	})
}

// A page that was seen only once may change by itself, so new text on it is held.
func TestFirstNewsAreCertainAtTheNextLookAndDatedToTheFirst(t *testing.T) {
	for _, again := range []string{"the same bytes", "other bytes", "after a restart"} {
		runWithShop(t, again, 3, func(r *rig, _ []string) {
			pages := []string{"/thing-3"}
			r.sight("/", html("home, and more", pages...))
			r.sight(pages[0], product(0, "€ 19.95", shopMenu, about+pages[0]))
			time.Sleep(time.Hour)
			cheaper := product(0, "€ 9.95", shopMenu, about+pages[0])
			looked, was := r.looked[pages[0]], r.lastMod(pages[0])
			first := time.Now().Unix()
			r.sight(pages[0], cheaper)
			r.wantLastMod(pages[0], was)
			if r.looked[pages[0]] != looked+1 {
				r.Error("a page that may have changed is not looked at again soon")
			}
			time.Sleep(time.Hour)
			switch again {
			case "other bytes":
				cheaper = strings.Replace(cheaper, "<head>", "<head><meta name=x content=y>", 1)
			case "after a restart":
				r.restart()
			}
			r.sight(pages[0], cheaper)
			r.wantLastMod(pages[0], first)
			if n := r.page(pages[0]).Changes; n != 1 {
				r.Errorf("%d changes, want 1", n)
			}
		})
	}
}

// A text that a page shares only with its own variants is not furniture of the site.
func TestContentOfVariantsBelongsToThePage(t *testing.T) {
	withShop(t, 3, func(r *rig, pages []string) {
		canonical := fmt.Sprintf(`<head><link rel="canonical" href="%s">`, pages[0])
		body := strings.Replace(product(0, "€ 20.95", shopMenu, about+pages[0]), "<head>", canonical, 1)
		news := strings.Replace(body, about, "All of this was written for the next winter.", 1)
		for _, v := range []string{"?a=1", "?b=1", "?c=1", "?d=1"} {
			r.sight(pages[0]+v, body, ownURL)
		}
		time.Sleep(time.Hour)
		for _, v := range []string{"?a=1", "?b=1", "?c=1", "?d=1"} {
			r.sight(pages[0]+v, news, ownURL)
		}
		want := time.Now().Unix()
		for range 2 { // the first look is held
			r.sight(pages[0], news)
			time.Sleep(time.Hour)
		}
		r.wantLastMod(pages[0], want)
	})
}
