package sitemap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// corpus makes addresses as real sites have them, in the order in which a store yields
// them: dated news, products, manuals, threads with a query, single words. They have 25 to
// 120 bytes, 56 on average.
type corpus struct {
	random *rand.Rand
	words  []string
}

func newCorpus() *corpus {
	c := &corpus{random: rand.New(rand.NewPCG(1, 2)), words: make([]string, 3000)}
	for i := range c.words {
		for range 1 + c.random.IntN(4) {
			c.words[i] += string("bcdfghklmnprstvw"[c.random.IntN(16)]) + string("aeiou"[c.random.IntN(5)])
		}
	}
	return c
}

// slug returns n words. The first words of the list are the most frequent.
func (c *corpus) slug(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = c.words[int(3000*c.random.Float64()*c.random.Float64())]
	}
	return strings.Join(words, "-")
}

func (c *corpus) path() string {
	n := c.random.IntN
	switch n(5) {
	case 0:
		return fmt.Sprintf("news/20%02d/%02d/%s", 15+n(12), 1+n(12), c.slug(4+n(8)))
	case 1:
		return fmt.Sprintf("shop/%s/%s-%d", c.words[n(40)], c.slug(2+n(4)), n(1e6))
	case 2:
		return fmt.Sprintf("docs/%s/%s/%s.html", c.words[n(20)], c.words[n(300)], c.slug(1+n(2)))
	case 3:
		if n(3) > 0 {
			return fmt.Sprintf("forum/t/%d", n(1e6))
		}
		return fmt.Sprintf("forum/t/%d?lang=de&page=%d", n(1e6), n(20))
	default:
		return "wiki/" + strings.ReplaceAll(c.slug(1+n(3)), "-", "_")
	}
}

// benchURLs returns the entries of a full sitemap, the same ones each time.
func benchURLs() []URL {
	c := newCorpus()
	locs := make([]string, MaxURLs)
	for i := range locs {
		locs[i] = "https://www.example.com/" + c.path()
	}
	slices.Sort(locs)
	freqs := []string{"", "", "", "daily", "weekly", "monthly", "yearly"}
	urls := make([]URL, MaxURLs)
	for i, loc := range locs {
		urls[i] = URL{
			Loc:        strings.Clone(loc), // one after the other in memory, as they are read
			LastMod:    november - int64(c.random.IntN(3*365*86_400)),
			ChangeFreq: freqs[c.random.IntN(len(freqs))],
		}
	}
	return urls
}

// writeURLSet writes a whole file in buf.
func writeURLSet(buf []byte, urls []URL) []byte {
	buf = append(buf[:0], URLSetOpen("")...)
	for i := range urls {
		buf, _ = AppendURL(buf, urls[i])
	}
	return append(buf, URLSetClose...)
}

func BenchmarkWriteURLSet(b *testing.B) {
	urls := benchURLs()
	buf := writeURLSet(nil, urls)
	b.ReportAllocs()
	for b.Loop() {
		buf = writeURLSet(buf, urls)
	}
	b.ReportMetric(float64(MaxURLs)*float64(b.N)/b.Elapsed().Seconds(), "URLs/s")
}
