// Command rates measures how well the change-rate estimator names changefreq, against three
// estimators of the literature. It uses simulated pages and visitors whose truth is known,
// and real histories of changes with simulated visitors.
//
//	go run ./internal/eval/rates
//	go run ./internal/eval/rates -pages 3000 -seed 301 -seeds 5
//	go run ./internal/eval/rates -pages 0 HISTORIES.tsv.gz...
//	go run ./internal/eval/rates -pages 0 -distinct HISTORIES.tsv.gz...
//	go run ./internal/eval/rates -leave-one-out -pages 600 -seeds 4 HISTORIES.tsv.gz...
//
// The simulated pages are visited at random, at random in bursts, and at random with one
// look in a hundred that wrongly finds a change.
//
// The estimator's constants were tuned on four real histories and on simulated pages of
// other seeds: the priors of its noise, how the past fades, how a rate drifts, and how much
// wider the range is of changes in bunches.
//
// With -leave-one-out, the constants that matter most (rate.Tuning) are tuned again for each
// history: on the other histories and on simulated pages. Each of these sets weighs the same.
// The search starts far from the constants in use. It takes each constant in turn through
// five values, and keeps the one that gives the right words the greatest probability, by the
// mean logarithm. It ends when no other value is better. All other constants stay as they are.
// Printed are the tables of the histories with the constants that were tuned without them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/servemap/servemap/internal/eval/kit"
)

func main() {
	pages := flag.Int("pages", 3000, "simulated pages of each kind of visitors, 0 for none")
	most := flag.Int("most", 600, "the most pages of a history")
	distinct := flag.Bool("distinct", false, "of the pages of a history that changed at the same times, take one")
	seed := flag.Uint64("seed", 1, "seed of all that is random")
	seeds := flag.Int("seeds", 1, "simulations to count together, with this seed and the following ones")
	leave := flag.Bool("leave-one-out", false, "judge each history with constants that were tuned on the others and on simulated pages")
	kit.Main("rates", func(context.Context) error {
		if *pages < 0 || *most < 1 || *seeds < 1 || *leave && flag.NArg() < 2 {
			return fmt.Errorf("%w: -pages must be 0 or more, -most and -seeds 1 or more; -leave-one-out needs two histories", kit.ErrUsage)
		}
		var simulated, histories []*table
		for _, v := range []visitors{{name: "looks at random"}, {name: "looks in bursts", bursty: true}, {name: "1 % of looks wrong", noise: 0.01}} {
			t := newTable("simulated pages, " + v.name)
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
		if *leave {
			leaveOneOut(os.Stdout, simulated, histories)
			return nil
		}
		for _, t := range append(simulated, histories...) {
			t.print(os.Stdout)
		}
		if len(histories) > 1 {
			all := newTable("all histories")
			for _, t := range histories {
				all.merge(t)
			}
			all.print(os.Stdout)
		}
		return nil
	})
}
