package e2e

import (
	"cmp"
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
			"16 requests in a row were not answered"},
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
			"robots.txt was answered with 502, as by a proxy whose site does not run; nothing may be asked for until it does"},
		{"its proxy does not get an answer in time", http.StatusGatewayTimeout,
			"robots.txt was answered with 504, as by a proxy whose site does not run; nothing may be asked for until it does"},
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

func TestOnePageThatIsRefusedHoldsUpNoOthers(t *testing.T) {
	busy := func(after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	tooOften := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "20")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, tt := range []struct {
		name          string
		refused       func(path string, times, all int) bool // asked for so often, as the so-many-th request
		refuse        http.HandlerFunc
		listed        int
		others, whole time.Duration // until the last other page was asked for, and until the end, at most
		waits         string
	}{
		{"asks for half a minute", func(path string, times, _ int) bool { return path == "/p07" && times == 1 }, busy("30"),
			41, time.Second, 31 * time.Second, "30s, as https://example.com/p07 is asked for again then"},
		{"asks for an hour", func(path string, _, _ int) bool { return path == "/p07" }, busy("3600"), 40, time.Second,
			time.Second, ""},
		{"hangs", func(path string, _, _ int) bool { return path == "/p07" }, hang, 40, 3 * time.Second, 31 * time.Second,
			"29s, as https://example.com/p07 has not answered yet"},
		{"many of them", func(path string, _, _ int) bool { return path[3]%3 == 0 }, busy(""), 25, time.Second,
			4 * time.Second, "1s, as https://example.com/p"},
		{"many in a row", func(path string, _, _ int) bool { return path > "/p25" && path < "/q" }, busy(""), 27, time.Second,
			130 * time.Second, "1s, as the site answers 503"},
		{"its robots.txt", func(path string, times, _ int) bool { return path == "/robots.txt" && times == 1 }, busy("2"), 41,
			3 * time.Second, 3 * time.Second, "2s, as the site answers 503 for /robots.txt"},
		{"the site", func(_ string, _, all int) bool { return all > 10 && all < 22 }, busy("20"), 41, 2 * time.Minute,
			3 * time.Minute, "20s, as the site answers 503"},
		{"is asked too often", func(_ string, _, all int) bool { return all == 30 }, tooOften, 41, 21 * time.Second,
			22 * time.Second, "20s, as the site answers 429"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			paths, begun, times, all, last := numbered("/p%02d", 40), time.Time{}, map[string]int{}, 0, time.Duration(0)
			var mu sync.Mutex
			refuses := func(path string) bool {
				mu.Lock()
				defer mu.Unlock()
				all++
				times[path]++
				refused := (strings.HasPrefix(path, "/p") || path == "/robots.txt") && tt.refused(path, times[path], all)
				if !refused && times[path] == 1 {
					last = time.Since(begun)
				}
				return refused
			}
			h := numberedPages(paths, func(w http.ResponseWriter, r *http.Request) bool {
				refused := refuses(r.URL.Path)
				if refused {
					tt.refuse(w, r)
				}
				return refused
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				var waits []string
				begun = time.Now()
				explore(s, servemap.ExploreOptions{Concurrency: 4, Progress: func(x servemap.Exploration) {
					waits = append(waits, x.Waits)
				}})
				if n := s.Stats().Listed; n != tt.listed {
					s.Errorf("%d pages are listed, want %d", n, tt.listed)
				}
				if took := time.Since(begun); last > tt.others || took > tt.whole {
					s.Errorf("the last other page was asked for after %v, and it took %v", last, took)
				}
				for path, n := range times {
					if n > 3 {
						s.Errorf("%s was asked for %d times", path, n)
					}
				}
				if !strings.Contains(strings.Join(waits, "\n"), tt.waits) {
					s.Errorf("it says that it waits %q, want %q", waits, tt.waits)
				}
			})
		})
	}
}

// numberedPages serves a start page that links to numbered ones, unless refuses has answered.
func numberedPages(paths []string, refuses func(http.ResponseWriter, *http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case refuses(w, r):
		case r.URL.Path == "/":
			testkit.PageOfItsURL(paths...)(w, r)
		case strings.HasPrefix(r.URL.Path, "/p"):
			testkit.PageOfItsURL("/")(w, r)
		default:
			http.NotFound(w, r)
		}
	})
}

