package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/internal/testkit/base"
)

// TestMain turns the test binary into the command if a test starts it that way.
func TestMain(m *testing.M) {
	if os.Getenv("SERVEMAP_TEST_MAIN") == "" {
		os.Unsetenv("SERVEMAP_DATABASE")
		os.Exit(m.Run())
	}
	main()
}

// call runs a command in this process.
func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, streams{out: &o, err: &e})
	return code, o.String(), e.String()
}

// must runs a command that must succeed, and returns its output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := call(t, args...)
	if code != codeDone {
		t.Fatalf("servemap %s: code %d, %s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// wantOut fails the test unless the command ends with the code and prints the words.
func wantOut(t *testing.T, code int, words string, args ...string) {
	t.Helper()
	if got, out, errs := call(t, args...); got != code || !strings.Contains(out, words) {
		t.Errorf("servemap %s: code %d, %s%s, want %d and %s", strings.Join(args, " "), got, out, errs, code, words)
	}
}

// wantErrs is wantOut for a message.
func wantErrs(t *testing.T, code int, words string, args ...string) {
	t.Helper()
	if got, out, errs := call(t, args...); got != code || !strings.Contains(errs, words) {
		t.Errorf("servemap %s: code %d, %s%s, want %d and %s", strings.Join(args, " "), got, out, errs, code, words)
	}
}

// server is a command that runs until it is told to stop.
type server struct {
	t       *testing.T
	args    []string
	data    string
	at      string // the address for visitors, once it is known
	stop    func() int
	log     *base.Log
	process *os.Process // nil if it runs in this one
}

// onlyHere returns the arguments of a serving command with -data data and a -listen address. No
// test asks example.com: sites with that origin are explored inside.
func onlyHere(args []string, data string) []string {
	if args[0] == "run" { // its file says so
		return args
	}
	args = append(args, "-data", data, "-listen", "127.0.0.1:0")
	if slices.Contains(args, origin) {
		args = append(args, "-inside")
	}
	return args
}

// serve runs a serving command in this process.
func serve(t *testing.T, data string, args ...string) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &server{t: t, args: args, data: data, log: new(base.Log)}
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, onlyHere(args, data), streams{out: io.Discard, err: s.log}) }()
	s.stop = sync.OnceValue(func() int { cancel(); return <-ended })
	t.Cleanup(func() { s.stop() })
	s.awaitAddress()
	return s
}

// again stops a serving command, and runs it on the same data with more arguments.
func (s *server) again(more ...string) *server {
	s.t.Helper()
	s.stop()
	return serve(s.t, s.data, slices.Concat(s.args, more)...)
}

// start runs the command as a process of its own, so that it can be killed.
func start(t *testing.T, data string, args ...string) *server {
	t.Helper()
	s := startAs(t, nil, nil, onlyHere(args, data)...)
	s.data = data
	s.awaitAddress()
	return s
}

// signal sends a signal to a process of its own.
func (s *server) signal(is os.Signal) {
	s.t.Helper()
	base.Check(s.t, s.process.Signal(is))
}

// ends fails the test unless a process that was told to end does so in order.
func (s *server) ends() {
	s.t.Helper()
	if code := s.stop(); code != codeDone {
		s.t.Errorf("code %d: %s", code, s.log)
	}
}

// startAs runs the command as another program starts it, with an open file.
func startAs(t *testing.T, by []string, file *os.File, args ...string) *server {
	t.Helper()
	s, all := &server{t: t, log: new(base.Log)}, slices.Concat(by, os.Args[:1], args)
	c := exec.Command(all[0], all[1:]...)
	c.Env = append(os.Environ(), "SERVEMAP_TEST_MAIN=1")
	if file != nil {
		c.ExtraFiles = []*os.File{file}
	}
	s.starts(c)
	return s
}

// starts starts a process, which is killed when the test ends.
func (s *server) starts(c *exec.Cmd) {
	s.t.Helper()
	c.Stderr = s.log
	base.Check(s.t, c.Start())
	s.process = c.Process
	s.stop = sync.OnceValue(func() int { _ = c.Wait(); return c.ProcessState.ExitCode() })
	s.t.Cleanup(func() { _ = c.Process.Kill(); s.stop() })
}

