package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// slow is a site whose pages wait for the test.
type slow struct {
	asked   chan string   // each requested page
	release chan struct{} // closed when pages need not wait any longer
}

func (s *slow) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/article-5" {
		select {
		case s.asked <- r.URL.Path:
		case <-s.release:
		}
		select {
		case <-s.release:
		case <-r.Context().Done():
			return
		}
	}
	blog(w, r)
	if r.URL.Path == "/" {
		fmt.Fprint(w, `<a href="/logout">Log out</a>`)
	}
}

func TestInterruptedExplorationBeginsAnewAtTheNextStart(t *testing.T) {
	site := &slow{asked: make(chan string), release: make(chan struct{})}
	first := before(t, site.serve, "-explore")
	<-site.asked
	data := first.data
	wantErrs(t, codeFailed, "already", "explore", "-data", data)
	first.ends()
	if log := first.log.String(); !strings.Contains(log, "cause=acting") || strings.Contains(log, "limit of requests") {
		t.Errorf("the end of the process is told as a limit: %s", log)
	}
	close(site.release)
	s := first.again()
	s.log.Await(t, "msg=explored")
	base.Equal(t, len(listed(t, data)), 21, "pages are listed")
	s = s.again() // a third start has nothing to explore
	s.log.Await(t, "not explored, since that was done before")
	must(t, "status", "-data", data)
	base.Equal(t, strings.Count(s.log.String(), "explored"), 1, "times that it tells of exploring, in %s", s.log)
	s.stop()
	for _, tt := range []struct {
		name string
		args []string
	}{
		{"another origin, of which nothing is known", []string{"-origin", "https://www.example.com", "-inside"}},
		{"another place where visitors enter", []string{"-entry", "/article-1"}},
		{"a page that is listed once it is seen", []string{"-always", "/landing"}},
	} {
		s = first.again(tt.args...)
		s.log.Await(t, "msg=explored")
		if s.stop(); strings.Contains(s.log.String(), "done before") {
			t.Errorf("%s: %s", tt.name, s.log)
		}
	}
}

// A program that fails at first, as while its database starts, gave no page that could be known from then on.
func TestExplorationThatGotNoPageIsMadeAgain(t *testing.T) {
	var works atomic.Bool
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" && !works.Load() {
			http.Error(w, "no database yet", http.StatusInternalServerError)
			return
		}
		blog(w, r)
	}, "-explore")
	s.log.Await(t, "no page to begin with")
	works.Store(true)
	s.log.Await(t, "msg=explored")
	base.Equal(t, len(listed(t, s.data)), 21, "pages are listed")
}

// A server for development writes its own address into its pages, as Hugo's does. There it is the site's.
func TestFirstTryNeedsNoOrigin(t *testing.T) {
	up := httptest.NewServer(nil)
	up.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := httptest.NewRecorder()
		blog(page, r)
		w.Header().Set("Content-Type", page.Header().Get("Content-Type"))
		w.WriteHeader(page.Code)
		fmt.Fprint(w, strings.ReplaceAll(page.Body.String(), `href="/`, `href="`+up.URL+`/`))
	})
	defer up.Close()
	s := serve(t, t.TempDir(), "proxy", "-to", up.URL, "-explore") // at any port
	s.log.Await(t, "msg=explored")
	if n := strings.Count(must(t, "list", "-data", s.data), strings.Replace(s.at, "127.0.0.1", "localhost", 1)+
		"/"); n != 21 || !strings.Contains(s.log.String(), "for trying only") {
		t.Errorf("%d are listed: %s", n, s.log)
	}
	serve(t, t.TempDir(), "proxy", "-to", "http://[fe80::1%25eth0]:3000") // no page can have that host
	for listen, want := range map[string]string{
		"localhost:8080": "localhost", ":http": "localhost", "0.0.0.0:8080": "localhost", "[::1]:8080": "localhost",
		"192.168.1.2:0": "192.168.1.2", "shop:8080": "shop",
	} {
		if got := forTrying(listen, 8080); got != "http://"+want+":8080" {
			t.Errorf("-listen %s: %s, want %s", listen, got, want)
		}
	}
}

func TestSettingThatHelpsLittleIsToldAtTheStart(t *testing.T) {
	up := base.Serve(t, blog)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-revisit"}, "-revisit visits only pages that are known; -explore finds the others"},
		{[]string{"-query", "id,sid,add"}, "By its name, add makes no page of its own, so leave it out of -query."},
		{[]string{"-query", "id,print"}, "By its name, print makes no page of its own"},
		{[]string{"-benign", "theme,PHPSESSID"}, "-benign names PHPSESSID, which looks like the log-in"},
		{[]string{"-admin", "127.0.0.1:0", "-admin-password", "geheim"}, "-admin-password is short"},
	} {
		s := serve(t, t.TempDir(), append([]string{"proxy", "-to", up, "-origin", origin, "-inside"}, tt.args...)...)
		s.log.Await(t, "commands are answered")
		if tt.args[0] == "-revisit" {
			s.log.Await(t, tt.want)
		} else if !strings.Contains(s.log.String(), tt.want) {
			t.Errorf("%q: the log says nothing of %s", tt.args, tt.want)
		}
		if n := strings.Count(s.log.String(), "level=WARN") + strings.Count(s.log.String(), "-revisit"); n != 1 {
			t.Errorf("%q: %s", tt.args, s.log)
		}
	}
}

