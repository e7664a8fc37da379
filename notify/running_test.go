package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

const testKey = "0123456789abcdefKEY"

// site is the pages of a program. "/" links to all of them.
type site struct {
	mu    sync.Mutex
	texts map[string]string           // by path
	odd   map[string]http.HandlerFunc // pages with a special answer
}

// newSite returns a site with a home page and n other pages, "/0", "/1" ...
func newSite(n int) *site {
	p := &site{texts: map[string]string{}, odd: map[string]http.HandlerFunc{}}
	for i := range n {
		p.change(fmt.Sprintf("/%d", i))
	}
	return p
}

// change gives each page a new text.
func (p *site) change(paths ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, path := range paths {
		p.texts[path] = fmt.Sprintf("%s at %d", path, time.Now().UnixNano())
	}
}

// answer gives a path another handler.
func (p *site) answer(path string, h http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.odd[path] = h
}

func (p *site) paths() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.texts))
}

func (p *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	text, odd := p.texts[r.URL.Path], p.odd[r.URL.Path]
	p.mu.Unlock()
	switch {
	case odd != nil:
		odd(w, r)
	case r.URL.Path == "/":
		testkit.Page("home", p.paths()...)(w, r)
	case text == "":
		http.NotFound(w, r)
	default:
		testkit.Page(text, "/")(w, r)
	}
}

// runningSite is a running site, a notifier and a fake engine, in virtual time.
type runningSite struct {
	*testkit.Site
	pages    *site
	notifier *Notifier
	engine   *engineFake
	stop     func() // ends Run, and waits for its end
}

// engineFake stands in for the engine.
type engineFake struct {
	mu      sync.Mutex
	posts   []posted
	answers []func() (*http.Response, error) // to the next posts; then 200
}

type posted struct {
	at       time.Time
	endpoint string
	kind     string
	body     string
	message
}

// reply is an answer of an engine. lines are names and values of headers.
func reply(code int, body string, lines ...string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		w := httptest.NewRecorder()
		for i := 0; i < len(lines); i += 2 {
			w.Header().Set(lines[i], lines[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
		return w.Result(), nil
	}
}

func (e *engineFake) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p := posted{at: time.Now(), endpoint: r.URL.String(), kind: r.Header.Get("Content-Type"), body: string(body)}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p.message); err != nil {
		return nil, err
	}
	e.posts = append(e.posts, p)
	if len(e.answers) > 0 {
		next := e.answers[0]
		e.answers = e.answers[1:]
		return next()
	}
	return reply(http.StatusOK, "")()
}

// all returns the posts so far.
func (e *engineFake) all() []posted {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.posts)
}

// next sets the answers to the next posts.
func (e *engineFake) next(answers ...func() (*http.Response, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers = append(e.answers, answers...)
}

// run runs fn with a site of a home page and so many other pages, all of them listed, and a
// notifier that has started after that.
func run(t *testing.T, pages int, opts Options, fn func(*runningSite)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRunningSite(t, pages, testkit.Setup{})
		r.start(opts)
		fn(r)
	})
}

func newRunningSite(t *testing.T, pages int, setup testkit.Setup) *runningSite {
	r := &runningSite{pages: newSite(pages), engine: &engineFake{}}
	setup.Handler = r.pages
	r.Site = testkit.Start(t, setup)
	t.Cleanup(func() {
		if strings.Contains(r.Logged.String(), testKey) {
			t.Errorf("the log tells the key:\n%s", r.Logged)
		}
	})
	r.Visit(append([]string{"/"}, r.pages.paths()...)...)
	time.Sleep(2 * time.Hour) // pages are observed only once in a while
	return r
}

// start makes a notifier and runs it. It ends with the test, or by stop. Later changes come
// after its first start.
func (r *runningSite) start(opts Options) {
	r.Helper()
	r.launch(r.build(opts))
	time.Sleep(time.Second)
}

func (r *runningSite) launch(n *Notifier) {
	r.notifier, r.stop = n, r.run(n)
	r.TB.Cleanup(r.stop)
}

func (r *runningSite) build(opts Options) *Notifier {
	r.Helper()
	if opts.Transport == nil {
		opts.Transport = r.engine
	}
	if opts.Logger == nil {
		opts.Logger = r.Logged.Logger()
	}
	if opts.Key == "" {
		opts.Key = testKey
	}
	n, err := New(r.Site.Site, r.Store, &opts)
	base.Check(r, err)
	return n
}

func (r *runningSite) run(n *Notifier) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { n.Run(ctx); close(done) }()
	synctest.Wait()
	return func() { cancel(); <-done }
}

// changes changes pages, and lets the site see that.
func (r *runningSite) changes(paths ...string) {
	r.Helper()
	time.Sleep(time.Second)
	r.pages.change(paths...)
	r.Visit(paths...)
}

// status returns the notifier's Status.
func (r *runningSite) status() Status {
	r.Helper()
	s, err := r.notifier.Status(r.Context())
	base.Check(r, err)
	return s
}

// wantPosts checks which pages each post named since the last check.
func (r *runningSite) wantPosts(want ...string) {
	r.Helper()
	var got []string
	for _, p := range r.engine.all() {
		got = append(got, strings.Join(p.paths(), " "))
	}
	if !slices.Equal(got, want) {
		r.Fatalf("the posts named %q, want %q; the log:\n%s", got, want, r.Logged)
	}
	r.engine.mu.Lock()
	r.engine.posts = nil
	r.engine.mu.Unlock()
}

// paths are those of the pages that the post named.
func (p posted) paths() (all []string) {
	for _, u := range p.URLs {
		all = append(all, strings.TrimPrefix(u, testkit.Origin))
	}
	return all
}

// sent returns the pages of all posts so far, in their order.
func (r *runningSite) sent() (paths []string) {
	for _, p := range r.engine.all() {
		paths = append(paths, p.paths()...)
	}
	return paths
}
