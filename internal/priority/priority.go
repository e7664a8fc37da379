// Package priority ranks the pages of a site against each other, for the
// priority element of a sitemap. It takes the links to a page and the visits to
// it, and returns tenths: a page ranks high if many pages link to it and many
// visitors ask for it. It has no clock.
//
// The protocol defines priorities as relative to the other pages of the same
// site (https://www.sitemaps.org/protocol.html), so only the rank counts.
package priority

import (
	"math"
	"math/bits"
	"time"
)

// Inbound estimates how many pages link to one, by linear counting
// (Whang, Vander-Zanden, Taylor 1990): each linking page sets one of 32 bits.
// The zero value counts none.
type Inbound uint32

const inboundBits = 32

// Add counts the linking page whose hash is from. The same page twice counts
// once.
func (n Inbound) Add(from uint64) Inbound { return n | 1<<(from%inboundBits) }

// Pages returns the estimate: with v of m bits still unset it is m*ln(m/v). Once
// all are set, at some 130 pages, it no longer grows.
func (n Inbound) Pages() float64 {
	unset := max(0.5, float64(inboundBits-bits.OnesCount32(uint32(n))))
	return inboundBits * math.Log(inboundBits/unset)
}

// Weight is what a page weighs, from 0 to Weights-1. It is coarse, so that one
// visit seldom changes it.
type Weight uint8

// Weights is the number of different weights.
const Weights = 64

// weightStep is how many weights one doubling of links, or of visits, is worth.
const weightStep = 3

// Weigh returns the weight of a page that inbound pages link to, and that was
// seen looks times in the time known since it was first seen. Links and visits
// count alike, by their logarithms: each further step takes another doubling.
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

// The tenths that a page can have. The least is one tenth: 0.0 would say that
// the page should not be here.
const (
	Least = 1
	Most  = 10
)

// Of returns the priority in tenths, from Least to Most, of a page with weight
// w: the share of pages that weigh less, and half of those that weigh as much.
// Where all pages weigh the same that is the middle, which is the protocol's
// default. It is 0 while no page was counted.
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

// steady is how many tenths a rank must have moved for the priority to follow.
const steady = 2

// Settle returns the priority to show of a page that has shown before, 0 for
// none, and whose rank is now worth the priority now. It ignores small moves, so
// that pages near a limit do not change each time the ranks are taken.
func Settle(before, now uint8) uint8 {
	if before == 0 || now == 0 || max(before, now)-min(before, now) >= steady {
		return now
	}
	return before
}
