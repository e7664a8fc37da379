package marks

import (
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
	{"visible text", byText},
	{"blocks, unbounded", blockwise},
}

// byText reports a visible text other than the page's last one.
func byText() func(*sight) bool {
	last := map[string]uint64{}
	return func(s *sight) bool {
		h := xxh3.HashString(visible(&s.facts))
		before, seen := last[s.Page]
		last[s.Page] = h
		return seen && h != before
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
