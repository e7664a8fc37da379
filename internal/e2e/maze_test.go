package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// maze makes up pages. It returns the text and the links of the page at a path, and false
// if there is none.
type maze func(path string) (text string, links []string, is bool)

// below returns a maze of the paths that begin with a prefix. page takes the rest.
func below(prefix string, page func(rest string) (text string, links []string)) maze {
	return func(path string) (string, []string, bool) {
		rest, is := strings.CutPrefix(path, prefix)
		if !is {
			return "", nil, false
		}
		text, links := page(rest)
		return text, links, true
	}
}

// day returns the day at a path of the form, and a path for another one.
func day(rest, form string) time.Time {
	at, _ := time.Parse(form, rest)
	return at
}

// words returns eight paths of words that a word leads to.
func words(prefix, from string) (paths []string) {
	for i := range 8 {
		word := []byte(prefix)
		for n := xxh3.HashString(from + strconv.Itoa(i)); n > 26; n /= 26 {
			word = append(word, byte('a'+n%26))
		}
		paths = append(paths, string(word))
	}
	return paths
}

var mazes = []struct {
	name, start string
	most        int // requests in it
	page        maze
}{
	{"months below years, from today on", "/calendar", 50, below("/calendar", func(rest string) (string, []string) {
		at := day(rest, "/2006/01")
		if rest == "" {
			at = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
			return "what is on in the hall, and who plays", []string{at.Format("/calendar/2006/01")}
		}
		return at.Format("Events in January 2006"), []string{at.AddDate(0, 1, 0).Format("/calendar/2006/01")}
	})},
	{"facets as folders", "/shoes/", 40, below("/shoes/", func(rest string) (string, []string) {
		has, links := strings.Split(strings.Trim(rest, "/"), "/"), []string{"/products/shoe-7"}
		for _, facet := range []string{"red", "blue", "size-8", "size-9", "nike", "puma", "leather", "cheap", "new",
			"women"} {
			if !strings.Contains(rest, facet) {
				links = append(links, "/shoes/"+strings.Trim(rest+"/"+facet, "/"))
			}
		}
		return "Shoes: " + strings.Join(has, " and ") + ", 7 found", links
	})},
	{"a number tree", "/n/1", 30, below("/n/", func(rest string) (string, []string) {
		var links []string
		for i := range 10 {
			links = append(links, "/n/"+rest+"/"+strconv.Itoa(i))
		}
		return "Node " + rest, links
	})},
	{"a list without end", "/news?page=2", 46, below("/news?page=", func(rest string) (string, []string) {
		n, _ := strconv.Atoi(rest)
		return "News, page " + rest, []string{"/news?page=" + strconv.Itoa(n+1)}
	})},
	{"months that list all their days", "/agenda/2026-11", 350, below("/agenda/", func(rest string) (string, []string) {
		at := day(rest, "2006-01")
		if at.IsZero() {
			return "Nothing is on at " + rest, []string{"/agenda/" + rest[:7]}
		}
		links := []string{at.AddDate(0, 1, 0).Format("/agenda/2006-01"), at.AddDate(0, -1, 0).Format("/agenda/2006-01")}
		for d := at; d.Month() == at.Month(); d = d.AddDate(0, 0, 1) {
			links = append(links, d.Format("/agenda/2006-01-02"))
		}
		return at.Format("January 2006"), links
	})},
	{"a calendar by seconds, in a query", "/plan?at=1700000000", 220, below("/plan?at=",
		func(rest string) (string, []string) {
			n, _ := strconv.Atoi(rest)
			links := []string{}
			for _, step := range []int{-86400, 3600, 7200, 86400, 604800} {
				links = append(links, "/plan?at="+strconv.Itoa(n+step))
			}
			return "The plan at " + time.Unix(int64(n), 0).UTC().Format(time.RFC1123), links
		})},
	{"one answer to any address", "/any/a", 150, below("/any/", func(rest string) (string, []string) {
		var links []string
		for i := range 8 {
			links = append(links, fmt.Sprintf("/any/%x", (len(rest)*31+i)*7919+int(rest[len(rest)-1])*104729))
		}
		return "Sorry, this is not here", links
	})},
	{"a session in the path", "/in/home/s0", 480, below("/in/", func(rest string) (string, []string) {
		var links []string
		for i, name := range []string{"home", "news", "help", "about"} {
			links = append(links, fmt.Sprintf("/in/%s/s%d%d", name, i, xxh3.HashString(rest)%1_000_000))
		}
		name, _, _ := strings.Cut(rest, "/")
		return "This is " + name, links
	})},
	{"random words, which the text repeats", "/v/start", 1600, below("/v/", func(rest string) (string, []string) {
		return "All about " + rest, words("/v/", rest)
	})},
	{"random words at the top", "/y-start", 1600, below("/y-", func(rest string) (string, []string) {
		return "All about " + rest, words("/y-", rest)
	})},
	{"random numbers", "/no/17", 2400, below("/no/", func(rest string) (string, []string) {
		n, _ := strconv.Atoi(rest)
		var links []string
		for i := range 10 {
			links = append(links, "/no/"+strconv.Itoa((n*48271+i*1299709)%2147483647))
		}
		return "Number " + rest, links
	})},
	{"days of several rooms", "/rooms/", 130, below("/rooms/", func(rest string) (string, []string) {
		room, date, _ := strings.Cut(rest, "/")
		at, links := day(date, "2006-01-02"), []string{}
		if at.IsZero() {
			at = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		}
		for i := range 12 {
			links = append(links, fmt.Sprintf("/rooms/%d/%s", i, at.AddDate(0, 0, i-6).Format(time.DateOnly)))
		}
		return "The free hours of room " + room + " on " + at.Format("Monday, 2 January 2006"), links
	})},
	{"a list that repeats its end", "/archive/page/2", 46, below("/archive/page/", func(rest string) (string, []string) {
		n, _ := strconv.Atoi(rest)
		return "The archive", []string{fmt.Sprintf("/archive/page/%d", n+1), fmt.Sprintf("/products/shoe-%d", min(n, 39))}
	})},
	{"a list without end by cursors", "/feed", 10, below("/feed", func(rest string) (string, []string) {
		return "More of the same", []string{"/feed", "/feed?cursor=" + cursor(len(rest)+int(xxh3.HashString(rest)%1000))}
	})},
	{"names of two words, and three", "/names/blue-house", 1400, below("/names/", func(rest string) (string, []string) {
		var links []string
		for i := range 8 {
			n := xxh3.HashString(rest + strconv.Itoa(i))
			links = append(links, "/names/"+adjectives[n%20]+"-"+adjectives[n/20%20]+"-"+nouns[n/400%20])
		}
		return "Welcome to the " + strings.ReplaceAll(rest, "-", " "), links
	})},
}

