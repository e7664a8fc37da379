// Command rates measures how well the change-rate estimator names changefreq, against two of the literature's, on simulated pages and
// visitors whose truth is known, or on real histories of changes with simulated visitors.
//
//	go run ./internal/eval/rates -pages 3000 -burst
//	go run ./internal/eval/rates -histories DIR
//
// Cells are the percentage of pages given exactly the right word, and the right word or one beside it.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	pages := flag.Int("pages", 600, "simulated pages")
	seed := flag.Uint64("seed", 1, "seed of all that is random")
	burst := flag.Bool("burst", false, "visitors come in sessions of about nine looks, 30 seconds apart")
	noise := flag.Float64("noise", 0, "chance that a look wrongly finds a change")
	days := flag.Float64("days", 0, "length of the observation; 0 for one to two years")
	confidence := flag.Float64("confidence", 0.5, "least probability at which our word counts as published")
	histories := flag.String("histories", "", "folder of *.tsv.gz files with real times of changes to use instead")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	v := visitors{burst: *burst, noise: *noise}
	var t *table
	var err error
	if *histories != "" {
		t, err = replay(*histories, *seed, v, *confidence)
	} else {
		t = simulate(*pages, *seed, *days, v, *confidence)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rates:", err)
		os.Exit(1)
	}
	t.print(os.Stdout)
}
