package ledger

import (
	"math"

	"github.com/servemap/servemap/internal/rate"
)

// A word is the changefreq that was read off an estimate, with its probability. It is remembered, since reading is the dearest part of a
// look at which nothing changed, and few such looks change the word.
type word struct {
	of     rate.Estimate
	freq   rate.Freq
	chance float64
}

// freq returns the changefreq by the looks so far and its probability, as rate.Estimate.Freq.
func (s *state) freq() (rate.Freq, float64) {
	if !s.word.of.Agrees(s.rate) {
		f, p := s.rate.Freq()
		s.word = word{of: s.rate, freq: f, chance: p}
	}
	return s.word.freq, s.word.chance
}

// encode returns freq and thousandths as one number, 0 if there is no word, or none for the estimate r.
func (w word) encode(r rate.Estimate) uint64 {
	if w.freq == rate.Unknown || !w.of.Agrees(r) {
		return 0
	}
	return uint64(math.Round(w.chance*1000))<<3 | uint64(w.freq)
}

// decodeWord reads what encode wrote beside the estimate r. It returns no word for anything else, or where r is of a version that was not known.
func decodeWord(v uint64, r rate.Estimate) word {
	w := word{of: r, freq: rate.Freq(v & 7), chance: float64(v>>3) / 1000}
	if w.freq == rate.Unknown || w.chance > 1 || r == (rate.Estimate{}) {
		return word{}
	}
	return w
}
