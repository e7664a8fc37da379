package mark

import (
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/page"
)

// View is what one look at a page showed, as far as a mark needs it. [Read] makes
// it, [Site.Consult] completes it, and from then on it is only read.
type View struct {
	// Soon says that the look before was not long ago, so that a number that has
	// changed since may be a counter. The caller sets it before [Site.Consult].
	Soon bool

	hash   uint64 // of the main text
	size   int    // of the main text, in bytes
	home   uint16 // the place of most of its prose
	lang   uint8  // of the page, as a hash, 0 if it does not name one
	blocks []block
	data   uint64   // hash of the structured data, 0 for none
	common bool     // they have changed on other pages too
	gone   []uint16 // what is missing from other pages too
}

// kind says what a block of text is.
type kind uint8

const (
	prose   kind    = iota // a text to read
	brief                  // a few words
	link                   // a few words that link elsewhere
	kinds                  // how many are looked at
	ignored = kinds        // never makes a change
)

// block is one block of main text.
type block struct {
	text      uint64 // hash of the text
	place     uint32
	key       uint32 // the same on all pages that show the text at the same place, whatever its numbers
	size      int32
	group     int32 // its group, in the last cut
	kind      kind
	fresh     bool // it is new on the page
	furniture bool // it belongs to the site and not to the page, see [Site]
	doubtful  bool // it may belong to the site
	edge      bool // only the site's text is around it
	dated     bool // it has a date or a time in it
	numbers   bool // it has digits in it
	counts    bool // its key leaves them out
}

const (
	proseSize  = 40 // bytes from which on a block is prose
	proseShare = 5  // and so is one of at least this part of the main text
	menuLinks  = 3  // links without other text that make a block a menu
)

// Read returns what a page shows.
func Read(f *page.Facts) View {
	v := View{hash: f.MainHash, data: f.DataHash}
	if f.Lang != "" {
		v.lang = uint8(xxh3.HashString(f.Lang)) | 1
	}
	chrome, n := 0, 0
	for i := range f.Blocks {
		if b := &f.Blocks[i]; b.Main {
			n++
			v.size += len(b.Text)
			if isChrome(b) {
				chrome += len(b.Text)
			}
		}
	}
	v.blocks = make([]block, 0, n)
	mostly := 2*chrome > v.size // then it is what the page is about
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if !b.Main {
			continue
		}
		k := kindOf(b, v.size)
		if !mostly && isChrome(b) {
			k = ignored
		}
		numbers := len(b.Text) <= noticeSize && hasDigit(b.Text)
		dated := numbers && isDated(b.Text)
		counts := numbers && (k != prose || dated)
		v.blocks = append(v.blocks, block{
			text:    b.Hash,
			place:   uint32(b.Place ^ b.Place>>32),
			key:     keyOf(b, counts),
			counts:  counts,
			size:    int32(len(b.Text)),
			kind:    k,
			dated:   dated,
			numbers: numbers,
		})
	}
	v.home = v.findHome()
	return v
}

// isChrome reports whether a block in the main text is not part of it.
func isChrome(b *page.Block) bool { return b.Furniture || b.Links >= menuLinks }

func kindOf(b *page.Block, size int) kind {
	switch {
	case isNotice(b.Text):
		return ignored
	case b.Links > 0:
		return link
	case len(b.Text) >= proseSize || len(b.Text)*proseShare >= size:
		return prose
	}
	return brief
}

// noticeSize is the length of the longest text that is taken for a notice, or for
// a text about a date.
const noticeSize = 160

// isNotice reports whether a text changes by itself: a copyright line, which
// has the year, or how long ago something was.
func isNotice(s string) bool {
	return len(s) <= noticeSize && strings.Contains(s, "©") || isAge(s)
}

// isDated reports whether a text has a year or a time of day in it.
func isDated(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			continue
		}
		n := i
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		year := n-i == 4 && (s[i:i+2] == "19" || s[i:i+2] == "20")
		if year || n-i <= 2 && n+2 < len(s) && s[n] == ':' && isDigit(s[n+1]) && isDigit(s[n+2]) {
			return true
		}
		i = n
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func hasDigit(s string) bool {
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}

// keyOf returns what identifies a block on other pages of the site. If it is
// masked, its numbers may differ, as in the time when a page was made.
func keyOf(b *page.Block, masks bool) uint32 {
	h := b.Hash
	if masks {
		h = maskedHash(b.Text)
	}
	return fold(h ^ b.Place*0x9E3779B97F4A7C15)
}

// maskedHash returns a hash of s without the words that have a digit.
func maskedHash(s string) uint64 {
	buf := make([]byte, 0, 64)
	for word := range strings.FieldsSeq(s) {
		if hasDigit(word) {
			word = "#"
		}
		buf = append(append(buf, word...), ' ')
	}
	return xxh3.Hash(buf)
}

func fold(h uint64) uint32 { return uint32(h ^ h>>32) }

// homesTried bounds the places that are searched for the home.
const homesTried = 32

// findHome returns the place with the most prose, in bytes, among the first
// ones that have any.
func (v *View) findHome() uint16 {
	type total struct {
		place uint32
		size  int32
	}
	var all [homesTried]total
	n, best, last := 0, 0, 0
	for i := range v.blocks {
		b := &v.blocks[i]
		if b.kind != prose {
			continue
		}
		if n == 0 || all[last].place != b.place {
			for last = 0; last < n && all[last].place != b.place; last++ {
			}
		}
		if last == n {
			if n == homesTried {
				last = 0
				continue
			}
			all[n].place = b.place
			n++
		}
		if all[last].size += b.size; all[last].size > all[best].size {
			best = last
		}
	}
	return homeOf(all[best].place)
}

