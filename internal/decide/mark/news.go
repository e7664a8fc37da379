package mark

import (
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/page/html"
)

// News returns the texts of a page that the mark does not remember or still holds, and how many texts of the last
// observation the page lacks. A mark that has seen nothing has nothing to compare with.
func (m Mark) News(f *html.Facts) (news []string, gone int) {
	if !m.began {
		return nil, 0
	}
	v, known, r := Read(f, 0), m.known(), reading{}
	same := m.text == v.text // it may stand in other blocks
	r.read(slices.Concat(f.Blocks, f.Beside), func(b block, text string) {
		w := m.watched(b.key)
		held := w != nil && w.Patience > 0 && !w.gone()
		if held || !known.has(b.key) && !b.swept && (!same || b.beside) {
			news = append(news, strings.TrimSpace(text))
		}
	})
	if !same {
		missing, _ := m.missing(&v)
		gone = len(missing)
	}
	return news, gone
}
