package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/testkit/base"
)

// home is a page with a list of links to articles.
func home(paragraphs string, links ...string) string {
	var b strings.Builder
	b.WriteString("<body><nav><a href=/far>far</a></nav><main><p>A farm above the village, where apples and pears are grown that nobody else has.</p>" + paragraphs + "<ul>")
	for _, l := range links {
		fmt.Fprintf(&b, "<li><a href=%s>about %s</a></li>", l, l)
	}
	return b.String() + "</ul></main>"
}

// certainLooks is how many looks at a link it takes, the first one included, until
// it is certain that it is a change.
const certainLooks = 17

// showHeld has home show a new link until it is almost certain.
func showHeld(r *rig, links ...string) {
	r.Helper()
	for range certainLooks - 1 {
		r.sight("/", home("", links...))
	}
}

func TestPageThatAHeldLinkAnnouncesIsNew(t *testing.T) {
	const hour = time.Hour
	ago := func(d time.Duration) func(*look.Sighting) { return lastModified(time.Now().Add(-d)) }
	certain := func(r *rig) { r.sight("/", home("", "/a", "/new")) }
	see := func(r *rig, change ...func(*look.Sighting)) int64 {
		at := time.Now().Unix()
		r.sight("/new", html("what is new"), change...)
		return at
	}
	many := numbered("/m%d", linksAtOnce+20)
	// steps runs all. If the page should be dated, its date is that of its first look,
	// less age.
	steps := func(dated bool, age time.Duration, all ...func(*rig)) func(*rig) int64 {
		return func(r *rig) (want int64) {
			for _, step := range all {
				before := r.page("/new").Looks
				at := time.Now().Add(-age).Unix()
				if step(r); dated && before == 0 && r.page("/new").Looks == 1 {
					want = at
				}
			}
			return want
		}
	}
	held := func(r *rig) { showHeld(r, "/a", "/new") }
	seen := func(r *rig) { see(r) }
	for _, tt := range []struct {
		name string
		show func(r *rig) (want int64)
	}{
		{"seen after the link", steps(true, 0, held, seen, certain)},
		{"first seen when it is certain", steps(true, 0, held, certain, seen)},
		{"not certain yet", steps(false, 0, held, seen)},
		{"the program was started again", steps(true, 0, held, seen, (*rig).restart, certain)},
		{"visited just before the look that showed the link", steps(false, 0, seen, held, certain)},
		{"visited before a look that did not show the link", steps(false, 0, seen, func(r *rig) { r.sight("/", home("", "/a")) }, held, certain)},
		{"it has an older date", steps(true, 48*hour, held, func(r *rig) { see(r, ago(48*hour)) }, certain)},
		{"it was made some minutes before", steps(true, 10*time.Minute, held, func(r *rig) { see(r, ago(10*time.Minute)) }, certain)},
		{"its date is the clock's", steps(true, 0, held, func(r *rig) { see(r, ago(0)) }, certain, func(r *rig) {
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
			showHeld(r, more...)
			at := see(r)
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
			if stamp := "<loc>https://example.com/new</loc><lastmod>" + fromSeconds(want).UTC().Format(time.RFC3339); want != 0 && !strings.Contains(served(r)["sitemap.xml"], stamp) {
				r.Errorf("%s is not in %s", stamp, served(r)["sitemap.xml"])
			}
		})
	}
}

// An article of the day, or of the minute, is as old as ever.
func TestRotatingLinksDateNothing(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		const articles, price = 40, "<p>Apples: %d.50 a pound</p>"
		show := func(i int) {
			r.sight("/", home(fmt.Sprintf(price, i/20), fmt.Sprintf("/article-%d", i%articles)))
			time.Sleep(time.Minute)
		}
		for i := range 3 * articles {
			show(i)
			r.sight(fmt.Sprintf("/article-%d", i%articles), html(fmt.Sprintf("article %d", i%articles)))
		}
		for i := range articles {
			location := fmt.Sprintf("/article-%d", i)
			if p := r.page(location); p.FirstSeen.IsZero() || p.Entry.Fresh != 0 {
				t.Errorf("%s was first seen %v, and is new since %d", location, p.FirstSeen, p.Entry.Fresh)
			}
		}
		if n := r.page("/").Changes; n == 0 {
			t.Error("the prices changed, and nothing was seen of it")
		}
	})
}

func TestReplicaKnowsWhatAnotherSawAnnounced(t *testing.T) {
	inFleet(t, func(a, b *rig) {
		a.sight("/", home("", "/a"))
		var at int64
		for i := range certainLooks {
			if r := []*rig{a, b}[i%2]; i != certainLooks/2 {
				r.sight("/", home("", "/a", "/new"))
				continue
			}
			at = time.Now().Unix()
			b.sight("/new", html("what is new"))
			a.sight("/", home("", "/a", "/new"))
		}
		time.Sleep(told)
		for _, r := range []*rig{a, b} {
			r.flush()
			r.wantLastMod("/new", at)
			if !strings.Contains(served(r)["sitemap.xml"], "/new</loc><lastmod>"+fromSeconds(at).UTC().Format(time.RFC3339)) {
				t.Errorf("the file is %s", served(r)["sitemap.xml"])
			}
		}
	})
}

func TestAnnouncedPageSurvivesALostAnswer(t *testing.T) {
	for _, lost := range []int{0, 1, certainLooks - 1} {
		st := base.NewStore()
		runInBubble(t, fmt.Sprintf("at look %d", lost), Config{Store: st}, func(r *rig) {
			r.sight("/", home("", "/a"))
			for i := range certainLooks {
				if i == lost {
					st.LoseAnswers(errStore)
					r.offer(seen("/", home("", "/a", "/new")))
					if err := r.ledger.Flush(r.Context()); err == nil {
						r.Error("the answer was not lost")
					}
					st.Mend()
					r.wait(time.Minute)
				} else {
					r.sight("/", home("", "/a", "/new"))
				}
				if i == 2 {
					r.sight("/new", html("what is new"))
				}
			}
			if p := r.page("/new"); p.Entry.Fresh == 0 || p.Entry.Fresh != moment.Of(p.FirstSeen) {
				r.Errorf("new since %d, first seen at %d", p.Entry.Fresh, p.FirstSeen.Unix())
			}
		})
	}
}

// No more is remembered of links than what is held may need.
func TestNewLinksAreRememberedWhileSomethingIsHeld(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		wantRemembered := func(want int) {
			t.Helper()
			got := 0
			err := record.Open([]byte(r.dump()["https://example.com|page|/"]), func(f record.Field) {
				if f.Num == 6 { // a new link
					got++
				}
			})
			if err != nil || got != want {
				t.Errorf("%d links are remembered, want %d (%v)", got, want, err)
			}
		}
		r.sight("/", home("", "/a"))
		wantRemembered(0)
		showHeld(r, "/a", "/1", "/2")
		wantRemembered(2)
		r.sight("/", home("", "/a", "/1", "/2"))
		wantRemembered(0)
		links := numbered("/other-%d", 3*8)
		r.sight("/", home("", links...))
		wantRemembered(8)
		r.sight("/", home("", "/a", "/1", "/2"))
		wantRemembered(0)
	})
}
