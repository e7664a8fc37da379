// Command rates measures how well the change-rate estimator names changefreq, against three of the literature's, on simulated pages and
// visitors whose truth is known, or on real histories of changes with simulated visitors.
//
//	go run ./internal/eval/rates -pages 3000 -bursty
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
	bursty := flag.Bool("bursty", false, "visitors come in sessions of about nine looks, 30 seconds apart")
	noise := flag.Float64("noise", 0, "chance that a look wrongly finds a change")
	days := flag.Float64("days", 0, "length of the observation; 0 for one to two years")
	confidence := flag.Float64("confidence", 0.5, "least probability at which our word counts as published")
	flag.Parse()
	v := visitors{bursty: *bursty, noise: *noise}
	t := newTable(*confidence)
	if flag.NArg() == 0 {
		t.simulate(*pages, *seed, *days, v)
	}
	for _, file := range flag.Args() {
		if err := t.replayFile(file, *pages, *seed, v); err != nil {
			fmt.Fprintln(os.Stderr, "rates:", err)
			os.Exit(1)
		}
	}
	t.print(os.Stdout)
}
