// Package release rehearses a release: it gives the modules of this repository a version,
// as a tag does, and uses them as somebody does who has nothing but Go.
package release

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const (
	root    = "../.."
	library = "github.com/servemap/servemap"
)

// released are the folders of the modules that others require. Each needs a tag.
var released = []string{"", "metrics", "cmd/caddy"}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// version returns the version of the library that the module of a folder requires.
func version(t *testing.T, folder string) string {
	t.Helper()
	name := filepath.Join(folder, "go.mod")
	f, err := modfile.Parse(name, read(t, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Require {
		if r.Mod.Path == library {
			return r.Mod.Version
		}
	}
	t.Fatalf("%s does not require the library", name)
	return ""
}

// publish writes the modules to a folder as a module proxy has them.
func publish(t *testing.T, proxy, version string) {
	t.Helper()
	for _, folder := range released {
		m := module.Version{Path: strings.TrimSuffix(library+"/"+folder, "/"), Version: version}
		at := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		if err := zip.CreateFromDir(&packed, m, filepath.Join(root, folder)); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{
			"list":            []byte(version + "\n"),
			version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version),
			version + ".mod":  read(t, filepath.Join(folder, "go.mod")),
			version + ".zip":  packed.Bytes(),
		} {
			if err := os.WriteFile(filepath.Join(at, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// user is somebody with a folder, an empty GOPATH and no copy of this repository.
type user struct {
	*testing.T
	folder string
	env    []string
}

// newUser returns a user who finds the released modules in a folder, and all others in this
// machine's copy. Nothing comes over the network, which may fail.
func newUser(t *testing.T, proxy string) user {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	return user{t, t.TempDir(), append(os.Environ(),
		"GOPATH="+home, "GOMODCACHE="+filepath.Join(home, "mod"), "GOBIN="+filepath.Join(home, "bin"), "GOWORK=off",
		"GOTOOLCHAIN=local",
		"GOFLAGS=-modcacherw -trimpath", "GONOSUMDB=*", // the copy was verified
		"GOPROXY=file://"+proxy+",file://"+strings.TrimSpace(string(out))+"/cache/download")}
}

// run runs a command in the user's folder, and returns what it printed.
func (u user) run(name string, args ...string) string {
	u.Helper()
	cmd := exec.CommandContext(u.Context(), name, args...)
	cmd.Dir, cmd.Env = u.folder, u.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		u.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (u user) write(name, text string) {
	u.Helper()
	if err := os.WriteFile(filepath.Join(u.folder, name), []byte(text), 0o600); err != nil {
		u.Fatal(err)
	}
}

// The modules that others require need one and the same version of the library.
func TestModulesRequireOneVersion(t *testing.T) {
	want := version(t, released[1])
	for _, folder := range released[2:] {
		if got := version(t, folder); got != want {
			t.Errorf("%s requires %s, and %s requires %s", released[1], want, folder, got)
		}
	}
}

// Once the tags are there, the commands of the README work, and so does package metrics.
func TestRelease(t *testing.T) {
	for _, folder := range released[:2] {
		fetch := exec.CommandContext(t.Context(), "go", "mod", "tidy", "-diff")
		fetch.Dir = filepath.Join(root, folder)
		_ = fetch.Run() // this downloads what their users need, unless it is here
	}
	proxy, tag := t.TempDir(), version(t, "metrics")
	publish(t, proxy, tag)
	readme := string(read(t, "README.md"))

	t.Run("the command is installed", func(t *testing.T) {
		u := newUser(t, proxy)
		install := regexp.MustCompile(`go (install ` + library + `\S*@latest)`).FindStringSubmatch(readme)
		if install == nil {
			t.Fatal("the README does not say how to install the command")
		}
		u.run("go", strings.Fields(install[1])...)
		bin := strings.TrimSpace(u.run("go", "env", "GOBIN"))
		if got := u.run(filepath.Join(bin, "servemap"), "version"); got != "servemap "+tag+"\n" {
			t.Errorf("its version is %q, want %s", got, tag)
		}
	})
	t.Run("the library and its metrics are required", func(t *testing.T) {
		u := newUser(t, proxy)
		lines := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(readme)
		get := regexp.MustCompile("`go (get " + library + "@latest)`").FindStringSubmatch(readme)
		if lines == nil || get == nil {
			t.Fatal("the README has no program, or does not say how to get the library")
		}
		u.write("main.go", lines[1])
		u.run("go", "mod", "init", "example.com/site")
		u.run("go", strings.Fields(get[1])...)
		u.run("go", "mod", "tidy")
		u.run("go", "build", "-o", os.DevNull, ".")

		u.run("go", "get", library+"/metrics@latest")
		u.write("numbers.go", "package main\n\nimport \""+library+"/metrics\"\n\nvar _ = metrics.NewCollector\n")
		u.run("go", "build", "-o", os.DevNull, ".")
		for _, m := range []string{library, library + "/metrics"} {
			if got := u.run("go", "list", "-m", m); got != m+" "+tag+"\n" {
				t.Errorf("the program uses %q, want %s", got, tag)
			}
		}
	})
}