func TestOriginThatLeadsElsewhereSaysWhatToType(t *testing.T) {
	t.Parallel() // it waits for some seconds
	asked := new(atomic.Int32)
	up := base.Serve(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1); blog(w, r) })
	elsewhere := base.Serve(t, http.NotFound)
	s := serve(t, t.TempDir(), "proxy", "-to", up, "-origin", elsewhere, "-explore")
	const want = "only if no server in front keeps strangers from a page, give -inside"
	line := s.log.Await(t, "Not exploring")
	const asks = "To explore the site directly, give -inside (only if no server in front keeps strangers from a page)"
	if !strings.Contains(line, asks) || !strings.Contains(line, "answered with 404") {
		t.Error(line)
	}
	code, _, errs := call(t, "explore", "-data", s.data)
	if code != codeFailed || !strings.Contains(errs, want) || asked.Load() > 0 {
		t.Errorf("code %d, %s; the site was asked %d times", code, errs, asked.Load())
	}
	const hint = "Not exploring"
	if text := must(t, "status", "-data", s.data); !strings.Contains(text, hint) {
		t.Errorf("status before it is explored: %s", text)
	}
	must(t, "explore", "-data", s.data, "-inside")
	base.Equal(t, len(listed(t, s.data)), 21, "pages are listed")
	if text := must(t, "status", "-data", s.data); strings.Contains(text, hint) {
		t.Errorf("status after it: %s", text)
	}
	if text := s.log.String(); strings.Count(text, "servemap: Not exploring") != 1 {
		t.Error(text)
	}
}

func TestExplorationSaysWhatKeepsPagesOutAndWhatToType(t *testing.T) {
	box := func(w http.ResponseWriter, r *http.Request) {
		blog(w, r)
		if r.URL.Path != "/robots.txt" && r.URL.Path != "/" {
			io.WriteString(w, `<div><form><input name=user><input type=password></form></div>`)
		}
	}
	header := func(value string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Cache-Control", value); blog(w, r) }
	}
	for _, tt := range []struct {
		name, says, flags string
		site              http.HandlerFunc
	}{
		{"pages that are private", `"most often"=private `, "-public /", header("private, max-age=0")},
		{"pages that start sessions", `"most often"=no-store `, "-public /", func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "PHPSESSID", Value: r.RemoteAddr})
			header("no-store, no-cache, must-revalidate")(w, r)
		}},
		{"a box to log in on each page but the first", "put that into <header>", "", box},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := before(t, tt.site, "-explore")
			if line := s.log.Await(t, "could not be listed"); !strings.Contains(line, tt.says) ||
				!strings.Contains(line, "pages=21") || !strings.Contains(line, tt.flags) {
				t.Error(line)
			}
			if tt.flags == "" {
				return
			}
			s = s.again(strings.Fields(tt.flags)...)
			s.log.Await(t, "msg=explored")
			base.Equal(t, len(listed(t, s.data)), 21, "pages are listed: %s", s.log)
		})
	}
}

func TestPrefixThatAFrontCutsOffIsNamed(t *testing.T) {
	up := base.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>%s</title><p>The page of %[1]s.</p><a href="/shop/">home</a> <a href="/shop/tea">tea</a>`, r.URL.Path)
	})
	var at atomic.Value // of the process
	front := base.Serve(t, (&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		to, _ := url.Parse(at.Load().(string))
		r.SetURL(to)
		r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, "/shop")
		r.Out.Host = r.In.Host
	}}).ServeHTTP)
	at.Store("http://127.0.0.1:1")
	s := serve(t, t.TempDir(), "proxy", "-to", up, "-origin", front+"/shop", "-explore")
	at.Store(s.at)
	if line := s.log.Await(t, "Not exploring"); !strings.Contains(line, "cuts /shop off the path: give -stripped /shop") {
		t.Error(line)
	}
	s = s.again("-stripped", "/shop")
	at.Store(s.at)
	s.log.Await(t, "msg=explored")
	if got, want := listed(t, s.data), []string{"/shop/", "/shop/tea"}; !slices.Equal(got, want) {
		t.Errorf("listed are %q, want %q: %s", got, want, s.log)
	}
}