func (s *server) awaitAddress() {
	s.t.Helper()
	line := s.log.Await(s.t, " at=http") // it serves, or waits for the folder
	_, rest, _ := strings.Cut(line, "at=")
	s.at, _, _ = strings.Cut(rest, "/ ")
}

func TestWrongCallsNameTheFlagAndTheFix(t *testing.T) {
	data := t.TempDir()
	long := filepath.Join(data, strings.Repeat("long", 30))
	proxy := func(args ...string) []string {
		return append([]string{"proxy", "-data", data, "-listen", "127.0.0.1:0"}, args...)
	}
	for _, tt := range []struct {
		name string
		args []string
		want string // part of its message
	}{
		{"no command", nil, "explain"},
		{"a mistyped command", []string{"explian", "/"}, "There is no command \"explian\". Did you mean explain?\n"},
		{"a command that is none", []string{"x"}, "The commands are crawl, check, proxy,"},
		{"a mistyped flag", []string{"list", "-dta", "/"}, "There is no flag -dta. Did you mean -data?\n"},
		{"a flag of another command", []string{"files", "-to", "http://x"},
			"There is no flag -to. That is a flag of servemap proxy. See "},
		{"a flag that is near none", []string{"files", "-wxyz", "http://x"}, "There is no flag -wxyz. See "},
		{"the file of run", []string{"proxy", "-config", "mag.toml"},
			"There is no flag -config. That is a flag of servemap run. See "},
		{"a last flag without its value", []string{"list", "-data"}, "-data has no value; give one behind it. See "},
		{"a flag that is none", []string{"list", "-loudly"}, "There is no flag -loudly. See \"servemap help -all list\".\n"},
		{"no data", []string{"list"}, "such as -data sitemap-data\n"},
		{"no data, with a database", []string{"files", ".", "-listen", "127.0.0.1:0", "-database", "postgres://localhost/x"},
			"with -database it holds only the socket"},
		{"a path too long for a socket", []string{"list", "-data", long}, "shorter"},
		{"an argument too many", []string{"status", "-data", data, "x"},
			"\"x\" belongs to no flag, and this command takes only flags, such as: servemap status -data sitemap-data\n"},
		{"no argument", []string{"explain", "-data", data},
			"give the URL of a page, or its path, such as: servemap explain -data sitemap-data /about\n"},
		{"two sites", []string{"check", "a.example", "b.example"},
			"\"b.example\" is one too many; give the URL of a site or of a sitemap alone\n"},
		{"an origin without a scheme", proxy("-to", "http://localhost:1", "-origin", "example.com"),
			"servemap proxy: -origin example.com lacks its scheme; write https://example.com\n"},
		{"a bad origin", proxy("-to", "http://localhost:1", "-origin", "ftp://example.com"),
			`-origin "ftp://example.com" is wrong: it does not begin with http:// or https://; write`},
		{"a site without a scheme that has a path", []string{"crawl", "https://example.com/?a"},
			`"https://example.com/?a" is wrong: it has a query or a fragment`},
		{"a bad upstream", proxy("-to", "localhost:3000", "-origin", "https://example.com"),
			"-to: localhost:3000 lacks its scheme; write http://localhost:3000\n"},
		{"an upstream that is an address", proxy("-to", "127.0.0.1:3000"), "write http://127.0.0.1:3000\n"},
		{"an upstream that is a file", proxy("-to", "/run/site.sock"), "unix:/run/site.sock"},
		{"a flag without its value", proxy("-public", "-query", "id"),
			"-public -query: give its value before the next flag. See"},
		{"a file for the folder of data", proxy("-to", "http://localhost:1", "-data", os.Args[0]),
			"is not a folder; give one"},
		{"neither site nor folder", []string{"proxy"}, "-to and -data are missing; give the address"},
		{"an unknown level of the log", proxy("-to", "http://localhost:1", "-log-level", "all"), "-log-level"},
		{"a bad rule", proxy("-to", "http://localhost:1", "-origin", "https://example.com", "-never", "x"), "-never"},
		{"a folder that is none", []string{"files", filepath.Join(data, "nix"), "-data", data, "-origin",
			"https://example.com", "-listen", "127.0.0.1:0"}, "folder"},
		{"a time without a unit", proxy("-to", "http://localhost:1", "-origin", "https://example.com", "-timeout", "5"),
			"-timeout 5: give a time with its unit, such as 30s or 90d. See"},
		{"a parameter with its value", proxy("-to", "http://localhost:1", "-query", "p=5"),
			`-query: "p=5" is not the name of a parameter, such as "p"; name each alone`},
		{"a parameter as in a URL", proxy("-to", "http://localhost:1", "-query", "?id="),
			`-query: "?id=" is not the name of a parameter, such as "id"; name each alone`},
		{"a pattern with a space", proxy("-to", "http://localhost:1", "-never", "/a b"),
			"-never /a b: must be written as in a URL"},
		{"an upstream with a password", proxy("-to", "http://eve:geheim@localhost:1", "-origin", "https://example.com"),
			"-to: the address has a user; give it without, such as http://localhost:3000"},
		{"a database of another kind", proxy("-to", "http://localhost:1", "-origin", "https://example.com", "-database",
			"mysql://x"), "postgres://host/name?user=shop"},
		{"data in the folder that is served", []string{"files", data, "-data", filepath.Join(data, "sitemap-data"), "-origin",
			"https://example.com", "-listen", "127.0.0.1:0"}, "visitors could fetch"},
		{"a port alone", []string{"files", ".", "-data", ".x", "-listen", "39380"},
			"-listen 39380 is a port alone; write localhost:39380, or :39380"},
		{"a port alone that is too high", []string{"files", ".", "-data", ".x", "-listen", "99999"},
			"-listen 99999: there is no port 99999; ports are numbers up to 65535"},
		{"an address of more colons than one", []string{"files", ".", "-data", ".x", "-listen", "::beef"},
			"-listen ::beef: too many colons"},
		{"an address without a port", []string{"files", ".", "-data", ".x", "-listen", "[::1]"},
			"-listen [::1]: missing port"},
		{"a port with a letter", []string{"files", ".", "-data", ".x", "-listen", ":80a"},
			"-listen :80a: there is no port 80a"},
		{"a port that none has", proxy("-to", "http://127.0.0.1:99999"),
			"-to: http://127.0.0.1:99999: there is no port 99999; ports are"},
		{"a list with spaces", proxy("-query", "id", "s", "year", "-robots"),
			"\"s\" belongs to no flag; write a list as one value: -query id,s,year\n"},
		{"a pattern without its slash", proxy("-to", "http://localhost:1", "-never", "article.php?id=3"),
			`-never article.php?id=3: must begin with "/" or "*"; write "/article.php?id=3"`},
		{"a pattern that is a URL", proxy("-to", "http://localhost:1", "-public", "https://a.example/b"), `; write "/b"`},
		{"a word for a page", []string{"explain", "-data", "x", "about"},
			`"about" is no page; give its path, such as /about, or its URL`},
		{"an engine that is told of this machine", []string{"files", ".", "-origin", "https://localhost", "-data",
			t.TempDir(), "-listen", "127.0.0.1:0", "-indexnow"}, "use -indexnow and -google-token only where the site is public"},
		{"an engine over http", []string{"files", ".", "-origin", "https://example.com", "-data", t.TempDir(), "-listen",
			"127.0.0.1:0", "-indexnow", "-indexnow-endpoint", "http://example.com"}, "-indexnow-endpoint: "},
		{"an endpoint, and IndexNow off", proxy("-to", "http://localhost:1", "-indexnow-endpoint", "https://example.com"),
			"-indexnow-endpoint needs -indexnow"},
		{"pages a day, and IndexNow off", proxy("-to", "http://localhost:1", "-indexnow-per-day", "50"),
			"-indexnow-per-day needs -indexnow"},
		{"requests of no exploration", proxy("-to", "http://localhost:1", "-max", "50"), "-max needs -explore"},
		{"addresses of crawlers that are not followed", proxy("-to", "http://localhost:1", "-crawler-ranges", "x"),
			"-crawler-ranges needs -crawlers"},
		{"a table without a database", proxy("-to", "http://localhost:1", "-table", "x"), "-table needs -database"},
		{"a newspaper without its file", proxy("-to", "http://localhost:1", "-publication", "Times"),
			`-publication "Times" is only used in the file that -news adds; set that too`},
		{"other hosts", proxy("-to", "http://localhost:1", "-hosts", "a/b"), `-hosts: "a/b"`},
		{"files that are too long", proxy("-to", "http://localhost:1", "-part-pages", "60000"),
			"-part-pages is 60000; it must be from 1 to 50000\n"},
		{"a name of the file", proxy("-to", "http://localhost:1", "-name", "a/b"), `-name "a/b" must be of letters`},
		{"a folder that is cut off and not there", proxy("-to", "http://localhost:1", "-stripped", "/x"),
			`-stripped "/x" does not lead to`},
		{"a number that is none", proxy("-max", "many"), `-max many: give a number above 0. See`},
		{"a time that is too short", proxy("-to", "http://localhost:1", "-keep-for", "1s"),
			"-keep-for is 1s; it must be at least 1h\n"},
		{"too many pages a day", proxy("-to", "http://localhost:1", "-origin", "https://example.com", "-indexnow",
			"-indexnow-per-day", "50000"), "-indexnow-per-day is 50000; it must be from 1 to 20000\n"},
		{"an entry with a query", []string{"files", ".", "-origin", "https://example.com", "-data", t.TempDir(), "-listen",
			"127.0.0.1:0", "-entry", "/?zz=1"}, `-entry: "/?zz=1" cannot be listed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errs := call(t, tt.args...)
			if code != codeUsage || !strings.Contains(errs, tt.want) {
				t.Errorf("code %d, %q; want %d and %q", code, errs, codeUsage, tt.want)
			}
		})
	}
}

func TestEveryCommandHasAShortHelpWithItsExample(t *testing.T) {
	_, list, _ := call(t, "help")
	flags := func(text string) int { return strings.Count(text, "\n  -") }
	for _, c := range commands() {
		first, all := must(t, c.name, "-h"), must(t, "help", "-all", c.name)
		if !strings.Contains(first, "servemap "+c.example) || !strings.Contains(list, c.short) ||
			strings.Fields(c.example)[0] != c.name {
			t.Errorf("%s: %s", c.name, first)
		}
		if flags(first) > 16 || flags(all) < flags(first) || strings.Contains(first,
			" more: servemap help -all ") != (flags(all) > flags(first)) {
			t.Errorf("%s: %d flags first, %d in all", c.name, flags(first), flags(all))
		}
	}
	if out := must(t, "--version"); !strings.HasPrefix(out, "servemap ") {
		t.Errorf("version: %q", out)
	}
}

func TestExamplesOfTheHelpRun(t *testing.T) {
	site := writeSite(t)
	t.Chdir(t.TempDir())
	for _, page := range []string{"about", "old"} {
		text := "<!doctype html><title>" + page + "</title><p>We bake."
		base.Check(t, os.WriteFile(filepath.Join(site, page), []byte(text), 0o600))
	}
	// explored, since the rule names them
	files(t, site, "sitemap-data", "-always", "/about", "-always", "/old", "-admin", "127.0.0.1:0")
	for _, c := range commands() {
		// they need the site or the file of the example
		if slices.Contains([]string{"crawl", "check", "proxy", "files", "run", "config"}, c.name) {
			continue
		}
		must(t, strings.Fields(c.example)...)
	}
}

// TestNothingSteersTheTerminal asks a process that answers with what a terminal obeys.
func TestNothingSteersTheTerminal(t *testing.T) {
	const evil = "\\u001b[2J\\u0007\u009b31m\u202e\u007f\\nhttps://forged.example/"
	data := t.TempDir()
	base.Check(t, control.Make(data))
	l, err := control.Listen(data)
	base.Check(t, err)
	process := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/forget" {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, "\x1b[2J\u009b31m")
			return
		}
		_, _ = io.WriteString(w, `{"url":"`+evil+`","kind":"`+evil+`","text":"`+evil+`","listen":"`+evil+`","origin":"`+evil+
			`","error":"`+evil+`"}`)
	})}
	go func() { _ = process.Serve(l) }()
	defer process.Close()
	for _, args := range [][]string{{"health"}, {"list"}, {"list", "-json"}, {"explain", "/"}, {"explain", "/", "-json"},
		{"status"}, {"explore"}, {"forget", "/"}} {
		_, out, errs := call(t, append(args, "-data", data)...)
		if text := out + errs; text == "" || bytes.ContainsAny([]byte(text), "\x1b\x07\x7f\u009b\u202e") {
			t.Errorf("%q prints %q", args, text)
		}
		if bytes.Contains([]byte(out), []byte("\nhttps://forged")) {
			t.Errorf("%q prints a line of its own: %q", args, out)
		}
	}
	if code, out, errs := call(t, "check", "no\x1b[2J"); code != codeUsage || bytes.ContainsAny([]byte(out+errs), "\x1b") {
		t.Errorf("%d %q", code, errs)
	}
}

