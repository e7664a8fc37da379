package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// When an exploration waits, stops, goes on and comes again.

func TestExplorationOfASiteThatFailsGoesOnLater(t *testing.T) {
	for _, tt := range []struct {
		name string
		fail http.HandlerFunc
		want string
	}{
		{"its proxy does not reach it", testkit.Reply(http.StatusBadGateway, ""), "502"},
		{"it is not there", func(http.ResponseWriter, *http.Request) { panic("gone") },
			"8 requests in a row were not answered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			paths, broken, mended := numbered("/p%02d", 40), false, false
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if broken && r.URL.Path != "/robots.txt" {
					tt.fail(w, r)
					return
				}
				broken = r.URL.Path == "/p10" && !mended
				if r.URL.Path == "/" {
					testkit.PageOfItsURL(paths...)(w, r)
					return
				}
				testkit.PageOfItsURL("/")(w, r)
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				done, err := s.Explore(s.Context(), &servemap.ExploreOptions{Inside: s, Concurrency: 1})
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					s.Fatalf("a site that fails in the middle: %v, %+v", err, done)
				}
				broken, mended = false, true
				time.Sleep(time.Minute)
				explore(s, servemap.ExploreOptions{Concurrency: 1})
				if n := s.Stats().Listed; n != 41 {
					s.Errorf("%d pages are listed, want 41", n)
				}
			})
		})
	}
}

func TestExplorationSaysWhyItWaitsForTheSite(t *testing.T) {
	for _, tt := range []struct {
		name string
		code int
		want string
	}{
		{"its proxy does not reach it", http.StatusBadGateway,
			"waiting until the site answers; robots.txt was answered with 502"},
		{"its proxy does not get an answer in time", http.StatusGatewayTimeout,
			"waiting until the site answers; robots.txt was answered with 504"},
		{"its robots.txt fails", http.StatusInternalServerError, "robots.txt was answered with 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: testkit.Reply(tt.code, "")}, func(s *testkit.Site) {
				if _, err := s.Explore(s.Context(), &servemap.ExploreOptions{Inside: s}); err == nil ||
					!strings.Contains(err.Error(), tt.want) {
					s.Errorf("it says %v, want %s", err, tt.want)
				}
			})
		})
	}
}

func TestExplorationOfEndlessRedirectsEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		next func(path string) string
		most int // requests
	}{
		{"numbered", func(path string) string {
			n := 0
			scan(path, "/r/%d", &n)
			return "/r/" + strconv.Itoa(n+1)
		}, 120},
		{"a new name each time", func(path string) string {
			if path == "/r/0" {
				path = "/"
			}
			return path + "x"
		}, 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/robots.txt":
					http.NotFound(w, r)
				case "/":
					testkit.Page("home", "/r/0", "/a")(w, r)
				case "/a":
					testkit.Page("a", "/")(w, r)
				default:
					http.Redirect(w, r, tt.next(r.URL.Path), http.StatusFound)
				}
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				if done := explore(s, servemap.ExploreOptions{}); done.Requests > tt.most {
					s.Errorf("%d requests were made", done.Requests)
				}
				s.WantListed("/", "/a")
			})
		})
	}
}

// paragraph returns the n-th of many paragraphs that do not resemble each other.
func paragraph(n int) string {
	words := strings.Fields("harbour lantern meadow copper violin winter orchard pepper saddle timber velvet window " +
		"yellow anchor basket candle")
	var b strings.Builder
	for i := range 12 {
		b.WriteString(words[(n*(i+3)+i*i+n/5)%len(words)] + " ")
	}
	return b.String()
}

// revisiting explores a site and goes on revisiting its pages, until it is stopped.
func revisiting(s *testkit.Site, perDay int) (stop func()) {
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error)
	go func() {
		_, err := s.Explore(ctx, &servemap.ExploreOptions{Inside: s, Revisit: perDay})
		ended <- err
	}()
	return func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			s.Errorf("it ended with %v", err)
		}
	}
}

