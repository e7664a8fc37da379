package merge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/index/observation"
)

// home is a page with a list of links to articles, whose names have no numbers.
func home(paragraphs string, links ...string) string {
	var b strings.Builder
	b.WriteString("<body><nav><a href=/far>far</a></nav><main><p>A farm above the village, where apples and pears are " +
		"grown that nobody else has.</p>" + paragraphs + "<ul>")
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

// certainObservations is how many observations must show a new link, the first included, before it
// counts as a change.
const certainObservations = 4

// showHeld shows a new link on home until one observation before it counts.
func showHeld(w *world, links ...string) {
	w.Helper()
	for range certainObservations - 1 {
		w.sight("/", home("", links...))
	}
}

func TestPageThatAHeldLinkAnnouncesIsNew(t *testing.T) {
	const hour = time.Hour
	ago := func(d time.Duration) change { // before the observation
		return func(e *observation.Observation) { lastModified(e.At.Add(-d))(e) }
	}
	certain := func(w *world) { w.sight("/", home("", "/a", "/new")) }
	see := func(w *world, changes ...change) { w.sight("/new", html("what is new"), changes...) }
	const no = -1
	// steps runs all. The date of the page is that of the first step, which shows the link,
	// less age; none if age is no.
	steps := func(age time.Duration, all ...func(*world)) func(*world) int64 {
		return func(w *world) (want int64) {
			if age != no {
				want = w.now.Add(-age).Unix()
			}
			for _, step := range all {
				step(w)
			}
			return want
		}
	}
	// its first observation, after held
	whenSeen := func(age time.Duration) time.Duration { return age - (certainObservations-1)*2*time.Second }
	held := func(w *world) { showHeld(w, "/a", "/new") }
	seen := func(w *world) { see(w) }
	for _, tt := range []struct {
		name string
		show func(w *world) (want int64)
	}{
		{"seen after the link", steps(0, held, seen, certain)},
		{"first seen when it is certain", steps(0, held, certain, seen)},
		{"not certain yet", steps(no, held, seen)},
		{"visited just before the observation that showed the link", steps(no, seen, held, certain)},
		{"visited before an observation that did not show the link", steps(no, seen,
			func(w *world) { w.sight("/", home("", "/a")) }, held, certain)},
		{"it has an older date", steps(whenSeen(48*hour), held, func(w *world) { see(w, ago(48*hour)) }, certain)},
		{"its date is the clock's", steps(whenSeen(0), held, func(w *world) { see(w, ago(0)) }, certain, func(w *world) {
			w.wait(2 * hour)
			see(w, ago(2*hour))
		})},
		{"linked elsewhere before", func(w *world) int64 {
			w.sight("/a", html("an article", "/new"))
			showHeld(w, "/a", "/new")
			see(w)
			certain(w)
			return 0
		}},
		{"not there at one of the observations", func(w *world) int64 {
			w.sight("/", home("", "/a", "/x", "/new"))
			w.sight("/", home("", "/a", "/x"))
			see(w)
			for range 3 * certainObservations {
				w.sight("/", home("", "/a", "/x", "/new"))
			}
			return 0
		}},
		{"changed since", func(w *world) int64 {
			showHeld(w, "/a", "/new")
			see(w)
			at := w.now.Unix()
			w.sight("/new", html("something else, and a good deal of it"))
			certain(w)
			return at
		}},
	} {
		run(t, tt.name, options{}, func(w *world) {
			w.sight("/", home("", "/a"))
			w.wait(hour)
			w.sight("/", home("", "/a"))
			want := tt.show(w)
			w.wantLastMod("/new", want)
		})
	}
}

// A home page with the last three posts shows a new one in the place of the oldest. What takes the place of a link in a
// box of related pages was linked to before. A post that somebody asked for before its first link was seen may be
// older.
func TestLinkToANewPageIsAChangeInThePlaceOfAnother(t *testing.T) {
	for _, tt := range []struct {
		name        string
		before      func(w *world)
		dated, post bool
	}{
		{"nobody knew it", func(*world) {}, true, true},
		{"somebody asked for it", func(w *world) { w.sight("/new", html("what is new")) }, true, false},
		{"another page links to it since then", func(w *world) {
			w.sight("/a", html("an article", "/new"))
			w.sight("/new", html("what is new"))
		}, true, false},
		{"another page linked to it before", func(w *world) {
			w.sight("/a", html("an article", "/new"))
			w.sight("/new", html("what is new"))
			w.sight("/", home("", "/a", "/b", "/c"))
		}, false, false},
	} {
		run(t, tt.name, options{}, func(w *world) {
			for range quiet + 2 {
				w.sight("/", home("", "/a", "/b", "/c"))
				w.wait(time.Hour)
			}
			tt.before(w)
			at := w.now.Unix()
			showHeld(w, "/new", "/a", "/b")
			w.sight("/new", html("what is new"))
			for range 2 { // it may be a link of the day
				w.sight("/", home("", "/new", "/a", "/b"))
				w.wantLastMod("/", 0)
			}
			w.wait(24 * time.Hour)
			w.sight("/", home("", "/new", "/a", "/b"))
			for location, dated := range map[string]bool{"/": tt.dated, "/new": tt.post} {
				want := int64(0)
				if dated {
					want = at
				}
				w.wantLastMod(location, want)
			}
		})
	}
}

// A visitor opens the home page, sees a new post and clicks. The site itself sees the link after both, whether the page
// has changed at once, or once the link has stayed.
func TestPostIsAsOldAsTheLinkThatAVisitorFollowed(t *testing.T) {
	for name, shown := range map[string][]string{
		"in the place of another": {"/new", "/a", "/b"},
		"beside the others":       {"/new", "/a", "/b", "/c"},
	} {
		run(t, name, options{}, func(w *world) {
			w.site.Looking = Works
			for range quiet + 2 {
				w.sight("/", home("", "/a", "/b", "/c"), own)
				w.wait(time.Hour)
			}
			at := w.now.Unix()
			w.sight("/", home("", shown...))
			w.sight("/new", html("what is new"))
			w.sight("/new", html("what is new"), own)
			for range certainObservations + 1 {
				w.wait(6 * time.Hour)
				w.sight("/", home("", shown...), own)
			}
			if changed := w.lastMod("/"); changed < at || changed > at+7*3600 {
				t.Errorf("the home page is dated %d s after the link", changed-at)
			}
			w.sight("/new", html("what is new"), own)
			w.wantLastMod("/new", at)
		})
	}
}

// A list gets more links at once than a mark follows blocks.
func TestListAnnouncesAllOfManyLinks(t *testing.T) {
	articles := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("/an-article-of-some-length-%c%c", 'a'+i/26, 'a'+i%26))
		}
		return all
	}
	w := newWorld(t, options{})
	for range 3 {
		w.sight("/", home("", articles(10)...))
		w.wait(time.Hour)
	}
	at := w.now.Unix()
	w.sight("/", home("", articles(50)...))
	for _, location := range articles(50)[10:] {
		w.sight(location, html("what is new at "+location))
		w.wantLastMod(location, at)
	}
}

