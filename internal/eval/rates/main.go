// Command rates measures how well the change-rate estimator names changefreq, against three
// estimators of the literature. It uses simulated pages and visitors whose truth is known,
// and real histories of changes with simulated visitors.
//
//	go run ./internal/eval/rates
//	go run ./internal/eval/rates -pages 3000 -seed 301 -seeds 5
//	go run ./internal/eval/rates -pages 0 HISTORIES.tsv.gz...
//	go run ./internal/eval/rates -pages 0 -distinct HISTORIES.tsv.gz...
//
// The simulated pages are visited at random, at random in bursts, and at random with one
// observation in a hundred that wrongly finds a change.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/servemap/servemap/internal/eval/kit"
)

func main() {
	pages := flag.Int("pages", 3000, "simulated pages of each kind of visitors, 0 for none")
	most := flag.Int("most", 600, "the most pages of a history")
	distinct := flag.Bool("distinct", false, "of the pages of a history that changed at the same times, take one")
	seed := flag.Uint64("seed", 1, "seed of all that is random")
	seeds := flag.Int("seeds", 1, "simulations to count together, with this seed and the following ones")
	kit.Main("rates", func(context.Context) error {
		var simulated, histories []*table
		for _, v := range []visitors{{name: "observations at random"}, {name: "observations in bursts", bursty: true}, {name: "1 % of observations wrong", noise: 0.01}} {
			t := &table{name: "simulated pages, " + v.name}
			for i := range *seeds {
				t.simulate(*pages, *seed+uint64(i), v)
			}
			simulated = append(simulated, t)
		}
		for _, file := range flag.Args() {
			t, err := replayFile(file, *most, *distinct, *seed)
			if err != nil {
				return err
			}
			histories = append(histories, t)
		}
		for _, t := range append(simulated, histories...) {
			t.print(os.Stdout)
		}
		if len(histories) > 1 {
			all := &table{name: "all histories"}
			for _, t := range histories {
				all.merge(t)
			}
			all.print(os.Stdout)
		}
		return nil
	})
}
