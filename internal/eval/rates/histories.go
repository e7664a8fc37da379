package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/eval/kit"
)

const (
	minute = 60.0
	hour   = 60 * minute
	day    = 24 * hour
	year   = 365.25 * day
	month  = year / 12
)

// A history is the times when one page changed, in unix seconds, and the end of what is known.
type history struct {
	changes    []int64 // the first is the page's beginning
	last, hash string
	end        int64
}

// readHistories reads the histories of the pages of one site.
func readHistories(file string) (pages []*history, err error) {
	err = kit.ReadFile(file, func(r io.Reader) (err error) {
		pages, err = parseHistories(r)
		return err
	})
	return pages, err
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
			h = &history{}
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

// changesIn counts the changes from one time up to another.
func (h *history) changesIn(from, to int64) int {
	a, _ := slices.BinarySearch(h.changes, from)
	b, _ := slices.BinarySearch(h.changes, to)
	return b - a
}

// simulate makes n pages that change at rates from 20 minutes to three years, each as likely as the others:
// two in three at random, the others in bunches.
func simulate(n int, r *rand.Rand) (pages []*history) {
	for i := range n {
		h := &history{changes: []int64{start}, end: start + int64(2*year)}
		for at, mean := 0.0, logUniform(r, 20*minute, 3*year); at < 2*year; {
			gap := r.ExpFloat64()
			if i%3 == 0 {
				gap *= gap / 2 // a Weibull distribution of shape ½
			}
			at += max(1, gap*mean)
			h.changes = append(h.changes, start+int64(at))
		}
		h.changes = h.changes[:len(h.changes)-1]
		pages = append(pages, h)
	}
	return pages
}

const start = 1_700_000_000 // any time will do

func logUniform(r *rand.Rand, lo, hi float64) float64 {
	return lo * math.Exp(r.Float64()*math.Log(hi/lo))
}
