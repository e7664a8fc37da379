package faults

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

const imageSections = 6

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

func corrupt(t *testing.T) {
	a := &album{image: t.TempDir(), gone: map[string]bool{}, ends: map[string]int{}}
	a.make(t)
	t.Cleanup(func() {
		line := fmt.Sprintf("corrupt: %d damaged images", *images)
		for _, end := range []string{keptAll, endLost, movedOn, leftAlone} {
			line += fmt.Sprintf(", %d %s", a.ends[end], end)
		}
		fmt.Printf("%s; slowest start %.1f s\n", line, a.slowest.Seconds())
	})
	for n := range *images {
		rng := rand.New(rand.NewPCG(1, uint64(100+n)))
		kind, how := kinds[n%len(kinds)], damages[n/len(kinds)%len(damages)]
		t.Run(fmt.Sprint(n, kind, how.name), func(t *testing.T) {
			t.Parallel()
			a.try(t, kind, how, rng)
		})
	}
}

// make lets a site learn and withdraw, four times, and kills it in the end. So the image has
// tables, a manifest with a history, and a log.
func (a *album) make(t *testing.T) {
	l := launch{dir: a.image, pages: newFates(imageSections)}
	v := newVisitors()
	for n := range 4 {
		site := l.start(t)
		site.awaitWork(recoveryLimit)
		a.fill(site, v, l.pages, n)
		if n == 3 {
			site.Kill()
		} else {
			base.Check(t, site.Stop())
		}
	}
	base.Check(t, v.firstFailure())
}

// fill is one life of the image: it leaves one more table.
func (a *album) fill(site *child, v *visitors, pages *fates, n int) {
	if n == 1 {
		site.order("churn", "writes", "100")
	}
	v.walk(site.public, 0, imageSections)
	site.order("flush")
	for i := range 10 {
		path := pagePath(n*10 + i*7)
		if i == 9 {
			site.order("forget", "path", path)
		}
		site.withdraw(pages, path, withdrawals[i%3])
		a.gone[path] = true
	}
	time.Sleep(2200 * time.Millisecond) // until the second observation is due
	v.walk(site.public, 0, imageSections)
	site.order("flush")
	var err error
	a.listed, err = v.sitemap(site.public)
	if path := a.back(a.listed); path != "" || err != nil {
		site.Fatalf("%q did not leave: %v", path, err)
	}
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
func (a *album) try(t *testing.T, kind string, how damage, rng *rand.Rand) {
	dir := t.TempDir()
	base.Check(t, os.CopyFS(dir, os.DirFS(a.image)))
	files := victims(dir, kind)
	if len(files) == 0 {
		t.Fatal("there is no such file")
	}
	file := files[rng.IntN(len(files))]
	base.Check(t, how.do(file, rng))
	begun := time.Now()
	site := launch{dir: dir, pages: newFates(imageSections)}.start(t)
	st := site.await(recoveryLimit, "the store works", func(now status) bool { return now.Health == "" || now.foreign() })
	took, end := time.Since(begun), leftAlone
	if !st.foreign() {
		// Both are logs: nothing tells one that was cut between two entries from a shorter one.
		endMayGo := kind == ".mem" || kind == "MANIFEST" && strings.HasPrefix(how.name, "cut")
		end = a.look(site, endMayGo)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ends[end]++
	a.slowest = max(a.slowest, took)
}

// look checks what a site on a damaged folder lists, before anybody visits it and after its
// store was churned.
func (a *album) look(site *child, endMayGo bool) (end string) {
	time.Sleep(400 * time.Millisecond) // the first sitemap
	listed, err := newVisitors().sitemap(site.public)
	base.Check(site, err)
	site.order("churn", "writes", "150")
	time.Sleep(300 * time.Millisecond) // compactions
	st, err := site.status()
	if err != nil || st.Health != "" {
		site.Fatalf("after writing: %v, %s", err, st.Health)
	}
	back := a.back(listed)
	switch {
	case st.Aside > 0 && len(listed) > 0:
		site.Fatal("the folder was moved aside, and pages are listed that nobody has visited")
	case st.Aside > 0:
		return movedOn
	case back == "" && len(listed) >= len(a.listed):
		return keptAll
	case !endMayGo:
		site.Fatalf("%d pages are listed of %d, and %q again", len(listed), len(a.listed), back)
	}
	return endLost
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
