// Package front is where requests come in. It answers those for the sitemap's files, and has the
// answers to all others observed. Every request of the site passes it, so most of them may cost no
// more than two comparisons here.
package front

import (
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/felixge/httpsnoop"
	"github.com/gorilla/mux"

	"github.com/servemap/servemap/internal/admin/crawlers"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/anonymous"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/observe"
	"github.com/servemap/servemap/internal/publish/files"
)

// Config says what stands behind the front.
type Config struct {
	Origin    string
	Path      string // the folder of the files, as requests have it here
	Folder    string // the same, as visitors ask for it
	Name      string // of the first file, without ".xml"
	Files     *files.Files
	Observer  *observe.Observer
	Crawlers  *crawlers.Tracker // nil if they are not followed
	Hints     *messages.Hints
	NoSitemap func() string // says why there is none, in words that strangers may read
	Unmounted func() bool   // the program seems to have forgotten to put the site around its pages
}

// Front serves one site.
type Front struct {
	Config
	reached atomic.Bool // a stranger's request for the files has come here
	asked   atomic.Bool // the program's server was asked for them before a visitor's request came
	servers chan http.Handler
}

// New returns a front.
func New(cfg Config) *Front { return &Front{Config: cfg, servers: make(chan http.Handler, 1)} }

// Ask has Run ask the program's own server, which r names, for the sitemap, as a crawler would. If something that
// stands around the site answers in its place, Run gives a hint. No visitor waits for this.
func (f *Front) Ask(r *http.Request) {
	if server, _ := r.Context().Value(http.ServerContextKey).(*http.Server); server != nil && !observe.Explores(r) {
		select {
		case f.servers <- cmp.Or(server.Handler, http.Handler(http.DefaultServeMux)):
		default:
		}
	}
}

// Reached reports whether a stranger's request for the files has come here.
func (f *Front) Reached() bool { return f.reached.Load() }

// Run asks the servers that Ask names, until ctx ends.
func (f *Front) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case server := <-f.servers:
			f.ask(ctx, server)
		}
	}
}

// Missed notes a request that came to another part of the site, such as its robots.txt. If no request has come to the
// front yet, the front asks the server once, to see whether requests reach it.
func (f *Front) Missed(r *http.Request) {
	if !f.Observer.Passed() && !f.reached.Load() && !f.asked.Swap(true) {
		f.Ask(r)
	}
}

// asking marks in its context the request that Ask makes, so that it does not count as somebody's request for the
// sitemap.
type asking struct{}

func (f *Front) ask(ctx context.Context, server http.Handler) {
	file := f.Folder + f.Name + ".xml"
	status, to := f.Observer.Own.Get(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), asking{}, true)))
	}), file)
	if f.reached.Load() {
		return
	}
	answers := status == http.StatusOK || status == http.StatusNotFound || status == http.StatusMethodNotAllowed
	switch {
	case answers && f.Unmounted():
		f.Hints.Give(messages.Unwrapped, "", "origin", f.Origin)
	case answers:
		f.Hints.Give(messages.Routed, "", "origin", f.Origin)
	case status == http.StatusUnauthorized, to != "" && to != file: // another refusal may be meant for this client only
		f.Hints.Give(messages.Barred, messages.Instead(status, to), "origin", f.Origin)
	default:
		return
	}
	f.Hints.End(messages.Unexplored)
}

// Wrap returns a handler that has next serve all but the files.
func (f *Front) Wrap(next http.Handler) http.Handler {
	return &wrapped{f, next, f.Observer, f.Crawlers != nil, f.Name[0] | 0x20, len(f.Path), len(f.Folder)}
}

// wrapped has what every request needs in one place.
type wrapped struct {
	front          *Front
	next           http.Handler
	observer       *observe.Observer
	follows        bool
	first          byte // of the names of all files, in lower case
	arrives, asked int  // where such a name begins in the request's path, and in its target
}

func (s *wrapped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, target := r.URL.Path, r.RequestURI
	if len(path) > s.arrives && path[s.arrives]|0x20 == s.first || len(target) > s.asked &&
		target[s.asked]|0x20 == s.first {
		if s.front.Owns(r) {
			s.front.ServeFile(w, r)
			return
		}
		if s.front.meant(path) && !observe.Explores(r) {
			w = s.front.leading(w)
		}
	}
	if s.follows {
		s.front.follow(r)
	}
	s.observer.Serve(s.next, w, r)
}

// Owns reports whether a request is for one of the files. Requests of this process to itself are not: they ask what the
// site has there.
func (f *Front) Owns(r *http.Request) bool { return f.named(r) && !observe.Explores(r) }

// named reports whether a request has the name of one of the files.
func (f *Front) named(r *http.Request) bool {
	if name, below := strings.CutPrefix(r.URL.Path, f.Path); below && f.serves(name) {
		return true
	}
	target, _, _ := strings.Cut(r.RequestURI, "?") // http.StripPrefix changes the path, but not the target
	name, below := strings.CutPrefix(target, f.Folder)
	return below && f.serves(name)
}

