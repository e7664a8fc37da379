package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/eval/kit"
)

const (
	trained    = 0.7 // the part of a history that the estimators see; the rest judges them
	leastSpan  = 60 * day
	leastTrain = 3 // changes to learn from
)

// A history is the times when one page changed, in unix seconds, and the end of what is known.
type history struct {
	page       string
	changes    []int64 // the first is the page's beginning
	last, hash string
	end        int64
}

// replayFile simulates visits to some real pages of a file during the first part of their
// history, and judges the words by the rest. A class is right if it has the mean time
// between changes there. If the rest has no change, any class is right that is at least as
// slow as the rest is long. If distinct is true, pages that changed at the same times count
// once.
func replayFile(file string, most int, distinct bool, seed uint64) (*table, error) {
	var pages []*history
	if err := kit.ReadFile(file, func(r io.Reader) (err error) {
		pages, err = parseHistories(r)
		return err
	}); err != nil {
		return nil, err
	}
	t := &table{name: strings.TrimSuffix(filepath.Base(file), ".tsv.gz")}
	for _, h := range sample(pages, most, distinct, seed) {
		t.replay(h, seed)
	}
	return t, nil
}

// sample returns at most so many of the pages with enough history, in random order.
func sample(pages []*history, most int, distinct bool, seed uint64) []*history {
	pages = slices.DeleteFunc(pages, func(h *history) bool {
		return float64(h.end-h.changes[0]) < leastSpan || h.changesBefore(h.split()) < leastTrain
	})
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	if distinct {
		pages = dropAlike(pages)
	}
	return pages[:min(len(pages), most)]
}

// dropAlike keeps one of the pages that changed at the same times before the split. Pages
// that are built together change together. They are one case for the estimator, and would
// count many times.
func dropAlike(pages []*history) []*history {
	seen := map[string]bool{}
	return slices.DeleteFunc(pages, func(h *history) bool {
		past := fmt.Sprint(h.changes[1 : 1+h.changesBefore(h.split())])
		again := seen[past]
		seen[past] = true
		return again
	})
}

// split is where training ends.
func (h *history) split() int64 {
	first := h.changes[0]
	return first + int64(trained*float64(h.end-first))
}

// changesBefore counts the changes after the beginning and before a time.
func (h *history) changesBefore(unix int64) int {
	n, _ := slices.BinarySearch(h.changes, unix)
	return max(n-1, 0)
}

// replay scores one page.
func (t *table) replay(h *history, seed uint64) {
	r := rand.New(rand.NewPCG(seed, kit.Hash(h.page)))
	first, split := h.changes[0], h.split()
	changes := func(yield func(float64) bool) {
		for _, at := range h.changes[1:] {
			if !yield(float64(at - first)) {
				return
			}
		}
	}
	var e estimators
	t.visits += visitors{}.visit(r, float64(split-first), changes, false, e.saw)
	rest := float64(h.end - split)
	n := len(h.changes) - 1 - h.changesBefore(split)
	right := truth{lo: class(rest), hi: rate.Never}
	if n > 0 {
		mean := rest / float64(n)
		right = truth{class(mean), class(mean)}
	}
	t.scores = append(t.scores, score{e.labels(), right})
}

// parseHistories reads lines sorted by page and time, below a heading. A line has a page, a
// unix time, and the hash of the page's main text, or "gone".
func parseHistories(r io.Reader) ([]*history, error) {
	var pages []*history
	byPage := map[string]*history{}
	var end int64 // of the whole history
	lines := bufio.NewScanner(r)
	lines.Scan() // the heading
	for n := 2; lines.Scan(); n++ {
		page, rest, _ := strings.Cut(lines.Text(), "\t")
		at, hash, ok := strings.Cut(rest, "\t")
		unix, err := strconv.ParseInt(at, 10, 64)
		if err != nil || !ok {
			return nil, fmt.Errorf("line %d is not page, time and hash", n)
		}
		h := byPage[page]
		if h == nil {
			h = &history{page: page}
			byPage[page] = h
			pages = append(pages, h)
		}
		h.add(unix, hash)
		end = max(end, unix)
	}
	for _, h := range pages {
		if h.last != gone {
			h.end = end
		}
	}
	pages = slices.DeleteFunc(pages, func(h *history) bool { return len(h.changes) == 0 })
	return pages, lines.Err()
}

const gone = "gone"

// add reads the next line of the page. A page that comes back unchanged did not change.
func (h *history) add(unix int64, hash string) {
	if hash != gone && hash != h.hash && (len(h.changes) == 0 || unix > h.changes[len(h.changes)-1]) {
		h.changes = append(h.changes, unix)
		h.hash = hash
	}
	h.last, h.end = hash, unix
}
