package announce

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

const (
	sitemap = "https://example.com/sitemap.xml"
	ours    = "# Added by servemap:\nSitemap: " + sitemap + "\n"
	theirs  = "User-agent: *\nDisallow: /private/\n"
)

func TestAddWritesTheLineOnceIntoAnyFile(t *testing.T) {
	for _, tt := range []struct {
		name, file, want string // want is "" if the file stays as it is
	}{
		{"a file", theirs, ours + "\n" + theirs},
		{"an empty file", "", ours},
		{"no newline at the end", "User-agent: *\nDisallow: /", ours + "\nUser-agent: *\nDisallow: /"},
		{"a byte order mark", bom + theirs, bom + ours + "\n" + theirs},
		{"UTF-16, little end first", "\xff\xfeU\x00s\x00", ""},
		{"UTF-16 without a mark", "U\x00s\x00e\x00r\x00", ""},
		{"another encoding", "User-agent: *\nDisallow: /caf\xe9\n", ours + "\nUser-agent: *\nDisallow: /caf\xe9\n"},
		{"a line for another sitemap", "Sitemap: https://example.com/blog/sitemap.xml\n",
			ours + "\nSitemap: https://example.com/blog/sitemap.xml\n"},
		{"a relative line, which nobody follows", "Sitemap: /sitemap.xml\n", ours + "\nSitemap: /sitemap.xml\n"},
		{"a line in a comment", "# Sitemap: " + sitemap + "\n", ours + "\n# Sitemap: " + sitemap + "\n"},
		{"the line is there", theirs + "Sitemap: " + sitemap + "\n", ""},
		{"the line is there, in another case, with spaces and a comment",
			"  SITEMAP :  HTTPS://Example.COM/sitemap.xml # here\n", ""},
		{"the line is there, with http", "Sitemap: http://example.com/sitemap.xml\n", ""},
		{"the line is there, with www", "Sitemap: https://www.example.com/sitemap.xml\n", ""},
		{"the line is there, for the compressed file", "Sitemap: " + sitemap + ".gz\n", ""},
		{"room for the lines and no byte more", strings.Repeat("#", MaxFile-len(ours)-1),
			ours + "\n" + strings.Repeat("#", MaxFile-len(ours)-1)},
		{"a byte too long with the lines", strings.Repeat("#", MaxFile-len(ours)), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Add([]byte(tt.file), []string{sitemap})
			if ok != (tt.want != "") || ok && string(got) != tt.want {
				t.Errorf("added: %t, %.200q, want %.200q", ok, got, tt.want)
			}
		})
	}
}

