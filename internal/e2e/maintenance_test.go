package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// article is a page of some paragraphs.
func article(title string, links ...string) string {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "<p>Paragraph %d of %s says what none before it has said in so many words.</p>", i, title)
	}
	for _, l := range links {
		fmt.Fprintf(&b, `<a href="%s">more</a> `, l)
	}
	return "<!DOCTYPE html><html><head><title>" + title + "</title></head><body><main>" + b.String() +
		"</main></body></html>"
}

// maintained is a site all of whose pages show one text while it is set.
type maintained struct {
	*testkit.Site
	text     *string // PATH in it is the path that was asked for, NOW the time
	pages    []string
	visitors []string // by their addresses
}

func inMaintenance(t *testing.T, own func(title string, links ...string) string, visitors []string,
	fn func(maintained)) {
	t.Helper()
	pages, text := append([]string{"/"}, numbered("/page/%d", 21)...), ""
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := strings.NewReplacer("PATH", r.URL.Path, "NOW", time.Now().Format(time.StampMicro)).Replace(text)
		if body == "" {
			body = own(r.URL.Path, pages...)
		}
		testkit.Reply(http.StatusOK, body)(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) { fn(maintained{s, &text, pages, visitors}) })
}

// rounds lets the visitors get all pages, so many times, at an interval.
func (m maintained) rounds(n int, every time.Duration) {
	for i := range n {
		for j, p := range m.pages {
			m.From(m.visitors[(i+j)%len(m.visitors)], p)
		}
		m.Settle()
		time.Sleep(every)
	}
}

const down = "<!DOCTYPE html><html><head><title>Maintenance</title></head><body><main><h1>We will be back soon</h1>" +
	"<p>Our shop is being looked after, so that it serves you better. Please come back in an hour or " +
	"two.</p></main></body></html>"

// No page leaves within the day, and nothing is dated by the way there and back.
func TestMaintenancePageEmptiesNoSitemap(t *testing.T) {
	says := func(old, new string) string { return strings.Replace(down, old, new+old, 1) }
	few := func(title string, links ...string) string { return testkit.HTML("", title, links...) }
	crowd := []string{ann, bob, carl, dora}
	for i, tt := range []struct {
		name     string
		own      func(title string, links ...string) string
		down     string
		visitors []string
	}{
		{"one visitor", article, down, []string{ann}},
		{"many visitors", article, down, crowd},
		{"one visitor of pages with a single paragraph", few, down, []string{ann}},
		{"pages with a single paragraph", few, down, crowd},
		{"a long text", article, article("what we are doing in the meantime"), crowd},
		{"hardly any text", article, "<html><body>Back soon", crowd},
		{"hardly any text, in other bytes each time", article, "<html><body>Back soon<!-- NOW -->", crowd},
		{"hardly any text instead of a single paragraph, in other bytes each time", few, "<html><body>Back soon<!-- NOW -->",
			crowd},
		{"a text with the time", few, says("</p>", "It is NOW."), crowd},
		{"a log-in page", article, says("</main>", "<form method=post><input type=password name=p></form>"), crowd},
		{"the home page, whatever is asked for", few, "home", crowd},
		{"the home page, which names itself", few, "home with canonical", crowd},
		{"a text with the address", article, says("</p>", "You asked for PATH."), crowd},
		{"a title with the address", few, says("</title>", "PATH"), crowd},
		{"a canonical that leads home", article, says("</head>", "<link rel=canonical href=/>"), crowd},
		{"a canonical that leads home, and one visitor", few, says("</head>", "<link rel=canonical href=/>"), []string{ann}},
		{"a canonical of the address", few, says("</head>", "<link rel=canonical href=PATH>"), crowd},
	} {
		if testing.Short() && i%6 > 0 { // the others differ in what pages show, not in what runs at once
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			inMaintenance(t, tt.own, tt.visitors, func(m maintained) {
				m.rounds(5, 61*time.Second)
				time.Sleep(48 * time.Hour)
				m.rounds(2, time.Hour)
				before := m.LastMods()
				check := func(when string) {
					t.Helper()
					now := m.LastMods()
					if len(now) != len(m.pages) {
						t.Errorf("%s: %d of %d pages are listed", when, len(now), len(m.pages))
					} else if !maps.Equal(now, before) {
						t.Errorf("%s: the dates are %q, before they were %q", when, now, before)
					}
				}
				check("before")
				synctest.Wait() // the site may be looking at the page
				if *m.text = tt.down; strings.HasPrefix(tt.down, "home") {
					*m.text = tt.own("/", m.pages...)
					if tt.down != "home" {
						*m.text = strings.Replace(*m.text, "</head>", "<link rel=canonical href=/></head>", 1)
					}
				}
				for range 3 { // one page is visited more often than the others
					if strings.Contains(*m.text, "canonical href=/>") {
						break // it would leave a minute later, as any page that names another one
					}
					m.From(ann, "/page/3")
					m.Settle()
					time.Sleep(61 * time.Second)
				}
				m.Restart()
				m.rounds(3, 61*time.Second)
				check("in the maintenance")
				m.Restart()
				m.rounds(20, time.Hour)
				check("20 hours later")
				*m.text = ""
				m.rounds(3, 61*time.Second)
				check("afterwards")
				m.rounds(6, 24*time.Hour)
				check("days later")
			})
		})
	}
}

