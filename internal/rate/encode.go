package rate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// The encoding, big endian: three bytes of the state, under a mark, and the times; only once a change was seen, the other five bytes of the
// state, the past, and a byte for every bin in use.
const (
	mark     = 0x80
	markMask = 0xe0

	lenNothing = 1 // before the first look: the mark alone
	lenQuiet   = 11
	lenBins    = 24 // and one for each bin in use
)

// Where things are in the state. Its highest three bits are those of the mark.
const (
	restartedShift = 60 // one bit
	changesShift   = 58 // two bits
	looksShift     = 56 // two bits
	quietShift     = 40 // sixteen bits
	fasterShift    = 33 // seven bits
	slowerShift    = 26 // seven bits
	meanShift      = 18 // eight bits
	noiseShift     = 11 // seven bits
	leanBits       = 11
)

var errEncoding = errors.New("rate: not an estimate")

func (e *Estimate) state() uint64 {
	r := &e.regime
	state := uint64(r.changes)<<changesShift | uint64(e.looks)<<looksShift | uint64(e.quiet)<<quietShift |
		uint64(r.faster)<<fasterShift | uint64(r.slower)<<slowerShift | uint64(r.mean)<<meanShift | uint64(r.noise)<<noiseShift |
		uint64(e.past.lean)&(1<<leanBits-1)
	if r.restarted {
		state |= 1 << restartedShift
	}
	return state
}

func (e *Estimate) setState(state uint64) {
	const seven = 1<<7 - 1
	e.looks, e.quiet = uint8(state>>looksShift&3), uint16(state>>quietShift)
	e.past.lean = int16(state<<(16-leanBits)) >> (16 - leanBits)
	e.regime = regime{
		changes: uint8(state >> changesShift & 3), restarted: state>>restartedShift&1 != 0,
		faster: int8(state >> fasterShift & seven), slower: int8(state >> slowerShift & seven),
		mean: uint8(state >> meanShift), noise: uint8(state >> noiseShift & seven),
	}
}

// AppendBinary appends the encoding of e to dst: 1 byte before the first look, 11 as long as no change was seen, then 25 to 32.
func (e Estimate) AppendBinary(dst []byte) []byte {
	if e.looks == 0 {
		return append(dst, mark)
	}
	state := e.state()
	dst = append(dst, mark|byte(state>>56), byte(state>>48), byte(state>>40))
	dst = binary.BigEndian.AppendUint32(dst, e.lastVisit)
	dst = binary.BigEndian.AppendUint32(dst, e.lastChange)
	if e.regime.changes == 0 {
		return dst
	}
	dst = append(dst, byte(state>>32))
	dst = binary.BigEndian.AppendUint32(dst, uint32(state))
	dst = binary.BigEndian.AppendUint64(dst, e.past.head())
	for _, n := range e.past.gaps {
		if n > 0 {
			dst = append(dst, n)
		}
	}
	return dst
}

// Parse reads what AppendBinary wrote, and returns an error for anything else: for every b it accepts, the estimate's encoding is b.
func Parse(b []byte) (Estimate, error) {
	switch {
	case len(b) == lenNothing && b[0] == mark:
		return Estimate{}, nil
	case len(b) < lenQuiet || b[0]&markMask != mark:
		return Estimate{}, errEncoding
	}
	e := Estimate{lastVisit: binary.BigEndian.Uint32(b[3:]), lastChange: binary.BigEndian.Uint32(b[7:])}
	state := uint64(b[0]&^markMask)<<56 | uint64(b[1])<<48 | uint64(b[2])<<40
	seen := state>>changesShift&3 != 0
	switch {
	case seen && len(b) >= lenBins:
		e.past = readHead(binary.BigEndian.Uint64(b[lenBins-8:]), b[lenBins:])
		state |= uint64(b[lenQuiet])<<32 | uint64(binary.BigEndian.Uint32(b[lenQuiet+1:]))
	case !seen && len(b) == lenQuiet:
		state |= uint64(newRegime.mean)<<meanShift | uint64(newRegime.noise)<<noiseShift
	default:
		return Estimate{}, errEncoding
	}
	e.setState(state)
	var again [lenBins + occupied]byte
	if !e.valid() || !bytes.Equal(e.AppendBinary(again[:0]), b) {
		return Estimate{}, errEncoding
	}
	return e, nil
}

// valid reports whether e is within the bounds that every estimate keeps. NaN is within none.
func (e *Estimate) valid() bool {
	r, h := &e.regime, &e.past
	return e.looks >= 1 && e.looks <= 2 && e.lastChange <= e.lastVisit &&
		(h.used() > 0) == (r.changes > 0) && h.used() <= occupied &&
		h.lean >= -leanMost &&
		h.time >= 0 && h.time <= trim(maxTime) && h.looks >= 0 && h.looks <= trim(maxLooks) &&
		r.changes <= 3 && (r.changes == 3 || !r.restarted && r.faster == 0 && r.slower == 0) &&
		r.mean <= slowestMean && r.noise >= mostNoise && r.noise <= leastNoise &&
		r.faster >= 0 && r.faster <= eighths(regimeMax) && r.slower >= 0 && r.slower <= eighths(regimeMax)
}

// head returns times in twenty bits each, and a bit for every bin in use, the first one lowest.
func (h *history) head() uint64 {
	head := uint64(math.Float32bits(h.time)>>trimmed)<<44 | uint64(math.Float32bits(h.looks)>>trimmed)<<24
	for b, n := range h.gaps {
		if n > 0 {
			head |= 1 << b
		}
	}
	return head
}

// readHead returns the history with what head returned, and the counts of the bins in use. It stops where counts are missing.
func readHead(head uint64, counts []byte) history {
	const low = 1<<20 - 1
	h := history{
		time:  math.Float32frombits(uint32(head>>44) << trimmed),
		looks: math.Float32frombits(uint32(head>>24&low) << trimmed),
	}
	for used := uint32(head) & (1<<bins - 1); used != 0 && len(counts) > 0; used &= used - 1 {
		h.gaps[bits.TrailingZeros32(used)] = counts[0]
		counts = counts[1:]
	}
	return h
}

// used is the number of bins in use.
func (h *history) used() (n int) {
	for _, c := range h.gaps {
		n += int(min(c, 1))
	}
	return n
}
