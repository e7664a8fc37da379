package indexer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/index/observation"
)

// home is a page with a list of links to articles, whose names have no numbers.
func home(paragraphs string, links ...string) string {
	var b strings.Builder
	b.WriteString("<body><nav><a href=/far>far</a></nav><main><p>A farm above the village, where apples and pears are grown that nobody else has.</p>" + paragraphs + "<ul>")
	for _, l := range links {
		name := strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return r - '0' + 'k'
			}
			return r
		}, l)
		fmt.Fprintf(&b, "<li><a href=%s>about %s, and all of it</a></li>", l, name)
	}
	return b.String() + "</ul></main>"
}

// certainLooks is how many looks must show a new link, the first included, before it
// counts as a change.
const certainLooks = 4

// showHeld shows a new link on home until one look before it counts.
func showHeld(r *rig, links ...string) {
	r.Helper()
	for range certainLooks - 1 {
		r.sight("/", home("", links...))
	}
}

func TestPageThatAHeldLinkAnnouncesIsNew(t *testing.T) {
	const hour = time.Hour
	ago := func(d time.Duration) func(*observation.Exchange) { return lastModified(time.Now().Add(-d)) }
	certain := func(r *rig) { r.sight("/", home("", "/a", "/new")) }
	see := func(r *rig, change ...func(*observation.Exchange)) { r.sight("/new", html("what is new"), change...) }
	many := numbered("/m%d", 5)
	const no = -1
	// steps runs all. The date of the page is that of the first step, which shows the link,
	// less age; none if age is no.
	steps := func(age time.Duration, all ...func(*rig)) func(*rig) int64 {
		return func(r *rig) (want int64) {
			if age != no {
				want = time.Now().Add(-age).Unix()
			}
			for _, step := range all {
				step(r)
			}
			return want
		}
	}
	whenSeen := func(age time.Duration) time.Duration { return age - (certainLooks-1)*2*time.Second } // its first look, after held
	held := func(r *rig) { showHeld(r, "/a", "/new") }
	seen := func(r *rig) { see(r) }
	for _, tt := range []struct {
		name string
		show func(r *rig) (want int64)
	}{
		{"seen after the link", steps(0, held, seen, certain)},
		{"first seen when it is certain", steps(0, held, certain, seen)},
		{"not certain yet", steps(no, held, seen)},
		{"the program was started again", steps(0, held, seen, (*rig).restart, certain)},
		{"visited just before the look that showed the link", steps(no, seen, held, certain)},
		{"visited before a look that did not show the link", steps(no, seen, func(r *rig) { r.sight("/", home("", "/a")) }, held, certain)},
		{"it has an older date", steps(whenSeen(48*hour), held, func(r *rig) { see(r, ago(48*hour)) }, certain)},
		{"it was made some minutes before", steps(whenSeen(10*time.Minute), held, func(r *rig) { see(r, ago(10*time.Minute)) }, certain)},
		{"its date is the clock's", steps(whenSeen(0), held, func(r *rig) { see(r, ago(0)) }, certain, func(r *rig) {
			time.Sleep(2 * hour)
			see(r, ago(2*hour))
		})},
		{"linked elsewhere before", func(r *rig) int64 {
			r.sight("/a", html("an article", "/new"))
			showHeld(r, "/a", "/new")
			see(r)
			certain(r)
			return 0
		}},
		{"linked from a menu", func(r *rig) int64 {
			for range certainLooks {
				r.sight("/", strings.Replace(home("", "/a", "/x"), "</nav>", "<a href=/new>new</a></nav>", 1))
			}
			see(r)
			return 0
		}},
		{"not there at one of the looks", func(r *rig) int64 {
			r.sight("/", home("", "/a", "/x", "/new"))
			r.sight("/", home("", "/a", "/x"))
			see(r)
			for range 3 * certainLooks {
				r.sight("/", home("", "/a", "/x", "/new"))
			}
			return 0
		}},
		{"among many links", func(r *rig) int64 {
			more := append([]string{"/a", "/new"}, many...)
			at := time.Now().Unix()
			showHeld(r, more...)
			see(r)
			r.sight("/", home("", more...))
			return at
		}},
		{"changed since", func(r *rig) int64 {
			showHeld(r, "/a", "/new")
			see(r)
			at := time.Now().Unix()
			r.sight("/new", html("something else, and a good deal of it"))
			certain(r)
			return at
		}},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.sight("/", home("", "/a"))
			time.Sleep(hour)
			r.sight("/", home("", "/a"))
			want := tt.show(r)
			r.wantLastMod("/new", want)
			stamp := "<loc>https://example.com/new</loc><lastmod>" + fromSeconds(want).UTC().Format(time.RFC3339)
			if file, _ := r.file(); want != 0 && !strings.Contains(file, stamp) {
				r.Errorf("%s is not in %s", stamp, file)
			}
		})
	}
}

// An article of the day, or of the minute, is as old as ever.
func TestRotatingLinksDateNothing(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		const articles, price = 40, "<p>Apples: € %d.50 a pound</p>"
		show := func(i int) {
			r.sight("/", home(fmt.Sprintf(price, max(0, i-articles)/20), fmt.Sprintf("/article-%d", i%articles)))
			time.Sleep(time.Minute)
		}
		for i := range 3 * articles {
			show(i)
			r.sight(fmt.Sprintf("/article-%d", i%articles), html(fmt.Sprintf("article %d", i%articles)))
		}
		for i := range articles {
			location := fmt.Sprintf("/article-%d", i)
			if p := r.page(location); p.FirstSeen.IsZero() || p.Entry.By == lastmod.Link {
				t.Errorf("%s was first seen %v, and has the date %+v", location, p.FirstSeen, p.Entry.Date)
			}
		}
		if n := r.page("/").Changes; n == 0 {
			t.Error("the prices changed, and nothing was seen of it")
		}
	})
}

// A list gets more links at once than a mark follows blocks.
func TestListAnnouncesAllOfManyLinks(t *testing.T) {
	articles := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("/an-article-of-some-length-%c%c", 'a'+i/26, 'a'+i%26))
		}
		return all
	}
	inBubble(t, Config{}, func(r *rig) {
		for range 3 {
			r.sight("/", home("", articles(10)...))
			time.Sleep(time.Hour)
		}
		at := time.Now().Unix()
		r.sight("/", home("", articles(50)...))
		for _, location := range articles(50)[10:] {
			r.sight(location, html("what is new at "+location))
			r.wantLastMod(location, at)
		}
	})
}
