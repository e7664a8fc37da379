package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// fullDisk is a site on a small disk that fills up again and again during visits.
type fullDisk struct {
	dir      string // where the disk is mounted
	launch   launch
	site     *child
	visitors *visitors
	rng      *rand.Rand

	restarts int
	slowest  time.Duration // until all was stored again
}

func diskFull(ctx context.Context, cfg *config) (line string, err error) {
	d := &fullDisk{dir: filepath.Join(cfg.work, "disk"), visitors: newVisitors(), rng: rand.New(rand.NewPCG(1, 1))}
	d.launch = launch{dir: filepath.Join(d.dir, "store"), pages: newFates(cfg.trials + 1)}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return "", err
	}
	if err := command("mount", "-t", "tmpfs", "-o", "size=192m", "faults", d.dir); err != nil {
		return "", fmt.Errorf("%w: %w", errForbidden, err)
	}
	defer func() { err = errors.Join(err, command("umount", d.dir)) }()
	alive, err := d.run(ctx, cfg.trials)
	return fmt.Sprintf("%d trials, %d alive, %d restarts in between, %s, slowest recovery %.1f s",
		cfg.trials, alive, d.restarts, d.visitors.counts(), d.slowest.Seconds()), err
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// run starts the site, and runs all trials. It returns how many of them the process survived.
func (d *fullDisk) run(ctx context.Context, trials int) (alive int, err error) {
	if d.site, err = d.launch.start(ctx); err != nil {
		return 0, err
	}
	defer func() { d.site.Kill() }()
	if _, err := d.site.awaitWork(recoveryLimit); err != nil {
		return 0, err
	}
	d.visitors.walk(d.site.public, 0, 1)
	for n := range trials {
		if err := d.trial(ctx, n); err != nil {
			return n, d.site.explain(fmt.Errorf("trial %d: %w", n, err))
		}
	}
	return trials, d.visitors.firstFailure()
}

// trial fills the disk during the work, visits a new section, and frees the disk. In every
// fifth trial the site restarts while the disk is full, in every tenth after a kill. It then lists what was stored.
func (d *fullDisk) trial(ctx context.Context, n int) error {
	if err := d.site.order("churn", "writes", "20"); err != nil {
		return err
	}
	stop := d.visitors.roam(d.site.public, n+1, 2, 0, d.rng)
	time.Sleep(time.Duration(d.rng.IntN(100)) * time.Millisecond)
	err := d.fill()
	d.visitors.walk(d.site.public, n+1, n+2)
	time.Sleep(time.Duration(d.rng.IntN(200)) * time.Millisecond)
	stop()
	if err == nil && !d.site.Alive() {
		err = fmt.Errorf("the site died: %w", d.site.Exit())
	}
	if err != nil {
		return err
	}
	if st, err := d.site.status(); err != nil || st.Health == "" {
		return errors.Join(err, errors.New("the store says that it is well on a full disk"))
	}
	restarts := n%5 == 4
	if restarts {
		if err := d.restart(ctx, n%10 == 9); err != nil {
			return err
		}
		if err := d.awaitPages((n + 1) * sectionPages); err != nil {
			return fmt.Errorf("after a restart on a full disk: %w", err)
		}
	}
	if err := os.Remove(d.waste()); err != nil {
		return err
	}
	took, err := d.site.awaitFlush()
	if d.slowest = max(d.slowest, took); err != nil {
		return err
	}
	if restarts { // the site has forgotten what it could not store
		d.visitors.walk(d.site.public, n+1, n+2)
	}
	return d.site.wantPages(d.visitors, (n+2)*sectionPages)
}

func (d *fullDisk) restart(ctx context.Context, kill bool) (err error) {
	d.restarts++
	if kill {
		d.site.Kill()
	} else if err := d.site.Stop(); err != nil {
		return err
	}
	d.site, err = d.launch.start(ctx)
	return err
}

// awaitPages waits until the first pages are listed, as they were before the disk was full.
func (d *fullDisk) awaitPages(pages int) (err error) {
	_, late := kit.Until(recoveryLimit, "what was stored is listed", func() bool {
		err = d.site.lists(d.visitors, pages)
		return err == nil
	})
	return errors.Join(late, err)
}

func (d *fullDisk) waste() string { return filepath.Join(d.dir, "waste") }

// fill leaves no free byte.
func (d *fullDisk) fill() error {
	f, err := os.Create(d.waste())
	if err != nil {
		return err
	}
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return f.Close()
}