func TestAddNamesOnlyWhatIsMissing(t *testing.T) {
	const news = "https://example.com/sitemap-news.xml"
	want := "# Added by servemap:\nSitemap: " + news + "\n\nSitemap: " + sitemap + "\n"
	if got, ok := Add([]byte("Sitemap: "+sitemap+"\n"), []string{sitemap, news}); !ok || string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRobotsTxtOfTheProgramGetsTheSitemapLine runs a program that gives all kinds of answers for
// robots.txt. A want of "" means the program's own answer, unchanged.
func TestRobotsTxtOfTheProgramGetsTheSitemapLine(t *testing.T) {
	const none = "User-agent: *\nDisallow: /given/\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, theirs)
	z.Close()
	for _, tt := range []struct {
		name    string
		status  int
		headers string // "Name: value" in lines
		body    string
		want    string
	}{
		{"a file", 200, "Content-Type: text/plain", theirs, ours + "\n" + theirs},
		{"a file without a type", 200, "", theirs, ours + "\n" + theirs},
		{"an empty file", 200, "", "", ours},
		{"all that describes the old bytes", 200, "Content-Type: text/plain\nContent-Length: " + strconv.Itoa(len(theirs)) +
			"\nEtag: \"old\"\nLast-Modified: Mon, 02 Jan 2006 15:04:05 GMT\nContent-Digest: sha-256=:x:\nContent-Md5: x", theirs,
			ours + "\n" + theirs},
		{"the line is there", 200, "Content-Type: text/plain\nEtag: \"old\"", "Sitemap: " + sitemap, ""},
		{"404", 404, "Content-Type: text/html\nCache-Control: no-store\nSet-Cookie: a=b", "<html>not found",
			ours + "\n" + none},
		{"401", 401, "Www-Authenticate: Basic", "who are you?", ""},
		{"a redirect", 302, "Location: /other.txt", "", ""},
		{"an answer without a body", 204, "", "", ""},
		{"a page for every path", 200, "Content-Type: text/html", "<!DOCTYPE html><p>app", ours + "\n" + none},
		{"a page that says it is text", 200, "Content-Type: text/plain", "<!DOCTYPE html><p>app", ""},
		{"compressed all the same", 200, "Content-Type: text/plain\nContent-Encoding: gzip\nVary: Accept-Encoding",
			packed.String(), ""},
		{"data for every path", 200, "Content-Type: application/json", `{"app":true}`, ""},
		{"a page with 404, longer than any file", 404, "Content-Type: text/html", strings.Repeat("<p>", MaxFile),
			ours + "\n" + none},
		{"too long", 200, "Content-Type: text/plain", strings.Repeat("#\n", MaxFile/2+1), ""},
		{"UTF-16", 200, "Content-Type: text/plain", "\xff\xfeU\x00s\x00", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			program := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for line := range strings.Lines(tt.headers) {
					name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
					w.Header().Set(name, value)
				}
				w.WriteHeader(tt.status)
				for chunk := range slices.Chunk([]byte(tt.body), 7) { // as a program that copies writes
					w.Write(chunk)
					if len(tt.body) < 100 { // nothing may be sent too early
						w.(http.Flusher).Flush()
					}
				}
			})
			bare, with := fetch(t, program, http.MethodGet), fetch(t, around(program, none), http.MethodGet)
			upstream := base.Serve(t, program)
			want, proxied := with, fetch(t, around(proxy(t, upstream), none), http.MethodGet)
			if tt.want == "" {
				want = fetch(t, proxy(t, upstream), http.MethodGet)
			}
			if proxied.status != want.status || proxied.body != want.body {
				t.Errorf("behind a proxy: %d %.100q, want %d %.100q", proxied.status, proxied.body, want.status, want.body)
			}
			if tt.want == "" {
				wantSame(t, with, bare)
				return
			}
			if with.status != 200 || with.body != tt.want {
				t.Errorf("%d %q, want %q", with.status, with.body, tt.want)
			}
			if got := with.head.Get("Content-Length"); got != strconv.Itoa(len(tt.want)) {
				t.Errorf("Content-Length is %q, want %d", got, len(tt.want))
			}
			for _, name := range []string{"Etag", "Last-Modified", "Content-Digest", "Content-Md5", "Set-Cookie"} {
				if value := with.head.Get(name); value != "" {
					t.Errorf("%s: %s is still there", name, value)
				}
			}
			if kind, control := with.head.Get("Content-Type"),
				with.head.Get("Cache-Control"); !strings.HasPrefix(strings.ToLower(kind), "text/plain") || control != "no-cache" {
				t.Errorf("Content-Type is %q, Cache-Control %q", kind, control)
			}
		})
	}
}

// TestEditedRobotsTxtIsSentWhole asks for one file, edited or made, in all the ways in which clients ask. What they
// have is of other bytes than the program knows of.
func TestEditedRobotsTxtIsSentWhole(t *testing.T) {
	file := func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Range", "If-None-Match", "If-Modified-Since"} {
			if r.Header.Get(name) != "" {
				t.Errorf("the program is asked with %s, for bytes that the client never had", name)
			}
		}
		if r.Method != http.MethodGet || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("the program is asked with %s and Accept-Encoding %q", r.Method, r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Etag", `"old"`)
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Cache-Control", "max-age=60")
		io.WriteString(w, theirs)
	}
	for want, h := range map[string]http.Handler{ours + "\n" + theirs: around(http.HandlerFunc(file), ""),
		ours: around(http.HandlerFunc(http.NotFound), "")} {
		for _, headers := range [][]string{nil, {"Accept-Encoding", "gzip"}, {"If-None-Match", `"old"`},
			{"Range", "bytes=2-6"}, {"Range", "bytes=2-6", "If-Range", `"old"`}} {
			for _, method := range []string{"GET", "HEAD"} {
				got := fetch(t, h, method, headers...)
				if got.status != 200 || method == "GET" && got.body != want || got.head.Get("Etag") != "" ||
					got.head.Get("Content-Length") != strconv.Itoa(len(want)) {
					t.Errorf("%s with %q: %d %q %v, want %q", method, headers, got.status, got.body, got.head, want)
				}
			}
		}
	}
	base.Equal(t, fetch(t, around(http.HandlerFunc(file), ""), http.MethodGet).head.Get("Cache-Control"), "max-age=60",
		"the owner's Cache-Control")
}

