package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestRequiredSharesAreFound(t *testing.T) {
	const n = 20000
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			if found := share(k, rand.New(rand.NewPCG(7, uint64(i))), n); found < k.required {
				t.Errorf("%.3f%% of %d tokens like %q found, want %.3f%%", 100*found, n, k.draw(rand.New(rand.NewPCG(7, 7))), 100*k.required)
			}
		})
	}
}

func TestMeasureNamesTheWorst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "paths.txt")
	base.Check(t, os.WriteFile(file, []byte("/about\n/x/550e8400-e29b-41d4-a716-446655440000\n/news\n/docs\n"), 0o600))
	var out bytes.Buffer
	base.Check(t, measure(&out, 100, []string{file}))
	text := strings.TrimSpace(out.String())
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if !strings.HasPrefix(last, "ours: found ") || !strings.HasSuffix(last, "false 0.2500 (paths.txt)") {
		t.Errorf("last line %q", last)
	}
	if !strings.Contains(text, " /x/550e8400-") {
		t.Errorf("the offender is not named in\n%s", text)
	}
	if err := measure(&out, 1, []string{file + ".missing"}); err == nil {
		t.Error("no error for a missing file")
	}
}

func TestTrainingIsDeterministicAndLearns(t *testing.T) {
	dir := t.TempDir()
	words := filepath.Join(dir, "words.txt")
	base.Check(t, os.WriteFile(words, []byte("/banana/bananas.html\nbandana\t3\nçà\nДа\n"), 0o600))
	var sources [2][]byte
	for i := range sources {
		out := filepath.Join(dir, "model.txt")
		base.Check(t, train(out, "By hand.", []string{words}))
		src, err := os.ReadFile(out)
		base.Check(t, err)
		sources[i] = src
	}
	if !bytes.Equal(sources[0], sources[1]) {
		t.Error("two trainings on the same file differ")
	}
	if !bytes.Contains(sources[0], []byte("of these files: words. By hand.")) {
		t.Error("the tables do not say where they come from")
	}
	met, paths, err := readWords(words)
	if err != nil || !paths || met["bandana"] != 3 || met["ca"] != 1 || len(met) != 5 {
		t.Errorf("words %v, of paths %v, error %v", met, paths, err)
	}
	var c counts
	c.add("banana", 1000, true)
	costs := c.soundCosts()
	var seen, unseen counts
	seen.add("banana", 1, true)
	unseen.add("bnnaaa", 1, true)
	if a, b := total(seen, costs), total(unseen, costs); a >= b {
		t.Errorf("a word that was met costs %v, another of its letters %v", a, b)
	}
}

// total returns what the sounds of some words cost.
func total(c counts, costs []uint8) (sum float64) {
	for cell, n := range c.sound {
		sum += n * float64(costs[cell])
	}
	return sum
}