// meant reports whether somebody who types a path means the sitemap: it has capitals, a slash at its end, or the name
// of an index.
func (f *Front) meant(path string) bool {
	name, below := strings.CutPrefix(path, f.Path)
	name, is := strings.CutPrefix(strings.ToLower(strings.TrimSuffix(name, "/")), strings.ToLower(f.Name))
	return below && is && slices.Contains([]string{".xml", "index.xml", "_index.xml", "-index.xml"}, name) &&
		f.Files.Listed() > 0
}

// leading returns a writer that redirects to the sitemap, if the site answers that it has nothing there.
func (f *Front) leading(w http.ResponseWriter) http.ResponseWriter {
	led, outer := false, w.Header().Clone() // what stands around the site has set these headers
	return httpsnoop.Wrap(w, httpsnoop.Hooks{
		WriteHeader: func(next httpsnoop.WriteHeaderFunc) httpsnoop.WriteHeaderFunc {
			return func(status int) {
				if status == http.StatusNotFound || status == http.StatusGone {
					clear(w.Header())
					maps.Copy(w.Header(), outer)
					w.Header().Set("Location", f.Folder+f.Name+".xml")
					led, status = true, http.StatusMovedPermanently
				}
				next(status)
			}
		},
		Write: func(next httpsnoop.WriteFunc) httpsnoop.WriteFunc {
			return func(b []byte) (int, error) {
				if led {
					return len(b), nil
				}
				return next(b)
			}
		},
		ReadFrom: func(next httpsnoop.ReadFromFunc) httpsnoop.ReadFromFunc {
			return func(from io.Reader) (int64, error) {
				if led {
					return io.Copy(io.Discard, from)
				}
				return next(from)
			}
		},
	})
}

// serves reports whether a name is that of a file of the sitemap, or of the file that proves that the origin leads
// here.
func (f *Front) serves(name string) bool {
	return f.Files.Owns(name) || f.Observer.Own.Proves(name) != ""
}

// Outside returns a path of requests that the site needs but the route does not match, "" if it matches all. Only paths
// count: a proxy may change the host and whatever else a router matches.
func (f *Front) Outside(route *mux.Route) string {
	expr, err := route.GetPathRegexp()
	if err != nil {
		return "" // any path matches
	}
	reached, err := regexp.Compile(expr)
	if err != nil {
		return ""
	}
	for _, path := range []string{f.Path, f.Path + f.Name + ".xml"} {
		if !reached.MatchString(path) {
			return path
		}
	}
	return ""
}

// ServeFile answers a request for one of the files, and follows crawlers.
func (f *Front) ServeFile(w http.ResponseWriter, r *http.Request) {
	if !f.reached.Load() && anonymous.Credentials(r, anonymous.Benign{}) == eligibility.None && !f.reached.Swap(true) {
		f.Hints.End(messages.Unwrapped, messages.Routed, messages.Barred)
	}
	if r.Context().Value(asking{}) != nil {
		return
	}
	name := path.Base(r.URL.Path)
	if says := f.Observer.Own.Proves(name); says != "" {
		f.Observer.Own.ServeProof(w, says)
		return
	}
	fetch, ok := f.fetchOf(r)
	if !ok || !f.Files.Owns(name) {
		f.answer(w, r)
		return
	}
	status := httpsnoop.CaptureMetricsFn(w, func(w http.ResponseWriter) { f.answer(w, r) }).Code
	// Anybody can make up the name of a part. Only fetches of files that are there are noted.
	if status != http.StatusNotFound && (status != http.StatusServiceUnavailable ||
		slices.Contains(f.Files.Tops(), name)) {
		fetch.File, fetch.Status = strings.TrimSuffix(name, ".gz"), status
	}
	f.Crawlers.Saw(fetch)
}

func (f *Front) answer(w http.ResponseWriter, r *http.Request) {
	if !f.Files.Serve(w, r) {
		_, _ = io.WriteString(w, f.NoSitemap())
	}
}

// follow notes a request that claims to be from a search engine's crawler.
func (f *Front) follow(r *http.Request) {
	if fetch, ok := f.fetchOf(r); ok {
		f.Crawlers.Saw(fetch)
	}
}

// fetchOf returns the crawler that a request claims to be from. ok is false if it claims none, or if
// crawlers are not followed.
func (f *Front) fetchOf(r *http.Request) (fetch crawlers.Fetch, ok bool) {
	agent := r.Header["User-Agent"]
	if f.Crawlers == nil || len(agent) == 0 {
		return fetch, false
	}
	if fetch.Engine, ok = crawlers.Claimed(agent[0]); !ok {
		return fetch, false
	}
	fetch.Client = f.Observer.Client(r)
	return fetch, true
}
