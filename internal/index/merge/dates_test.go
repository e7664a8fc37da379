package merge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/testkit/base"
)

func modified(t time.Time) string {
	return fmt.Sprintf(`<meta property="article:modified_time" content="%s">`, t.UTC().Format(time.RFC3339))
}

func TestLastModIsTheTimeOfTheChangeThatWasSeen(t *testing.T) {
	w := withPage(t)
	w.wait(time.Hour)
	want := w.now.Unix()
	w.sight("/a", html("a second text"))
	w.wantLastMod("/a", want)
	for _, noise := range []string{
		strings.Replace(html("a second text"), "<head>", `<head><meta name="csrf" content="8f2e">`, 1),
		strings.Replace(html("a second text"), "<body>", `<body><nav>new menu</nav><header>banner</header>`, 1),
		strings.Replace(html("a second text"), "</body>", `<footer>© 2027</footer><script>x()</script></body>`, 1),
		html("a"), // what it showed before: a variant
	} {
		w.wait(time.Hour)
		differs := int64(0)
		if noise == html("a") {
			differs = w.now.Unix()
		}
		w.sight("/a", noise)
		w.wantLastMod("/a", want)
		base.Equal(t, w.page("/a").Dates.Differed.Seconds(), differs, "when another text was seen that is no change")
	}
	w.wait(time.Hour)
	w.sight("/a", html("a", "/lost")) // another link is held
	base.Equal(t, w.page("/a").Dates.Differed, w.page("/a").LastSeen.Second(), "when another text was seen that is held")
	w.wait(time.Hour)
	want = w.now.Unix()
	w.sight("/a", html("a third text"))
	w.wantLastMod("/a", want)
}

// Whatever a listed page has beside its text, its changes are dated.
func TestEachListedPageIsRead(t *testing.T) {
	for name, more := range map[string]string{
		"a log-in at the entry":         "<form><input type=password></form>",
		"longer than what is read":      strings.Repeat("<!-- nothing to see -->", observation.MaxPage/20),
		"longer, and all of it telling": strings.Repeat("<p>The same line again.</p>", observation.MaxPage/20),
	} {
		runWithPage(t, name, func(w *world) {
			for n, text := range []string{"the first text", "the first text", "a second text"} {
				w.wait(time.Hour)
				at := w.now.Unix()
				if w.sight("/", html(text)+more); n > 1 {
					w.wantLastMod("/", at)
				}
			}
		})
	}
}

func TestGivenDatesArePublishedWhereTheyAgreeWithChanges(t *testing.T) {
	const day = 24 * time.Hour
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // of the bubble
	old := start.Add(-30 * day)
	changeExactly := func(w *world) {
		w.sight("/b", html("b"), lastModified(old))
		w.wait(10 * time.Hour)
		w.sight("/b", html("b, otherwise"), lastModified(start.Add(5*time.Hour)))
	}
	for _, tt := range []struct {
		name string
		see  func(w *world)
		want time.Time
	}{
		{"Last-Modified", func(w *world) { w.sight("/b", html("b"), lastModified(old)) }, old},
		{"the page's own", func(w *world) { w.sight("/b", modified(old)+html("b")) }, old},
		{"moved with the change, to a time between the observations", func(w *world) { changeExactly(w) },
			start.Add(5 * time.Hour)},
		{"another page moves with the clock", func(w *world) {
			w.sight("/b", html("b"), lastModified(old))
			for range 2 {
				w.sight("/a", html("a"), lastModified(w.now))
			}
		}, time.Time{}},
	} {
		run(t, tt.name, options{}, func(w *world) {
			w.sight("/", html("home", "/a", "/b")) // 2 seconds
			w.sight("/a", html("a"))               // 2 seconds
			tt.see(w)
			want := tt.want.Unix()
			if tt.want.IsZero() {
				want = 0
			}
			w.wantLastMod("/b", want)
			w.wantLastMod("/b", want)
		})
	}
}

func TestNewPageIsDatedByTheFirstSightOfTheLink(t *testing.T) {
	for _, tt := range []struct {
		name string
		see  func(w *world)
		want bool
	}{
		{"a page read before links to it now", func(w *world) {
			w.sight("/", html("home and news", "/a", "/new"))
		}, true},
		{"the page had not been read before", func(w *world) {
			w.sight("/", html("home", "/a", "/other"))
			w.sight("/other", html("other", "/new"))
		}, false},
		{"in a menu, not in the text", func(w *world) {
			w.sight("/", "<nav><a href=/new>new</a></nav>"+html("home and news", "/a"))
		}, false},
	} {
		runWithPage(t, tt.name, func(w *world) {
			at := w.now.Unix()
			tt.see(w)
			w.wait(5 * 24 * time.Hour)
			w.sight("/new", html("new"))
			want := int64(0)
			if tt.want {
				want = at
			}
			w.wantLastMod("/new", want)
		})
	}
}

// The first pages that show the line of a deploy have a date until other pages show such a line too.
func TestDatesOfADeployAreTakenBack(t *testing.T) {
	w, pages := withPages(t, 8)
	visit := func(line string) {
		for _, p := range pages {
			w.sight(p, html(p[1:], "/")+strings.ReplaceAll(line, "?", p))
		}
		w.wait(8 * time.Hour)
	}
	for range 8 {
		visit("")
	}
	const line = "<main><div>Written by the people who look after ?</div></main>"
	visit(line)
	if w.record(pages[0]).Dates.Date.At == 0 {
		t.Error("the first page has no date, so there is none to take back")
	}
	visit(line)
	w.wait(24 * time.Hour)
	visit(line)
	for _, p := range pages {
		w.wantLastMod(p, 0)
		base.Equal(t, w.page(p).Freq.String(), "yearly", "the word of a page that was not seen to change")
	}
}

// Versions of one page are edited twice on a day. Whether their text is their own shows only once it has lasted.
func TestContentThatWasBorrowedIsDatedToItsBeginning(t *testing.T) {
	run(t, "versions", options{rules: []eligibility.Rule{{Pattern: "/", Listing: eligibility.Always}}}, func(w *world) {
		for _, page := range numbered("/other-%d", 12) {
			w.sight(page, html(page))
		}
		show := func(visits int, edits ...string) {
			text := "<p>The first text of all the versions.</p><p>A second one, which stays as it is.</p><p>" +
				strings.Join(edits, "</p><p>")
			for range visits {
				for _, page := range []string{"/v1/a", "/v2/a", "/v3/a"} {
					w.sight(page, html(text))
				}
				w.wait(time.Hour)
			}
		}
		const edit = "An edit of which no version had said a single word before."
		show(8)
		show(2, edit)
		edited := w.now.Unix()
		show(27, edit, "And another one, which came on the very same day.")
		for _, page := range []string{"/v2/a", "/v3/a"} {
			if late := w.lastMod(page) - edited; late < 0 || late > 60 {
				t.Errorf("%s is dated %d s after the edit", page, late)
			}
		}
	})
}
