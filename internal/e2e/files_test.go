package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// file is a file that is no page.
func file(contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte("what is in it"))
	}
}

// filed are sites with pages that are named like files. Each links to all from its home page.
var filed = []struct {
	name  string
	pages []string // HTML
	files []string // anything else
}{
	{"a blog with tags", []string{"/tags/node.js", "/tags/vue.js", "/tags/asp.net", "/tags/rust"}, nil},
	{"a wiki of files", []string{"/wiki/package.json", "/wiki/main.css", "/wiki/robots.txt", "/wiki/Logo.SVG"},
		[]string{"/raw/package.json", "/raw/main.css", "/raw/a.css", "/raw/b.css"}},
	{"a tree of sources", []string{"/r/tree/f1.txt", "/r/tree/f2.txt", "/r/tree/src/x.js", "/r/tree/read.xml"},
		[]string{"/r/raw/f1.txt", "/r/raw/f2.txt"}},
	{"a museum of sounds", []string{"/sounds/bell.mp3", "/sounds/rain.ogg"},
		[]string{"/files/bell.mp3", "/files/rain.ogg"}},
	{"pages beside their files", []string{"/shots/one.png.html", "/shots/File:two.png"},
		[]string{"/shots/one.png", "/shots/two.png"}},
	{"a gallery", []string{"/about"}, times(30, "/photos/%d.jpg")},
}

// A name like a file's says little: what is there is a page if the site itself, as a stranger, gets HTML.
func TestPagesThatAreNamedLikeFiles(t *testing.T) {
	for _, tt := range filed {
		site, want := testkit.Paths{}, append([]string{"/"}, tt.pages...)
		site["/"] = testkit.Page("home", append(tt.pages, tt.files...)...)
		for _, path := range tt.pages {
			site[path] = testkit.Page(path)
		}
		for _, path := range tt.files {
			site[path] = file("image/jpeg")
		}
		t.Run(tt.name+", explored", func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
				done := explore(s, servemap.ExploreOptions{})
				s.WantListed(want...)
				if most := 1 + len(tt.pages) + min(len(tt.files), 8); done.Requests > most ||
					done.Skipped["file"] != len(tt.files) {
					s.Errorf("%d requests, at most %d are enough; %v", done.Requests, most, done.Skipped)
				}
			})
		})
		t.Run(tt.name+", visited", func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{Limits: servemap.Limits{Looks: 1000}}},
				func(s *testkit.Site) {
					for range 3 {
						s.Visit("/")
						s.Visit(append(tt.pages, tt.files...)...)
						time.Sleep(2 * time.Minute)
					}
					s.WantListed(want...)
				})
		})
	}
}

// What a visitor who is logged in got under such a name may be in a cache, and then anybody gets it there.
func TestPrivatePageUnderTheNameOfAFileStaysOut(t *testing.T) {
	own := testkit.Page("the orders of Ann")
	for name, stranger := range map[string]http.HandlerFunc{
		"asked to log in": moved(http.StatusFound, "/login"), "refused": status(http.StatusForbidden),
		"not found":               http.NotFound,
		"told that it is private": testkit.Reply(http.StatusOK, testkit.HTML("", "not you"), "Cache-Control", "private"),
	} {
		t.Run(name, func(t *testing.T) {
			site := testkit.Paths{"/": testkit.Page("home", "/account/a.css", "/account/orders.js"),
				"/login": testkit.Page("log in")}
			cached := map[string]bool{}
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, err := r.Cookie("session")
				switch path := r.URL.Path; {
				case !strings.HasPrefix(path, "/account/"):
					site.ServeHTTP(w, r)
				case servemap.Exploring(r) || err != nil && !cached[path]:
					stranger(w, r)
				default: // the cache is in the program, and knows no stranger
					cached[path] = true
					own(w, r)
				}
			})
			testkit.Run(t, testkit.Setup{Handler: h, Options: servemap.Options{Limits: servemap.Limits{Looks: 1000}}},
				func(s *testkit.Site) {
					for range 3 {
						for _, path := range []string{"/", "/account/a.css", "/account/orders.js"} {
							s.Get(path, "Cookie", "session=ann")
							s.Visit(path)
						}
						explore(s, servemap.ExploreOptions{})
						time.Sleep(25 * time.Hour)
					}
					s.WantListed("/")
				})
		})
	}
}

func TestExplainSaysWhyAFileIsNoPage(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/a.js", "/b.pdf"), "/a.js": testkit.Page("the a of all scripts"),
		"/b.pdf": file("application/pdf")}
	testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{Limits: servemap.Limits{Looks: -1}}},
		func(s *testkit.Site) {
			s.Visit("/", "/a.js", "/b.pdf")
			for _, path := range []string{"/a.js"} {
				if e := s.Explained(path); !strings.Contains(e.Text, "named like a file") || len(e.Missing) == 0 ||
					!strings.Contains(strings.Join(e.Missing, " "), "HTML there") {
					s.Errorf("%s: %s %q", path, e.Text, e.Missing)
				}
			}
			explore(s, servemap.ExploreOptions{})
			s.WantListed("/", "/a.js")
			if e := s.Explained("/b.pdf"); !strings.Contains(e.Text, "else than HTML") {
				s.Errorf("%s %q", e.Text, e.Missing)
			}
		})
}
