// Package nowhere tells pages from what a site answers with status 200 where it has none. It makes up addresses beside
// those of pages, takes the answers to them, and compares pages with these answers by the share of the text that they
// have in common. The words of both addresses do not count, nor numbers, and so no times. In doubt, an answer counts as
// a page.
package nowhere

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/servemap/servemap/internal/page/html"
)

// Page is what is compared of a page.
type Page struct {
	Location  string
	Canonical bool // it names its own location as canonical
	*html.Facts
	Beside *html.Facts // another page of the site: what both show, such as the menu, says nothing of this page
}

// Answers are what a site answers where it has no page. The zero value has none.
type Answers struct{ all []answer }

// answer is the answer to one made-up address.
type answer struct {
	stands    string // for the addresses beside which it was made up, see Beside: a folder may show its list there
	canonical bool
	words     []string // of the address
	title     []string
	blocks    []block // of the main text
	pictures  []string
}

// block is a block of text.
type block struct {
	words  []string
	common bool // the page beside it shows it too
}

// How much is kept.
const (
	mostAnswers = 100
	mostBlocks  = 200 // of an answer
)

// Learn takes the answer to a made-up address. stands is what Beside says of it.
func (s *Answers) Learn(stands string, p *Page) {
	s.all = slices.DeleteFunc(s.all, func(a answer) bool { return a.stands == stands })
	if len(s.all) < mostAnswers {
		s.all = append(s.all, newAnswer(stands, p))
	}
}

// Show reports whether a page shows what the site answers where it has none.
func (s *Answers) Show(p *Page) bool {
	if s == nil || len(s.all) == 0 {
		return false
	}
	_, stands := Beside(p.Location)
	return slices.ContainsFunc(s.all, func(a answer) bool { return a.stands == stands && a.alike(p) })
}

// Alike reports whether two pages show the same.
func (p *Page) Alike(other *Page) bool {
	a := newAnswer("", p)
	return a.alike(other)
}

func newAnswer(stands string, p *Page) answer {
	a := answer{stands: stands, canonical: p.Canonical, words: addressed(p.Location), title: Words(p.Title)}
	for _, b := range p.Blocks {
		if b.Main && len(a.blocks) < mostBlocks {
			a.blocks = append(a.blocks, block{words: Words(b.Text)})
		}
	}
	for _, picture := range p.Pictures {
		a.pictures = append(a.pictures, picture.Src)
	}
	// A site may show its home page where it has none. Then that is no menu.
	if p.Beside != nil && !a.alike(&Page{Canonical: p.Canonical, Facts: p.Beside}) {
		beside := map[string]bool{}
		for _, b := range p.Beside.Blocks {
			beside[without(Words(b.Text), nil)] = true
		}
		for i := range a.blocks {
			a.blocks[i].common = beside[without(a.blocks[i].words, nil)]
		}
	}
	return a
}

// How much of its text the page must share with the answer, and the answer with the page. For the answer it is only
// half, since it may offer other pages each time. Of the text that the page beside them does not show, half must be
// shared: an archive of one article consists of little more than the menu of its site.
const (
	ofPage   = .8
	ofAnswer = .5
	ofOwn    = .5
)

// alike reports whether a page shows the same as the answer. What a page begins with, in its title and its text, says
// what it is about.
func (a *answer) alike(p *Page) bool {
	own := append(addressed(p.Location), a.words...) // these words do not count
	if a.canonical != p.Canonical || without(Words(p.Title), own) != without(a.title, own) {
		return false
	}
	for _, picture := range p.Pictures {
		if !picture.Icon && !slices.Contains(a.pictures, picture.Src) {
			return false
		}
	}
	theirs, size, frame := map[string]bool{}, 0, map[string]bool{}
	for _, b := range a.blocks {
		text := without(b.words, own)
		theirs[text], size = true, size+len(text)
		frame[text] = frame[text] || b.common
	}
	common, all, framed, begun := 0, 0, 0, false
	for _, b := range p.Blocks {
		if !b.Main {
			continue
		}
		text := without(Words(b.Text), own)
		if !begun && (len(a.blocks) == 0 || text != without(a.blocks[0].words, own)) {
			return false
		}
		begun, all = true, all+len(text)
		if theirs[text] {
			common += len(text)
		}
		if frame[text] {
			framed += len(text)
		}
	}
	return begun == (len(a.blocks) > 0) && float64(common) >= ofPage*float64(all) &&
		float64(common) >= ofAnswer*float64(size) && float64(common-framed) >= ofOwn*float64(all-framed)
}

// Words returns the words of a text without its numbers.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) })
}

// addressed returns the words of a location, with and without its escapes.
func addressed(location string) []string {
	words := Words(location)
	if plain, err := url.PathUnescape(location); err == nil && plain != location {
		words = append(words, Words(plain)...)
	}
	return words
}

// without returns the words that are not among own, each with a space behind it.
func without(words, own []string) string {
	var b strings.Builder
	for _, w := range words {
		if !slices.Contains(own, w) {
			b.WriteString(w)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
