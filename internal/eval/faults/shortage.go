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
	"time"
)

// disk is a separate file system in memory.
type disk struct{ dir string }

// mountDisk mounts a tmpfs with options such as "size=64m".
func mountDisk(dir, options string) (*disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := command("mount", "-t", "tmpfs", "-o", options, "faults", dir); err != nil {
		return nil, fmt.Errorf("%w: %w", errForbidden, err)
	}
	return &disk{dir}, nil
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

func (d *disk) unmount() error { return command("umount", d.dir) }
func (d *disk) store() string  { return filepath.Join(d.dir, "store") }
func (d *disk) waste() string  { return filepath.Join(d.dir, "waste") }
func (d *disk) free() error    { return os.RemoveAll(d.waste()) }

// fill leaves no free byte.
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

// fillFiles leaves no free inode.
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

// shortage is a site that runs out of a resource again and again during visits.
type shortage struct {
	launch   launch
	site     *child
	visitors *visitors
	rng      *rand.Rand

	alive    int // trials that the process survived
	restarts int
	refused  int           // floods of writes
	slowest  time.Duration // recovery
}

func newShortage(cfg *config, dir string, trials int) *shortage {
	return &shortage{
		launch: launch{dir: dir, pages: newFates(trials + 1)}, visitors: newVisitors(), rng: rand.New(rand.NewPCG(cfg.seed, 1)),
	}
}

// run starts the site, and runs all trials. In trial n section n+1 gets its first visits.
func (s *shortage) run(ctx context.Context, trials int, trial func(ctx context.Context, n int) error) (err error) {
	if s.site, err = s.launch.start(ctx); err != nil {
		return err
	}
	defer func() { s.site.Kill() }()
	if _, err := s.site.awaitWork(recoveryLimit); err != nil {
		return err
	}
	s.visitors.walk(s.site.public, 0, 1)
	for n := range trials {
		if err := trial(ctx, n); err != nil {
			return s.site.explain(fmt.Errorf("trial %d: %w", n, err))
		}
		s.alive++
	}
	return s.visitors.firstFailure()
}

// recover waits until everything that was seen is stored.
func (s *shortage) recover() error {
	took, err := s.site.awaitFlush()
	s.slowest = max(s.slowest, took)
	return err
}

func diskFull(ctx context.Context, cfg *config) (string, error) {
	return runOutOfDisk(ctx, cfg, cfg.trials, "size=192m", (*disk).fill)
}

func inodesGone(ctx context.Context, cfg *config) (string, error) {
	return runOutOfDisk(ctx, cfg, max(1, cfg.trials/4), "size=192m,nr_inodes=400", (*disk).fillFiles)
}

func runOutOfDisk(ctx context.Context, cfg *config, trials int, options string, fill func(*disk) error) (line string, err error) {
	d, err := mountDisk(filepath.Join(cfg.work, "disk"), options)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, d.unmount()) }()
	s := newShortage(cfg, d.store(), trials)
	err = s.run(ctx, trials, func(ctx context.Context, n int) error { return s.fullDisk(ctx, d, fill, n) })
	return fmt.Sprintf("%d trials, %d alive, %d restarts in between, %s, slowest recovery %.1f s",
		trials, s.alive, s.restarts, s.visitors.counts(), s.slowest.Seconds()), err
}

// fullDisk fills the disk during the work, visits a new section, and frees the disk. In
// every fifth trial the site restarts while the disk is full, in every tenth after a kill.
func (s *shortage) fullDisk(ctx context.Context, d *disk, fill func(*disk) error, n int) error {
	if err := s.site.order("churn", "writes", "20"); err != nil {
		return err
	}
	stop := s.visitors.roam(s.site.public, n+1, 2, 0, s.rng)
	time.Sleep(time.Duration(s.rng.IntN(100)) * time.Millisecond)
	err := fill(d)
	s.visitors.walk(s.site.public, n+1, n+2)
	time.Sleep(time.Duration(s.rng.IntN(200)) * time.Millisecond)
	stop()
	if err != nil {
		return err
	}
	if !s.site.Alive() {
		return fmt.Errorf("the site died: %w", s.site.Exit())
	}
	st, err := s.site.status()
	if err != nil {
		return err
	}
	if st.Health == "" {
		return errors.New("the store says that it is well on a full disk")
	}
	if n%5 == 4 {
		if err := s.restart(ctx, n); err != nil {
			return err
		}
	}
	if err := errors.Join(d.free(), s.recover()); err != nil {
		return err
	}
	if n%5 == 4 { // it has forgotten what it could not store
		s.visitors.walk(s.site.public, n+1, n+2)
	}
	return s.site.wantPages(s.visitors, (n+2)*sectionPages)
}

func (s *shortage) restart(ctx context.Context, n int) error {
	s.restarts++
	if n%10 == 9 {
		s.site.Kill()
	} else if err := s.site.Stop(); err != nil {
		return err
	}
	next, err := s.launch.start(ctx)
	if err != nil {
		return err
	}
	s.site = next
	s.visitors.walk(s.site.public, n+1, n+2)
	return nil
}

// descriptorLimit is how many files the site may have open: the default of many systems.
const descriptorLimit = 1024

func descriptorsGone(ctx context.Context, cfg *config) (string, error) {
	s := newShortage(cfg, filepath.Join(cfg.work, "store"), cfg.trials)
	s.launch.limit = descriptorLimit
	err := s.run(ctx, cfg.trials, s.noDescriptors)
	return fmt.Sprintf("%d trials, %d alive, %d floods of writes refused, %s, slowest recovery %.1f s",
		cfg.trials, s.alive, s.refused, s.visitors.counts(), s.slowest.Seconds()), err
}

// noDescriptors uses up the descriptors during writes that make Badger open files, visits a
// new section, and gives the descriptors back.
func (s *shortage) noDescriptors(_ context.Context, n int) error {
	s.visitors.walk(s.site.public, n, n+1)
	churned := make(chan error, 1)
	go func() { churned <- s.site.order("churn", "writes", "4000") }()
	time.Sleep(time.Duration(s.rng.IntN(150)) * time.Millisecond)
	if err := s.site.order("eat", "left", fmt.Sprint(s.rng.IntN(8))); err != nil {
		return err
	}
	if err := <-churned; err != nil {
		s.refused++
	}
	s.visitors.walk(s.site.public, n+1, n+2)
	st, err := s.site.status()
	if err != nil {
		return err
	}
	if !strings.Contains(st.Health, "open") {
		return fmt.Errorf("without descriptors the store says %q", st.Health)
	}
	if err := errors.Join(s.site.order("spit"), s.recover(), s.site.order("churn", "writes", "100")); err != nil {
		return err
	}
	return s.site.wantPages(s.visitors, (n+2)*sectionPages)
}
