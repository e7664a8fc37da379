package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	imageSections = 6
	openers       = 4 // images opened at the same time
)

// album is an image, and the results for its damaged copies.
type album struct {
	image  string
	listed map[string]bool // paths that it listed
	gone   map[string]bool // withdrawn paths, which no damage of a table may bring back

	mu      sync.Mutex
	ends    map[string]int // how many images came to which end
	slowest time.Duration
}

// The ends of an image. Each is one that the store promises.
const (
	keptAll   = "kept all"
	endLost   = "lost the end of a log"
	movedOn   = "moved aside"
	leftAlone = "left alone as of another version"
)

func corrupt(ctx context.Context, cfg *config) (line string, err error) {
	a := &album{image: filepath.Join(cfg.work, "image"), gone: map[string]bool{}, ends: map[string]int{}}
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
	line = fmt.Sprintf("%d damaged images", cfg.images)
	for _, end := range []string{keptAll, endLost, movedOn, leftAlone} {
		line += fmt.Sprintf(", %d %s", a.ends[end], end)
	}
	return fmt.Sprintf("%s; slowest start %.1f s", line, a.slowest.Seconds()), errors.Join(errs...)
}

// make lets a site learn and withdraw, four times, and kills it in the end. So the image has
// tables, a manifest with a history, and a log.
func (a *album) make(ctx context.Context) error {
	l := launch{dir: a.image, pages: newFates(imageSections)}
	v := newVisitors()
	for n := range 4 {
		site, err := l.start(ctx)
		if err == nil {
			_, err = site.awaitWork(recoveryLimit)
		}
		if err == nil {
			err = a.fill(site, v, l.pages, n)
		}
		if err != nil {
			return err
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
		err = site.order("churn", "writes", "100")
	}
	v.walk(site.public, 0, imageSections)
	err = errors.Join(err, site.order("flush"))
	for i := range 10 {
		path := pagePath(n*10 + i*7)
		if i == 9 {
			err = errors.Join(err, site.order("forget", "path", path))
		}
		err = errors.Join(err, site.withdraw(pages, path, withdrawals[i%3]))
		a.gone[path] = true
	}
	time.Sleep(2200 * time.Millisecond) // until the second observation is due
	v.walk(site.public, 0, imageSections)
	if err := errors.Join(err, site.order("flush")); err != nil {
		return site.explain(err)
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

// try damages a copy of the image, and opens it.
func (a *album) try(ctx context.Context, cfg *config, n int) error {
	rng := rand.New(rand.NewPCG(1, uint64(100+n)))
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
		// Both are logs: nothing tells one that was cut between two entries from a shorter one.
		endMayGo := kind == ".mem" || kind == "MANIFEST" && strings.HasPrefix(how.name, "cut")
		err = a.open(ctx, dir, endMayGo)
	}
	if err != nil {
		return fmt.Errorf("image %d, %s %s: %w", n, filepath.Base(file), how.name, err)
	}
	return nil
}

// open starts a site on a damaged folder, and counts how that ends.
func (a *album) open(ctx context.Context, dir string, endMayGo bool) error {
	begun := time.Now()
	site, err := launch{dir: dir, pages: newFates(imageSections)}.start(ctx)
	if site == nil {
		return err
	}
	defer site.Kill()
	var st status
	if err == nil {
		err = site.await(recoveryLimit, "the store works",
			func(now status) bool { st = now; return now.Health == "" || now.foreign() })
	}
	took, end := time.Since(begun), leftAlone
	if err == nil && !st.foreign() {
		end, err = a.look(site, endMayGo)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ends[end]++
	a.slowest = max(a.slowest, took)
	return site.explain(err)
}

// look checks what a site on a damaged folder lists, before anybody visits it and after its
// store was churned.
func (a *album) look(site *child, endMayGo bool) (end string, err error) {
	time.Sleep(400 * time.Millisecond) // the first sitemap
	listed, err := newVisitors().sitemap(site.public)
	if err := errors.Join(err, site.order("churn", "writes", "150")); err != nil {
		return "", err
	}
	time.Sleep(300 * time.Millisecond) // compactions
	st, err := site.status()
	if err != nil || st.Health != "" {
		return "", fmt.Errorf("after writing: %w, %s", err, st.Health)
	}
	back := a.back(listed)
	switch {
	case st.Aside > 0 && len(listed) > 0:
		return "", errors.New("the folder was moved aside, and pages are listed that nobody has visited")
	case st.Aside > 0:
		return movedOn, nil
	case back == "" && len(listed) >= len(a.listed):
		return keptAll, nil
	case endMayGo:
		return endLost, nil
	}
	return "", fmt.Errorf("%d pages are listed of %d, and %q again", len(listed), len(a.listed), back)
}

// A damage is done to one file of a copied folder.
type damage struct {
	name string
	do   func(file string, rng *rand.Rand) error
}

var damages = []damage{
	{"cut to a part", edit(func(b []byte, rng *rand.Rand) []byte { return b[:rng.IntN(max(1, len(b)))] })},
	{"cut by a few bytes", edit(func(b []byte, rng *rand.Rand) []byte { return b[:max(0, len(b)-1-rng.IntN(16))] })},
	{"emptied", edit(func([]byte, *rand.Rand) []byte { return nil })},
	{"removed", func(file string, _ *rand.Rand) error { return os.Remove(file) }},
	{"a bit flipped", inUse(func(b []byte, rng *rand.Rand) { flip(b, rng) })},
	{"a bit flipped in the first bytes", inUse(func(b []byte, rng *rand.Rand) { flip(b[:min(len(b), 64)], rng) })},
	{"twenty bits flipped", inUse(func(b []byte, rng *rand.Rand) {
		for range 20 {
			flip(b, rng)
		}
	})},
	{"a page zeroed", inUse(func(b []byte, rng *rand.Rand) {
		at := rng.IntN(len(b)) &^ 4095
		clear(b[at:min(len(b), at+4096)])
	})},
	{"the first page zeroed", inUse(func(b []byte, _ *rand.Rand) { clear(b[:min(len(b), 4096)]) })},
	{"overwritten with noise", inUse(func(b []byte, rng *rand.Rand) {
		at := rng.IntN(len(b))
		for i := at; i < min(len(b), at+512); i++ {
			b[i] = byte(rng.Uint32())
		}
	})},
	{"doubled", edit(func(b []byte, _ *rand.Rand) []byte { return append(b, b...) })},
}

func flip(b []byte, rng *rand.Rand) { b[rng.IntN(len(b))] ^= 1 << rng.IntN(8) }

// edit replaces the bytes of a file.
func edit(f func(b []byte, rng *rand.Rand) []byte) func(string, *rand.Rand) error {
	return func(file string, rng *rand.Rand) error {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, f(b, rng), 0o600)
	}
}

// inUse changes a file up to its last byte that is not zero: logs are longer than their content.
func inUse(f func(b []byte, rng *rand.Rand)) func(string, *rand.Rand) error {
	return edit(func(b []byte, rng *rand.Rand) []byte {
		if used := bytes.TrimRight(b, "\x00"); len(used) > 0 {
			f(used, rng)
		}
		return b
	})
}

// kinds are the files that a folder of the store has.
var kinds = []string{"MANIFEST", ".sst", ".mem", ".vlog", "KEYREGISTRY", "DISCARD", "LOCK", "lock"}

// victims returns the files of a kind below dir.
func victims(dir, kind string) (files []string) {
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, kind) {
			files = append(files, path)
		}
		return nil
	})
	return files
}
