package tree

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/store/badgerstore"
)

var benchPages = flag.Int("pages", 20_000, "pages of the site that BenchmarkViews shows")

// BenchmarkViews makes views of a large site from a folder of badgerstore. For a million
// pages: go test -run ^$ -bench Views ./internal/tree -pages 1000000
func BenchmarkViews(b *testing.B) {
	st, err := badgerstore.Open(b.TempDir(), &badgerstore.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	p := &pagerecord.Page{Standing: pagerecord.Standing{Verdict: eligibility.Listed, Reason: eligibility.ByLink}}
	p.Part = 1
	location := func(i int) string {
		if i%2 == 0 {
			return fmt.Sprintf("/article-%07d", i)
		}
		return fmt.Sprintf("/shop/%d/item-%07d", i%997, i)
	}
	for i := 0; i < *benchPages; i += 500 {
		var names []string
		for j := range 500 {
			names = append(names, someKeys.Page(location(i+j)))
		}
		err := st.Update(context.Background(), names, func(values [][]byte) error {
			for j := range values {
				p.Title = fmt.Sprintf("The title of page number %d | Example", i+j)
				values[j] = p.Encode()
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	g := plant(b, nil, func(c *Config) { c.Store = st })
	for name, q := range map[string]Query{"first": {}, "shop": {In: "/shop/"}, "leaf": {In: "/shop/5/"}, "group": {In: "/article-00"}} {
		b.Run(name, func(b *testing.B) {
			size := 0
			for b.Loop() {
				g.tree.found = time.Time{}
				text, err := g.tree.Render(context.Background(), q, *benchPages, func(string) bool { return true })
				if err != nil {
					b.Fatal(err)
				}
				size = len(text)
			}
			b.ReportMetric(float64(size), "bytes/view")
		})
	}
}
