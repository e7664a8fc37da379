package e2e

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// A site with 12 links of one parameter each, which nobody allowed.
func TestQueriesThatArePagesAreExplored(t *testing.T) {
	all := []string{ // that the home page shows
		"one crow in the old apple tree", "two boats that leave the harbour", "three bells ring before noon",
	}
	for _, tt := range []struct {
		name, path string
		canonical  func(r *http.Request) string
		text       func(n int) string
		listed     int
		hint       string
	}{
		{"pages that name themselves as canonical", "/view?id=", func(r *http.Request) string { return r.RequestURI }, func(n int) string { return "page " + paragraph(n) + fmt.Sprint("the ", nouns[n]) }, 12, ""},
		{"posts of the root", "/?p=", func(r *http.Request) string { return r.RequestURI }, func(n int) string { return "post " + paragraph(n) + fmt.Sprint("the ", nouns[n]) }, 12, ""},
		{"pages that name none", "/view?id=", func(*http.Request) string { return "" }, func(n int) string { return "page " + paragraph(n) }, 0, "id: 12 linked pages of /view"},
		{"pages that name the one without a query", "/view?lang=", func(*http.Request) string { return "/view" }, func(n int) string { return "page " + paragraph(n) }, 0, "lang: 12 linked pages of /view"},
		{"orders of one list", "/list?sort=", func(r *http.Request) string { return r.RequestURI }, func(n int) string {
			return all[n%3] + ".</p><p>" + all[(n+1)%3] + ".</p><p>" + all[(n+2)%3]
		}, 0, ""},
		{"filters of one list", "/list?colour=", func(r *http.Request) string { return r.RequestURI }, func(n int) string { return all[n%3] }, 0, ""},
		{"days of a calendar", "/day?at=", func(r *http.Request) string { return r.RequestURI }, func(n int) string { return fmt.Sprint("the programme of day ", n) }, 0, ""},
		{"searches", "/search?q=", func(r *http.Request) string { return r.RequestURI }, func(n int) string { return "found " + paragraph(n) }, 0, "q: 12 linked pages of /search"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var links []string
			for i := range 12 {
				links = append(links, tt.path+strconv.Itoa(i+1))
			}
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				head, text := "", all[2]+".</p><p>"+all[1]+".</p><p>"+all[0]
				if r.RequestURI != "/" {
					n, _ := strconv.Atoi(strings.TrimPrefix(r.RequestURI, tt.path))
					if text = tt.text(n); tt.canonical(r) != "" {
						head = `<link rel="canonical" href="` + tt.canonical(r) + `">`
					}
				}
				for _, l := range links {
					text += `.</p><p><a href="` + l + `">more</a>`
				}
				testkit.Reply(http.StatusOK, "<title>"+r.RequestURI+"</title>"+head+"<main><p>"+text+"</main>")(w, r)
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				done, listed := explore(s, servemap.ExploreOptions{}), 0
				for path := range s.LastMods() {
					if strings.HasPrefix(path, tt.path) {
						listed++
					}
				}
				if listed != tt.listed || strings.Join(done.Params, ", ") != tt.hint {
					s.Errorf("%d are listed, want %d; left out: %q", listed, tt.listed, done.Params)
				}
				s.Shut() // completes the log
				if logs := strings.Contains(s.Logged.String(), "give Options.Query: "); logs != (tt.hint != "") {
					s.Errorf("the log says %s", s.Logged)
				}
			})
		})
	}
}

// A wiki whose home redirects to a page with a query, and whose pages name no canonical.
func TestParametersThatOnlyAddToAPageAreNotNamed(t *testing.T) {
	var links []string
	for i := range 6 {
		view := fmt.Sprint("/view?title=t", i)
		links = append(links, view, view+"&style=plain")
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/view?title=home", http.StatusMovedPermanently)
			return
		}
		testkit.Page("page "+r.RequestURI, links...)(w, r)
	})
	for _, tt := range []struct {
		query []string
		hint  string
	}{{nil, "title: 3 linked pages of /view"}, {[]string{"title"}, ""}} {
		testkit.Run(t, testkit.Setup{Handler: h, Options: servemap.Options{Query: tt.query}}, func(s *testkit.Site) {
			if done := explore(s, servemap.ExploreOptions{}); strings.Join(done.Params, ", ") != tt.hint {
				s.Errorf("-query %q: left out: %q, want %q", tt.query, done.Params, tt.hint)
			}
		})
	}
}

// Archives that name no canonical, and only list what is listed elsewhere.
func TestQueryThatTheOwnerNamesLaterIsExploredAnew(t *testing.T) {
	var posts, archives []string
	for i := range 9 {
		posts = append(posts, fmt.Sprint("/post-", nouns[i]))
		archives = append(archives, fmt.Sprint("/?cat=", i+1))
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("cat"))
		switch {
		case r.URL.Path != "/":
			testkit.Page(r.URL.Path, archives...)(w, r)
		case err == nil:
			testkit.Reply(http.StatusOK, fmt.Sprintf(`<title>%s</title><main><h1>%[1]s</h1><a href="%s">%[2]s</a></main>`, nouns[n-1], posts[n-1]))(w, r)
		default:
			testkit.Page("home", append(posts, archives...)...)(w, r)
		}
	})
	st := base.NewStore()
	for _, tt := range []struct {
		query []string
		pages int
	}{{nil, 10}, {[]string{"cat"}, 19}} {
		testkit.Run(t, testkit.Setup{Handler: h, Store: st, Options: servemap.Options{Query: tt.query}}, func(s *testkit.Site) {
			time.Sleep(time.Hour)
			explore(s, servemap.ExploreOptions{})
			if got := len(s.LastMods()); got != tt.pages {
				s.Errorf("-query %q: %d are listed, want %d: %v", tt.query, got, tt.pages, s.Stats().Verdicts)
			}
		})
	}
}