func TestPageThatFailsIsAskedForAgainAloneBeforeItsLinkIsBroken(t *testing.T) {
	for _, tt := range []struct {
		name           string
		fails          func(path string, others, times int) bool
		listed, failed int // of 61, and answers with 500 at most
		dead           string
	}{
		{"beside others, as where a database is locked", func(_ string, others, _ int) bool { return others > 0 }, 61, 3, ""},
		{"beside more than two others", func(_ string, others, _ int) bool { return others > 2 }, 61, 4, ""},
		{"once", func(path string, _, times int) bool { return path == "/p07" && times == 1 }, 61, 1, ""},
		{"always", func(path string, _, _ int) bool { return path == "/p07" }, 60, 2, "https://example.com/p07"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			paths, times, others, failed := numbered("/p%02d", 60), map[string]int{}, 0, 0
			var mu sync.Mutex
			came := func(path string) (fails bool) {
				mu.Lock()
				defer mu.Unlock()
				times[path]++
				if fails = strings.HasPrefix(path, "/p") && tt.fails(path, others, times[path]); fails {
					failed++
				}
				others++
				return fails
			}
			h := numberedPages(paths, func(w http.ResponseWriter, r *http.Request) bool {
				fails := came(r.URL.Path)
				time.Sleep(10 * time.Millisecond)
				mu.Lock()
				others--
				mu.Unlock()
				if fails {
					w.WriteHeader(http.StatusInternalServerError)
				}
				return fails
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				done := explore(s, servemap.ExploreOptions{Concurrency: 8})
				if n := s.Stats().Listed; n != tt.listed || failed > tt.failed || done.Dead[tt.dead] == "" != (tt.dead == "") ||
					tt.dead == "" && len(done.Dead) > 0 {
					s.Errorf("%d pages are listed, %d answers were 500, broken are %v; want %d, at most %d, %q", n, failed,
						done.Dead, tt.listed, tt.failed, tt.dead)
				}
				if !strings.HasPrefix(tt.name, "beside") && done.AtOnce > 0 {
					s.Errorf("by one error, %d requests at once are too many", done.AtOnce)
				}
			})
		})
	}
}

func TestWhatLeadsToPagesIsAskedForAgainWhenTheSiteSays(t *testing.T) {
	asked := map[string]int{}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch asked[r.URL.Path]++; {
		case asked[r.URL.Path] == 1 && r.URL.Path != "/":
			w.Header().Set("Retry-After", "20")
			w.WriteHeader(http.StatusTooManyRequests)
		case r.URL.Path == "/robots.txt":
			fmt.Fprint(w, "Sitemap: /map.xml")
		case r.URL.Path == "/map.xml":
			fmt.Fprint(w, "<urlset><url><loc>https://example.com/alone</loc></url></urlset>")
		case r.URL.Path == "/" || r.URL.Path == "/alone":
			testkit.PageOfItsURL()(w, r)
		default:
			http.NotFound(w, r)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: &serial{next: h}}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/alone")
	})
}

func TestSitemapIsWaitedForOnlyWhereItIsNamedAndForNoLongerThanAPage(t *testing.T) {
	for _, tt := range []struct {
		name, robots, after string
		asked               int
		takes               time.Duration
	}{
		{"nobody names it", "", "3600", 1, 0},
		{"nobody names it, and it asks for little", "", "20", 1, 0},
		{"named", "Sitemap: /map.xml", "20", 3, 40 * time.Second},
		{"named, and asks for an hour", "Sitemap: /map.xml", "3600", 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked, site := 0, testkit.Paths{"/": testkit.Page("home"), "/robots.txt": plain(tt.robots)}
			name := cmp.Or(strings.TrimPrefix(tt.robots, "Sitemap: "), "/sitemap.xml")
			site[name] = func(w http.ResponseWriter, r *http.Request) {
				asked++
				testkit.Reply(http.StatusServiceUnavailable, "", "Retry-After", tt.after)(w, r)
			}
			testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
				begun := time.Now()
				explore(s, servemap.ExploreOptions{})
				if took := time.Since(begun); asked != tt.asked || (took-tt.takes).Abs() > time.Second {
					s.Errorf("asked %d times in %v, want %d in %v", asked, took, tt.asked, tt.takes)
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
