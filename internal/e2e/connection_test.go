package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit"
)

// ask sends a request over its own connection. The visitor closes it after the last byte of the
// answer, or at once if read is false.
func ask(s *testkit.Site, path string, read bool) {
	s.Helper()
	conn := s.Dial()
	if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: example.com\r\n\r\n"); err != nil {
		s.Fatal(err)
	}
	if read {
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			s.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			s.Fatal(err)
		}
	}
	conn.Close()
	synctest.Wait() // until the handler has noticed and returned
}

// answer sends a whole answer with its length declared.
func answer(w http.ResponseWriter, r *http.Request, status int, html string) {
	testkit.Reply(status, html, "Content-Length", strconv.Itoa(len(html)))(w, r)
}

// Many clients close the connection after the last byte. net/http then cancels the request while
// the handler still works.
func TestPageCountsIfTheVisitorLeavesOnItsLastByte(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, http.StatusOK, testkit.HTML("", "what is at "+r.URL.Path, "/a", "/b"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		for _, path := range []string{"/", "/a", "/b"} {
			ask(s, path, true)
		}
		s.WantListed("/", "/a", "/b")
		if n := s.Stats().Ignored["incomplete"]; n != 0 {
			s.Errorf("%d answers count as broken off, want none", n)
		}
	})
}

// A handler's query is cancelled because the visitor left, and the handler answers something else.
// That proves nothing about the page.
func TestAnswerToAVisitorWhoLeftDoesNotCount(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		html   string
	}{
		{"404", http.StatusNotFound, testkit.HTML("", "nothing that was found")},
		{"403", http.StatusForbidden, testkit.HTML("", "nothing that is allowed")},
		{"an empty page", http.StatusOK, testkit.HTML("", "no results at all")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			left := false
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if left {
					<-r.Context().Done()
					answer(w, r, tt.status, tt.html)
					return
				}
				answer(w, r, http.StatusOK, testkit.HTML("", "what is at "+r.URL.Path, "/a"))
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				ask(s, "/", true)
				ask(s, "/a", true)
				s.WantListed("/", "/a")
				before := s.LastMods()["/a"]
				left = true
				for range 20 {
					time.Sleep(30 * time.Second)
					ask(s, "/a", false)
				}
				s.WantListed("/", "/a")
				if after := s.LastMods()["/a"]; after != before {
					s.Errorf("the lastmod of /a was %q and is %q", before, after)
				}
			})
		})
	}
}

// Strangers ask for large pages at made-up addresses. These requests are still running when
// visitors follow links to new pages.
func TestSlowJunkDoesNotKeepNewPagesOut(t *testing.T) {
	const line = "<p>Nothing.</p>"
	news := []string{"/news/one", "/news/two", "/news/three", "/news/four", "/news/five", "/news/six"}
	links := map[string][]string{"/": {"/news"}, "/news": news}
	var sent, release chan struct{}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/junk/") {
			testkit.PageOfItsURL(links[r.URL.Path]...)(w, r)
			return
		}
		testkit.Reply(http.StatusOK, testkit.HTML("", r.URL.Path)+strings.Repeat(line, 1<<20/len(line)))(w, r)
		sent <- struct{}{}
		<-release
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		sent, release = make(chan struct{}), make(chan struct{})
		s.Visit("/")
		var junk sync.WaitGroup
		for n := range 20 {
			junk.Go(func() { s.Get(fmt.Sprintf("/junk/%d", n)) })
			<-sent
		}
		s.Visit("/news")
		s.Visit(news...)
		s.WantListed(append(news, "/", "/news")...)
		close(release)
		junk.Wait()
	})
}
