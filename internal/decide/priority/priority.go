// Package priority ranks the pages of a site against each other, for the priority element of a
// sitemap. It takes the links and the visits to a page, and returns tenths. A page ranks high if
// many pages link to it and many visitors ask for it. It has no clock.
//
// By the protocol, priorities are relative to the other pages of the same site
// (https://www.sitemaps.org/protocol.html). So only the rank counts.
package priority

import (
	"math"
	"math/bits"
	"time"
)

// Inbound estimates how many pages link to a page, by linear counting (Whang, Vander-Zanden, Taylor
// 1990): each linking page sets one of 32 bits. The zero value means no pages.
type Inbound uint32

const inboundBits = 32

// Add counts the linking page whose hash is from. A page that is added twice counts once.
func (n Inbound) Add(from uint64) Inbound { return n | 1<<(from%inboundBits) }

// Pages returns the estimate: m*ln(m/v) if v of m bits are unset. At about 130 pages all bits are
// set and it stops growing.
func (n Inbound) Pages() float64 {
	unset := max(0.5, float64(inboundBits-bits.OnesCount32(uint32(n))))
	return inboundBits * math.Log(inboundBits/unset)
}

// Weight is the weight of a page, from 0 to Weights-1. It is coarse, so that one visit seldom
// changes it.
type Weight uint8

// Weights is the number of different weights.
const Weights = 64

// weightStep is how many weights a doubling of links, or of visits, is worth.
const weightStep = 3

// Weigh returns the weight of a page. inbound counts the pages that link to it. looks is how often
// it was seen in the time known since it was first seen. Links and visits count alike, by their
// logarithms: each doubling adds the same.
func Weigh(inbound Inbound, looks uint64, known time.Duration) Weight {
	days := max(1, known.Hours()/24)
	w := weightStep * (math.Log2(1+inbound.Pages()) + math.Log2(1+float64(looks)/days))
	return Weight(min(Weights-1, max(0, math.Round(w))))
}

// Ranks counts the pages of a site by their weight. The zero value has none.
type Ranks struct {
	pages [Weights]int
	all   int
}

// Add counts a page.
func (r *Ranks) Add(w Weight) {
	r.pages[min(w, Weights-1)]++
	r.all++
}

// The range of a page's priority. The least is one tenth, since 0.0 would say that the page should
// not be listed.
const (
	Least = 1
	Most  = 10
)

// Of returns the priority in tenths, from Least to Most, of a page with weight w: the share of
// pages that weigh less, plus half of those that weigh the same. If all pages weigh the same, it is
// the middle, the protocol's default. If no page was counted, it is 0.
func (r *Ranks) Of(w Weight) uint8 {
	if r.all == 0 {
		return 0
	}
	below := 0
	for _, n := range r.pages[:min(w, Weights-1)] {
		below += n
	}
	share := (float64(below) + float64(r.pages[min(w, Weights-1)])/2) / float64(r.all)
	return uint8(max(Least, math.Ceil(share*Most)))
}

// steady is how many tenths a rank must move before the priority follows.
const steady = 2

// Settle returns the priority to show for a page. before is the one shown so far, 0 for none, and
// now is its rank's. Settle ignores small moves, so that pages near a limit do not change each time
// ranks are computed.
func Settle(before, now uint8) uint8 {
	if before == 0 || now == 0 || max(before, now)-min(before, now) >= steady {
		return now
	}
	return before
}
