package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// nobody is a user who owns nothing.
const nobody = 65534

// lockout is a way to keep a site out of its folder, from before its start until it is let in.
type lockout struct {
	name    string
	uid     int
	says    string // in the text of Stats
	out, in func() error
}

func lockouts(d *disk) []lockout {
	own := func() error { return command("chown", "-R", fmt.Sprint(nobody), d.store()) }
	return []lockout{
		{"read-only file system", 0, "read-only", func() error { return d.remount("ro") }, func() error { return d.remount("rw") }},
		{"somebody else's folder", nobody, "permission denied", func() error { return nil }, own},
		{"somebody else's files", nobody, "permission denied", func() error { return command("sh", "-c", "chown root "+d.store()+"/badger/*") }, own},
	}
}

// access starts sites that cannot use their folder, and lets them in while they serve.
func access(ctx context.Context, cfg *config) (line string, err error) {
	if os.Getuid() != 0 {
		return "", fmt.Errorf("%w: it needs root", errForbidden)
	}
	d, err := mountDisk(filepath.Join(cfg.work, "disk"), "size=192m,mode=0755")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, d.unmount()) }()
	if err := os.Chmod(cfg.work, 0o755); err != nil {
		return "", err
	}
	v := newVisitors()
	l := launch{dir: d.store(), pages: newFates(4)}
	first, err := l.start(ctx)
	if err != nil {
		return "", err
	}
	v.walk(first.public, 0, 1)
	if err := errors.Join(first.order("flush"), first.Stop()); err != nil {
		return "", err
	}
	slowest, done := time.Duration(0), []string{}
	for n, how := range lockouts(d) {
		took, err := how.try(ctx, l, v, n+1)
		if err != nil {
			return "", fmt.Errorf("%s: %w", how.name, err)
		}
		slowest, done = max(slowest, took), append(done, how.name)
	}
	return fmt.Sprintf("%s: %s, slowest recovery %.1f s", strings.Join(done, ", "), v.counts(), slowest.Seconds()), v.firstFailure()
}

// try returns how long it took until the site worked, once it was let in.
func (how lockout) try(ctx context.Context, l launch, v *visitors, section int) (took time.Duration, err error) {
	if err := how.out(); err != nil {
		return 0, err
	}
	l.uid = how.uid
	site, err := l.start(ctx)
	if err != nil {
		return 0, err
	}
	defer site.Kill()
	v.walk(site.public, section-1, section+1)
	if _, err := kit.Until(10*time.Second, "Stats tells "+how.says, func() bool {
		st, err := site.status()
		return err == nil && strings.Contains(st.Stats.Store, how.says)
	}); err != nil {
		return 0, site.explain(err)
	}
	if err := how.in(); err != nil {
		return 0, err
	}
	if took, err = site.awaitFlush(); err == nil {
		err = site.wantPages(v, (section+1)*sectionPages)
	}
	return took, errors.Join(site.explain(err), site.Stop())
}

// takeover has a new process start on the folder of one that still serves, as in a rolling restart, again and again.
func takeover(ctx context.Context, cfg *config) (line string, err error) {
	l := launch{dir: filepath.Join(cfg.work, "store"), pages: newFates(2)}
	v := newVisitors()
	old, err := l.start(ctx)
	if err != nil {
		return "", err
	}
	defer func() { old.Kill() }()
	v.walk(old.public, 0, 2)
	if err := old.order("flush"); err != nil {
		return "", err
	}
	const turns = 10
	slowest := time.Duration(0)
	for range turns {
		next, err := l.start(ctx)
		if err != nil {
			return "", err
		}
		took, err := handOver(v, old, next)
		old.Kill()
		old, slowest = next, max(slowest, took)
		if err != nil {
			return "", next.explain(err)
		}
	}
	return fmt.Sprintf("%d rolling restarts, %s, the folder taken over in %.1f s at most", turns, v.counts(), slowest.Seconds()), v.firstFailure()
}

// handOver stops old while next waits, both under load, and returns how long nobody had the folder.
func handOver(v *visitors, old, next *child) (took time.Duration, err error) {
	defer v.roam(next.public, 2, 1, 0, rand.New(rand.NewPCG(1, 5)))()
	v.walk(old.public, 0, 2)
	st, err := next.status()
	if err != nil {
		return 0, err
	}
	if !strings.Contains(st.Health, "another process") {
		return 0, fmt.Errorf("while another process has the folder the store says %q", st.Health)
	}
	if err := old.Stop(); err != nil {
		return 0, err
	}
	if took, err = next.awaitFlush(); err != nil {
		return took, err
	}
	listed, err := v.sitemap(next.public)
	if err == nil && len(listed) < 2*(sectionPages+1)+1 {
		err = fmt.Errorf("%d pages are listed", len(listed))
	}
	return took, err
}
