// Command capability measures how well servemap tells capability URLs from others. It
// prints the share of random tokens of each kind that is found. For given paths, one a
// line, it prints the share that is wrongly taken for a capability URL.
//
//	go run ./internal/eval/capability -n 200000 paths.txt ...
//	go run ./internal/eval/capability -train internal/decide/capability/model.txt -about "..." words.txt ...
//
// The second form writes the tables that the detector reads. Each line of its files has a
// word or a path, or a word, a tab and its count. Files of paths begin their lines with a
// slash; only they teach where capitals and digits occur. The tables have no text, only how
// often letters follow each other.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/eval/kit"
)

func main() {
	n := flag.Int("n", 200000, "tokens of each kind")
	about := flag.String("about", "", "where FILES come from; written into the tables")
	out := flag.String("train", "", "write the tables to this file, trained on the words of FILES")
	kit.Main("capability", func(context.Context) error {
		if *out != "" {
			return train(*out, *about, flag.Args())
		}
		return measure(os.Stdout, *n, flag.Args())
	})
}

// measure prints the found share of each kind of token, and the false alarms of each file.
func measure(w io.Writer, n int, files []string) error {
	fmt.Fprintf(w, "%-34s %5s %10s %10s\n", "token", "bits", "found", "required")
	for i, k := range kinds {
		found := share(k, rand.New(rand.NewPCG(1, uint64(i))), n)
		required := ""
		if k.required > 0 {
			required = fmt.Sprintf("%9.4f%%", 100*k.required)
		}
		fmt.Fprintf(w, "%-34s %5.0f %9.4f%% %10s\n", k.name, k.bits, 100*found, required)
	}
	for _, name := range files {
		var alarms []string
		total := 0
		if err := kit.ReadLines(name, func(path string) {
			total++
			if capability.Looks(path) {
				alarms = append(alarms, path)
			}
		}); err != nil {
			return err
		}
		fmt.Fprintf(w, "%-34s %6d paths %8.3f%% false  %s\n", filepath.Base(name), total, 100*kit.Share(len(alarms), total), strings.Join(alarms[:min(len(alarms), 5)], " "))
	}
	return nil
}

// share returns which share of n random tokens of a kind is found.
func share(k kind, r *rand.Rand, n int) float64 {
	found := 0
	for range n {
		found += kit.One(capability.Looks("/a/" + k.draw(r)))
	}
	return kit.Share(found, n)
}
