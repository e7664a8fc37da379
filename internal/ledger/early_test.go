package ledger

import (
	"fmt"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/look"
)

func TestLinksOfAPageReadBeforeItWasListedCount(t *testing.T) {
	hub, leaf, home := html("hub", "/leaf"), html("leaf"), html("home", "/hub")
	all := []string{"/", "/hub", "/leaf"}
	for _, tt := range []struct {
		name string
		see  func(*rig)
		want []string
	}{
		{"one after the other", func(r *rig) {
			r.sight("/hub", hub)
			r.sight("/leaf", leaf)
			r.sight("/", home)
		}, all},
		{"all at once", func(r *rig) {
			together(r, []*look.Sighting{seen("/hub", hub), seen("/leaf", leaf), seen("/", home)})
		}, all},
		{"one leads to the next", func(r *rig) {
			r.sight("/leaf", leaf)
			r.sight("/hub", hub)
			r.sight("/list", html("list", "/hub"))
			r.sight("/", html("home", "/list"))
		}, []string{"/", "/hub", "/leaf", "/list"}},
		{"more than one transaction takes", func(r *rig) {
			links := []string{"/leaf"}
			for i := range 5 * linksAtOnce {
				links = append(links, fmt.Sprintf("/%d", i))
			}
			r.sight("/leaf", leaf)
			r.sight("/hub", html("hub", links...))
			r.sight("/", home)
		}, all},
		{"by a redirect", func(r *rig) {
			r.answer("/hub/index.html", 301, redirect("/hub/"))
			r.sight("/hub/", hub)
			r.sight("/leaf", leaf)
			r.sight("/", html("home", "/hub/index.html"))
		}, []string{"/", "/hub/", "/leaf"}},
		{"by a redirect, all at once", func(r *rig) {
			together(r, []*look.Sighting{answered("/hub", 301, redirect("/hub/")), seen("/hub/", hub), seen("/leaf", leaf), seen("/", home)})
		}, []string{"/", "/hub/", "/leaf"}},
		{"by a redirect that does not stay", func(r *rig) {
			r.answer("/hub", 302, redirect("/hub/"))
			r.sight("/hub/", hub)
			r.sight("/leaf", leaf)
			r.sight("/", home)
		}, []string{"/"}},
		{"by a redirect that may be one visitor's", func(r *rig) {
			r.answer("/hub", 301, redirect("/welcome"))
			r.sight("/welcome", hub)
			r.sight("/leaf", leaf)
			r.sight("/", home)
		}, []string{"/"}},
		{"none of which is followed", func(r *rig) {
			r.sight("/hub", strings.Replace(hub, "<head>", "<head><meta name=robots content=nofollow>", 1))
			r.sight("/leaf", leaf)
			r.sight("/", home)
		}, []string{"/", "/hub"}},
		{"which is not listed then either", func(r *rig) {
			r.sight("/hub", hub)
			r.sight("/leaf", leaf)
			r.answer("/hub", 410)
			r.sight("/", home)
		}, []string{"/"}},
		{"with more links than are remembered", func(r *rig) {
			r.sight("/hub", hub)
			r.sight("/leaf", leaf)
			for i := range 20 {
				var links []string
				for j := range 100 {
					links = append(links, fmt.Sprintf("/%s/%d-%d", strings.Repeat("long", 200), i, j))
				}
				together(r, []*look.Sighting{seen(fmt.Sprintf("/other/%d", i), html("other", links...))})
			}
			r.sight("/", home)
		}, []string{"/", "/hub"}},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			tt.see(r)
			r.flush()
			r.wantListed(tt.want...)
		})
	}
}

// Everything else on the page is read at its next visit.
func TestPageThatWasReadBeforeItIsListedIsReadAgain(t *testing.T) {
	inBubble(t, Config{Extensions: allExtensions}, func(r *rig) {
		page := illustrated(`one <a href="/b">b</a>`, "/1.png")
		r.sight("/a", page)
		r.sight("/b", html("two"))
		r.sight("/", html("home", "/a"))
		r.wantListed("/", "/a", "/b")
		r.wantImages("/a")
		if r.looked["/a"] == 0 {
			t.Error("/a was not made due")
		}
		r.sight("/a", page)
		r.wantImages("/a", "/1.png")
	})
}
