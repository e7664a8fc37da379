package merge

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

var words = strings.Fields(`granite valley engine copper winter lantern harbour meadow signal weather bridge timber kitchen
	market garden river mountain window leather paper silver cotton pepper butter orange morning evening journey station`)

// sentence is one that a seed stands for.
func sentence(seed uint64, n int) string {
	random, s := rand.New(rand.NewPCG(seed, 1)), ""
	for range n {
		s += words[random.IntN(len(words))] + " "
	}
	return s + "of it all."
}

// written is the main text of a page: some of its own, and what it has besides among its paragraphs.
func written(location, more string) string {
	b := fmt.Sprintf("<h1>About %s</h1>", location)
	for n := range 5 {
		b += "<p>" + sentence(xxh3.HashString(location)+uint64(n), 12+n) + "</p>"
		if n == 2 {
			b += more
		}
	}
	return b
}

func inMain(text string) string {
	return "<!doctype html><html lang=en><head><title>The farm</title></head><body><main>" + text + "</main></body></html>"
}

// thriceADay shows each page of a site three times a day, with what show says that it has besides, and returns the
// dates that the last page had.
func (w *world) thriceADay(days int, show func(page, visit int) string) (dates []int64) {
	pages := numbered("/page-%d", 12)
	w.sight("/", html("home", pages...))
	for visit := range 3 * days {
		for i, p := range pages {
			w.sight(p, inMain(written(p, show(i, visit))))
		}
		if at := w.lastMod(pages[11]); at != 0 && !slices.Contains(dates, at) {
			dates = append(dates, at)
		}
		w.wait(8*time.Hour - 24*time.Second)
	}
	return dates
}

// edited is the visit of [world.thriceADay] from which on a page is another one.
const edited = 18

// A fact of a few letters is content, also if some other pages say the same, before or after the edit. A picture, a
// video and an item that goes are content too.
func TestSmallEditIsDated(t *testing.T) {
	for _, tt := range []struct{ name, before, after string }{
		{"opening hours", "<p>Open: Mon to Fri 9–17</p>", "<p>Open: Mon to Fri 10–18</p>"},
		{"a telephone", "<p>Phone: 040 123456</p>", "<p>Phone: 040 987611</p>"},
		{"an address", "<p>12 Harbour Street</p>", "<p>7 Mill Lane</p>"},
		{"a time", "<p>Starts at 19:30</p>", "<p>Starts at 20:15</p>"},
		{"sold out", "<p>In stock</p>", "<p>Sold out</p>"},
		{"seats", "<p>Seats: 24</p>", "<p>Seats: 18</p>"},
		{"a score", "<p>Lions 2 : 1 Bears</p>", "<p>Lions 3 : 1 Bears</p>"},
		{"kr", "<p>240 kr</p>", "<p>265 kr</p>"},
		{"CHF", "<p>CHF 45</p>", "<p>CHF 49</p>"},
		{"a date", "<p>14.3.2026</p>", "<p>21.3.2026</p>"},
		{"a version", "<p>Version 2.3.1</p>", "<p>Version 2.3.2</p>"},
		{"a status", "<p>Status: open</p>", "<p>Status: closed</p>"},
		{"an item", "<ul><li>Milk<li>Flour</ul>", "<ul><li>Milk<li>Eggs<li>Flour</ul>"},
		{"a value", "<dl><dt>Capacity<dd>80 l<dt>Colour<dd>green</dl>", "<dl><dt>Capacity<dd>95 l<dt>Colour<dd>green</dl>"},
		{"a number in code", "<pre><code>timeout = 30</code></pre>", "<pre><code>timeout = 45</code></pre>"},
		{"a number in a cell", "<table><tr><td>North<td>312<tr><td>South<td>87</table>",
			"<table><tr><td>North<td>312<tr><td>South<td>92</table>"},
		{"an item less, alone", "<ul><li>Milk and honey of the farm<li>A map of the region<li>Flour of the old mill</ul>",
			"<ul><li>Milk and honey of the farm<li>Flour of the old mill</ul>"},
		{"a picture, alone", "<p><img src=/img/oak.jpg></p>", "<p><img src=/img/elm.jpg></p>"},
		{"a video, alone", "", `<p><iframe src="https://www.youtube.com/embed/aqz-KE-bpKQ"></iframe></p>`},
	} {
		run(t, tt.name, options{}, func(w *world) {
			at := int64(0)
			dates := w.thriceADay(12, func(page, visit int) string {
				switch {
				case page == 11 && visit < edited:
					at = w.now.Unix() + 8*3600
					return tt.before
				case page == 11:
					return tt.after
				case strings.Contains(tt.name, "alone") || page%3 > 1:
					return ""
				}
				return []string{tt.before, tt.after}[page%3]
			})
			if len(dates) != 1 || dates[0] != at {
				w.Errorf("the dates are %v, want %d, that of the edit", dates, at)
			}
		})
	}
}

