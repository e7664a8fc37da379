package mark

import (
	"bytes"
	"math/rand/v2"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/servemap/servemap/internal/page/html"
)

// BenchmarkObserve compares the cost of an observation of a page of 95 KB with that of reading its
// tokens alone. An observation parses the page, and marks it if it has changed.
func BenchmarkObserve(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	middle := ""
	for len(middle) < 93<<10 {
		middle += "<h2>" + sentence(r, 3) + "</h2><p>" + sentence(r, 60) + "</p><p>" + sentence(r, 40) + "</p>"
	}
	body := []byte(article(1, middle))
	one, two := html.Read(body, html.Options{}), html.Read([]byte(article(1, middle, sentence(r, 9))), html.Options{})
	var m Mark
	var site Site
	observe := func(facts *html.Facts) {
		v := Read(facts, 0)
		site.Consult(&v, m, 1)
		m, _, _ = m.Observe(&v, 1)
	}
	observe(&one)
	b.Run("tokenizer alone", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			z := nethtml.NewTokenizer(bytes.NewReader(body))
			for z.Next() != nethtml.ErrorToken {
			}
		}
	})
	b.Run("parsing", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			html.Read(body, html.Options{})
		}
	})
	b.Run("marking", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%2 == 0 {
				observe(&two)
			} else {
				observe(&one)
			}
		}
	})
}
