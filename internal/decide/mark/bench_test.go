package mark_test

import (
	"bytes"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/page/html"
)

// BenchmarkLook compares the cost of a look at a page of 95 KB with that of reading its
// tokens alone. A look parses the page, and marks it if it has changed.
func BenchmarkLook(b *testing.B) {
	w := newWebsite(0, false, 2, kinds[:4]...)
	a := w.pages[0]
	for i := 0; len(w.render(a)) < 95<<10; i++ {
		a.sections = append(a.sections, sentence(w.r, 3), sentence(w.r, 60), sentence(w.r, 40))
		a.rows = append(a.rows, [2]string{words[i%len(words)], sentence(w.r, 3)})
	}
	body := []byte(w.render(a))
	var m mark.Mark
	var site mark.Site
	look := func(facts *html.Facts) {
		v := mark.Read(facts, 0)
		site.Consult(&v, m, 1)
		m, _, _ = m.Look(&v, 1)
	}
	facts := html.Read(body, html.Options{})
	look(&facts)
	a.sections[4] += " And a sentence more."
	other := html.Read([]byte(w.render(a)), html.Options{})
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
				look(&other)
			} else {
				look(&facts)
			}
		}
	})
}
