package mark

import (
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/page/html"
)

// News returns the texts of a page that the mark does not remember, and how many texts of the last observation the
// page lacks. A mark that has seen nothing has nothing to compare with.
func (m Mark) News(f *html.Facts) (news []string, gone int) {
	if !m.began {
		return nil, 0
	}
	v, texts := Read(f, 0), f.Blocks
	if m.text == v.text { // it may stand in other blocks
		texts = nil
	}
	known, r := m.known(), reading{}
	r.read(slices.Concat(texts, f.Beside), func(b block, text string) {
		if !known.has(b.key) && !b.swept {
			news = append(news, strings.TrimSpace(text))
		}
	})
	if texts != nil {
		missing, _ := m.missing(&v)
		gone = len(missing)
	}
	return news, gone
}
