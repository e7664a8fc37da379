package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/testkit/base"
)

// readme returns the README, and its blocks of a language.
func readme(t *testing.T, language string) (text string, of []string) {
	b, err := os.ReadFile("../../README.md")
	base.Check(t, err)
	return string(b), blocks(t, "README.md", language)
}

func blocks(t *testing.T, file, language string) (all []string) {
	b, err := os.ReadFile("../../" + file)
	base.Check(t, err)
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(b), -1) {
		all = append(all, m[1])
	}
	return all
}

// build compiles a program that exists only in the test, and returns its path. It is
// made as a package of this module, so that it finds what that imports.
func build(t *testing.T, sources ...string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	base.Check(t, err)
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for i, source := range sources {
		name := fmt.Sprintf("file%d.go", i)
		base.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600))
		overlay.Replace[filepath.Join(root, "internal", "e2e", "readme", name)] = filepath.Join(dir, name)
	}
	b, err := json.Marshal(overlay)
	base.Check(t, err)
	base.Check(t, os.WriteFile(filepath.Join(dir, "overlay.json"), b, 0o600))
	program := filepath.Join(dir, "program.exe")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program,
		"./internal/e2e/readme")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// listen is what the programs of the README listen with in the test: on a port of the
// system's choice, which they print.
const listen = `package main

import (
	"fmt"
	"net"
	"net/http"
)

func listenAndServe(_ string, h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	return http.Serve(l, h)
}
`

// run starts a program of the README in a folder, and returns its address.
func run(t *testing.T, folder, source string) string {
	t.Helper()
	serves := strings.Replace(source, "http.ListenAndServe(", "listenAndServe(", 1)
	if serves == source {
		t.Fatalf("it does not listen:\n%s", source)
	}
	cmd := exec.CommandContext(t.Context(), build(t, serves, listen))
	cmd.Dir = folder
	out, err := cmd.StdoutPipe()
	base.Check(t, err)
	base.Check(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal("it did not say where it listens:", err)
	}
	return strings.TrimSpace(line)
}

func fetch(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	base.Check(t, err)
	resp, body := base.Do(t, http.DefaultClient, r)
	return resp.StatusCode, body
}

// The first program of the README serves the sitemap that the README shows.
func TestFirstProgramOfTheREADMEWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program, into which the race detector does not look")
	}
	t.Parallel() // it mostly waits
	text, programs := readme(t, "go")
	_, sitemaps := readme(t, "diff")
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^\+(.*)$`).FindAllStringSubmatch(sitemaps[0], -1) {
		want = append(want, m[1])
	}
	if len(want) != 2 {
		t.Fatalf("the README shows %q", want)
	}
	folder := t.TempDir()
	base.Check(t, os.Mkdir(filepath.Join(folder, "public"), 0o700))
	for name, body := range map[string]string{
		"index.html": `<!doctype html><title>Home</title><p>Read <a href="/news.html">the news</a>.</p>`,
		"news.html":  `<!doctype html><title>News</title><p>We are closed on Friday.</p>`,
		"draft.html": `<!doctype html><title>Plans</title><p>Nobody links here.</p>`,
	} {
		file := filepath.Join(folder, "public", name)
		base.Check(t, os.WriteFile(file, []byte(body), 0o600))
		// The page has the date that the transcript shows.
		loc := "+<url><loc>https://example.com/" + strings.Replace(name, "index.html", "", 1) + "</loc><lastmod>"
		_, after, found := strings.Cut(text, loc)
		if !found {
			continue
		}
		date, _, _ := strings.Cut(after, "<")
		at, err := time.Parse(time.RFC3339, date)
		base.Check(t, err)
		base.Check(t, os.Chtimes(file, at, at))
	}
	at := run(t, folder, programs[0])
	for _, path := range []string{"/", "/news.html", "/draft.html"} {
		if code, _ := fetch(t, at+path); code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
	}
	base.Await(t, "the sitemap is as in the README", func() bool {
		code, sitemap := fetch(t, at+"/sitemap.xml")
		_, pages, _ := strings.Cut(sitemap, "0.9\">\n")
		return code == http.StatusOK && pages == strings.Join(want, "\n")+"\n</urlset>\n"
	})
}

// The command explains a page as in the README, and has the flags that the README names beside its transcripts.
func TestProxyOfTheREADMEExplainsAPage(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command, into which the race detector does not look")
	}
	t.Parallel() // it mostly waits
	text, transcripts := readme(t, "console")
	program := filepath.Join(t.TempDir(), "servemap.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program,
		"../../cmd/servemap").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	help, err := exec.CommandContext(t.Context(), program, "help", "-all", "proxy").Output()
	base.Check(t, err)
	lines := regexp.MustCompile("`(-\\w[^`]*)`").FindAllStringSubmatch(text, -1)
	if len(lines) < 3 {
		t.Fatalf("found only %q", lines)
	}
	for _, m := range lines {
		for _, flag := range regexp.MustCompile(`\B-[\w-]+`).FindAllString(m[1], -1) {
			if !strings.Contains(string(help), "\n  "+flag+" ") && !strings.Contains(string(help), "\n  "+flag+"\n") {
				t.Errorf("servemap proxy has no %s", flag)
			}
		}
	}
	upstream := base.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		pages := map[string]string{"/": `<title>Bakery</title><p>See the <a href="/menu">menu</a>.`,
			"/menu": `<title>Menu</title><p>Rye and oat.`}
		if pages[r.URL.Path] == "" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, pages[r.URL.Path])
	})

	data := t.TempDir()
	use := func(line string) []string {
		return strings.Fields(strings.NewReplacer("http://localhost:3000", upstream, "sitemap-data", data).Replace(line))
	}
	proxy := regexp.MustCompile(`\$ servemap (proxy .*)`).FindStringSubmatch(transcripts[0])
	explain := regexp.MustCompile(`(?s)\$ servemap (explain [^|\n]*) \| head -3\n(.*)`).FindStringSubmatch(transcripts[0])
	if proxy == nil || explain == nil {
		t.Fatal("the README shows no proxy, or no page that is explained")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	base.Check(t, err)
	free.Close() // without -origin the sitemap has the port, so it is named
	cmd := exec.CommandContext(t.Context(), program, append(use(proxy[1]), "-listen", free.Addr().String())...)
	base.Check(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	base.Await(t, "the page is explained as in the README", func() bool {
		out, err := exec.CommandContext(t.Context(), program, use(explain[1])...).Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return strings.HasPrefix(string(out), explain[2])
	})
}

// The lines for gorilla/mux compile, and so does what the README has of Go within its sentences.
func TestGoOfTheREADMECompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program, into which the race detector does not look")
	}
	t.Parallel() // it mostly waits
	text, programs := readme(t, "go")
	text = regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
	var lines []string
	for _, m := range regexp.MustCompile("`((?:go )?(?:site|mux|servemap)\\.[^`]+)`").FindAllStringSubmatch(text, -1) {
		if line := m[1]; strings.HasSuffix(line, ")") {
			lines = append(lines, line)
		} else {
			lines = append(lines, "_ = "+line)
		}
	}
	for _, m := range regexp.MustCompile("`(Options\\.\\w+)`").FindAllStringSubmatch(text, -1) {
		lines = append(lines, "_ = servemap."+strings.Replace(m[1], ".", "{}.", 1))
	}
	for _, rules := range blocks(t, "docs/listing.md", "go") {
		lines = append(lines, rules, "_ = opts")
	}
	if len(lines) < 5 {
		t.Fatalf("found only %q", lines)
	}
	build(t, `package readme

import (
	"context"
	"net/http"
	"net/netip"

	"github.com/servemap/servemap"
)

func _(ctx context.Context, site *servemap.Site, mux *http.ServeMux, handler http.Handler, allow func(*http.Request) bool) {
	_ = netip.Addr{}
	`+strings.Join(lines, "\n\t")+`
}
`, fragment(t, programs[0], programs[1]))
}

