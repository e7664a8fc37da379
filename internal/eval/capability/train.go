package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/eval/kit"
)

const (
	steps     = 8          // of a cost, per nat
	levels    = 64         // of a cost, each a printable character
	firstChar = '!'        // of those characters
	mass      = 125_000    // of each file, so that a long list does not drown a short one
	damping   = 6.0        // how strongly the shorter context counts, in counts, and once more for each kind met
	ground    = 1.0 / 2000 // share of what was never met, so that a foreign spelling costs little
)

// counts say how often each cell of the tables was met, by weight.
type counts struct {
	shape [capability.Shapes]float64
	sound [capability.Sounds]float64
}

// add counts a word with a weight. Only words of paths teach where capitals and digits
// stand in paths.
func (c *counts) add(word string, weight float64, ofPath bool) {
	capability.Cells(word, func(shape, sound int) {
		if ofPath {
			c.shape[shape] += weight
		}
		if sound >= 0 {
			c.sound[sound] += weight
		}
	})
}

// train writes the tables for the words of the given files. Each word counts
// by the logarithm of its frequency. about says where the files come from.
func train(out, about string, files []string) error {
	var all counts
	for _, name := range files {
		words, paths, err := readWords(name)
		if err != nil {
			return err
		}
		order := slices.Sorted(maps.Keys(words)) // so that sums always round alike
		total := 0.0
		for _, word := range order {
			total += math.Log1p(words[word])
		}
		for _, word := range order {
			all.add(word, math.Log1p(words[word])/total*mass, paths)
		}
	}
	return os.WriteFile(out, model(about, files, all.shapeCosts(), all.soundCosts()), 0o644)
}

// readWords returns how often each word occurs in a file, and whether its lines are paths.
// Each line has a word or path, or a word, a tab and its count.
func readWords(name string) (words map[string]float64, paths bool, err error) {
	words = map[string]float64{}
	err = kit.ReadLines(name, func(line string) {
		text, count, _ := strings.Cut(line, "\t")
		paths = paths || strings.HasPrefix(text, "/")
		n, err := strconv.ParseFloat(count, 64)
		if err != nil {
			n = 1
		}
		for word := range strings.FieldsFuncSeq(fold.Replace(text), isEdge) {
			if isASCII(word) {
				words[word] += n
			}
		}
	})
	return words, paths, err
}

// fold writes accented letters as slugs usually do.
var fold = strings.NewReplacer(
	"ä", "a", "ö", "o", "ü", "u", "ß", "ss", "à", "a", "á", "a", "â", "a", "ã", "a", "å", "a", "æ", "ae", "ç", "c", "è", "e", "é", "e", "ê", "e",
	"ë", "e", "ì", "i", "í", "i", "î", "i", "ï", "i", "ñ", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ø", "o", "œ", "oe", "ù", "u", "ú", "u",
	"û", "u", "ý", "y", "ą", "a", "ć", "c", "ę", "e", "ł", "l", "ń", "n", "ś", "s", "ź", "z", "ż", "z", "'", "")

func isEdge(c rune) bool { return c < 0x80 && capability.Class(byte(c)) == capability.Edge }

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c >= 0x80 }) < 0
}

// shapeCosts returns the cost of each class after the two before it, in steps.
func (c *counts) shapeCosts() []uint8 {
	const n = 4
	var costs []uint8
	even := []float64{1.0 / n, 1.0 / n, 1.0 / n, 1.0 / n}
	for row := 0; row < capability.Shapes; row += n {
		for _, p := range mix(c.shape[row:row+n], even) {
			costs = append(costs, cost(p))
		}
	}
	return costs
}

// soundCosts returns the cost of each turn after the two symbols before it, in steps. The
// more often a context was met, the more it counts. The rest is filled from contexts of one
// symbol, and those from single capability.
func (c *counts) soundCosts() []uint8 {
	const n = capability.Turns
	single, even := make([]float64, n), make([]float64, n)
	var double [capability.Symbols][n]float64
	for i, weight := range c.sound {
		single[i%n] += weight
		double[i/n%capability.Symbols][i%n] += weight
	}
	for i := range even {
		even[i] = 1.0 / n
	}
	base := mix(single, even)
	var costs []uint8
	for cell := 0; cell < capability.Sounds; cell += n {
		for _, p := range mix(c.sound[cell:cell+n], mix(double[cell/n%capability.Symbols][:], base)) {
			costs = append(costs, cost(p*(1-ground*n)+ground))
		}
	}
	return costs
}

// mix turns weights into probabilities, and smooths them with those of fallback (after
// Witten and Bell 1991).
func mix(weights, fallback []float64) []float64 {
	sum, kinds := 0.0, 1.0
	for _, w := range weights {
		sum += w
		if w > 0 {
			kinds++
		}
	}
	p := make([]float64, len(weights))
	for i, w := range weights {
		p[i] = (w + damping*kinds*fallback[i]) / (sum + damping*kinds)
	}
	return p
}

func cost(p float64) uint8 {
	return uint8(min(levels-1, math.Round(-math.Log(p)*steps)))
}

// model returns the text that package capability embeds: a line that says where the tables come
// from, and the tables. A row has what follows one or four contexts.
func model(about string, files []string, shapes, sounds []uint8) []byte {
	var b bytes.Buffer
	names := make([]string, len(files))
	for i, name := range files {
		names[i] = strings.TrimSuffix(filepath.Base(name), ".txt")
	}
	fmt.Fprintf(&b, "Made by go run ./internal/eval/capability -train; do not edit. The costs below are statistics of the words of these files: %s. %s "+
		"A character c stands for a probability of exp(-(c-%d)/%d).\n\n", strings.Join(names, ", "), about, firstChar, steps)
	for _, table := range []struct {
		costs []uint8
		width int
	}{{shapes, 4}, {sounds, 4 * capability.Turns}} {
		for row := range slices.Chunk(table.costs, table.width) {
			for _, cost := range row {
				b.WriteByte(firstChar + cost)
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
