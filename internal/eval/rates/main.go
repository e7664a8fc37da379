// Command rates measures how well the change-rate estimator names changefreq, against three of the literature's, on simulated pages and
// visitors whose truth is known, or on real histories of changes with simulated visitors.
//
//	go run ./internal/eval/rates -pages 3000 -bursty
//	go run ./internal/eval/rates -noise 0.01 -given 0.5
//	go run ./internal/eval/rates -seed 301 -seeds 20
//	go run ./internal/eval/rates FILE.tsv.gz...
//
// Cells are the percentage of pages given exactly the right word, and the right word or one beside it, and the root mean square error of
// the logarithm of the time between changes.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	pages := flag.Int("pages", 3000, "simulated pages, or the most pages of a file")
	seed := flag.Uint64("seed", 1, "seed of all that is random")
	seeds := flag.Int("seeds", 1, "simulations to count together, with this seed and the following ones")
	bursty := flag.Bool("bursty", false, "visitors come in sessions of about nine looks, 30 seconds apart")
	noise := flag.Float64("noise", 0, "chance that a look wrongly finds a change")
	given := flag.Float64("given", 0, "share of the pages with a Last-Modified that proved right, of which only our estimator hears")
	days := flag.Float64("days", 0, "length of the observation; 0 for one to two years")
	confidence := flag.Float64("confidence", 0.5, "least probability at which our word counts as published")
	flag.Parse()
	if err := inRange(*pages, *seeds, *days, *noise, *given, *confidence); err != nil {
		fmt.Fprintln(os.Stderr, "rates:", err)
		os.Exit(2)
	}
	v := visitors{bursty: *bursty, noise: *noise, given: *given}
	t := newTable(*confidence)
	if flag.NArg() == 0 {
		for i := range *seeds {
			t.simulate(*pages, *seed+uint64(i), *days, v)
		}
	}
	for _, file := range flag.Args() {
		if err := t.replayFile(file, *pages, *seed, v); err != nil {
			fmt.Fprintln(os.Stderr, "rates:", err)
			os.Exit(1)
		}
	}
	t.print(os.Stdout)
}

func inRange(pages, seeds int, days float64, shares ...float64) error {
	if pages < 1 {
		return fmt.Errorf("-pages is %d, not 1 or more", pages)
	}
	if seeds < 1 {
		return fmt.Errorf("-seeds is %d, not 1 or more", seeds)
	}
	if !(days >= 0 && days <= 36_500) {
		return fmt.Errorf("-days is %g, not from 0 to 36500", days)
	}
	for _, x := range shares {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("-noise, -given or -confidence is %g, not from 0 to 1", x)
		}
	}
	return nil
}
