package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap"
)

// hintBlog is a handler that knows nothing of the folder it is served in but for its
// links.
func hintBlog() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) { hintPage(w, r, "/blog/one", "two") })
	m.HandleFunc("/p/{slug}", func(w http.ResponseWriter, r *http.Request) { hintPage(w, r) })
	m.HandleFunc("/about", func(w http.ResponseWriter, r *http.Request) { hintPage(w, r) })
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { hintPage(w, r) })
	return m
}

// TestASiteBelowStripPrefix has the program itself cut off the folder that the
// site is in.
func TestASiteBelowStripPrefix(t *testing.T) {
	for _, tt := range []struct {
		name, origin string
		opts         servemap.Options
		mount        func(*servemap.Site) http.Handler
	}{
		{"with the origin of the folder", "https://example.com/blog", servemap.Options{}, func(s *servemap.Site) http.Handler {
			return http.StripPrefix("/blog", s.Wrap(hintBlog()))
		}},
		{"with the prefix said twice", "https://example.com/blog", servemap.Options{StrippedPrefix: "/blog"}, func(s *servemap.Site) http.Handler {
			return http.StripPrefix("/blog", s.Wrap(hintBlog()))
		}},
		{"in a ServeMux", "https://example.com/blog/", servemap.Options{}, func(s *servemap.Site) http.Handler {
			m := http.NewServeMux()
			m.Handle("/blog/", http.StripPrefix("/blog", s.Wrap(hintBlog())))
			return m
		}},
		{"with the slash cut off too", "https://example.com/blog", servemap.Options{}, func(s *servemap.Site) http.Handler {
			slashed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r2 := r.Clone(r.Context())
				r2.URL.Path = "/" + r2.URL.Path
				hintBlog().ServeHTTP(w, r2)
			})
			return http.StripPrefix("/blog/", s.Wrap(slashed))
		}},
		{"wrapped from outside", "https://example.com/blog", servemap.Options{}, func(s *servemap.Site) http.Handler {
			return s.Wrap(http.StripPrefix("/blog", hintBlog()))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := hintSite(t, tt.origin, tt.opts, tt.mount)
			for _, path := range []string{"/blog/", "/blog/one", "/blog/two", "/blog/p/orphan"} {
				if status, _ := r.visit(path); status != http.StatusOK {
					t.Fatalf("%s answers %d", path, status)
				}
			}
			r.wantListed("/blog/sitemap.xml", "https://example.com/blog/", "https://example.com/blog/one", "https://example.com/blog/two")
			if line := r.site.RobotsLine(); line != "Sitemap: https://example.com/blog/sitemap.xml" {
				t.Errorf("robots.txt is to say %q", line)
			}
			r.wantHints()
		})
	}
}

func TestARouteBelowStripPrefix(t *testing.T) {
	r := hintSite(t, "https://example.com/blog", servemap.Options{}, func(s *servemap.Site) http.Handler {
		return http.StripPrefix("/blog", s.Wrap(hintBlog()))
	})
	r.visit("/blog/about")
	r.visit("/blog/p/orphan")
	r.wantListed("/blog/sitemap.xml", "https://example.com/blog/about")
}

func TestAMountedRouterBelowStripPrefix(t *testing.T) {
	r := hintSite(t, "https://example.com/blog", servemap.Options{}, func(s *servemap.Site) http.Handler {
		router := mux.NewRouter()
		router.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { hintPage(w, r, "/blog/one") })
		router.HandleFunc("/{slug}", func(w http.ResponseWriter, r *http.Request) { hintPage(w, r) })
		s.Mount(router)
		return http.StripPrefix("/blog", router)
	})
	r.visit("/blog/")
	r.visit("/blog/one")
	r.wantListed("/blog/sitemap.xml", "https://example.com/blog/", "https://example.com/blog/one")
}

// TestAnOriginWithoutTheStrippedPrefixIsToldOfAtOnce gives the origin of the whole
// host for a site that sees one folder of it.
func TestAnOriginWithoutTheStrippedPrefixIsToldOfAtOnce(t *testing.T) {
	r := hintSite(t, "https://example.com", servemap.Options{}, func(s *servemap.Site) http.Handler {
		return http.StripPrefix("/blog", s.Wrap(hintBlog()))
	})
	r.visit("/blog/")
	if _, body := r.visit("/blog/sitemap.xml"); !strings.Contains(body, "http.StripPrefix") || !strings.Contains(body, "add it to the origin") {
		t.Errorf("who asks for the sitemap is told\n%s", body)
	}
	r.wantHints("That is https://example.com/blog.")
}

// TestAFolderOfASiteNeedsNoHint puts one site around the whole host and around a
// folder that is cut off.
func TestAFolderOfASiteNeedsNoHint(t *testing.T) {
	r := hintSite(t, "https://example.com", servemap.Options{}, func(s *servemap.Site) http.Handler {
		m := http.NewServeMux()
		m.Handle("/", s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hintPage(w, r, "/blog/") })))
		m.Handle("/blog/", http.StripPrefix("/blog", s.Wrap(hintBlog())))
		return m
	})
	for _, path := range []string{"/", "/blog/", "/blog/one", "/blog/two"} {
		r.visit(path)
	}
	r.wantListed("/sitemap.xml", "https://example.com/", "https://example.com/blog/", "https://example.com/blog/one", "https://example.com/blog/two")
	r.wantHints()
}

// TestASecretThatIsCutOffIsNotTold has the program cut off what lets somebody in.
func TestASecretThatIsCutOffIsNotTold(t *testing.T) {
	const secret = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	r := hintSite(t, "https://example.com", servemap.Options{}, func(s *servemap.Site) http.Handler {
		return http.StripPrefix("/t/"+secret, s.Wrap(hintBlog()))
	})
	r.visit("/t/" + secret + "/about")
	r.flush()
	if hints := r.site.Stats().Hints; len(hints) != 1 || strings.Contains(hints[0], secret) {
		t.Errorf("hints %q", hints)
	}
	r.close(hintPatience)
	if strings.Contains(r.log.String(), secret) {
		t.Errorf("the log says\n%s", r.log.String())
	}
}
