package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// nobody is a user who owns nothing.
const nobody = 65534

// lockout is a way to keep a site from its folder, from before it starts until it is let in.
type lockout struct {
	name    string
	uid     int
	says    string // in what Stats says
	out, in func() error
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
	l := launch{dir: d.store(), state: &fates{Of: map[string]fate{}, Sections: 4}}
	first, err := l.start(ctx)
	if err != nil {
		return "", err
	}
	v.walk(first.public, 0, 1)
	if err := errors.Join(first.order("flush"), first.stop()); err != nil {
		return "", err
	}
	slowest, done := time.Duration(0), []string{}
	for n, how := range lockouts(d) {
		took, err := how.try(ctx, l, v, n+1)
		slowest = max(slowest, took)
		done = append(done, how.name)
		if err != nil {
			return "", fmt.Errorf("%s: %w", how.name, err)
		}
	}
	return fmt.Sprintf("%s: 0 failed of %d requests, slowest recovery %.1f s", strings.Join(done, ", "), v.requests.Load(), slowest.Seconds()), v.firstFailure()
}

func lockouts(d *disk) []lockout {
	own := func(name string) error { return exec.Command("chown", "-R", name, d.store()).Run() }
	return []lockout{
		{
			name: "read-only file system", says: "read-only",
			out: func() error { return d.remount("ro") }, in: func() error { return d.remount("rw") },
		},
		{
			name: "somebody else's folder", uid: nobody, says: "permission denied",
			out: func() error { return nil }, in: func() error { return own(fmt.Sprint(nobody)) },
		},
		{
			name: "somebody else's files", says: "permission denied", uid: nobody,
			out: func() error { return exec.Command("sh", "-c", "chown root "+d.store()+"/badger/*").Run() },
			in:  func() error { return own(fmt.Sprint(nobody)) },
		},
	}
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
	defer site.kill()
	v.walk(site.public, section-1, section+1)
	if _, err := until(10*time.Second, "Stats tells "+how.says, func() bool {
		st, err := site.status()
		return err == nil && strings.Contains(st.Stats.Store, how.says)
	}); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, site.log)
	}
	if err := how.in(); err != nil {
		return 0, err
	}
	took, err = until(recoveryLimit, "the store works", func() bool { return site.order("flush") == nil })
	if err != nil {
		return took, fmt.Errorf("%w\n%s", err, site.log)
	}
	listed, err := v.sitemap(site.public)
	if err != nil {
		return took, err
	}
	for i := range (section + 1) * sectionPages {
		if !listed[pagePath(i)] {
			return took, fmt.Errorf("%s is not listed\n%s", pagePath(i), site.log)
		}
	}
	return took, errors.Join(neverListed(listed), site.stop())
}

// takeover has a new process start on the folder of one that still serves, as in a rolling restart, again and again.
func takeover(ctx context.Context, cfg *config) (line string, err error) {
	l := launch{dir: filepath.Join(cfg.work, "store"), state: &fates{Of: map[string]fate{}, Sections: 2}}
	v := newVisitors()
	old, err := l.start(ctx)
	if err != nil {
		return "", err
	}
	defer func() { old.kill() }()
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
		took, err := handOver(ctx, v, old, next)
		old.kill()
		old, slowest = next, max(slowest, took)
		if err != nil {
			return "", fmt.Errorf("%w\n%s", err, next.log)
		}
	}
	return fmt.Sprintf("%d rolling restarts, 0 failed of %d requests, the folder taken over in %.1f s at most", turns, v.requests.Load(), slowest.Seconds()), v.firstFailure()
}

// handOver stops old while next waits, both under load, and returns how long the folder was nobody's.
func handOver(ctx context.Context, v *visitors, old, next *child) (took time.Duration, err error) {
	busy, rest := context.WithCancel(ctx)
	var roaming sync.WaitGroup
	roaming.Go(func() { v.roam(busy, next.public, 2, rand.New(rand.NewPCG(1, 5))) })
	defer roaming.Wait()
	defer rest()
	v.walk(old.public, 0, 2)
	st, err := next.status()
	if err != nil {
		return 0, err
	}
	if !strings.Contains(st.Health, "another process") {
		return 0, fmt.Errorf("while another process has the folder the store says %q", st.Health)
	}
	if err := old.stop(); err != nil {
		return 0, err
	}
	took, err = until(recoveryLimit, "the folder is taken over", func() bool { return next.order("flush") == nil })
	if err != nil {
		return took, err
	}
	listed, err := v.sitemap(next.public)
	if err == nil && len(listed) < 2*(sectionPages+1)+1 {
		err = fmt.Errorf("%d pages are listed", len(listed))
	}
	return took, err
}
