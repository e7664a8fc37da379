package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

// TestIndexNowTellsAnEngineOfAChange has a server that is both the engine and, as a CDN
// is, the site's public address.
func TestIndexNowTellsAnEngineOfAChange(t *testing.T) {
	t.Setenv(keyVariable, "")
	var site http.Handler
	known := make(chan struct{}) // closed once site is known
	posts := make(chan indexNowPost, 10)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /indexnow", func(_ http.ResponseWriter, r *http.Request) {
		var p indexNowPost
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Error(err)
		}
		posts <- p
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-known: // or the notifier would not find its key
			site.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
	front := httptest.NewServer(mux)
	t.Cleanup(front.Close)

	dir := writeSite(t)
	s := serve(t, t.TempDir(), "files", dir, "-origin", front.URL, "-indexnow="+front.URL+"/indexnow", "-indexnow-hold", "1s")
	u, err := url.Parse(s.at)
	if err != nil {
		t.Fatal(err)
	}
	site = httputil.NewSingleHostReverseProxy(u)
	close(known)
	s.log.await(t, "explored")
	text := "<!doctype html><title>a</title><main><p>This page has quite another text now, which says what is new.</main>"
	base.Check(t, os.WriteFile(filepath.Join(dir, "a.html"), []byte(text), 0o644))
	var key string
	late, visit := time.After(patience), time.NewTicker(time.Second)
	defer visit.Stop()
	for key == "" {
		select {
		case p := <-posts:
			key = p.Key
			sameStrings(t, "told", p.URLList, front.URL+"/a.html") // the others were only found
		case <-visit.C:
			get(t, s.at+"/a.html")
		case <-late:
			t.Fatalf("nothing is told; the log:\n%s", s.log)
		}
	}
	if len(key) < 8 {
		t.Errorf("the key is %q", key)
	}
	if resp, body := get(t, s.at+"/"+key+".txt"); resp.StatusCode != 200 || body != key {
		t.Errorf("the key file is answered with %s %q", resp.Status, body)
	}
	s.log.await(t, "notify: sent")
	if out := must(t, "stats", "-data", s.data); !strings.Contains(out, "\nindexnow\n") || !strings.Contains(out, " "+front.URL+"/indexnow\n") {
		t.Errorf("stats: %s", out)
	}
	if code := s.stop(); code != codeDone {
		t.Errorf("it stops with code %d", code)
	}
	if text := s.log.String(); strings.Contains(text, key) {
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
	for flag, want := range map[string]int{"-robots": http.StatusNotFound, "-indexnow=false": http.StatusNotFound, "-indexnow": http.StatusOK} {
		s := files(t, writeSite(t), t.TempDir(), flag)
		if resp, body := get(t, s.at+"/"+key+".txt"); resp.StatusCode != want || want == http.StatusOK && body != key {
			t.Errorf("%s: the key file is answered with %s %q", flag, resp.Status, body)
		}
	}
}
