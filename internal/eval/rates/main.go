// Command rates measures how right a published changefreq is, beside what simpler ways would publish: on
// real histories of changes, met at a random time and visited at random, and judged by what the pages did next.
//
//	go run ./internal/eval/rates HISTORIES.tsv.gz...
//
// Each history counts once, however many pages it has. Simulated pages of all rates, which it has without a
// file, are counted apart.
package main

import (
	"flag"
	"log"
	"math/rand/v2"
	"os"

	"github.com/servemap/servemap/internal/eval/kit"
)

func main() {
	most := flag.Int("most", 300, "how many pages of a history are met")
	seed := flag.Uint64("seed", 1, "seed of all that is random")
	gaps := flag.String("gaps", "often",
		"how often a page is visited: often (every 20 minutes to 30 days) or rarely (5 to 90 days)")
	wrong := flag.Float64("wrong", 0, "share of the observations that wrongly find a change")
	flag.Parse()
	v := visitors{least: 20 * minute, most: 30 * day, wrong: *wrong}
	if *gaps == "rarely" {
		v.least, v.most = 5*day, 90*day
	}
	var found, simulated results
	for _, file := range flag.Args() {
		pages, err := readHistories(file)
		if err != nil {
			log.Fatal(err)
		}
		found.add(v.meet(pages, *most, rand.New(rand.NewPCG(*seed, kit.Hash(file)))))
	}
	if len(found) > 0 {
		found.print(os.Stdout, "real histories")
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	simulated.add(v.meet(simulate(*most, r), *most, r))
	simulated.print(os.Stdout, "simulated pages")
}