var (
	adjectives = strings.Fields("red blue green white black small large warm cold quick slow old new bright dark quiet " +
		"loud soft hard plain")
	nouns = strings.Fields("house garden river street tower bridge forest window table chair lamp boat train cloud " +
		"stone field market harbour island valley")
)

// options allow a parameter.
var options = servemap.Options{Rules: []servemap.Rule{{Pattern: "/plan", Query: []string{"at"}}}}

// A maze links to new pages without end, and lists each page that somebody asks for. So exploring asks for few.
func TestMazesEnd(t *testing.T) {
	mazes := mazes
	if testing.Short() { // more show nothing new to the race detector
		mazes = mazes[:2]
	}
	for _, tt := range mazes {
		t.Run(tt.name, func(t *testing.T) {
			var asked atomic.Int64
			real := testkit.Paths{}
			links := []string{tt.start}
			for i := range 40 {
				path := fmt.Sprintf("/products/shoe-%d", i)
				links, real[path] = append(links, path), testkit.Page("shoe "+paragraph(i)+strconv.Itoa(i))
			}
			real["/"] = testkit.Page("home", links...)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if text, links, is := tt.page(r.RequestURI); is {
					asked.Add(1)
					testkit.Page(text, links...)(w, r)
					return
				}
				real.ServeHTTP(w, r)
			})
			testkit.Run(t, testkit.Setup{Handler: h, Options: options}, func(s *testkit.Site) {
				done := explore(s, servemap.ExploreOptions{})
				inMaze := 0
				for path := range s.LastMods() {
					if _, _, is := tt.page(path); is {
						inMaze++
					}
				}
				if real := s.Stats().Listed - inMaze; asked.Load() > int64(tt.most) || real != 41 {
					s.Errorf("%d requests, %d listed, %d of 41 others; %v", asked.Load(), inMaze, real, done.Skipped)
				}
				s.Logf("%d requests, %d listed", asked.Load(), inMaze)
			})
		})
	}
}

