package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// TestPageBehindTheFrontsPasswordIsNotListedByThoseWhoHaveIt has a front that lets some visitors in, and does not
// tell the program: it sees anonymous visitors. What the site gets itself, from outside, counts.
func TestPageBehindTheFrontsPasswordIsNotListedByThoseWhoHaveIt(t *testing.T) {
	const kept = "/staff-handbook"
	for _, tt := range []struct {
		name    string
		refuse  func(pass http.Handler) http.Handler // strangers
		unasked bool                                 // also if it was never listed
	}{
		{"a password", func(http.Handler) http.Handler {
			return testkit.Reply(http.StatusUnauthorized, "who?", "WWW-Authenticate", "Basic")
		}, true},
		{"a redirect to a log-in", func(http.Handler) http.Handler {
			return testkit.Reply(http.StatusFound, "", "Location", "/login?next=x")
		}, true},
		{"a list of addresses", func(http.Handler) http.Handler { return testkit.Reply(http.StatusForbidden, "no") }, false},
		{"noindex", func(pass http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Robots-Tag", "noindex")
				pass.ServeHTTP(w, r)
			})
		}, true},
	} {
		for _, linked := range []bool{false, true} {
			t.Run(tt.name+map[bool]string{true: ", linked"}[linked], func(t *testing.T) {
				mux, links := http.NewServeMux(), map[bool][]string{true: {kept}}[linked]
				mux.HandleFunc("/{$}", testkit.Page("home", "/about"))
				mux.HandleFunc("/about", testkit.Page("about", links...))
				mux.HandleFunc(kept, testkit.Page("handbook"))
				var open atomic.Bool
				f := behind(t, mux, func(pass http.Handler) http.Handler {
					refused := tt.refuse(pass)
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						_, _, staff := r.BasicAuth()
						r.Header.Del("Authorization")
						if r.URL.Path == kept && !staff && !open.Load() {
							refused.ServeHTTP(w, r)
							return
						}
						pass.ServeHTTP(w, r)
					})
				})
				staff := func() { t.Helper(); f.visit("Authorization", "Basic YW5uOnNlY3JldA==", kept) }
				if linked && tt.unasked {
					f.explored()
					staff()
					f.wantListed("/", "/about")
				} else {
					staff()
					f.wantListed(kept)
				}
				f.explored()
				f.wantListed("/", "/about")
				staff()
				f.wantListed("/", "/about")
				open.Store(true)
				base.Check(t, f.UndoForget(t.Context(), kept)) // otherwise it is due in a minute
				f.explored()
				if linked {
					f.wantListed("/", "/about", kept)
				}
			})
		}
	}
}

// A page that was deleted has no visitors, and no page links to it. Exploring asks for it all the same.
func TestExploringAsksForListedPagesThatNoLinkLeadsTo(t *testing.T) {
	var gone atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", testkit.Page("home"))
	for _, path := range []string{"/old", "/kept", "/logout"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if gone.Load() && path == "/old" {
				w.WriteHeader(http.StatusGone)
				return
			}
			testkit.Page(path)(w, r)
		})
	}
	f := behind(t, mux, open)
	f.visit("Accept", "*/*", "/", "/old", "/kept", "/logout")
	f.wantListed("/", "/kept", "/old")
	gone.Store(true)
	asked := len(f.paths())
	f.explored()
	f.wantListed("/", "/kept")
	for _, path := range f.paths()[asked:] {
		if path == "/logout" {
			t.Error("it asked for what may act")
		}
	}
}

// A front may take the explorer for a robot that it does not want. That is no password.
func TestFrontThatRefusesTheExplorerEmptiesNoSitemap(t *testing.T) {
	const pages = 40
	for name, passed := range map[string]int64{"from the first page on": 0, "after some pages": 5} {
		t.Run(name, func(t *testing.T) {
			links := []string{}
			mux := http.NewServeMux()
			for i := range pages {
				links = append(links, fmt.Sprintf("/page-%d", i))
				mux.HandleFunc(links[i], testkit.Page(links[i]))
			}
			mux.HandleFunc("/{$}", testkit.Page("home", links...))
			var asked atomic.Int64
			f := behind(t, mux, func(pass http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					page := r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/page-")
					if r.UserAgent() == "servemap-explore" && page && asked.Add(1) > passed {
						http.Error(w, "robot", http.StatusForbidden)
						return
					}
					pass.ServeHTTP(w, r)
				})
			})
			f.visit("Accept", "*/*", append(links, "/")...)
			f.explored()
			if n := f.Stats().Listed; n < pages+1-10 {
				t.Errorf("%d of %d pages are listed: %v", n, pages+1, f.Stats().Verdicts)
			}
		})
	}
}