func homeOf(place uint32) uint16 { return uint16(place ^ place>>16) }

// has reports whether the view has anything at what was the home of the prose.
func (v *View) has(home uint16) bool {
	for i := range v.blocks {
		if homeOf(v.blocks[i].place) == home {
			return true
		}
	}
	return len(v.blocks) == 0
}

// group is some adjacent blocks of one kind. A mark remembers groups, so that a
// long page needs no more room than a short one.
type group struct {
	print  uint16 // fingerprint of its blocks
	place  uint32 // of its first block
	slot   uint16 // where it is, if it is not known, or not to stay
	kind   kind
	size   int32
	known  bool // the mark has it
	stays  bool // as prose that has been there for some time
	beside bool // it came to stay at a moving place, and may be no part of what moves
	moving bool // its slot moves
	back   bool // it was missing and is back
	flaps  bool // it is known to come and go
	edge   bool // it is between the edge of the text and the site's text

	furniture bool
	doubtful  bool
	counts    bool // all of its blocks have numbers, and other pages may show other numbers
	numbers   bool // one of its blocks has digits
}

// printBits is the length of a group's fingerprint.
const printBits = 14

func printOf(sum uint64) uint16 { return uint16((sum * 0x9E3779B97F4A7C15) >> (64 - printBits)) }

// levels say, by kind, how long the groups are: one block at level 0, at most
// about 2^n blocks of one place at level 2n-1, about 2^n blocks at level 2n.
type levels [kinds]uint8

const maxLevel = 15

// groups cuts the blocks of a view into groups.
func (v *View) groups(lv levels) []group {
	var c cutter
	c.list = make([]group, 0, len(v.blocks)+1)
	for i := range v.blocks {
		if b := &v.blocks[i]; b.kind < kinds {
			b.group = c.add(b, lv[b.kind])
		}
	}
	if v.data != 0 {
		c.list = append(c.list, group{print: printOf(v.data), place: dataPlace, kind: brief, furniture: v.common, doubtful: true})
	}
	return c.list
}

// dataPlace is the place of the structured data.
const dataPlace = 1

// cutter cuts blocks into groups. A group ends with a block whose hash says so,
// so that a change moves no other group's ends. Except at even levels it also
// ends where its place ends, so that it takes in nothing unlike it.
type cutter struct {
	list []group
	sums [kinds]uint64
	open [kinds]int32 // the group of each kind that grows, plus one
}

// add puts a block into a group and returns which.
func (c *cutter) add(b *block, level uint8) int32 {
	k := b.kind
	if o := c.open[k]; o != 0 && level&1 == 1 && c.list[o-1].place != b.place {
		c.open[k] = 0
	}
	if c.open[k] == 0 {
		c.list = append(c.list, group{kind: k, place: b.place, counts: true})
		c.open[k], c.sums[k] = int32(len(c.list)), 0
	}
	at := c.open[k] - 1
	g := &c.list[at]
	c.sums[k] += b.text
	g.print = printOf(c.sums[k])
	g.size += b.size
	g.furniture = g.furniture || b.furniture
	g.doubtful = g.doubtful || b.doubtful
	g.edge = g.edge || b.edge
	g.numbers = g.numbers || b.numbers
	g.counts = g.counts && b.counts
	if b.text>>40&(1<<((level+1)/2)-1) == 0 {
		c.open[k] = 0
	}
	return at
}

// room is how many groups a mark takes in at first; the rest of its set is for
// what comes and goes.
const room = 44

// shares are the parts of the room that each kind gets if it is scarce.
var shares = [kinds]int{prose: 6, brief: 3, link: 2}

// fitting returns low levels at which a view fits into a mark. It cuts the kind
// that takes the most for its share more coarsely first.
func (v *View) fitting() (lv levels) {
	var counts [kinds]int
	for k := range kinds {
		counts[k] = v.count(k, 0)
	}
	for counts[prose]+counts[brief]+counts[link] > room {
		most := prose
		for k := range kinds {
			if lv[k] < maxLevel && (lv[most] == maxLevel || counts[k]*shares[most] > counts[most]*shares[k]) {
				most = k
			}
		}
		if lv[most] == maxLevel {
			break
		}
		lv[most]++
		counts[most] = v.count(most, lv[most])
	}
	return lv
}

// count returns how many groups of a kind there are at a level.
func (v *View) count(k kind, level uint8) int {
	var c cutter
	for i := range v.blocks {
		if b := &v.blocks[i]; b.kind == k {
			c.add(b, level)
		}
	}
	return len(c.list)
}

// crowd is how many blocks turn their place into one of many things.
const crowd = 4

// slots returns where a group is in the page: at its place if few others are,
// otherwise after a group that stays. The second slot is where it would be with
// more, or fewer, groups.
func (v *View) slots(g *group, anchor uint16) (at, other uint16) {
	place, n := g.place*0x9E3779B1, 0
	for i := range v.blocks {
		if v.blocks[i].place == g.place {
			n++
		}
	}
	after := place ^ uint32(anchor)*0x85EBCA6B
	if n >= crowd {
		place, after = after, place
	}
	return uint16(place >> (32 - slotBits)), uint16(after >> (32 - slotBits))
}
