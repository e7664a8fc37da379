package observe

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe/capture"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/testkit/base"
)

const rules = "User-agent: *\nDisallow: /internal/\n"

// text serves a robots.txt.
func text(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, rules)
}

// coded serves body with a type and a content coding.
func coded(contentType, encoding string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Encoding", encoding)
		w.Write(body)
	}
}

func gzipped(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.Bytes()
}

// robotsFile serves a robots.txt from a file, as a file server does.
func robotsFile(t *testing.T, content string) http.HandlerFunc {
	name := filepath.Join(t.TempDir(), "robots.txt")
	base.Check(t, os.WriteFile(name, []byte(content), 0o600))
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) }
}

func TestRobotsTxtIsSeenAsItIsServed(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	long := rules + strings.Repeat("# more\n", robots.Enough/7)
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		target  string // if it is not robots.txt
		change  func(*http.Request)
		status  int
		seen    bool
		obeyed  bool
	}{
		{name: "text", handler: text, status: 200, seen: true, obeyed: true},
		{name: "file", handler: robotsFile(t, rules), status: 200, seen: true, obeyed: true},
		{name: "long file", handler: robotsFile(t, long), status: 200, seen: true, obeyed: true},
		{name: "gzip inside", handler: coded("text/plain", "gzip", gzipped(rules)), status: 200, seen: true, obeyed: true},
		{name: "compressed further out, in an unknown coding", handler: coded("text/plain", "rot13", []byte(rules)),
			status: 200, seen: true, obeyed: true},
		{name: "empty", handler: coded("text/plain", "", nil), status: 200, seen: true},
		{name: "404", handler: http.NotFound, status: 404, seen: true},

		{name: "unknown coding", handler: coded("text/plain", "rot13", []byte("\x00\x01")), status: 200},
		{name: "page", handler: page200, status: 200},
		{name: "page that is compressed", handler: coded("text/html", "gzip", gzipped(pageHTML)), status: 200},

		{name: "HEAD", handler: text, change: func(r *http.Request) { r.Method = http.MethodHead }, status: 200},
		{name: "range", handler: robotsFile(t, rules), change: header("Range", "bytes=0-5"), status: 206},
		{name: "session", handler: text, change: header("Cookie", "session=1"), status: 200},
		{name: "another host", handler: text, change: func(r *http.Request) { r.Host = "evil.example.net" }, status: 200},
		// A site also serves a test copy of itself, whose robots.txt forbids everything. It selects the
		// copy by the host that a proxy forwards. A stranger can send that header too.
		{name: "X-Forwarded-Host", handler: text, change: header("X-Forwarded-Host", "staging.example.com"), status: 200},
		{name: "query", handler: text, target: "/robots.txt?v=2", status: 200},
		{name: "another spelling", handler: text, target: "/robots%2Etxt", status: 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, req := start(t), get(cmp.Or(tt.target, "/robots.txt"))
			if tt.change != nil {
				tt.change(req)
			}
			base.Equal(t, fetch(r.observe(tt.handler), req), tt.status, "status")
			r.wantRobots(tt.seen, tt.obeyed)
		})
	}
}

// wantRobots checks whether a robots.txt was seen, and whether it is obeyed.
func (r *rig) wantRobots(seen, obeyed bool) {
	r.t.Helper()
	r.wantObservations(map[bool]uint64{true: 1}[seen])
	r.check(r.cfg.Indexer.Flush(r.t.Context()))
	if got := !r.cfg.Files.Allows("/internal/a"); got != obeyed {
		r.t.Errorf("what it forbids is forbidden: %v, want %v", got, obeyed)
	}
	r.wantNothingLent()
}

func TestRobotsTxtIsWatchedAtTheRootOfTheHost(t *testing.T) {
	for _, tt := range []struct {
		name, origin, stripped string
		watch, seen            bool
	}{
		{"host", "https://example.com", "", true, true},
		{"folder of a host", "https://example.com/blog", "", true, true},
		{"behind a proxy that strips a prefix", "https://example.com/app", "/app", true, false},
		{"given by the owner", "https://example.com", "", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, m := start(t, at(t, tt.origin, tt.stripped), func(c *Config) { c.WatchRobots = tt.watch }), http.NewServeMux()
			m.HandleFunc("/robots.txt", text)
			base.Equal(t, fetch(r.observe(m), get("/robots.txt")), http.StatusOK, "status")
			r.wantRobots(tt.seen, tt.seen)
		})
	}
}

func TestRobotsTxtIsDueUntilItIsSeen(t *testing.T) {
	for name, tt := range map[string]struct {
		next http.HandlerFunc
		due  bool
	}{
		"seen": {text, false}, "404": {http.NotFound, false}, "304": {answer(http.StatusNotModified), true},
		"a page": {page200, true},
	} {
		r := start(t)
		r.watches(get(robotsTxt), tt.next)
		base.Equal(t, r.watches(get(robotsTxt), text), tt.due, "after %s, the next request was watched", name)
	}
}

func TestRobotsTxtWithoutMemoryForItChangesNothing(t *testing.T) {
	r := start(t)
	enough := r.cfg.Captures
	r.cfg.Captures = capture.NewRecorder(response.NewBuffers(observation.MaxPage, 0, nil))
	r.watches(get("/robots.txt"), text)
	base.Equal(t, r.cfg.Indexer.Stats().Dropped, 1, "observations were dropped")
	r.wantRobots(false, false)
	r.cfg.Captures = enough
	r.watches(get("/robots.txt"), text)
	r.wantRobots(true, true)
}
