package rate

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// The encoding is Estimate's words, big endian: three bytes of the state, under a mark, and the times; only once a change was seen, the other
// five bytes of the state, the past, and a byte for every bin in use. Before the first look it is the mark alone.
const (
	mark     = 0x80
	markMask = 0xe0

	lenNothing = 1
	lenQuiet   = 11
	lenBins    = 24 // and one for each bin in use
)

var errEncoding = errors.New("rate: not an estimate")

// AppendBinary appends the encoding of e to dst: 1 byte before the first look, 11 as long as no change was seen, then 25 to 32.
func (e Estimate) AppendBinary(dst []byte) []byte {
	if e.looks() == 0 {
		return append(dst, mark)
	}
	dst = append(dst, mark|byte(e.state>>56), byte(e.state>>48), byte(e.state>>40))
	dst = binary.BigEndian.AppendUint64(dst, e.times)
	if e.changes() == 0 {
		return dst
	}
	dst = append(dst, byte(e.state>>32))
	dst = binary.BigEndian.AppendUint32(dst, uint32(e.state))
	dst = binary.BigEndian.AppendUint64(dst, e.past)
	for c := e.counts; c != 0; c >>= 8 {
		dst = append(dst, byte(c))
	}
	return dst
}

// Parse reads what AppendBinary wrote, and returns an error for anything else: for every b it accepts, the estimate's encoding is b.
func Parse(b []byte) (Estimate, error) {
	switch {
	case len(b) == 0 || b[0]&markMask != mark:
		return Estimate{}, errEncoding
	case len(b) == lenNothing && b[0] == mark:
		return Estimate{}, nil
	case len(b) < lenQuiet:
		return Estimate{}, errEncoding
	}
	e := Estimate{
		state: uint64(b[0]&^markMask)<<56 | uint64(b[1])<<48 | uint64(b[2])<<40,
		times: binary.BigEndian.Uint64(b[3:]),
	}
	if len(b) == lenQuiet && e.changes() == 0 {
		e.state |= uint64(newRegime.mean)<<meanShift | uint64(newRegime.noise)<<noiseShift
	} else if e.changes() == 0 || !e.parsePast(b[lenQuiet:]) {
		return Estimate{}, errEncoding
	}
	if p := e.open(); !p.valid() {
		return Estimate{}, errEncoding
	}
	return e, nil
}

// parsePast reads what AppendBinary wrote after the times.
func (e *Estimate) parsePast(b []byte) bool {
	const head = lenBins - lenQuiet
	if len(b) < head || len(b) > head+occupied {
		return false
	}
	e.state |= uint64(b[0])<<32 | uint64(binary.BigEndian.Uint32(b[1:]))
	e.past = binary.BigEndian.Uint64(b[5:])
	counts := b[head:]
	for i, n := range counts {
		if n == 0 {
			return false
		}
		e.counts |= uint64(n) << (8 * i)
	}
	return len(counts) == bits.OnesCount64(e.past&(1<<bins-1))
}

// valid reports whether p is within the bounds that every estimate keeps. NaN is within none.
func (p *page) valid() bool {
	r, h := &p.regime, &p.past
	return p.looks >= 1 && p.looks <= 2 && p.lastChange <= p.lastVisit &&
		(h.changes() > 0) == (r.changes > 0) &&
		h.lean >= -leanMost &&
		h.time >= 0 && h.time <= trim(maxTime) && h.looks >= 0 && h.looks <= trim(maxLooks) &&
		r.changes <= 3 && (r.changes == 3 || !r.restarted && r.faster == 0 && r.slower == 0) && r.mean <= slowestMean && r.noise >= mostNoise && r.noise <= leastNoise &&
		r.faster >= 0 && r.faster <= eighths(regimeMax) && r.slower >= 0 && r.slower <= eighths(regimeMax)
}