// closing is a site of articles that link to each other. While answer is not 0, all are answered with that status and
// one text.
func closing(pages []string, answer *int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if *answer != 0 {
			testkit.Reply(*answer, down)(w, r)
			return
		}
		testkit.Reply(http.StatusOK, article(r.URL.Path, pages...))(w, r)
	}
}

// While nearly all pages show one text, or fail, the owner hears of it once, until they are back.
func TestMaintenanceIsToldWhileItLasts(t *testing.T) {
	for _, tt := range []struct {
		name, hint string
		status     int
	}{
		{"with one text", "Many listed pages show one and the same text", http.StatusOK},
		{"with errors", "For a minute and longer the site has answered anonymous visitors of listed pages with errors alone",
			http.StatusServiceUnavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pages, answer := append([]string{"/"}, numbered("/page/%d", 21)...), 0
			testkit.Run(t, testkit.Setup{Handler: closing(pages, &answer)}, func(s *testkit.Site) {
				m := maintained{s, new(string), pages, []string{ann}}
				told := func(when string, want bool) {
					t.Helper()
					if hints := strings.Join(s.Stats().Hints, " "); strings.Contains(hints, tt.hint) != want {
						t.Errorf("%s: told are %q, want %t", when, hints, want)
					}
				}
				m.rounds(3, 61*time.Second)
				told("before", false)
				answer = tt.status
				m.Visit("/page/3")
				told("at the first answer", false)
				m.rounds(3, 61*time.Second)
				told("in the maintenance", true)
				m.Restart()
				m.rounds(3, 61*time.Second)
				told("in the maintenance, after a start", true)
				answer = 0
				m.Visit(pages[1:4]...) // a few are enough
				m.Settle()
				told("afterwards", false)
				synctest.Wait() // the log is written in the background
				if n := s.Logged.Count("This is over: “" + tt.hint); n != 1 {
					t.Errorf("the log says %d times that it is over: %s", n, s.Logged)
				}
				m.Restart()
				m.Visit(pages[4:7]...)
				m.Settle()
				told("after another start", false)
				m.rounds(3, 61*time.Second)
				told("later", false)
				if n := s.Logged.Count("servemap: " + tt.hint); n < 1 || n > 2 { // once for each start
					t.Errorf("the log has it %d times", n)
				}
			})
		})
	}
}

// Visitors ask for a few pages of a site again and again in the maintenance.
func TestMaintenanceIsToldWhereFewPagesAreAskedFor(t *testing.T) {
	pages, answer := append([]string{"/"}, numbered("/page/%d", 80)...), 0
	testkit.Run(t, testkit.Setup{Handler: closing(pages, &answer)}, func(s *testkit.Site) {
		m := maintained{s, new(string), pages, []string{ann}}
		m.rounds(3, 61*time.Second)
		answer, m.pages = http.StatusOK, pages[:11]
		m.rounds(7, 8*time.Second)
		if hints := s.Stats().Hints; !messages.Alike.In(hints) {
			t.Errorf("told is %q", hints)
		}
	})
}

