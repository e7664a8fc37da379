package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

// TestIndexNowTellsAnEngineOfARemoval has a server that is both the engine and, as a CDN is, the
// site's public address. A removal acts at once, while a change waits until the page is due.
func TestIndexNowTellsAnEngineOfARemoval(t *testing.T) {
	t.Setenv(keyVariable, "")
	var front http.Handler
	known := make(chan struct{}) // closed once front is known, or the notifier would not find its key
	posts := make(chan indexNowPost, 10)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /indexnow", func(_ http.ResponseWriter, r *http.Request) {
		var p indexNowPost
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Error(err)
		}
		posts <- p
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { <-known; front.ServeHTTP(w, r) })
	public := httptest.NewServer(mux)
	t.Cleanup(public.Close)
	var gone atomic.Bool
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() && r.URL.Path == "/article-1" {
			w.WriteHeader(http.StatusGone)
			return
		}
		blog(w, r)
	}))
	t.Cleanup(site.Close)
	s := serve(t, t.TempDir(), "proxy", "-to", site.URL, "-origin", public.URL, "-explore", "-indexnow="+public.URL+"/indexnow", "-indexnow-hold", "1s")
	u, err := url.Parse(s.at)
	base.Check(t, err)
	front = httputil.NewSingleHostReverseProxy(u)
	close(known)
	s.log.await(t, "explored")
	gone.Store(true)
	get(t, s.at+"/article-1")
	var p indexNowPost
	select {
	case p = <-posts:
	case <-time.After(patience):
		t.Fatalf("nothing is told; the log:\n%s", s.log)
	}
	sameStrings(t, "told", p.URLList, public.URL+"/article-1") // the others were only found
	if resp, body := get(t, s.at+"/"+p.Key+".txt"); len(p.Key) < 8 || resp.StatusCode != 200 || body != p.Key {
		t.Errorf("the key file of %q is answered with %s %q", p.Key, resp.Status, body)
	}
	s.log.await(t, "notify: sent")
	if out := must(t, "stats", "-data", s.data); !strings.Contains(out, "\nindexnow\n") || !strings.Contains(out, " "+public.URL+"/indexnow\n") {
		t.Errorf("stats: %s", out)
	}
	if text := s.log.String(); strings.Contains(text, p.Key) {
		t.Errorf("the log tells the key: %s", text)
	}
}

type indexNowPost struct {
	Key     string
	URLList []string
}

func TestOnlyWithIndexNowIsThereAKeyFile(t *testing.T) {
	const key = "the-owners-key"
	t.Setenv(keyVariable, key)
	for flag, want := range map[string]int{"-indexnow=false": http.StatusNotFound, "-indexnow": http.StatusOK} {
		s := files(t, writeSite(t), t.TempDir(), flag)
		if resp, body := get(t, s.at+"/"+key+".txt"); resp.StatusCode != want || want == http.StatusOK && body != key {
			t.Errorf("%s: the key file is answered with %s %q", flag, resp.Status, body)
		}
	}
}
