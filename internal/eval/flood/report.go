package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/servemap/servemap/internal/eval/kit"
)

// printCosts prints what the flood cost while it lasted, and what remains.
func (t *trial) printCosts() {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "MB\tbare site\tbefore\tpeak\tafter\t\n")
	for _, row := range []struct {
		name string
		of   func(kit.Usage) int64
	}{
		{"anonymous memory", func(u kit.Usage) int64 { return u.Anonymous }},
		{"mapped files", func(u kit.Usage) int64 { return u.Mapped }},
		{"Go heap", func(u kit.Usage) int64 { return u.Heap }},
		{"held of it", func(u kit.Usage) int64 { return u.Held }},
		{"store", func(u kit.Usage) int64 { return u.Disk }},
	} {
		fmt.Fprintf(w, "%s", row.name)
		for _, u := range []kit.Usage{t.bare, t.before, t.watch.most, t.after} {
			fmt.Fprintf(w, "\t%.1f", kit.MB(row.of(u)))
		}
		fmt.Fprintf(w, "\t\n")
	}
	w.Flush()
	s := t.subject.Stats()
	fmt.Fprintf(t.out, "looked at: %d junk, %d real; sightings %d, dropped %d, waiting %d, damaged %d, ignored %v\n",
		t.pages.watchedJunk.Load(), t.pages.watchedReal.Load(), s.Sightings, s.Dropped, s.Waiting, s.Damaged, s.Ignored)
	fmt.Fprintf(t.out, "requests/s: %.0f without, %.0f with\n", t.bareSpeed, t.speed)
	t.printListedJunk()
}

// printListedJunk prints how much junk is listed in which folder.
func (t *trial) printListedJunk() {
	l := t.watch.last
	const most = 30
	folders := slices.SortedFunc(maps.Keys(l.folders), func(a, b string) int {
		return cmp.Or(cmp.Compare(l.folders[b], l.folders[a]), cmp.Compare(a, b))
	})
	for _, f := range folders[:min(most, len(folders))] {
		fmt.Fprintf(t.out, "junk listed in %s: %d\n", f, l.folders[f])
	}
	if len(folders) > most {
		fmt.Fprintf(t.out, "junk listed in %d more folders\n", len(folders)-most)
	}
}

// judge prints the last line, and returns an error for each bound that was
// exceeded.
func (t *trial) judge() error {
	most, last := t.watch.most, t.watch.last
	memory, disk := most.Anonymous-t.bare.Anonymous, most.Disk
	there := t.cfg.pages
	if t.cfg.during {
		there += grown
	}
	fmt.Fprintf(t.out, "flood: junk listed %d of %d, real listed %d of %d, memory +%.0f MB, disk %.0f MB, %.0f requests/s\n",
		last.junk, t.cfg.junk, last.real, there, kit.MB(memory), kit.MB(disk), t.speed)
	var wrong []error
	check := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Errorf("%w: "+format, append([]any{errBounds}, args...)...))
		}
	}
	check(t.watch.junk > 0 && !t.cfg.quorum, "up to %d junk locations were listed", t.watch.junk)
	check(t.watch.fewest < t.cfg.pages, "at one time only %d of %d real pages were listed", t.watch.fewest, t.cfg.pages)
	check(t.cfg.during && t.missing > 0, "%d of %d new pages were not listed within %v", t.missing, grown, t.cfg.patience)
	check(memory > t.cfg.maxMemory, "memory grew by %.0f MB", kit.MB(memory))
	check(disk > t.cfg.maxDisk, "the store took %.0f MB", kit.MB(disk))
	return errors.Join(wrong...)
}
