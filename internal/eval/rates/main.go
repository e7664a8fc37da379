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
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/servemap/servemap/internal/eval/kit"
)

func main() {
	pages := flag.Int("pages", 3000, "simulated pages, or the most pages of a file")
	seed := flag.Uint64("seed", 1, "seed of all that is random")
	seeds := flag.Int("seeds", 1, "simulations to count together, with this seed and the following ones")
	var v visitors
	flag.BoolVar(&v.bursty, "bursty", false, "visitors come in sessions of about nine looks, 30 seconds apart")
	flag.Float64Var(&v.noise, "noise", 0, "chance that a look wrongly finds a change")
	flag.Float64Var(&v.given, "given", 0, "share of the pages with a Last-Modified that proved right, of which only our estimator hears")
	kit.Main("rates", func(context.Context) error {
		if err := inRange(*pages, *seeds, v.noise, v.given); err != nil {
			return err
		}
		t := newTable()
		if flag.NArg() == 0 {
			for i := range *seeds {
				t.simulate(*pages, *seed+uint64(i), v)
			}
		}
		for _, file := range flag.Args() {
			if err := t.replayFile(file, *pages, *seed, v); err != nil {
				return err
			}
		}
		t.print(os.Stdout)
		return nil
	})
}

func inRange(pages, seeds int, shares ...float64) error {
	if pages < 1 || seeds < 1 {
		return fmt.Errorf("%w: -pages and -seeds must be 1 or more", kit.ErrUsage)
	}
	for _, x := range shares {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("%w: -noise or -given is %g, not from 0 to 1", kit.ErrUsage, x)
		}
	}
	return nil
}
