package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// fullDisk is a site on a small disk that fills up again and again during visits.
type fullDisk struct {
	*testing.T
	dir      string // where the disk is mounted
	launch   launch
	site     *child
	visitors *visitors
	rng      *rand.Rand

	done, restarts int
	slowest        time.Duration // until all was stored again
}

func diskFull(t *testing.T) {
	d := &fullDisk{T: t, dir: t.TempDir(), visitors: newVisitors(), rng: rand.New(rand.NewPCG(1, 1))}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=192m", "faults", d.dir).CombinedOutput(); err != nil {
		fmt.Printf("diskfull: left out: no disk can be mounted: %v: %s", err, out)
		base.Lacks(t, "no disk can be mounted")
	}
	t.Cleanup(func() {
		base.Check(t, exec.Command("umount", d.dir).Run())
		fmt.Printf("diskfull: alive after %d trials, %d restarts in between, %s, slowest recovery %.1f s\n", d.done,
			d.restarts,
			d.visitors.counts(), d.slowest.Seconds())
	})
	d.launch = launch{dir: filepath.Join(d.dir, "store"), pages: newFates(*trials + 1)}
	d.site = d.launch.start(t)
	d.site.awaitWork(recoveryLimit)
	d.visitors.walk(d.site.public, 0, 1)
	for d.done = range *trials {
		d.trial(d.done)
	}
	d.done = *trials
	base.Check(t, d.visitors.firstFailure())
}

// trial fills the disk during the work, visits a new section, and frees the disk. In every
// fifth trial the site restarts while the disk is full, in every tenth after a kill. It then lists what was stored.
func (d *fullDisk) trial(n int) {
	d.site.order("churn", "writes", "20")
	stop := d.visitors.roam(d.site.public, n+1, 2, 0, d.rng)
	time.Sleep(time.Duration(d.rng.IntN(100)) * time.Millisecond)
	d.fill()
	d.visitors.walk(d.site.public, n+1, n+2)
	time.Sleep(time.Duration(d.rng.IntN(200)) * time.Millisecond)
	stop()
	if !d.site.Alive() {
		d.Fatalf("the site died: %v", d.site.Exit())
	}
	if st, err := d.site.status(); err != nil || st.Health == "" {
		d.Fatalf("the store says that it is well on a full disk: %v", err)
	}
	restarts := n%5 == 4
	if restarts {
		d.restart(n%10 == 9)
		d.awaitPages((n + 1) * sectionPages)
	}
	base.Check(d, os.Remove(d.waste()))
	d.slowest = max(d.slowest, d.site.awaitFlush())
	if restarts { // the site has forgotten what it could not store
		d.visitors.walk(d.site.public, n+1, n+2)
	}
	d.site.order("flush")
	base.Check(d, d.site.lists(d.visitors, (n+2)*sectionPages))
}

func (d *fullDisk) restart(kill bool) {
	d.restarts++
	if kill {
		d.site.Kill()
	} else {
		base.Check(d, d.site.Stop())
	}
	d.site = d.launch.start(d)
}

// awaitPages waits until the first pages are listed, as they were before the disk was full.
func (d *fullDisk) awaitPages(pages int) {
	var err error
	if _, late := kit.Until(recoveryLimit, "what was stored is listed", func() bool {
		err = d.site.lists(d.visitors, pages)
		return err == nil
	}); late != nil {
		d.Fatalf("after a restart on a full disk: %v: %v", late, err)
	}
}

func (d *fullDisk) waste() string { return filepath.Join(d.dir, "waste") }

// fill leaves no free byte.
func (d *fullDisk) fill() {
	f, err := os.Create(d.waste())
	base.Check(d, err)
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	base.Check(d, f.Close())
}