// The hint of errors ends a minute after the last one, also where all pages then show one text: another hint tells of
// that by then.
func TestErrorsAreOverOnceNoneComes(t *testing.T) {
	pages, answer := append([]string{"/"}, numbered("/page/%d", 21)...), 0
	testkit.Run(t, testkit.Setup{Handler: closing(pages, &answer)}, func(s *testkit.Site) {
		m := maintained{s, new(string), pages, []string{ann}}
		for _, tt := range []struct {
			answer, asked, rounds int
			fails, same           bool // what is told
		}{
			{0, 22, 3, false, false},
			{http.StatusServiceUnavailable, 22, 3, true, false},
			{http.StatusOK, 22, 1, true, true},
			{http.StatusOK, 22, 2, false, true},
			{0, 22, 3, false, false},
			{http.StatusServiceUnavailable, 22, 3, true, false},
			{0, 1, 3, false, false}, // by a monitor, say
		} {
			answer, m.pages = tt.answer, pages[:tt.asked]
			m.rounds(tt.rounds, 61*time.Second)
			hints := s.Stats().Hints
			if messages.Failing.In(hints) != tt.fails || messages.Alike.In(hints) != tt.same {
				t.Errorf("while it answers %d to %d addresses, told is %q", tt.answer, tt.asked, hints)
			}
		}
	})
}

// What pages show for more than a day is their content.
func TestPagesThatShowOneTextForDaysLeave(t *testing.T) {
	base.OneByOne(t)
	text := article("what we are doing in the meantime")
	for _, tt := range []struct {
		name, text string
		visitors   []string
		rest       int
	}{
		{"one visitor", text, []string{ann}, 1},
		{"many visitors", text, []string{ann, bob, carl, dora}, 1},
		{"a canonical that leads home", strings.Replace(text, "</head>", "<link rel=canonical href=/></head>", 1),
			[]string{ann, bob}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inMaintenance(t, article, tt.visitors, func(m maintained) {
				m.rounds(5, 61*time.Second)
				before := m.LastMods()
				synctest.Wait() // the site may be looking at the page
				*m.text = tt.text
				m.rounds(25, time.Hour)
				m.rounds(2, 61*time.Second)
				if n := len(m.LastMods()); n < tt.rest || n > tt.rest+1 {
					t.Errorf("%d pages are listed after a day, want %d", n, tt.rest)
				}
				if strings.Contains(tt.text, "canonical") {
					return // each page that left by it is merged as any page that is not listed
				}
				synctest.Wait() // the site may be looking at the page
				*m.text = ""
				m.rounds(6, 61*time.Second)
				after := m.LastMods()
				delete(after, "/") // which stayed, and had another content for more than a day
				delete(before, "/")
				if !maps.Equal(after, before) {
					t.Errorf("afterwards the dates are %q, before they were %q", after, before)
				}
			})
		})
	}
}

// At an address that the site does not have it shows the same then, but the pages that it had before are no errors.
func TestExploringInAMaintenanceEmptiesNoSitemap(t *testing.T) {
	says := func(old, new string) string { return strings.Replace(down, old, new+old, 1) }
	for _, tt := range []struct{ name, down string }{
		{"a page for all", down},
		{"hardly any text", "<html><body>Back soon"},
		{"a log-in page", says("</main>", "<form method=post><input type=password name=p></form>")},
		{"a canonical that leads home", says("</head>", "<link rel=canonical href=/>")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inMaintenance(t, article, nil, func(m maintained) {
				explore(m.Site, servemap.ExploreOptions{})
				before := m.LastMods()
				for _, text := range []string{tt.down, ""} {
					time.Sleep(2 * time.Minute)
					synctest.Wait() // what the site was to look at is looked at
					*m.text = text
					time.Sleep(time.Hour)
					explore(m.Site, servemap.ExploreOptions{})
					if now := m.LastMods(); len(now) != len(m.pages) || !maps.Equal(now, before) {
						t.Errorf("%d of %d pages are listed, with the dates %q", len(now), len(m.pages), now)
					}
				}
			})
		})
	}
}