// writeSite makes a folder with a page that links to two others, a page without links to
// it, and a hidden page.
func writeSite(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.html":       `<a href="a.html">a</a> <a href="delete.html">how to delete</a> <a href=".git/config.html">config</a> <a href="empty/">e</a>`,
		"a.html":           "This is the first page of the folder.",
		"delete.html":      "This page says how to delete things.",
		"alone.html":       "Nothing links to this page.",
		".git/config.html": "hidden",
		"empty/x.txt":      "no page",
	} {
		file := filepath.Join(dir, name)
		base.Check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		html := "<!doctype html><html><head><title>" + name + "</title></head><body><main><p>" + text +
			"</main></body></html>"
		base.Check(t, os.WriteFile(file, []byte(html), 0o644))
	}
	return dir
}

func sameStrings(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	base.EqualLists(t, slices.Sorted(slices.Values(got)), want, "%s", what)
}

// TestNoCommandRepeatsAPassword gives each command addresses with a user and a password: as its argument, as one too
// many, in the place of its name, as the value of each flag, and as the name and the value of each setting of a file.
func TestNoCommandRepeatsAPassword(t *testing.T) {
	t.Chdir(t.TempDir())
	calls := [][]string{}
	forms := []string{"http://me:hunter2@127.0.0.1:1", "me:hunter2@127.0.0.1:1", "http://me:hunter2/x@127.0.0.1",
		"http:me:hunter2@127.0.0.1",
		"josé:hunter2@127.0.0.1:1"}
	for _, at := range forms {
		calls = append(calls, []string{at}, []string{"-" + at}, []string{"help", at})
		for _, c := range commands() {
			calls = append(calls, []string{c.name, at}, []string{c.name, at, at}, []string{c.name, "-" + at, at},
				[]string{c.name, "-data", at, at}, []string{c.name, "-x=" + at})
			fs, _ := c.flagSet(streams{out: io.Discard, err: io.Discard})
			fs.VisitAll(func(f *flag.Flag) { calls = append(calls, []string{c.name, "-" + f.Name + "=" + at}) })
			if c.takes != "" {
				fs.VisitAll(func(f *flag.Flag) {
					calls = append(calls, []string{c.name, "-" + f.Name + "=" + at, "http://127.0.0.1:1"})
				})
			}
		}
		for _, x := range new(settings.Settings).All() {
			for n, line := range []string{fmt.Sprintf("%s = %q", x.Key, at), fmt.Sprintf("%s = [%q]", x.Key, at), at + " = 1",
				fmt.Sprintf("%q = 1", at)} {
				file := fmt.Sprintf("%s-%d.toml", x.Key, n)
				base.Check(t, os.WriteFile(file, []byte(line+"\n"), 0o600))
				calls = append(calls, []string{"run", "-config", file}, []string{"config", "-config", file})
			}
		}
		for _, args := range calls {
			ctx, end := context.WithTimeout(t.Context(), 5*time.Second)
			var out, errs bytes.Buffer
			run(ctx, args, streams{out: &out, err: &errs})
			end()
			says := errs.String()
			if args[0] != "config" || strings.Contains(at, ":/") { // what it prints is a file of settings, to be read again
				says += out.String()
			}
			if strings.Contains(says, "hunter2") {
				t.Errorf("%q says %q", args, says)
			}
		}
		calls = nil
	}
}
