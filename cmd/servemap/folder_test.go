//go:build linux

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// A container may run as a user who may not write to its volume.
func TestFolderWithoutRightsCostsOnlyTheSitemap(t *testing.T) {
	const user = 54321 // nobody has it
	if os.Geteuid() != 0 {
		base.Lacks(t, "only root can start a process of another user")
	}
	t.Parallel()
	site, data, at := writeSite(t), t.TempDir(), t.TempDir()
	for dir := at; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o001 == 0 {
			base.Check(t, os.Chmod(dir, 0o755))
		}
	}
	program, err := os.ReadFile(os.Args[0])
	base.Check(t, err)
	name := filepath.Join(at, "servemap")
	base.Check(t, os.WriteFile(name, program, 0o755))
	command := func(args ...string) *exec.Cmd {
		c := exec.Command(name, args...)
		c.Env = append(os.Environ(), "SERVEMAP_TEST_MAIN=1")
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		return c
	}
	closed := t.TempDir()
	base.Check(t, os.MkdirAll(filepath.Join(closed, "servemap"), 0o700))
	base.Check(t, os.Chmod(closed, 0o700))
	for _, ask := range []string{"list", "health"} {
		if out, _ := command(ask, "-data", closed).CombinedOutput(); !strings.Contains(string(out),
			"belongs to another user; use a folder of your own, or call sudo servemap") ||
			strings.Contains(string(out), "not served") {
			t.Errorf("%s of root's folder, which is closed: %s", ask, out)
		}
	}
	if out, err := command(onlyHere([]string{"files", site, "-origin", origin}, data)...).CombinedOutput(); err == nil ||
		!strings.HasSuffix(string(out), "as user 54321: permission denied. Let that user write there, or choose another folder.\n") {
		t.Errorf("without -wait: %v, %s", err, out)
	}
	s := &server{t: t, data: data, log: new(base.Log)}
	s.starts(command(onlyHere([]string{"files", site, "-origin", origin, "-wait"}, data)...))
	s.log.Await(t, "cannot be used now")
	s.awaitAddress()
	wantPagesAlone(t, s, func() string { out, _ := command("health", "-data", data).CombinedOutput(); return string(out) },
		"permission denied")
	if _, out, _ := call(t, "health", "-data", data); !strings.Contains(out, "served by process") {
		t.Errorf("to root health says %s", out)
	}
	base.Check(t, os.Chown(data, user, user))
	s.log.Await(t, "works now")
	base.Await(t, "there is a sitemap with rights", func() bool {
		resp, _ := get(t, s.at+"/sitemap.xml")
		return resp.StatusCode == http.StatusOK
	})
}

func TestFullDiskIsTold(t *testing.T) {
	t.Parallel()
	site, data := writeSite(t), t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=16m", "servemap", data).CombinedOutput(); err != nil {
		base.Lacks(t, "no disk can be mounted: %v: %s", err, out)
	}
	_, pages := newForeign(t)
	t.Cleanup(func() { base.Check(t, exec.Command("umount", "-l", data).Run()) })
	wantErrs(t, codeFailed, "MiB are needed", "crawl", pages, "-data", data, "-out", "-")
	s := serve(t, data, "files", site, "-origin", origin)
	wantPagesAlone(t, s, func() string { _, out, errs := call(t, "health", "-data", data); return out + errs },
		"MiB are needed")
}
