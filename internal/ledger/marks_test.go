package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/rate"
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

func TestPriceIsCertainAtTheNextLookAndDatedToTheFirst(t *testing.T) {
	for _, again := range []string{"the same bytes", "other bytes", "after a restart"} {
		runWithShop(t, again, 3, func(r *rig, pages []string) {
			cheaper := product(0, "€ 9.95", shopMenu, about+pages[0])
			looked := r.looked[pages[0]]
			first := time.Now().Unix()
			r.sight(pages[0], cheaper)
			r.wantLastMod(pages[0], 0)
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

// What a page shares with the variants that name it as their canonical one does
// not belong to the site.
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
		r.sight(pages[0], news)
		if got := r.lastMod(pages[0]); got == 0 || got > want {
			t.Errorf("lastmod %d, want the time of the change, at most %d", got, want)
		}
	})
}

func TestMarkSize(t *testing.T) {
	withShop(t, 1, func(r *rig, pages []string) {
		n, err := r.ledger.MarkSize(r.Context(), pages[0])
		if err != nil || n == 0 || n > 160 {
			t.Errorf("a mark of %d bytes, %v", n, err)
		}
		if n, err := r.ledger.MarkSize(r.Context(), "/unknown"); err != nil || n != 0 {
			t.Errorf("a mark of %d bytes, %v, of an unknown page", n, err)
		}
	})
}

// A page that was old when it was first seen is known to change seldom as soon as
// its date has stood still for a day.
func TestOldPageIsSlowFromTheSecondDay(t *testing.T) {
	const old = 300 * 24 * time.Hour
	fixed := func(began, _ time.Time) time.Time { return began.Add(-old) }
	for _, tt := range []struct {
		name string
		date func(began, now time.Time) time.Time
		text string // from the second look on
		slow bool
	}{
		{"an old page", fixed, "The text.", true},
		{"no date", func(_, _ time.Time) time.Time { return time.Time{} }, "The text.", false},
		{"a date that moves with the clock", func(_, now time.Time) time.Time { return now.Add(-old) }, "The text.", false},
		{"an edited page", fixed, "Quite another text than the first one.", false},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			began := time.Now()
			r.sight("/", html("home", "/a"))
			see := func(text string) {
				dated := func(*look.Sighting) {}
				if d := tt.date(began, time.Now()); !d.IsZero() {
					dated = lastModified(d)
				}
				r.sight("/a", html(text), dated)
			}
			see("The text.")
			if got := r.page("/a").Entry.Freq; got != rate.Unknown {
				r.Errorf("changefreq %v at the first look", got)
			}
			time.Sleep(12 * time.Hour)
			see(tt.text)
			time.Sleep(13 * time.Hour)
			see(tt.text)
			if got := r.page("/a").Entry.Freq; (got == rate.Yearly || got == rate.Never) != tt.slow {
				r.Errorf("changefreq %v after a day, to be slow: %t", got, tt.slow)
			}
		})
	}
}
