package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	imageSections = 6
	// allowedDeaths is how many processes may die of one image.
	allowedDeaths = 2
	openers       = 4 // images opened at the same time
)

// album is an image, and the results for its damaged copies.
type album struct {
	image  string
	listed map[string]bool // paths that it listed
	gone   map[string]bool // withdrawn paths, which no damage may bring back

	mu      sync.Mutex
	kept    int // opened, with all that was listed
	older   int // opened, without the end of the log: in a state from before a withdrawal
	less    int // opened, with less
	aside   int // moved aside, and the site learned anew
	foreign int // left alone, since the manifest seems to be of another version
	deaths  int
	slowest time.Duration
}

func corrupt(ctx context.Context, cfg *config) (line string, err error) {
	a := &album{image: filepath.Join(cfg.work, "image"), gone: map[string]bool{}}
	if err := a.make(ctx); err != nil {
		return "making the image", err
	}
	errs := make([]error, openers)
	var opening sync.WaitGroup
	for i := range openers {
		opening.Go(func() {
			for n := i; n < cfg.images; n += openers {
				errs[i] = errors.Join(errs[i], a.try(ctx, cfg, n))
			}
		})
	}
	opening.Wait()
	return fmt.Sprintf("%d damaged images: %d kept all, %d lost records, %d lost the end of the log and a withdrawal in it, %d moved aside, %d left alone as those of another version; %d processes died, no image killed more than %d; slowest start %.1f s",
		cfg.images, a.kept, a.less, a.older, a.aside, a.foreign, a.deaths, allowedDeaths, a.slowest.Seconds()), errors.Join(errs...)
}

// make lets a site learn and withdraw, and kills it. So the image has tables, a manifest
// with a history, and a log.
func (a *album) make(ctx context.Context) error {
	l := launch{dir: a.image, pages: newFates(imageSections)}
	v := newVisitors()
	for n := range 4 {
		site, err := l.start(ctx)
		if err != nil {
			return err
		}
		if _, err := site.awaitWork(recoveryLimit); err != nil {
			return err
		}
		if err := a.fill(site, v, l.pages, n); err != nil {
			return site.explain(err)
		}
		if n == 3 {
			site.Kill()
		} else if err := site.Stop(); err != nil {
			return err
		}
	}
	return v.firstFailure()
}

// fill is one life of the image: it leaves one more table.
func (a *album) fill(site *child, v *visitors, pages *fates, n int) (err error) {
	if n == 1 {
		if err := site.order("churn", "writes", "100"); err != nil {
			return err
		}
	}
	v.walk(site.public, 0, imageSections)
	if err := site.order("flush"); err != nil {
		return err
	}
	for i := range 10 {
		path := pagePath(n*10 + i*7)
		if i == 9 {
			if err := site.order("forget", "path", path); err != nil {
				return err
			}
		}
		if err := site.withdraw(pages, path, withdrawals[i%3]); err != nil {
			return err
		}
		a.gone[path] = true
	}
	time.Sleep(2200 * time.Millisecond) // until the second look is due
	v.walk(site.public, 0, imageSections)
	if err := site.order("flush"); err != nil {
		return err
	}
	a.listed, err = v.sitemap(site.public)
	if path := a.back(a.listed); path != "" {
		return fmt.Errorf("%s did not leave", path)
	}
	return err
}

// back returns a withdrawn page that is listed again, "" if there is none.
func (a *album) back(listed map[string]bool) string {
	for path := range a.gone {
		if listed[path] {
			return path
		}
	}
	return ""
}

// try damages a copy of the image and opens it until it works.
func (a *album) try(ctx context.Context, cfg *config, n int) error {
	rng := rand.New(rand.NewPCG(cfg.seed, uint64(100+n)))
	dir := filepath.Join(cfg.work, fmt.Sprint("damaged", n))
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(a.image)); err != nil {
		return err
	}
	kind, how := kinds[n%len(kinds)], damages[n/len(kinds)%len(damages)]
	files := victims(dir, kind)
	if len(files) == 0 {
		return fmt.Errorf("image %d: there is no %s", n, kind)
	}
	file := files[rng.IntN(len(files))]
	err := how.do(file, rng)
	if err == nil {
		err = a.open(ctx, dir, kind)
	}
	if err != nil {
		return fmt.Errorf("image %d, %s %s: %w", n, filepath.Base(file), how.name, err)
	}
	return nil
}

// open starts sites on a damaged folder until one lives.
func (a *album) open(ctx context.Context, dir, kind string) error {
	begun := time.Now()
	for deaths := 0; ; deaths++ {
		site, err := launch{dir: dir, pages: newFates(imageSections)}.start(ctx)
		if site == nil {
			return err
		}
		if err == nil {
			err = site.await(recoveryLimit, "the store works", func(now status) bool { return now.Health == "" || now.foreign() })
		}
		if err == nil {
			err = site.explain(a.look(site, kind, deaths, time.Since(begun)))
		} else if !site.Alive() && deaths < allowedDeaths {
			continue
		}
		site.Kill()
		return err
	}
}

// look checks what a site on a damaged folder lists, before anybody visits it and after its
// store was churned.
func (a *album) look(site *child, kind string, deaths int, took time.Duration) error {
	if st, err := site.status(); err != nil || st.foreign() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.foreign++
		return err
	}
	time.Sleep(400 * time.Millisecond) // the first sitemap
	listed, err := newVisitors().sitemap(site.public)
	if err != nil {
		return err
	}
	if err := site.order("churn", "writes", "150"); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	time.Sleep(300 * time.Millisecond) // compactions
	st, err := site.status()
	if err != nil || st.Health != "" {
		return fmt.Errorf("after writing: %w, %s", err, st.Health)
	}
	back := a.back(listed)
	if back != "" && kind != ".mem" {
		return fmt.Errorf("%s is listed again", back)
	}
	if (st.Aside > 0) != (len(st.Notes) > 0) {
		return fmt.Errorf("%d folders were moved aside, and Stats says %q", st.Aside, st.Notes)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deaths += deaths
	a.slowest = max(a.slowest, took)
	switch {
	case st.Aside > 0:
		a.aside++
	case back != "":
		a.older++
	case len(listed) < len(a.listed):
		a.less++
	default:
		a.kept++
	}
	return nil
}