// In a minute of maintenance no page leaves, not even to come back at once, and a link that was dead before stays so.
// The process has not asked yet what the site shows where it has no page.
func TestMinuteOfMaintenanceListsAndUnlistsNothing(t *testing.T) {
	dead := "/page/dead"
	for _, tt := range []struct {
		name, down string
		home       bool // visitors ask for the home page too
		first      bool // what they ask for first in the maintenance is the dead link
		old        bool // the site was learned days before
		restart    bool // in the middle of the maintenance
		walk       bool // the owner explores then
	}{
		{name: "the dead link last", down: down, home: true},
		{name: "the dead link first", down: down, first: true},
		{name: "the dead link first, then the home page", down: down, home: true, first: true},
		{name: "of an old site", down: down, first: true, old: true},
		{name: "a restart", down: down, first: true, restart: true},
		{name: "a restart of a site that is entered by its home page", down: down, home: true, first: true, restart: true},
		{name: "explored", down: down, first: true, walk: true},
		{name: "a text with the time", down: strings.Replace(down, "</p>", " It is NOW.</p>", 1), first: true},
		{name: "hardly any text", down: "<html><body>Back soon", first: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pages, text := append(numbered("/page/%d", 21), "/news", "/about", "/terms"), ""
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch is := r.URL.Path; {
				case text != "":
					testkit.Reply(http.StatusOK, strings.ReplaceAll(text, "NOW", time.Now().Format(time.StampMicro)))(w, r)
				case is != "/" && !slices.Contains(pages, is):
					http.NotFound(w, r)
				default:
					testkit.Reply(http.StatusOK, article(is, append([]string{dead}, pages...)...))(w, r)
				}
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				if tt.old {
					time.Sleep(50 * time.Hour)
					s.Visit(pages...)
				}
				s.Restart()
				explore(s, servemap.ExploreOptions{MaxRequests: 1}) // as the command starts again
				time.Sleep(time.Hour)
				before, begun := s.LastMods(), time.Now()
				all := pages
				if tt.home {
					all = append([]string{"/"}, pages...)
				}
				if text = tt.down; tt.first {
					s.Visit(dead)
					time.Sleep(2 * time.Second)
				}
				s.Visit(append(slices.Clone(all), dead)...)
				time.Sleep(5 * time.Second)
				if now := s.LastMods(); !maps.Equal(now, before) {
					t.Errorf("in the maintenance %d of %d pages are listed: %v", len(now), len(before), now)
				}
				if tt.restart {
					s.Restart()
					explore(s, servemap.ExploreOptions{MaxRequests: 1})
				}
				if tt.walk {
					explore(s, servemap.ExploreOptions{})
				}
				time.Sleep(time.Minute)
				s.Visit(append(slices.Clone(all), dead)...)
				time.Sleep(5 * time.Second)
				if now := s.LastMods(); !maps.Equal(now, before) {
					t.Errorf("a minute later %d of %d pages are listed: %v", len(now), len(before), now)
				}
				text = ""
				for range 3 {
					s.Visit(append(slices.Clone(all), dead)...)
					time.Sleep(65 * time.Second)
				}
				if now := s.LastMods(); !maps.Equal(now, before) {
					t.Errorf("afterwards %d of %d pages are listed: %v", len(now), len(before), now)
				}
				for c, err := range s.Changes(s.Context(), begun) {
					if !strings.HasSuffix(c.URL, dead) {
						t.Errorf("it counts as news: %+v, %v", c, err)
					}
				}
			})
		})
	}
}

