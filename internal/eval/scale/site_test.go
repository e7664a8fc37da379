package scale

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/bench"
	"github.com/servemap/servemap/internal/testkit/visits"
	"github.com/servemap/servemap/store/badgerstore"
)

// The pages are hubs, each with links to a row of others. A hub also links to
// the next one.
const perHub = 100

// perFolder is how many pages are in one folder of the site.
const perFolder = 5000

var words = kit.Words()

// location returns the location of page i, about 60 bytes long.
func location(i int) string {
	if i == 0 {
		return "/"
	}
	r := rand.New(rand.NewPCG(uint64(i), 1))
	b := []byte("/topics/" + words[i/perFolder%len(words)] + "-" + strconv.Itoa(i/perFolder) + "/")
	for range 3 + r.IntN(4) {
		b = append(append(b, words[r.IntN(len(words))]...), '-')
	}
	return string(strconv.AppendInt(b, int64(i), 10))
}

// body returns the HTML of page i. Each version but the first has an extra paragraph at the
// end.
func body(i, version int) []byte {
	frame := kit.Page{Title: "Page " + strconv.Itoa(i), Before: "<nav><a href=/>Home</a></nav>"}
	return frame.Append(nil, func(b []byte) []byte {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		for range 3 {
			b = kit.AppendProse(b, r, words, 25)
		}
		if version > 0 {
			b = kit.AppendProse(b, rand.New(rand.NewPCG(uint64(i), uint64(version)+3)), words, 25)
		}
		for next := i + 1; i%perHub == 0 && next <= i+perHub; next++ {
			b = kit.AppendLink(b, location(next), strconv.Itoa(next))
		}
		return b
	})
}

// version returns which version of page i an observation shows. At the second observation a tenth of the
// pages has changed.
func version(i, visit int) int { return kit.One(visit == 1 && (i+1)%10 == 0) }

// openStore returns the store once it can be used: a large folder takes longer than Open waits.
func openStore(t *testing.T, folder string) *badgerstore.Store {
	st, err := badgerstore.Open(filepath.Join(folder, "store"), &badgerstore.Options{Reserve: 1 << 20})
	base.Check(t, err)
	t.Cleanup(func() { base.Check(t, st.Close()) })
	_, err = kit.Until(10*time.Minute, "the folder is open", func() bool { return st.Health() == nil })
	base.Check(t, err)
	return st
}

// site is the indexer and files over the store on disk. It reads every page at once; a real
// site is visited until it has read all.
type site struct {
	*testing.T
	*bench.Bench
	cfg config
}

func open(t *testing.T, cfg config) *site {
	st := openStore(t, cfg.dir)
	var rules []eligibility.Rule
	for _, r := range sections(cfg.parts) {
		rules = append(rules, eligibility.Rule{Pattern: r.Pattern, Section: r.Section})
	}
	all, err := eligibility.NewRules(rules)
	base.Check(t, err)
	b, err := bench.New(kit.Origin, st, bench.Options{Unrendered: true, Rules: all})
	base.Check(t, err)
	t.Cleanup(b.Close)
	return &site{t, b, cfg}
}

// sections returns rules for so many sections.
func sections(n int) (rules []servemap.Rule) {
	for i := range n {
		letter := string(rune('a' + i))
		rules = append(rules, servemap.Rule{Pattern: "/topics/" + letter, Section: letter})
	}
	return rules
}

// shows offers an observation of a page, which is read whatever that costs.
func (s *site) shows(loc string, at time.Time, body []byte) {
	seen := visits.Page(loc, string(body), at)
	seen.Explored = true
	s.Indexer.Offer(seen)
}

// together is how many observations to hand over before waiting for them.
const together = 1024

// fill shows every page, as often as the configuration says.
func fill(t *testing.T, cfg config) {
	s := open(t, cfg)
	for visit := range cfg.looks {
		began, used := time.Now(), kit.CPUTime()
		at := began.Add(-time.Duration(cfg.looks-visit) * 24 * time.Hour)
		for i := range cfg.pages {
			s.shows(location(i), at.Add(time.Duration(i)*time.Millisecond/100), body(i, version(i, visit)))
			if i%together == together-1 || i == cfg.pages-1 {
				base.Check(t, s.Indexer.Flush(t.Context()))
			}
			if i%100_000 == 99_999 {
				fmt.Fprintf(os.Stderr, "observation %d: %d pages in %v, %v of a core\n", visit+1, i+1,
					time.Since(began).Round(time.Second), (kit.CPUTime() - used).Round(time.Second))
			}
		}
		each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(cfg.pages) }
		fmt.Printf("observation %d at %d pages: %.1f s, %.0f µs a page, %.0f µs of a core\n", visit+1, cfg.pages,
			time.Since(began).Seconds(), each(time.Since(began)), each(kit.CPUTime()-used))
	}
	if n := s.Indexer.Stats(); n.Dropped > 0 || n.Damaged > 0 {
		t.Errorf("%d observations were dropped, and %d records could not be read", n.Dropped, n.Damaged)
	}
}