// fragment is a program of the README whose last two lines are those that it shows for gorilla/mux.
func fragment(t *testing.T, whole, lines string) string {
	named := regexp.MustCompile(`// import "(\S+)" and "(\S+)"`).FindStringSubmatch(lines)
	if named == nil {
		t.Fatalf("it does not say what to import:\n%s", lines)
	}
	kept := strings.Split(strings.TrimSuffix(strings.TrimSpace(whole), "\n}"), "\n")
	lines = strings.Join(kept[:len(kept)-2], "\n") + "\n" + lines + "}\n\nvar home, shop, about http.HandlerFunc\n"
	lines = strings.Replace(lines, "import (", fmt.Sprintf("import (\n\t%q\n\t%q", named[1], named[2]), 1)
	return strings.Replace(lines, "package main", "package readme", 1)
}

// What the README says that the site answers about a page is one of its answers.
func TestVerdictsOfTheREADMEExist(t *testing.T) {
	text, _ := readme(t, "go")
	words := map[string]bool{}
	for v := eligibility.Unknown; v <= eligibility.Gone; v++ {
		words[v.String()] = true
	}
	for r := eligibility.None; r < eligibility.Authorization; r++ {
		words[r.String()] = true
	}
	_, table, _ := strings.Cut(text, "| it says | what to do |")
	rows := regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(table, -1)
	if len(rows) < 3 {
		t.Fatalf("found only %q", rows)
	}
	for _, row := range rows {
		for _, word := range regexp.MustCompile(`[a-z-]+`).FindAllString(row[1], -1) {
			if !words[word] {
				t.Errorf("%q is no verdict and no reason", word)
			}
		}
	}
}

// Each link from a text of this repository to another one leads somewhere.
func TestLinksOfTheDocsLeadToFiles(t *testing.T) {
	for _, name := range []string{"README.md", "docs/design.md", "docs/listing.md", "docs/dates.md", "docs/deploying.md",
		"docs/operating.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md", "internal/eval/README.md",
		"examples/fleet/README.md"} {
		b, err := os.ReadFile(filepath.Join("../..", name))
		base.Check(t, err)
		for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(b), -1) {
			to, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			target := filepath.Join("../..", filepath.Dir(name), to)
			if to == "" {
				target = filepath.Join("../..", name)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if heading == "" {
				continue
			}
			text, err := os.ReadFile(target)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !regexp.MustCompile(`(?mi)^#+ ` + strings.ReplaceAll(regexp.QuoteMeta(heading), "-", "[ -]") + `$`).Match(text) {
				t.Errorf("%s: %s has no heading %q", name, to, heading)
			}
		}
	}
}

// Somebody who has five minutes reads at most this, and sees code first.
func TestREADMEIsShort(t *testing.T) {
	text, _ := readme(t, "go")
	if words := len(strings.Fields(text)); words > 900 {
		t.Errorf("it has %d words, at most 900", words)
	}
	if before, _, _ := strings.Cut(text, "```"); len(strings.Fields(before)) > 60 {
		t.Errorf("%d words come before the first code", len(strings.Fields(before)))
	}
}