// Half of the site is broken, and stays so while the other half is visited: the hint holds as long, and the log says
// once that it began.
func TestHalfOfASiteThatStaysBrokenIsToldAsLong(t *testing.T) {
	pages, broken := append([]string{"/"}, append(numbered("/shop/%d", 20), numbered("/blog/%d", 20)...)...), false
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken && strings.HasPrefix(r.URL.Path, "/shop/") {
			testkit.Reply(http.StatusOK, down)(w, r)
			return
		}
		testkit.Reply(http.StatusOK, article(r.URL.Path, pages...))(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		m := maintained{s, new(string), pages, []string{ann}}
		m.rounds(3, 61*time.Second)
		broken = true
		for range 3 {
			m.rounds(1, 61*time.Second)
			if hints := strings.Join(s.Stats().Hints, " "); !strings.Contains(hints,
				"Many listed pages show one and the same text") {
				t.Errorf("20 of %d pages are broken, and told is %q", len(pages), hints)
			}
		}
		if n := s.Logged.Count("This is over: “Many listed pages"); n != 0 {
			t.Errorf("the log says %d times that it is over: %s", n, s.Logged)
		}
	})
}

// What is new right after a maintenance waits for the site's next look, and explain says so. A listed page that borrows
// and that no page links to any more is not told to have a link.
func TestExplainAfterAMaintenanceSaysWhatItWaitsFor(t *testing.T) {
	text, links := "", []string{"/a", "/b", "/c", "/gone"}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := text
		if r.URL.Path == "/gone" && len(links) == 5 {
			body = down
		}
		if body == "" {
			body = article(r.URL.Path, links...)
		}
		testkit.Reply(http.StatusOK, body)(w, r)
	})
	opts := servemap.Options{Limits: servemap.Limits{Looks: 1000}}
	testkit.Run(t, testkit.Setup{Handler: h, Options: opts}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.Visit("/", "/a", "/b", "/c", "/gone")
		time.Sleep(2 * time.Minute)
		s.Settle()
		text = down
		s.Visit("/", "/a", "/b", "/gone")
		time.Sleep(12 * time.Second)
		if d := s.Explained("/b").Dates.Text; !strings.Contains(d, "it was seen only at 1 Jan 2000, 00:00:00 UTC, and "+
			"only a later visit can show a change. What it has answered since 1 Jan 2000, 00:02:0") {
			t.Errorf("in the maintenance the dates say %q", d)
		}
		text = ""
		s.Visit("/", "/a", "/b", "/c")
		links = []string{"/a", "/b", "/c", "/new", "/newer"}
		s.Visit("/", "/new")
		if e := s.Explained("/"); !strings.HasSuffix(e.Dates.Text, messages.LooksForChange) {
			t.Errorf("the look is due, and the dates say %q, all %q", e.Dates.Text, e.Text)
		}
		for range 3 {
			time.Sleep(61 * time.Second)
			s.Visit("/", "/a", "/b", "/c", "/gone")
		}
		s.Settle()
		if e := s.Explained("/"); !strings.Contains(e.Dates.Text, "something new was first seen at 1 Jan 2000, 00:03:00") {
			t.Errorf("after the look the dates say %q", e.Dates.Text)
		}
		e := s.Explained("/gone")
		if !strings.HasPrefix(e.Text, "It is listed, but since") || !strings.HasSuffix(e.Text, "No listed page links to it now.") {
			t.Errorf("of the page without a link it says %q", e.Text)
		}
	})
}

// A new article stays, although another page shows it for some hours, and then its own text again.
func TestNewPageStaysThatAnotherHasShown(t *testing.T) {
	published, shown := false, false
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := article(r.URL.Path, "/today", "/old")
		switch {
		case r.URL.Path == "/new" || shown && r.URL.Path == "/today":
			text = article("the article of the day")
		case published && r.URL.Path == "/":
			text = article("home", "/today", "/old", "/new")
		}
		testkit.Reply(http.StatusOK, text)(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h, Options: servemap.Options{Limits: servemap.Limits{Looks: -1}}},
		func(s *testkit.Site) {
			visit := func(pages ...string) { s.Visit(pages...); s.Settle(); time.Sleep(61 * time.Second) }
			visit("/", "/today", "/old")
			time.Sleep(50 * time.Hour)
			published = true
			visit("/")
			visit("/new")
			visit("/new")
			shown = true
			visit("/today")
			visit("/today")
			time.Sleep(10 * time.Hour)
			shown = false
			visit("/today")
			s.WantVerdict("/new", "listed", "link")
		})
}