func TestPagesThatNobodyVisitsAreRevisited(t *testing.T) {
	base.OneByOne(t)
	site := testkit.Paths{"/quiet": testkit.Page("quiet"), "/dropped": testkit.Page("dropped"),
		"/cgi-bin/note": testkit.Page("never asked for by us")}
	day, asked, deleting := 0, map[string]int{}, 0
	site["/daily"] = func(w http.ResponseWriter, r *http.Request) {
		html := testkit.HTML("", "diary")
		for i := range day { // each day adds a paragraph
			html = strings.Replace(html, "<main>", "<main><p>"+paragraph(i)+"</p>", 1)
		}
		testkit.Reply(http.StatusOK, html)(w, r)
	}
	site["/"] = testkit.Page("home", "/daily", "/quiet", "/dropped", "/cgi-bin/note")
	h := &serial{next: func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		if r.URL.Path == "/cgi-bin/note" && servemap.Exploring(r) {
			deleting++
		}
		site.ServeHTTP(w, r)
	}}
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		s.Visit("/", "/cgi-bin/note")
		stop := revisiting(s, 86_400)
		late := 0
		var changed time.Time
		for range 40 {
			changed = time.Now()
			h.Lock()
			if day++; day == 20 {
				delete(site, "/dropped")
			}
			h.Unlock()
			time.Sleep(24 * time.Hour)
			if mod, err := time.Parse(time.RFC3339, s.LastMods()["/daily"]); day > 10 &&
				(err != nil || mod.Before(changed.Add(-24*time.Hour))) {
				late++
			}
		}
		if late > 0 {
			s.Errorf("on %d of 30 days the lastmod of a page that changes daily was more than two days old", late)
		}
		s.WantListed("/", "/daily", "/quiet", "/cgi-bin/note")
		h.Lock()
		defer h.Unlock()
		if n := asked["/daily"]; n < 40 || n > 120 {
			s.Errorf("the daily page was asked for %d times in 40 days", n)
		}
		if n := asked["/quiet"]; n > 25 {
			s.Errorf("a page that never changes was asked for %d times in 40 days", n)
		}
		if deleting > 0 {
			s.Errorf("what may act was asked for %d times", deleting)
		}
		stop()
	})
}

func TestLinkedPageThatNobodyGotIsAskedForAfterItsPageIsRevisited(t *testing.T) {
	var mu sync.Mutex
	asked, links := map[string]int{}, []string{"/news"}
	site := testkit.Paths{"/news": testkit.Page("news", "/"),
		"/post":   testkit.Page("A ferry sank in the harbour, and nobody was hurt."),
		"/hidden": testkit.Page("The owner tells no robot of this one page.")}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path]++
		var month int
		switch {
		case r.URL.Path == "/":
			testkit.Page("home", links...)(w, r)
		case scan(r.URL.Path, "/month/%d", &month):
			testkit.Page("A list of all that happens in town in this month.", "/month/"+strconv.Itoa(month+1),
				"/month/"+strconv.Itoa(month+2))(w, r)
		default:
			site.ServeHTTP(w, r)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: h, Options: servemap.Options{Robots: "User-agent: *\nDisallow: /hidden\n"}},
		func(s *testkit.Site) {
			stop := revisiting(s, 86_400)
			time.Sleep(time.Hour)
			mu.Lock()
			links = append(links, "/post", "/logout", "/hidden", "/broken", "/post?sort=up", "/month/1", "/month/2")
			clear(asked)
			mu.Unlock()
			for range 40 {
				s.Get("/post", "Cookie", "session=8f14e45fceea167a5a36dedd4bea2543")
				time.Sleep(24 * time.Hour)
			}
			s.WantListed("/", "/month/1", "/news", "/post")
			mu.Lock()
			defer mu.Unlock()
			for path, most := range map[string]int{"/logout": 0, "/hidden": 0, "/broken": 3, "/month/2": 3, "/month/60": 0} {
				if asked[path] > most {
					s.Errorf("%s was asked for %d times, want %d at most", path, asked[path], most)
				}
			}
			stop()
		})
}

// Nobody visits this site. A list repeats the headlines of its articles.
func TestExploringAgainDatesANewHeadlineAndDropsDeletedPages(t *testing.T) {
	later := false
	title := func(n int) string {
		if later && n == 3 {
			return "How the mill burnt down in a single night"
		}
		return "The " + nouns[n] + " that " + paragraph(n)
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, links := 0, "<ul>"
		for i := range 12 {
			if !later || i < 10 {
				links += fmt.Sprintf("<li><a href=/article/%d>%s</a>", i, title(i))
			}
		}
		switch {
		case r.URL.Path == "/":
			testkit.Reply(http.StatusOK, "<title>News</title><main><h1>News</h1>"+links+"</ul></main>")(w, r)
		case !scan(r.URL.Path, "/article/%d", &n), later && n == 10:
			http.NotFound(w, r)
		case later && n == 11:
			w.WriteHeader(http.StatusGone)
		default:
			testkit.Reply(http.StatusOK, "<title>"+title(n)+"</title><main><h1>"+title(n)+"</h1><p>"+
				strings.Repeat(paragraph(n)+nouns[n]+".</p><p>", 5)+"</main><aside>"+links+"</ul></aside>")(w, r)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		time.Sleep(24 * time.Hour)
		explore(s, servemap.ExploreOptions{})
		if later = true; len(s.LastMods()) != 13 {
			s.Errorf("%d are listed, want 13", len(s.LastMods()))
		}
		for range 5 {
			time.Sleep(24 * time.Hour)
			explore(s, servemap.ExploreOptions{})
		}
		got := s.LastMods()
		for path, date := range got {
			if (date != "") != (path == "/article/3" || path == "/") {
				s.Errorf("%s has the date %q", path, date)
			}
		}
		if len(got) != 11 {
			s.Errorf("%d are listed, want 11: %v", len(got), got)
		}
	})
}
