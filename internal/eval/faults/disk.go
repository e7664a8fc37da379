package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// disk is a file system of its own, in memory.
type disk struct{ dir string }

// mountDisk makes one with the options that tmpfs takes, such as "size=64m".
func mountDisk(dir, options string) (*disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "faults", dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: mount: %w: %s", errForbidden, err, out)
	}
	return &disk{dir}, nil
}

func (d *disk) remount(options string) error {
	out, err := exec.Command("mount", "-o", "remount,"+options, d.dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mount: %w: %s", err, out)
	}
	return nil
}

func (d *disk) unmount() error {
	out, err := exec.Command("umount", d.dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("umount: %w: %s", err, out)
	}
	return nil
}

func (d *disk) store() string { return filepath.Join(d.dir, "store") }
func (d *disk) waste() string { return filepath.Join(d.dir, "waste") }

// fill leaves no byte free.
func (d *disk) fill() error {
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

// fillFiles leaves no file to be made.
func (d *disk) fillFiles() error {
	if err := os.Mkdir(d.waste(), 0o700); err != nil {
		return err
	}
	for i := 0; ; i++ {
		f, err := os.Create(filepath.Join(d.waste(), fmt.Sprint(i)))
		if err != nil {
			return nil
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
}

func (d *disk) free() error { return os.RemoveAll(d.waste()) }

// shortage is a disk that is filled and freed again and again under a site.
type shortage struct {
	disk     *disk
	fill     func() error
	trials   int
	launch   launch
	site     *child
	visitors *visitors
	rng      *rand.Rand

	alive    int
	restarts int
	slowest  time.Duration // recovery
}

// recoveryLimit is how long a site may take to work again when the trouble is over.
const recoveryLimit = time.Minute

func diskFull(ctx context.Context, cfg *config) (string, error) {
	return runShortage(ctx, cfg, "size=192m", (*disk).fill)
}

func inodesGone(ctx context.Context, cfg *config) (string, error) {
	own := *cfg
	own.trials = max(1, cfg.trials/4)
	return runShortage(ctx, &own, "size=192m,nr_inodes=400", (*disk).fillFiles)
}

func runShortage(ctx context.Context, cfg *config, options string, fill func(*disk) error) (line string, err error) {
	d, err := mountDisk(filepath.Join(cfg.work, "disk"), options)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, d.unmount()) }()
	s := &shortage{
		disk: d, fill: func() error { return fill(d) }, trials: cfg.trials, visitors: newVisitors(),
		launch: launch{dir: d.store(), state: &fates{Of: map[string]fate{}, Sections: cfg.trials + 1}},
		rng:    rand.New(rand.NewPCG(cfg.seed, 1)),
	}
	err = s.run(ctx)
	return fmt.Sprintf("%d trials, %d alive, %d restarts in between, %d of %d requests failed, slowest recovery %.1f s",
			s.trials, s.alive, s.restarts, s.visitors.failed.Load(), s.visitors.requests.Load(), s.slowest.Seconds()),
		errors.Join(err, s.visitors.firstFailure())
}

func (s *shortage) run(ctx context.Context) (err error) {
	if s.site, err = s.launch.start(ctx); err != nil {
		return err
	}
	defer func() { s.site.kill() }()
	if err := s.site.awaitWork(recoveryLimit); err != nil {
		return err
	}
	s.visitors.walk(s.site.public, 0, 1)
	for n := range s.trials {
		if err := s.trial(ctx, n); err != nil {
			return fmt.Errorf("trial %d: %w\n%s", n, err, s.site.log)
		}
		s.alive++
	}
	return nil
}

// trial fills the disk in the middle of the work, has a section visited that was never visited before, and frees the disk.
func (s *shortage) trial(ctx context.Context, n int) error {
	if err := s.site.order("churn", "writes", "20"); err != nil {
		return err
	}
	busy, rest := context.WithCancel(ctx)
	var roaming sync.WaitGroup
	for range 2 {
		rng := rand.New(rand.NewPCG(s.rng.Uint64(), 2))
		roaming.Go(func() { s.visitors.roam(busy, s.site.public, n+1, rng) })
	}
	time.Sleep(time.Duration(s.rng.IntN(100)) * time.Millisecond)
	err := s.fill()
	s.visitors.walk(s.site.public, n+1, n+2)
	time.Sleep(time.Duration(s.rng.IntN(200)) * time.Millisecond)
	rest()
	roaming.Wait()
	if err != nil {
		return err
	}
	if err := s.whileFull(ctx, n); err != nil {
		return err
	}
	return s.recover(n)
}

// whileFull sees that the site tells of the trouble, and now and then has it start anew.
func (s *shortage) whileFull(ctx context.Context, n int) (err error) {
	if !s.site.alive() {
		return fmt.Errorf("the site died: %w", s.site.exit)
	}
	st, err := s.site.status()
	if err != nil {
		return err
	}
	if st.Health == "" {
		return errors.New("the store says that it is well on a full disk")
	}
	if !restartsIn(n) {
		return nil
	}
	s.restarts++
	if n%10 == 9 {
		s.site.kill()
	} else if err := s.site.stop(); err != nil {
		return err
	}
	if s.site, err = s.launch.start(ctx); err != nil {
		return err
	}
	s.visitors.walk(s.site.public, n+1, n+2)
	return nil
}

// restartsIn reports whether the site starts anew in a trial, while the disk is full.
func restartsIn(trial int) bool { return trial%5 == 4 }

// recover frees the disk, and waits until what was seen is stored.
func (s *shortage) recover(n int) error {
	if err := s.disk.free(); err != nil {
		return err
	}
	took, err := until(recoveryLimit, "the store works", func() bool { return s.site.order("flush") == nil })
	s.slowest = max(s.slowest, took)
	if err != nil {
		return err
	}
	if restartsIn(n) { // it does not remember what it could not store
		s.visitors.walk(s.site.public, n+1, n+2)
	}
	if err := s.site.order("flush"); err != nil {
		return err
	}
	if err := s.site.order("verify"); err != nil {
		return err
	}
	return s.visitors.wantListed(s.site.public, (n+2)*sectionPages)
}
