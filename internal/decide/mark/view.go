package mark

import (
	"bytes"
	"math/bits"
	"strings"
	"time"
	"unicode"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/page/html"
)

// View is what one observation of a page showed, as far as a mark needs it. [Read] makes it and [Site.Consult]
// completes it.
type View struct {
	// The caller may set these.
	Last  int64 // when the page was observed before, in Unix seconds, 0 if that is not known
	Leads bool  // it links to a page that nobody knew

	text   uint32 // hash of the main text
	prices uint16 // sum of the keys of its prices, each made odd, 0 if it has none
	size   uint32 // of the main text, in letters, see weight
	links  int    // blocks that are links
	list   bool   // it is read as a list
	prose  bool   // it has a text that is longer than any item
	blocks []*block
	seed   uint64

	announces bool // Observe sets it: what is new announces a page that nobody knew
}

// isOwn reports whether a block may belong to the page, not to the site.
func (v *View) isOwn(b *block) bool {
	return b.on <= v.most(b) && !b.swept && (b.isItem() || b.card != 0 || !v.list)
}

// most returns on how many pages a block may stand and still be the page's own. What announces a new page does so on
// some pages, as an item of lists does.
func (v *View) most(b *block) uint8 {
	if v.list || v.announces && b.most > 0 {
		return pagesOfItem
	}
	return b.most
}

// block is one block of main text.
type block struct {
	hash   uint64 // of its text
	key    uint16 // key of its text, as a mark keeps it
	form   uint16 // hash of its text without its numbers, 0 if it has none, names a price or is long
	days   uint32 // the numbers of a short text that may be days of a month, one bit each
	size   int32  // in letters
	place  uint16
	line   uint16 // hash of its place and how it begins, or that it is a link; 0 if it is neither short nor one
	link   bool
	on     uint8  // how many pages show it
	most   uint8  // on so many pages it may stand and still be the page's own
	calm   bool   // in its place texts stay, on all pages of the site
	wave   uint16 // what is new of its place and line, 0 if its page had them before
	swept  bool   // a wave has brought it
	beside bool   // it is of the title, a picture or a video
	fact   bool   // short texts that may be counters as well, see row
	price  bool   // a short text that names one
	back   bool   // a price that the page showed before, and others meanwhile
	card   uint16 // key of the link that a price stands beside, 0 if there is none
	name   uint16 // key of its text with all numbers, for the prices beside it
	title  uint16 // key of a title of the same words, if it is a heading, else 0
	text   string // of a heading or a price, as it stands there
}

// isCommon reports whether the same words may be news of any page: each has its price, and one after the other is sold
// out.
func (b *block) isCommon() bool { return b.fact || b.price }

// isItem reports whether it is a link that is not longer than those of lists.
func (b *block) isItem() bool { return b.link && b.size < longestItem }

// The lengths of texts, as weights.
const (
	leastLink     = 12  // a shorter link says too little
	leastBlock    = 16  // a shorter block is a fact
	longestItem   = 300 // of a list
	longestNotice = 100 // a longer text counts as content
	longestAge    = 48  // a longer text is not about an age
	longestDated  = 100 // a longer text is not about the numbers in it
	longestLine   = 60  // a longer text is no line of a template
	longestFact   = 40  // if it has numbers
)

// besideSalt makes other hashes of a title, picture or video than of a text.
const besideSalt = 2

// blocksRead is how many blocks of a page are read at most.
const blocksRead = 1500

// Read returns what a page shows. The seed alters all hashes of texts. It is 0 except in measurements of how much
// depends on the hashes.
func Read(f *html.Facts, seed uint64) View {
	v := View{text: uint32(f.MainHash >> 32), seed: seed, blocks: make([]*block, 0, min(len(f.Blocks), blocksRead)+1)}
	r := reading{seed: seed}
	add := func(b block, _ string) {
		if len(v.blocks) < blocksRead {
			v.blocks = append(v.blocks, &b)
		}
		if b.price && b.card == 0 {
			v.prices += b.key | 1
		}
	}
	r.read(f.Blocks, add)
	v.size, v.links = r.size, r.links
	r.read(f.Beside, add)
	v.list = v.isList()
	return v
}

// read calls each for every block, with its text.
func (r *reading) read(blocks []html.Block, each func(block, string)) {
	var owner block // of prices and facts: the last text that is none
	tell := func(b block, text string) {
		if b.isCommon() {
			b.belongTo(&owner)
		} else {
			owner = b
		}
		each(b, text)
	}
	row := func() {
		if len(r.facts) > 0 {
			tell(r.row(), string(r.facts))
		}
		r.facts = r.facts[:0]
	}
	for i := range blocks {
		b := &blocks[i]
		if !r.counts(b) {
			continue
		}
		if r.size += uint32(r.weight); b.Links > 0 {
			r.links++
		}
		switch {
		case r.isFact(b):
			if b.Heading {
				row()
				owner.link = false
			}
			r.fact(b)
		case r.weight >= leastBlock, r.amount, b.Beside && !b.Heading,
			b.Links > 0 && (b.Heading || r.weight >= leastLink):
			row()
			tell(r.block(b), b.Text) // it is long enough to say something, or more than words
		case b.Links > 0:
			row()
			owner = r.block(b)
		}
	}
	row()
}

