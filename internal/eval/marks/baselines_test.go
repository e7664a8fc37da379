package marks

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/page/html"
)

// sight is a parsed fetch.
type sight struct {
	*fetch
	facts html.Facts
}

// baseline is a simple detector of the usual kind. It reports a change at once.
type baseline struct {
	name  string
	fresh func() func(*sight) bool // makes a detector for one site, which says whether a fetch is a change
}

var baselines = []baseline{
	{"bytes", hashed(1, func(s *sight) uint64 { return xxh3.HashString(s.HTML) })},
	{"visible text", hashed(1, func(s *sight) uint64 { return xxh3.HashString(visible(&s.facts)) })},
	{"main text", hashed(1, func(s *sight) uint64 { return s.facts.MainHash })},
	{"main text, none of last 4", hashed(4, func(s *sight) uint64 { return s.facts.MainHash })},
	{"blocks, unbounded", blockwise},
}

// hashed reports a hash that differs from the page's last kept ones.
func hashed(kept int, hash func(*sight) uint64) func() func(*sight) bool {
	return func() func(*sight) bool {
		last := map[string][]uint64{}
		return func(s *sight) bool {
			h, seen := hash(s), last[s.Page]
			i := slices.Index(seen, h)
			if i >= 0 {
				seen = slices.Delete(seen, i, i+1)
			}
			seen = append(seen, h)
			last[s.Page] = seen[max(0, len(seen)-kept):]
			return i < 0 && len(seen) > 1
		}
	}
}

// shortBlock is the length, in bytes, below which a block says too little.
const shortBlock = 20

// blockwise reports a block of main text that neither the page nor two other pages of the
// site have shown before. It ignores boilerplate, short blocks, and observations whose main text has
// shrunk below 30 % of the observation before.
func blockwise() func(*sight) bool {
	seen := map[string]map[uint64]bool{}
	size := map[string]int{}
	shows := map[uint64]map[string]bool{}
	return func(s *sight) bool {
		n, was := mainSize(&s.facts), size[s.Page]
		size[s.Page] = n
		known := seen[s.Page]
		first := known == nil
		switch {
		case first:
			known = map[uint64]bool{}
			seen[s.Page] = known
		case 10*n < 3*was:
			return false
		}
		changed := false
		for i := range s.facts.Blocks {
			b := &s.facts.Blocks[i]
			if !b.Main || b.Boilerplate || len(b.Text) < shortBlock {
				continue
			}
			if shows[b.Hash] == nil {
				shows[b.Hash] = map[string]bool{}
			}
			shows[b.Hash][s.Page] = true
			changed = changed || !known[b.Hash] && len(shows[b.Hash]) <= 2
			known[b.Hash] = true
		}
		return changed && !first
	}
}

func mainSize(f *html.Facts) (n int) {
	for i := range f.Blocks {
		if b := &f.Blocks[i]; b.Main {
			n += len(b.Text)
		}
	}
	return n
}

// visible returns the text of a page that a reader sees.
func visible(f *html.Facts) string {
	var b strings.Builder
	for i := range f.Blocks {
		b.WriteString(f.Blocks[i].Text)
		b.WriteByte(' ')
	}
	return b.String()
}