// A new post comes to the home page and the lists of its topics. Each of them has changed then, although all say the
// same about it, also if the lists are so long that nobody looks up all of their links.
func TestEntryForANewPageIsNewsOnEachListOfIt(t *testing.T) {
	for _, tt := range []struct {
		name, entry string
		had         int // entries
	}{
		{"titles", "<li><a href=%[1]s>All about %[2]s</a></li>", 7},
		{"of two posts", "<li><a href=%[1]s>All about %[2]s, and what we have learned of it</a></li>", 2},
		{"with dates", "<li>5 May 2026: <a href=%[1]s>All about %[2]s</a></li>", 7},
		{"over teasers", "<h2><a href=%[1]s>%[2]s</a></h2><p>When we began with %[2]s, nobody knew what it is.</p>", 4},
		{"with links behind them", "<h2>%[2]s</h2><p>How it all began with %[2]s, of all.</p><a href=%[1]s>More</a>", 4},
		{"as cards", "<div><a href=%[1]s><h3>%[2]s</h3><p>When we began with %[2]s, nobody knew it.</p></a></div>", 4},
		{"many", "<li><a href=%[1]s>All about %[2]s</a></li>", linksLookedUp + 30},
	} {
		run(t, tt.name, options{}, func(w *world) {
			lists := []string{"/", "/fruit", "/farm", "/archive"}
			post := func(n int) string { return string(rune('a'+n/26)) + strings.Repeat(string(rune('a'+n%26)), 4) }
			visit := func(posts int) {
				for _, list := range lists {
					entries := ""
					for n := range posts {
						entries += fmt.Sprintf(tt.entry, "/post-"+post(n), post(n))
					}
					w.sight(list, "<nav><a href=/fruit>1</a><a href=/farm>2</a><a href=/archive>3</a></nav><main><h1>List of "+
						list+"</h1>"+entries+"</main>")
				}
				for n := range min(posts, 9) {
					w.sight("/post-"+post(n), html("what there is to say of "+post(n)))
				}
				w.wait(8 * time.Hour)
			}
			for range quiet + 2 {
				visit(tt.had)
			}
			at := w.now.Unix()
			for range 3 {
				visit(tt.had + 1)
				for _, list := range lists {
					if got := w.lastMod(list); got < at || got > at+60 {
						t.Errorf("%s is dated %d s after it changed", list, got-at)
					}
				}
			}
		})
	}
}

