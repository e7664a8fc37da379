package mark

import (
	"slices"

	"github.com/servemap/servemap/internal/page/html"
)

// News returns the texts of a page that the mark does not remember, and how many texts of the last observation the
// page lacks. A mark that has seen nothing has nothing to compare with.
func (m Mark) News(f *html.Facts) (news []string, gone int) {
	v := Read(f, 0)
	if !m.began {
		return nil, 0
	}
	texts := f.Blocks
	if m.Text == v.text { // it may stand in other blocks
		texts = nil
	}
	known, shown, r := setOf(m.known), new(keySet), reading{}
	for i := range v.blocks {
		shown.add(v.blocks[i].key)
	}
	for _, b := range slices.Concat(texts, f.Beside) {
		if !r.counts(&b) || !r.isTelling(&b) {
			continue
		}
		if read := r.block(&b); !known.has(read.key) && !read.swept && (read.item || !m.List) {
			news = append(news, b.Text)
		}
	}
	for i := 0; texts != nil && i < 2*int(m.Own); i += 2 {
		if !shown.has(keyAt(m.known, i)) {
			gone++
		}
	}
	return news, gone
}