// The program alone answers where there is nothing to add, in all the ways in which clients ask.
func TestOtherAnswersAreNotChanged(t *testing.T) {
	program := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Etag", `"theirs"`)
		http.ServeContent(w, r, "", time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC),
			strings.NewReader(theirs+"Sitemap: "+sitemap+"\n"))
	})
	for _, headers := range [][]string{
		{"Accept-Encoding", "gzip"}, {"If-None-Match", `"theirs"`}, {"If-Modified-Since", "Sun, 22 Nov 2026 12:00:00 GMT"},
		{"Range", "bytes=2-6", "If-Range", `"theirs"`},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			wantSame(t, fetch(t, around(program, ""), method, headers...), fetch(t, program, method, headers...))
		}
	}
}

func TestSiteThatFailsSaysNothingOfItsRobotsTxt(t *testing.T) {
	for status, want := range map[int]bool{200: false, 403: false, 500: true, 502: true} {
		next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, theirs+"Sitemap: "+sitemap+"\n", status)
		})
		w := httptest.NewRecorder()
		_, _, failed := Serve(next, w, httptest.NewRequest(http.MethodGet, "/robots.txt", nil), []string{sitemap}, "")
		if failed != want || w.Code != status {
			t.Errorf("%d is answered with %d, and counts as a failure: %t", status, w.Code, failed)
		}
	}
}

// proxy returns a proxy to a site, as programs make one.
func proxy(t *testing.T, to string) http.Handler {
	u, err := url.Parse(to)
	base.Check(t, err)
	return httputil.NewSingleHostReverseProxy(u)
}

// A file that its handler could not finish may lack rules: the panic is the client's too.
func TestPanicOfTheHandlerReachesTheClient(t *testing.T) {
	h := around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, theirs)
		panic(http.ErrAbortHandler)
	}), "")
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("the handler's panic was hidden")
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/robots.txt", nil))
}

// A middleware around us may compress what we send: then Content-Encoding is set already.
func TestRobotsTxtIsEditedBelowACompressor(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		around(text(theirs), "").ServeHTTP(packing{w, z}, r)
	})
	got := fetch(t, h, http.MethodGet, "Range", "bytes=2-6")
	z, err := gzip.NewReader(strings.NewReader(got.body))
	base.Check(t, err)
	if body, err := io.ReadAll(z); err != nil || string(body) != ours+"\n"+theirs || got.status != 200 ||
		got.head.Get("Etag") != "" {
		t.Errorf("%d %q, %v, ETag %q", got.status, body, err, got.head.Get("Etag"))
	}
}

type packing struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (p packing) Write(b []byte) (int, error) { return p.z.Write(b) }

// A file that broke off may lack rules. It must look broken to crawlers too.
func TestFileThatBreaksOffStaysBroken(t *testing.T) {
	h := around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(theirs)))
		io.WriteString(w, theirs[:14])
	}), "")
	resp, err := http.Get(base.Serve(t, h.ServeHTTP) + "/robots.txt")
	base.Check(t, err)
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("it is taken for whole: %q", body)
	}
}

func text(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, body)
	})
}

func around(program http.Handler, none string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { Serve(program, w, r, []string{sitemap}, none) })
}

type fetched struct {
	status int
	head   http.Header
	body   string
}

// headers returns the headers about the body.
func (a fetched) headers() string {
	a.head.Del("Date")
	var b strings.Builder
	a.head.Write(&b)
	return b.String()
}

// wantSame fails the test unless an answer is as without us.
func wantSame(t *testing.T, with, bare fetched) {
	t.Helper()
	if with.status != bare.status || with.body != bare.body || with.headers() != bare.headers() {
		t.Errorf("it became\n%d %s%.100q\nfrom\n%d %s%.100q", with.status, with.headers(), with.body, bare.status,
			bare.headers(), bare.body)
	}
}

// fetch asks a real server, without the client's own compression.
func fetch(t *testing.T, h http.Handler, method string, headers ...string) fetched {
	t.Helper()
	r, err := http.NewRequest(method, base.Serve(t, h.ServeHTTP)+"/robots.txt", nil)
	base.Check(t, err)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, body := base.Do(t, client, r)
	return fetched{resp.StatusCode, resp.Header, body}
}

func TestStreamThatIsNoRobotsTxtIsNotReadToItsEnd(t *testing.T) {
	const events = 1000
	written := 0
	stream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range events {
			if _, err := w.Write([]byte("data: tick\n\n")); err != nil || r.Context().Err() != nil {
				return
			}
			written++
		}
	})
	w := httptest.NewRecorder()
	wrote, page, _ := Serve(stream, w, httptest.NewRequest(http.MethodGet, "/robots.txt", nil), []string{sitemap}, "")
	if wrote || !page || written != events || strings.Count(w.Body.String(), "tick") != events {
		t.Errorf("%d events were written, and the client got %d; want %d", written, strings.Count(w.Body.String(), "tick"),
			events)
	}
}
