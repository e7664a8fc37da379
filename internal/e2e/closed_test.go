package e2e

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
)

// ask sends a request over a connection of its own. The visitor closes it on the
// last byte of the answer, or at once, without any.
func (o *opened) ask(path string, read bool) {
	o.Helper()
	conn, err := o.dial(o.Context())
	if err != nil {
		o.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: example.com\r\n\r\n"); err != nil {
		o.Fatal(err)
	}
	if read {
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			o.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			o.Fatal(err)
		}
	}
	conn.Close()
	synctest.Wait() // until the handler has noticed and returned
}

// answer sends a whole answer of declared length.
func answer(w http.ResponseWriter, status int, html string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(html)))
	w.WriteHeader(status)
	io.WriteString(w, html)
}

// Many clients close the connection on the last byte, and net/http cancels the
// request at that while the handler still is at work.
func TestAPageCountsWhoeverClosesTheConnectionAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, nil, func(site *servemap.Site) http.Handler {
			return site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer(w, http.StatusOK, document("", "what is at "+r.URL.Path, "/a", "/b"))
				_ = http.NewResponseController(w).Flush()
				if !strings.HasSuffix(r.URL.Path, ".xml") {
					<-r.Context().Done()
				}
			}))
		})
		for _, path := range []string{"/", "/a", "/b"} {
			o.ask(path, true)
		}
		o.wantListed(true, "/", "/a", "/b")
		if n := o.site.Stats().Ignored["incomplete"]; n != 0 {
			t.Errorf("%d answers count as broken off, want none", n)
		}
	})
}

// A handler that answers something else because the visitor left and its query
// was cancelled says nothing of the page.
func TestWhatIsAnsweredToAVisitorWhoLeftDoesNotCount(t *testing.T) {
	for name, left := range map[string]func(http.ResponseWriter){
		"404":            func(w http.ResponseWriter) { answer(w, http.StatusNotFound, document("", "nothing that was found")) },
		"403":            func(w http.ResponseWriter) { answer(w, http.StatusForbidden, document("", "nothing that is allowed")) },
		"a page of none": func(w http.ResponseWriter) { answer(w, http.StatusOK, document("", "no results at all")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gone := false
				o := open(t, nil, func(site *servemap.Site) http.Handler {
					return site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if gone {
							<-r.Context().Done()
							left(w)
							return
						}
						answer(w, http.StatusOK, document("", "what is at "+r.URL.Path, "/a"))
					}))
				})
				o.ask("/", true)
				o.ask("/a", true)
				o.wantListed(true, "/", "/a")
				before := o.lastMods()["/a"]
				gone = true
				for range 20 {
					time.Sleep(30 * time.Second)
					o.ask("/a", false)
				}
				o.wantListed(true, "/", "/a")
				if after := o.lastMods()["/a"]; after != before {
					t.Errorf("the lastmod of /a was %q and is %q", before, after)
				}
			})
		})
	}
}