// prose are long paragraphs of a page, which outweigh a few links.
func prose(page string) (text string) {
	for i := range 8 {
		text += fmt.Sprintf("<p>What there is to say of %s, in its part %c, and in no other one, %s.</p>", page, 'a'+i,
			strings.Repeat("at some length, ", 20))
	}
	return text
}

// A home page with much prose has a new headline each hour in the place of the oldest. Once three had led to new pages,
// each is its change, when it is seen again.
func TestHeadlinesDateAHomePageOfProse(t *testing.T) {
	w, posts := newWorld(t, options{}), numbered("/post-%d", 60)
	w.sight("/", home(prose("the farm"), posts[:6]...))
	before, at := int64(0), int64(0)
	for n := range 50 {
		w.wait(time.Hour)
		before, at = at, w.now.Unix()
		w.sight("/", home(prose("the farm"), posts[n+1:n+7]...))
		w.sight(posts[n+6], html("what is new at "+posts[n+6]))
		if n > quiet+3 {
			w.wantLastMod("/", before)
		}
	}
}

// Each article has a box with the newest posts, which come daily. They are the site's.
func TestBoxOfTheNewestPostsDatesNoArticle(t *testing.T) {
	w, articles := newWorld(t, options{}), strings.Fields("/bean /pear /plum /rose /oak /elm /ash /yew /fir /lime")
	posts := numbered("/post-%d", 30)
	w.sight("/", html("home", append(articles, posts[:3]...)...))
	for n := range 26 {
		w.sight("/", html("home", append(articles, posts[:n+3]...)...))
		for range 5 {
			for _, a := range articles {
				w.sight(a, home(prose(a), posts[n:n+3]...))
			}
			w.wait(5 * time.Hour)
		}
	}
	for _, a := range articles {
		w.wantLastMod(a, 0)
	}
}

// A site keeps what it made of a page for hours, with a box of other pages drawn at random. A new page is drawn once.
func TestRandomBoxOfACacheDatesNoArticle(t *testing.T) {
	text := "<h1>All about beans</h1>"
	for i := range 8 {
		text += fmt.Sprintf("<p>What there is to say of beans, in its part %c, and in no other one, at some length.</p>",
			'a'+i)
	}
	w := newWorld(t, options{})
	show := func(times int, links ...string) {
		for range times {
			w.sight("/bean", home(text, links...))
			w.wait(time.Hour)
		}
	}
	w.sight("/", html("home", "/bean", "/a", "/b", "/c"))
	show(quiet+2, "/a", "/b", "/c")
	w.sight("/", html("home, with news", "/bean", "/a", "/b", "/c", "/new-one"))
	show(3, "/a", "/new-one", "/c")
	show(4, "/a", "/b", "/c")
	w.wait(30 * time.Hour)
	show(5, "/a", "/b", "/c")
	w.wantLastMod("/bean", 0)
}
