package main

import (
	"errors"
	"fmt"

	"github.com/servemap/servemap/internal/eval/kit"
)

// printCosts prints what was observed.
func (t *trial) printCosts() {
	s := t.site.Stats()
	fmt.Fprintf(t.out, "observed: %d junk, %d real; observations %d, dropped %d, waiting %d, damaged %d, ignored %v\n",
		t.pages.watchedJunk.Load(), t.pages.watchedReal.Load(), s.Observations, s.Dropped, s.Waiting, s.Damaged, s.Ignored)
}

// judge prints the last line, and returns an error for each bound that was
// exceeded.
func (t *trial) judge() error {
	most, last := t.watch.most, t.watch.last
	memory, disk := most.Anonymous-t.bare.Anonymous, most.Disk
	fmt.Fprintf(t.out, "flood: junk listed %d of %d, real listed %d of %d, memory +%.0f MB, disk %.0f MB, %.0f "+
		"requests/s\n",
		last.junk, t.cfg.junk, last.real, t.cfg.pages+grown, kit.MB(memory), kit.MB(disk), t.speed)
	var wrong []error
	check := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Errorf("%w: "+format, append([]any{errBounds}, args...)...))
		}
	}
	check(t.watch.junk > 0, "up to %d junk locations were listed", t.watch.junk)
	check(t.watch.fewest < t.cfg.pages, "at one time only %d of %d real pages were listed", t.watch.fewest, t.cfg.pages)
	check(t.missing > 0, "%d of %d new pages were not listed within %v", t.missing, grown, t.cfg.patience)
	check(memory > t.cfg.maxMemory, "memory grew by %.0f MB", kit.MB(memory))
	check(disk > t.cfg.maxDisk, "the store took %.0f MB", kit.MB(disk))
	return errors.Join(wrong...)
}