// What a generator, a clock or the day writes is no edit. The first line of the day may get a date.
func TestWhatNobodyWroteIsNotDated(t *testing.T) {
	const one, two = "This paragraph is about the first of all things.", "A second paragraph is about another thing altogether."
	then := func(before, after string) func(int) string {
		return func(visit int) string { return []string{before, after}[visit/edited%2] }
	}
	day := func(visit int) time.Time { return time.Date(2000, 1, 1+visit/3, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		name string
		most int // dates in 34 days
		show func(visit int) string
	}{
		{"a sign in a heading", 0, then("<h2>How it began</h2>", "<h2>How it began <a href=#x>#</a></h2>")},
		{"a pilcrow in a heading", 0, then("<h2>How it began</h2>", "<h2>How it began<a href=#x>¶</a></h2>")},
		{"joined paragraphs", 0, then("<p>"+one+"</p><p>"+two+"</p>", "<p>"+one+" "+two+"</p>")},
		{"joined by a break", 0, then("<p>"+one+"</p><p>"+two+"</p>", "<p>"+one+"<br>"+two+"</p>")},
		{"alt", 0, then("<img src=/a.jpg alt=boat>", "<img src=/a.jpg alt='a boat on the lake'>")},
		{"a counter", 0, func(visit int) string { return fmt.Sprintf("<p>%d visitors</p>", 2400+7*visit) }},
		{"seats that go one by one", 1, func(visit int) string { return fmt.Sprintf("<p>Seats: %d</p>", 24-visit/5) }},
		{"a tip of the day", 1, func(visit int) string {
			return "<p>Tip of the day: " + sentence(uint64(visit/3), 6) +
				"</p>"
		}},
		{"the day of delivery", 1, func(visit int) string {
			return day(visit).Format("<p>Order now and get it by Monday, 2 January</p>")
		}},
		{"the menu of the day", 1, func(visit int) string { return day(visit).Format("<p>Menu of the day, Monday</p>") }},
		{"the age of a comment", 1, func(visit int) string {
			return fmt.Sprintf("<div><p>Maria wrote %d days ago: %s</p></div>", 2+visit/3, one)
		}},
		{"another show each second day", 1, func(visit int) string {
			return "<p>Now on stage: " + sentence(uint64(visit/6), 3) + "</p>"
		}},
	} {
		run(t, tt.name, options{}, func(w *world) {
			dates := w.thriceADay(34, func(page, visit int) string { return strings.Repeat(tt.show(visit), page/11) })
			if len(dates) > tt.most {
				w.Errorf("%d dates, want at most %d", len(dates), tt.most)
			}
		})
	}
}

// Each page of a shop has an ad of the site's among its own texts, drawn anew for each visit. That tells nothing of a
// place where the page has texts of its own, so an edit there is dated as elsewhere.
func TestEditIsDatedBesideAdsThatRotate(t *testing.T) {
	for _, tt := range []struct{ name, page string }{ // of its name, an ad and a text
		{"above the text", "<p>%[2]s</p><h1>About %[1]s</h1><p>%[3]s</p>"},
		{"below the title", "<h1>About %[1]s</h1><p>%[2]s</p><p>%[3]s</p>"},
		{"items", "<h1>About %[1]s</h1><ul><li>%[2]s<li>%[3]s</ul>"},
		{"in another element", "<div>%[2]s</div><h1>About %[1]s</h1><p>%[3]s</p>"},
		{"beside prices alone", "<p>%[2]s</p><h1>About %[1]s</h1><div>%[3]s</div>"},
	} {
		for _, pages := range []int{10, 74} {
			run(t, fmt.Sprintf("%s, %d pages", tt.name, pages), options{}, func(w *world) {
				random, products, at := rand.New(rand.NewPCG(uint64(pages), 1)), numbered("/p/%d", pages), make([]int64, pages)
				w.sight("/", html("home", products...))
				for visit := range edited + 8 {
					for n, p := range products {
						text, cents := sentence(uint64(100+n), 12), 50
						if visit >= edited && n < 2 {
							text, cents = []string{text + sentence(7, 12), text}[n], []int{50, 75}[n]
							at[n] = cmp.Or(at[n], w.now.Unix())
						}
						w.sight(p, inMain(fmt.Sprintf(tt.page, p, sentence(uint64(random.IntN(3)), 7), text)+
							fmt.Sprintf("<p>Price: € %d.%d</p><p>Colour: red</p>", n, cents)))
					}
					w.wait(8 * time.Hour)
				}
				for n, p := range products {
					w.wantLastMod(p, at[n])
				}
			})
		}
	}
}

// Archives of several kinds repeat whole posts, and languages and prints show a page again. An edit of one post dates
// it alone, whichever page somebody opens first.
func TestEditOfAPostIsDatedBesidePagesThatRepeatIt(t *testing.T) {
	const posts, known, end, changed = 8, 8, 14, 3
	everything := []int{0, 1, 2, 3, 4, 5, 6, 7}
	archives := map[string][]int{"/topic/a": {0, 2, 4, 6}, "/topic/b": {1, 3, 5, 7}, "/2026/04/": {0, 1, 2, 3},
		"/2026/05/": {4, 5, 6, 7}, "/author/anna": {1, 2, 3, 5, 6}, "/author/bert": {0, 4, 7}, "/blog": {3, 4, 5, 6, 7}}
	again := func(formats ...string) map[string][]int {
		pages := map[string][]int{}
		for _, format := range formats {
			for i, p := range numbered(format, posts) {
				pages[p] = []int{i}
			}
		}
		return pages
	}
	for _, tt := range []struct {
		name   string
		others map[string][]int // pages, and the posts that they repeat
	}{
		{"an archive", map[string][]int{"/archive": everything}},
		{"three archives", map[string][]int{"/archive": everything, "/author/anna": everything, "/2026/": everything}},
		{"topics, months and authors", archives},
		{"prints", again("/print/post-%d")},
		{"prints by a query", again("/post-%d?print=1")},
		{"prints below", again("/post-%d/print")},
		{"languages", again("/de/post-%d", "/fr/post-%d", "/it/post-%d")},
	} {
		for _, order := range []string{"posts first", "posts last", "any order"} {
			everywhere := options{rules: []eligibility.Rule{{Pattern: "/", Listing: eligibility.Always}}}
			run(t, tt.name+", "+order, everywhere, func(w *world) {
				random := rand.New(rand.NewPCG(1, 1))
				post := func(n, visit int) string {
					return written(fmt.Sprintf("/post-%d", n), strings.Repeat("<p>We know now what the machine in the cellar was made "+
						"for.</p>", min(1, visit/known)*(1-min(1, max(n-changed, changed-n)))))
				}
				at := int64(0)
				for visit := range end {
					if visit == known {
						at = w.now.Unix()
					}
					pages := map[string]string{}
					for n := range posts {
						pages[fmt.Sprintf("/post-%d", n)] = post(n, visit)
						pages[fmt.Sprintf("/about-%d", n)] = written(fmt.Sprintf("/about-%d", n), "")
					}
					for o, of := range tt.others {
						pages[o] = strings.Repeat("<h1>All that is at "+o+"</h1>", min(1, len(of)-1))
						for _, n := range of {
							pages[o] += post(n, visit)
						}
					}
					locations := slices.SortedFunc(maps.Keys(pages), func(a, b string) int {
						return strings.Compare(fmt.Sprint(tt.others[a] != nil, a), fmt.Sprint(tt.others[b] != nil, b))
					})
					switch order {
					case "posts last":
						slices.Reverse(locations)
					case "any order":
						random.Shuffle(len(locations), func(i, j int) { locations[i], locations[j] = locations[j], locations[i] })
					}
					for _, l := range locations {
						w.sight(l, inMain(pages[l]))
					}
					w.wait(8 * time.Hour)
				}
				for n := range posts {
					got := w.lastMod(fmt.Sprintf("/post-%d", n))
					if n == changed && (got < at || got > at+120) || n != changed && got != 0 {
						w.Errorf("post %d is dated %d s after the edit of post %d", n, got-at, changed)
					}
				}
			})
		}
	}
}

// A home page has another headline at each visit, an ad beside it, and rests at night. Its date is that of the visit,
// but for some at which it might move by itself.
func TestHomePageWithAHeadlineAtEachVisitHasADate(t *testing.T) {
	for name, format := range map[string]string{"items": "<li><a href=/n/%[1]d>%[2]s</a>",
		"teasers": "<article><h3><a href=/n/%[1]d>%[2]s</a></h3><p>%[2]s %[3]s</p></article>"} {
		run(t, name, options{}, func(w *world) {
			late := 0
			for visit := range 80 {
				b := "<h1>The news</h1><div><p>" + sentence(uint64(1000+visit), 12) + "</p></div>"
				for n := visit + 14; n > visit; n-- {
					b += fmt.Sprintf(format, n, sentence(uint64(n), 7), sentence(uint64(n)+500, 20))
				}
				at := w.now.Unix()
				if w.sight("/", inMain(b)); visit >= 20 && w.lastMod("/") != at {
					late++
				}
				w.wait(time.Hour + 7*time.Hour*time.Duration(visit%16/15))
			}
			if late > 6 {
				w.Errorf("at %d of 60 visits the date is an older one", late)
			}
		})
	}
}

// A short fact is believed after a day. The page has got a paragraph meanwhile, and keeps the date of that, although
// the visits that follow show the same bytes.
func TestSeenDateStaysWhenAFactIsBelieved(t *testing.T) {
	w, added := newWorld(t, options{}), int64(0)
	w.thriceADay(14, func(page, visit int) string {
		switch {
		case page < 11 || visit < edited:
			return "<p>In stock</p>"
		case visit == edited:
			added = w.now.Unix() + 8*3600
			return "<p>Sold out</p>"
		}
		return "<p>Sold out</p><p>" + sentence(7, 20) + "</p><p>" + sentence(8, 20) + "</p>"
	})
	w.wantLastMod("/page-11", added)
}

// What a page shows for a while in place of all of its text, as in a maintenance, costs no date: what waited for more
// visits waits on.
func TestWhatIsHeldIsHeldThroughAMaintenance(t *testing.T) {
	const back = "<h1>Back soon</h1><p>We are moving the shelves, and open again within the hour, as always.</p>"
	for _, tt := range []struct {
		name  string
		down  int // so many pages are asked for meanwhile
		lasts time.Duration
	}{
		{"one page, for a minute", 1, time.Minute},
		{"one page, for three hours", 1, 3 * time.Hour},
		{"all pages, for a minute", 12, time.Minute},
		{"all pages, for three hours", 12, 3 * time.Hour},
	} {
		for _, first := range []bool{true, false} { // the edited page is the first to be asked for
			run(t, fmt.Sprintf("%s, first %v", tt.name, first), options{}, func(w *world) {
				pages, stock := numbered("/page-%d", 12), "In stock"
				w.sight("/", html("home", pages...))
				show := func(n int, text func(p string) string) {
					for i := range n {
						if !first {
							i = n - 1 - i
						}
						w.sight(pages[i], inMain(text(pages[i])))
					}
				}
				shop := func(p string) string {
					if p == pages[0] {
						return written(p, "<p>"+stock+"</p>")
					}
					return written(p, "<p>In stock</p>")
				}
				for range 15 {
					show(12, shop)
					w.wait(8 * time.Hour)
				}
				stock = "Sold out"
				edit := w.now.Unix()
				show(12, shop)
				w.wait(10 * time.Minute)
				show(tt.down, func(string) string { return back })
				w.wait(tt.lasts)
				show(tt.down, func(string) string { return back })
				w.wait(time.Minute)
				for range 9 {
					show(12, shop)
					w.wait(8 * time.Hour)
				}
				if got := w.lastMod(pages[0]); got < edit || got > edit+60 {
					w.Errorf("the date is %d s after the edit", got-edit)
				}
				for _, p := range pages[1:] {
					if w.lastMod(p) != 0 {
						w.Errorf("%s is dated", p)
					}
				}
			})
		}
	}
}
