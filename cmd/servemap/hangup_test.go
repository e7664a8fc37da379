//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

// TestHangupsLeaveTheSitemapAndNothingElse has the settings read anew twenty times, while visitors come.
func TestHangupsLeaveTheSitemapAndNothingElse(t *testing.T) {
	behind := base.Serve(t, blog)
	data := t.TempDir()
	s := start(t, data, "run", "-config",
		write(t, fmt.Sprintf("origin = %q\nto = %q\ndata = %q\nlisten = '127.0.0.1:0'\ninside = true\nexplore = true\n",
			origin, behind, data)))
	s.log.Await(t, "msg=explored")
	files := func() int { return len(entries(t, fmt.Sprintf("/proc/%d/fd", s.process.Pid))) }
	before, end := files(), make(chan struct{})
	var visits sync.WaitGroup
	visits.Go(func() {
		for {
			for _, path := range []string{"/article-3", "/sitemap.xml"} {
				wantStatus(t, http.StatusOK, s.at+path)
			}
			select {
			case <-end:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	for range 20 {
		s.signal(syscall.SIGHUP)
		s.log.Await(t, "the settings were read anew")
	}
	close(end)
	visits.Wait()
	if after := files(); after > before+10 {
		t.Errorf("%d files are open, and %d were before", after, before)
	}
}

// A command without a file has nothing to read anew, and must not end.
func TestHangupEndsNoCommandWithoutAFile(t *testing.T) {
	s := start(t, t.TempDir(), "files", writeSite(t), "-origin", origin)
	s.signal(syscall.SIGHUP)
	s.log.Await(t, "SIGHUP changes nothing")
	wantStatus(t, http.StatusOK, s.at+"/a.html")
	s.signal(syscall.SIGTERM)
	s.ends()
}

// TestVisitorsAreServedWhileLongAnswersEnd has an event stream that never ends.
func TestVisitorsAreServedWhileLongAnswersEnd(t *testing.T) {
	behind := base.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/events" {
			blog(w, r)
			return
		}
		_, _ = io.WriteString(w, "data: x\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	s := start(t, t.TempDir(), "proxy", "-to", behind, "-origin", origin, "-drain", "2s", "-explore")
	s.log.Await(t, "msg=explored")
	stream, err := http.Get(s.at + "/events")
	base.Check(t, err)
	defer stream.Body.Close()
	begun := time.Now()
	s.signal(syscall.SIGTERM)
	s.log.Await(t, "msg=stopping")
	for _, path := range []string{"/article-1", "/sitemap.xml"} {
		wantStatus(t, http.StatusOK, s.at+path)
	}
	if _, out, _ := call(t, "health", "-data", s.data); !strings.Contains(out, "served by process") ||
		!strings.Contains(out, "which ends in order") {
		t.Errorf("health says %s", out)
	}
	_, _ = io.ReadAll(stream.Body)
	if took := time.Since(begun); took < 2*time.Second {
		t.Errorf("the stream ended after %v", took)
	}
	s.ends()
}

// TestWhoeverIsLetInIsAnswered has visitors who are never all gone, so that the process ends while one waits for a slow
// page with early hints; one asks before he sends his form, and the last takes an answer that never ends, or waits for
// one that never comes.
func TestWhoeverIsLetInIsAnswered(t *testing.T) {
	for path, most := range map[string]time.Duration{
		"/events": quietPatience + lastPatience + 2*time.Second, "/poll": quietPatience + waitPatience + 3*time.Second,
	} {
		t.Run(path, func(t *testing.T) { endsAmongVisitors(t, path, most) })
	}
}

// endsAmongVisitors ends a process in so much time, while the last visitor asks for that path.
func endsAmongVisitors(t *testing.T, last string, most time.Duration) {
	const slow = 700 * time.Millisecond
	behind := base.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/slow":
			w.WriteHeader(http.StatusEarlyHints)
			time.Sleep(slow)
		case "/events":
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		case "/poll":
			<-r.Context().Done()
			return
		}
		blog(w, r)
	})
	s := start(t, t.TempDir(), "proxy", "-to", behind, "-origin", origin, "-explore")
	s.log.Await(t, "msg=explored")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Minute}}
	visit := func(path string) error {
		r, err := http.NewRequest(http.MethodPost, s.at+path, strings.NewReader("a=b"))
		base.Check(t, err)
		r.Header.Set("Expect", "100-continue")
		resp, err := client.Do(r)
		if err == nil {
			defer resp.Body.Close()
			_, err = io.ReadAll(resp.Body)
		}
		return err
	}
	var visitors sync.WaitGroup
	for i := range 3 {
		visitors.Go(func() {
			time.Sleep(time.Duration(i) * slow / 3)
			var err error
			for err == nil {
				err = visit("/slow")
			}
			if !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("a visitor was cut off: %v", err)
			}
		})
	}
	time.Sleep(slow)
	s.signal(syscall.SIGTERM)
	s.log.Await(t, "what was learned is kept")
	begun := time.Now()
	if err := visit(last); err == nil && last == "/events" || errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("who comes last gets a whole answer, or is not let in: %v", err)
	}
	if code, took := s.stop(), time.Since(begun); code != codeDone || took > most {
		t.Errorf("code %d after %v: %s", code, took, s.log)
	}
	visitors.Wait()
}

// TestWhoeverWaitsTooLongIsAskedToComeAgain ends a process whose site does not answer in time. A browser comes again by
// itself, unless the request may have done something.
func TestWhoeverWaitsTooLongIsAskedToComeAgain(t *testing.T) {
	for method, refresh := range map[string]string{http.MethodGet: "2", http.MethodPost: ""} {
		t.Run(method, func(t *testing.T) {
			asked := make(chan struct{})
			behind := base.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/poll" {
					close(asked)
					<-r.Context().Done()
				}
			})
			s := start(t, t.TempDir(), "proxy", "-to", behind, "-origin", origin, "-inside", "-drain", "100ms")
			go func() {
				<-asked
				s.signal(syscall.SIGTERM)
			}()
			r, err := http.NewRequest(method, s.at+"/poll", nil)
			base.Check(t, err)
			resp, _ := do(t, r)
			again, by := resp.Header.Get("Retry-After"), resp.Header.Get("Refresh")
			if resp.StatusCode != http.StatusServiceUnavailable || again != "2" || by != refresh {
				t.Errorf("status %d, Retry-After %q, Refresh %q", resp.StatusCode, again, by)
			}
			s.ends()
		})
	}
}

// TestSocketOfSystemdIsTaken starts the command as systemd does.
func TestSocketOfSystemdIsTaken(t *testing.T) {
	listener := httptest.NewUnstartedServer(nil).Listener
	defer listener.Close()
	_, port, _ := strings.Cut(listener.Addr().String(), ":")
	t.Setenv("LISTEN_FDS", "1")
	for _, tt := range []struct{ listen, want string }{
		{"localhost:" + port, "msg=serving"},
		{"localhost:0", "systemd gave a socket"},
	} {
		file, err := listener.(interface{ File() (*os.File, error) }).File()
		base.Check(t, err)
		s := startAs(t, []string{"sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`}, file, "files", writeSite(t), "-origin",
			origin, "-inside", "-data", t.TempDir(), "-listen", tt.listen)
		s.log.Await(t, tt.want)
	}
}