// counts begins with a block, and reports whether it is main text, no boilerplate and no line of a box of contents.
func (r *reading) counts(b *html.Block) bool {
	if !b.Main || b.Boilerplate || b.Repeats && !b.Beside {
		return false
	}
	if r.folded = fold(r.folded[:0], b.Text); b.Heading && !hasCurrency(b.Text) {
		r.folded = r.folded[max(0, bytes.IndexFunc(r.folded, unicode.IsLetter)):] // its number is no part of it
	}
	r.weight = weight(r.folded)
	r.amount = r.weight <= longestDated && hasAmount(b.Text)
	copyright := r.weight < longestNotice && (strings.Contains(b.Text, "©") || strings.Contains(b.Text, "opyright"))
	return r.weight > 0 && !copyright && (r.weight > longestAge || !isAge(b.Text))
}

// reading is what was read of a page.
type reading struct {
	seed   uint64
	size   uint32 // of the main text
	links  int    // in it
	folded []byte // the block that is read
	weight int    // of that
	amount bool   // it names a price or a share, and is short
	facts  []byte // that were read and are in no block yet
	place  uint64 // of the last of them
}

// isFact reports whether a block is a text so short that it may be a counter as well as a fact, such as "Seats: 24".
func (r *reading) isFact(b *html.Block) bool {
	switch {
	case b.Beside, b.Links > 0, r.weight > longestFact, r.amount:
		return false
	case r.weight < leastBlock:
		return true
	case !bytes.ContainsAny(r.folded, "0123456789"):
		return false
	}
	_, year, _ := mask(r.folded)
	return !year
}

// fact reads a fact.
func (r *reading) fact(b *html.Block) {
	r.place = b.Place
	text := r.folded
	if b.Heading {
		text = letters(text)
	}
	r.facts = append(append(r.facts, builds.ReplaceAllLiteral(bytes.ToLower(text), []byte("#"))...), ' ')
}

// row returns a block of the facts since the last other text, or since a heading among them. They count together: what
// one of them says depends on those beside it.
func (r *reading) row() block {
	hash := xxh3.HashSeed(r.facts, r.seed)
	masked, _, _ := mask(r.facts)
	return block{hash: hash, key: keyOf(hash), size: int32(weight(r.facts)), place: keyOf(r.place), fact: true,
		form: r.key(masked, 1) | 1, line: r.key(beginning(r.facts), r.place) | 1}
}

// key returns the key of a text. Each kind of text has a salt of its own.
func (r *reading) key(text []byte, salt uint64) uint16 {
	return keyOf(xxh3.HashSeed(text, r.seed+salt))
}

// block reads a block. In a link numbers do not count, since they are counters or times. Years and versions do count.
func (r *reading) block(b *html.Block) block {
	out := block{size: int32(r.weight), place: keyOf(b.Place), link: b.Links > 0, beside: b.Beside, swept: b.Repeats}
	out.price = r.amount && r.weight <= longestFact && !out.link && !out.beside
	text, name := r.folded, r.folded
	if out.price {
		text = amountOf(text)
	}
	if r.weight <= longestDated && strings.ContainsAny(b.Text, "0123456789") {
		masked, year, days := mask(text)
		if !r.amount { // another price is no counter
			out.form = r.key(masked, 1) | 1
		}
		switch {
		case out.link && !year:
			text = masked
		case !out.link && !r.amount:
			out.days = days
		}
	}
	switch {
	case out.link:
		out.line = r.key(nil, b.Place) | 1
	case r.weight <= longestLine:
		out.line = r.key(beginning(r.folded), b.Place) | 1
	}
	if b.Heading {
		text, name = letters(text), letters(name)
		out.title = r.key(text, besideSalt)
	}
	if b.Heading || out.price {
		out.text = b.Text
	}
	out.name, out.hash = r.key(name, 0), xxh3.HashSeed(text, r.seed)
	if b.Beside {
		out.hash = xxh3.HashSeed(text, r.seed+besideSalt)
	}
	out.key = keyOf(out.hash)
	return out
}

// belongTo notes to which text a price or a short fact belongs: other pages may have the same words beside another
// text. Beside a link, as in a box of other products, it is about the page that this leads to. The page itself knows a
// price beside each link, but a fact alone: it may as well stand over the next links of a menu.
func (b *block) belongTo(owner *block) {
	b.hash = bits.RotateLeft64(b.hash, 1) ^ owner.hash
	if owner.link {
		b.hash = ^b.hash
		if b.price {
			b.key, b.card = keyOf(b.hash), owner.name
		}
	}
}

// names reports whether a short text may name the day of a time, in any zone.
func (b *block) names(at int64) bool {
	for _, t := range [...]int64{at - day, at, at + day} {
		if b.days&(1<<time.Unix(t, 0).UTC().Day()) != 0 {
			return true
		}
	}
	return false
}

// A page is a list if it has leastItems items, they are at least listShare percent of the letters of its longer blocks,
// and they outweigh prose: the texts that are longer than any item. What stands on many pages, as a menu does, is none.
const (
	listShare    = 25
	leastItems   = 5
	leastTelling = 30 // letters; shorter blocks do not tell a list from an article
)

// isList reports whether a page is a list: items are much of it.
func (v *View) isList() bool {
	all, prose, items, n := 0, 0, 0, 0
	for _, b := range v.blocks {
		if b.size < leastTelling || b.beside || b.isItem() && b.on > pagesOfItem {
			continue
		}
		all += int(b.size)
		switch {
		case b.isItem():
			items, n = items+int(b.size), n+1
		case b.size >= longestItem:
			prose += int(b.size)
		}
	}
	v.prose = prose > 0
	return n >= leastItems && 100*items >= listShare*all && items > prose
}
