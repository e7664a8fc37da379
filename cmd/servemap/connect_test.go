package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/postgres"
	"github.com/servemap/servemap/store/badgerstore"
)

func TestSecondProcessSaysWhoHoldsTheDataAndTakesOver(t *testing.T) {
	site, data := writeSite(t), t.TempDir()
	first := files(t, site, data)
	second := start(t, data, "files", site, "-origin", origin)
	second.log.Await(t,
		"takes over when that one ends. For both at once, give each a folder of its own, or use -database.")
	wantStatus(t, 200, second.at+"/a.html")
	holds, waits := strings.TrimPrefix(first.at, "http://"), strings.TrimPrefix(second.at, "http://")
	for _, args := range [][]string{{"status"}, {"explain", "/a.html"}, {"explore"}} {
		code, _, errs := call(t, append(args, "-data", data)...)
		if told := strings.Count(errs, " at "+holds+", which has the folder "+data+". Process "); code != codeDone ||
			told != 1 ||
			!strings.Contains(errs, " at "+waits+" waits for the folder") {
			t.Errorf("%s: code %d, %s", args[0], code, errs)
		}
	}
	if out := must(t, "health", "-data", data); !strings.Contains(out, " at "+waits+", without a sitemap: it waits ") ||
		!strings.HasSuffix(out, " at "+holds+" has\n") {
		t.Error(out)
	}
	wantErrs(t, codeFailed, "another program listens there; end it, or give another port", "files", site, "-origin",
		origin, "-data", t.TempDir(),
		"-listen", holds)
	first.stop()
	second.log.Await(t, "msg=explored")
	wantStatus(t, 200, second.at+"/sitemap.xml")
	var h health
	if err := json.Unmarshal([]byte(must(t, "health", "-json", "-data", data)), &h); err != nil ||
		"http://"+h.Listen != second.at {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestQuestionsNeedNoOtherFolder(t *testing.T) {
	site, data := writeSite(t), t.TempDir()
	t.Chdir(t.TempDir())
	base.Check(t, os.Mkdir("ranges", 0o700))
	base.Check(t, os.WriteFile("ranges/GPTBot.json", []byte(`{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`), 0o600))
	files(t, site, data, "-crawlers", "-crawler-ranges", "ranges").stop()
	t.Chdir(t.TempDir())
	var asked sync.WaitGroup
	for range 2 { // at once
		asked.Go(func() {
			if code, _, errs := call(t, "explain", "-data", data, "/a.html"); code != codeDone {
				t.Errorf("code %d, %s", code, errs)
			}
		})
	}
	asked.Wait()
}

func TestSilentProcessKeepsNobodyWaiting(t *testing.T) {
	t.Parallel() // it waits for some seconds
	site, data := writeSite(t), t.TempDir()
	files(t, site, data).stop() // makes what commands open
	silent, err := control.Listen(data)
	base.Check(t, err)
	defer silent.Close() // the system accepts for it, and it never answers
	var asked sync.WaitGroup
	for _, command := range []string{"health", "list", "link"} {
		asked.Go(func() {
			if code, out, errs := call(t, command, "-data", data); code != codeLocked || out != "" ||
				!strings.Contains(errs, "does not answer") {
				t.Errorf("%s: code %d, %s", command, code, errs)
			}
		})
	}
	asked.Wait()
}

func TestReaderOfAnAnswerKeepsNobodyFromTheFolder(t *testing.T) {
	t.Parallel() // while it fails, it waits for some seconds
	site, data := writeSite(t), t.TempDir()
	files(t, site, data).stop()
	for _, args := range [][]string{{"list"}, {"status"}, {"explain", "/a.html"}, {"forget", "/delete.html"}} {
		reader, out := io.Pipe() // as to a pager
		ended := make(chan int, 1)
		go func() {
			ended <- run(t.Context(), append(args, "-data", data), streams{out: out, err: io.Discard})
			out.Close()
		}()
		if _, err := reader.Read(make([]byte, 1)); err != nil {
			t.Errorf("%s prints nothing: %v", args[0], err)
		}
		must(t, "explain", "-data", data, "/a.html")
		if rest, err := io.ReadAll(reader); len(rest) == 0 || err != nil {
			t.Errorf("the rest of %s: %q, %v", args[0], rest, err)
		}
		if code := <-ended; code != codeDone {
			t.Errorf("%s: code %d", args[0], code)
		}
	}
}

func TestProcessThatBeginsToAnswerIsAsked(t *testing.T) {
	t.Parallel() // it waits for a second
	site, data := writeSite(t), t.TempDir()
	files(t, site, data).stop()
	starting, err := badgerstore.Open(data, nil)
	base.Check(t, err)
	defer starting.Close()
	var asked sync.WaitGroup
	asked.Go(func() {
		wantOut(t, codeDone, "/from-the-process", "list", "-data", data)
	})
	time.Sleep(askAgain / 2) // the command has asked, and waits for the folder
	socket, err := control.Listen(data)
	base.Check(t, err)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"url": "https://example.com/from-the-process"}`)
	}))
	server.Listener.Close()
	server.Listener = socket
	server.Start()
	defer server.Close()
	asked.Wait()
}

func TestFolderOfAnotherUserIsNotOpened(t *testing.T) {
	if os.Geteuid() != 0 {
		base.Lacks(t, "only root can open what belongs to another")
	}
	t.Parallel() // a sitemap that is not there is waited for
	site, data := writeSite(t), t.TempDir()
	s := files(t, site, data)
	for _, name := range []string{data, control.Folder(data)} {
		base.Check(t, os.Chown(name, 54321, 54321)) // no user has it
	}
	must(t, "list", "-data", data) // the running process answers root
	s.stop()
	before := entries(t, data)
	_, pages := newForeign(t)
	wantErrs(t, codeFailed, "sudo -u '#54321' servemap", "crawl", pages, "-data", data, "-out", "-")
	if code, out, _ := call(t, "health", "-data", data); code != codeNo || !strings.Contains(out, "not served") ||
		!strings.Contains(out, "belongs to another user") {
		t.Errorf("code %d, %s", code, out)
	}
	wantErrs(t, codeFailed, "belongs to another user", "files", site, "-origin", origin, "-data", data, "-listen",
		"127.0.0.1:0")
	served := serve(t, data, "files", site, "-origin", origin, "-wait")
	wantPagesAlone(t, served, func() string { _, out, errs := call(t, "health", "-data", data); return out + errs },
		"belongs to another user")
	served.stop()
	sameStrings(t, "files after the refusal", entries(t, data), before...)
}

// wantPagesAlone fails the test unless a process serves pages and no sitemap, and its health and its log say why.
func wantPagesAlone(t *testing.T, s *server, ask func() string, why string) {
	t.Helper()
	var health string
	base.Await(t, "health tells of the store", func() bool {
		health = ask()
		return strings.Contains(health, "the store cannot be used")
	})
	wantStatus(t, http.StatusOK, s.at+"/a.html")
	wantStatus(t, http.StatusServiceUnavailable, s.at+"/sitemap.xml")
	for name, text := range map[string]string{"health": health, "the log": s.log.String()} {
		if !strings.Contains(text, why) {
			t.Errorf("%s does not say %q: %s", name, why, text)
		}
	}
	if !strings.Contains(health, "served by process") || strings.Contains(health, "not served") {
		t.Errorf("health says %s", health)
	}
}

// entries returns the names in a folder.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	base.Check(t, err)
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func TestProcessesOnOneDatabaseShareWhatTheyLearned(t *testing.T) {
	address := postgres.With(t, postgres.Address, "search_path="+postgres.Schema(t, postgres.Open(t)))
	site := writeSite(t)
	one := files(t, site, t.TempDir(), "-database", address)
	one.stop()
	two := serve(t, t.TempDir(), "files", site, "-origin", origin, "-database", address)
	two.log.Await(t, "commands are answered")
	sameStrings(t, "listed", listed(t, two.data), "/", "/a.html", "/delete.html")
}