func TestPagesThatLeadToEachOtherByRedirectsEnd(t *testing.T) {
	var asked atomic.Int64
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		n := 0
		if scan(r.URL.Path, "/go/%d", &n) {
			http.Redirect(w, r, words("/w/", strconv.Itoa(n))[0], http.StatusFound)
			return
		}
		testkit.Page("Welcome to "+r.URL.Path, fmt.Sprintf("/go/%d", asked.Load()))(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		if explore(s, servemap.ExploreOptions{}); asked.Load() > 500 {
			s.Errorf("%d requests", asked.Load())
		}
	})
}

var counted = regexp.MustCompile(`^\d+$`)

// A page of these sites says of itself only its path, so that no text tells it from a maze, but where a
// maze stands in the same folder.
func TestRealSitesAreExploredWhole(t *testing.T) {
	base.OneByOne(t)
	const posts, products = 1000, 1500
	date := func(n int) time.Time { return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n) }
	post := func(n int) string { return date(n).Format("/2006/01/02/") + "a-title-" + strconv.Itoa(n) }
	for _, tt := range []struct {
		name  string
		want  int
		links func(path string) ([]string, bool) // of the page at a path
	}{
		{"a blog by date with prev and next", posts, func(path string) (links []string, is bool) {
			var y, m, d, n int
			switch {
			case path == "/":
				return []string{post(posts - 1), "/2025"}, true
			case scan(path, "/%d/%d/%d/a-title-%d", &y, &m, &d, &n) && n >= 0 && n < posts:
				return []string{post(n - 1), post(n + 1), date(n).Format("/2006/01"), date(n).Format("/2006")}, true
			case scan(path, "/%d/%d", &y, &m), scan(path, "/%d", &y):
				for n := range posts {
					if at := date(n); at.Year() == y && (m == 0 || int(at.Month()) == m) {
						links = append(links, post(n))
					}
				}
				return links, true
			}
			return nil, false
		}},
		{"a shop with one folder and pagers", products, func(path string) (links []string, is bool) {
			page, n := 1, 0
			switch {
			case path == "/":
				return []string{"/products"}, true
			case scan(path, "/products/%d", &n) && n >= 0 && n < products:
				for i := range 4 {
					links = append(links, "/products/"+strconv.Itoa((n*(i+2)+i)%products))
				}
				return links, true
			case path == "/products", scan(path, "/products?page=%d", &page):
				for i := (page - 1) * 20; i < min(products, page*20); i++ {
					links = append(links, "/products/"+strconv.Itoa(i))
				}
				return append(links, "/products?page="+strconv.Itoa(min(page+1, products/20))), true
			}
			return nil, false
		}},
		{"documentation by versions", 8 * 60, func(path string) (links []string, is bool) {
			version, n := 0, 0
			switch {
			case path == "/":
				for v := range 8 {
					links = append(links, fmt.Sprintf("/docs/1.%d/", v))
				}
				return links, true
			case scan(path, "/docs/1.%d/", &version), scan(path, "/docs/1.%d/topic-%d", &version, &n) && n < 60 && version < 8:
				for n := range 60 {
					links = append(links, fmt.Sprintf("/docs/1.%d/topic-%d", version, n))
				}
				return links, true
			}
			return nil, false
		}},
		{"a blog whose list goes on after its last post", 500, func(path string) (links []string, is bool) {
			page, n := 1, 0
			switch {
			case path == "/", scan(path, "/page/%d", &page):
				for i := (page - 1) * 10; i < min(500, page*10); i++ {
					links = append(links, "/post/a-title-"+strconv.Itoa(i))
				}
				return append(links, "/page/"+strconv.Itoa(page+1)), true
			case scan(path, "/post/a-title-%d", &n) && n < 500:
				return []string{"/"}, true
			}
			return nil, false
		}},
		{"a shop with facets and a calendar", 1000, func(path string) (links []string, is bool) {
			page, n := 1, 0
			rest, is := strings.CutPrefix(path, "/products/")
			switch {
			case path == "/":
				return []string{"/products/", "/products/free/2026-11-22"}, true
			case strings.HasPrefix(rest, "free/"):
				at := day(rest, "free/2006-01-02")
				return []string{at.AddDate(0, 0, 1).Format("/products/free/2006-01-02"),
					at.AddDate(0, 0, -1).Format("/products/free/2006-01-02")}, true
			case scan(rest, "%d", &n):
				return []string{"/products/"}, n < 1000
			case path == "/products/", scan(path, "/products/?page=%d", &page):
				for i := (page - 1) * 20; i < min(1000, page*20); i++ {
					links = append(links, "/products/"+strconv.Itoa(i))
				}
				links = append(links, "/products/?page="+strconv.Itoa(min(page+1, 1000/20)))
			}
			rest, _, _ = strings.Cut(rest, "?")
			for _, facet := range []string{"red", "blue", "large", "small", "cheap", "new", "used"} {
				if !strings.Contains(rest, facet) {
					links = append(links, "/products/"+strings.Trim(rest+"/"+facet, "/"))
				}
			}
			return links, is
		}},
		{"two lists with facets as folders", 2, func(path string) (links []string, is bool) {
			if path == "/" {
				return []string{"/c/topic-kitchen", "/c/topic-garden"}, true
			}
			for _, facet := range []string{"red", "blue", "size-8", "size-9", "nike", "puma", "leather", "cheap", "new",
				"women"} {
				if !strings.Contains(path, facet) {
					links = append(links, path+"/"+facet)
				}
			}
			return links, strings.HasPrefix(path, "/c/topic-")
		}},
		{"products, and a maze below one", 12, func(path string) (links []string, is bool) {
			rest, is := strings.CutPrefix(path, "/p/")
			switch {
			case path == "/":
				return []string{"/p/"}, true
			case path == "/p/":
				for _, noun := range nouns[:12] {
					links = append(links, "/p/a-title-"+noun)
				}
			case strings.HasPrefix(rest, "a-title-river"):
				links = []string{path + "/reviews", path + "/questions"}
			default:
				is = is && !strings.Contains(rest, "/")
			}
			return links, is
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				links, is := tt.links(r.RequestURI)
				if !is {
					http.NotFound(w, r)
					return
				}
				about := r.RequestURI
				if rest, is := strings.CutPrefix(about, "/products/"); is && counted.MatchString(rest) &&
					strings.Contains(tt.name, "calendar") {
					n, _ := strconv.Atoi(rest)
					about = "a " + adjectives[n%20] + " " + adjectives[n/20%20] + " " + nouns[n/400%20]
				}
				testkit.Page(about, links...)(w, r)
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				done, listed := explore(s, servemap.ExploreOptions{}), 0
				for path := range s.LastMods() {
					name := path[strings.LastIndex(path, "/")+1:]
					if counted.MatchString(strings.TrimPrefix(path, "/products/")) || strings.Contains(name, "a-title") ||
						strings.Contains(name, "topic") {
						listed++
					}
				}
				s.Logf("%d requests, %d listed of which %d are wanted, %v", done.Requests, s.Stats().Listed, listed, done.Skipped)
				if listed != tt.want || done.Requests > tt.want*11/10+70 {
					s.Errorf("%d of %d are listed, %d requests, %v", listed, tt.want, done.Requests, done.Skipped)
				}
			})
		})
	}
}

// Explored again and revisited, a list without end gets no further.
func TestListWithoutEndIsNoLongerEachTime(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("page"))
		testkit.Page("news, part "+strconv.Itoa(n), "/?page="+strconv.Itoa(n+1))(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		before := s.Stats().Listed
		for range 3 {
			time.Sleep(24 * time.Hour)
			explore(s, servemap.ExploreOptions{})
		}
		stop := revisiting(s, 86_400)
		time.Sleep(60 * 24 * time.Hour)
		stop()
		if after := s.Stats().Listed; before > 50 || after != before {
			s.Errorf("%d are listed at first, %d later", before, after)
		}
	})
}
