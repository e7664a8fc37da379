package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestIndexNowTellsAnEngineOfNewPages has a server that is both the engine and, as a CDN
// is, the site's public address.
func TestIndexNowTellsAnEngineOfNewPages(t *testing.T) {
	for _, tt := range []struct{ name, key string }{{"a key that is made", ""}, {"a key of the owner's", "the-owners-key"}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(keyVariable, tt.key)
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

			s := serve(t, t.TempDir(), "files", writeSite(t), "-origin", front.URL, "-indexnow="+front.URL+"/indexnow", "-indexnow-hold", "1s")
			u, err := url.Parse(s.at)
			if err != nil {
				t.Fatal(err)
			}
			site = httputil.NewSingleHostReverseProxy(u)
			close(known)
			var told []string
			var key string
			for len(told) < 3 {
				select {
				case p := <-posts:
					key = p.Key
					for _, page := range p.URLList {
						told = append(told, strings.TrimPrefix(page, front.URL))
					}
				case <-time.After(patience):
					t.Fatalf("told are only %q; the log:\n%s", told, s.log)
				}
			}
			sameStrings(t, "told", told, "/", "/a.html", "/delete.html")
			if len(key) < 8 || tt.key != "" && key != tt.key {
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
		})
	}
}

type indexNowPost struct {
	Key     string
	URLList []string
}

func TestWithoutIndexNowNobodyIsTold(t *testing.T) {
	t.Setenv(keyVariable, "the-owners-key")
	for _, flags := range [][]string{nil, {"-indexnow=false"}} {
		s := files(t, writeSite(t), t.TempDir(), flags...)
		if resp, _ := get(t, s.at+"/the-owners-key.txt"); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%q: the key file is answered with %s", flags, resp.Status)
		}
	}
}
