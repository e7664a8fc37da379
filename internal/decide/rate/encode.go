package rate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
)

// The encoding, big endian: a byte of flags that starts with a mark, the quiet looks and
// the times. Once a change was seen, the past follows.
const (
	mark     = 0x40
	markMask = 0xc0

	lenNothing = 1 // before the first look: the mark alone
	lenQuiet   = 11
	lenChanged = lenQuiet + 8 + bins
)

// Bit positions in the first byte.
const (
	noisyShift   = 4
	changesShift = 2 // two bits
	looksMask    = 3
)

var errEncoding = errors.New("rate: not an estimate")

// AppendBinary appends the encoding of e to dst: 1 byte before the first look, 11 until a
// change was seen, then 32.
func (e Estimate) AppendBinary(dst []byte) []byte {
	if e.looks == 0 {
		return append(dst, mark)
	}
	first := mark | e.changes<<changesShift | e.looks
	if e.noisy {
		first |= 1 << noisyShift
	}
	dst = binary.BigEndian.AppendUint16(append(dst, first), e.quiet)
	dst = binary.BigEndian.AppendUint32(dst, e.lastVisit)
	dst = binary.BigEndian.AppendUint32(dst, e.lastChange)
	if e.changes == 0 {
		return dst
	}
	h := &e.past
	numbers := uint64(math.Float32bits(h.time)>>trimmed)<<20 | uint64(math.Float32bits(h.looks)>>trimmed)
	dst = append(dst, h.faded, byte(numbers>>32))
	dst = binary.BigEndian.AppendUint32(dst, uint32(numbers))
	dst = binary.BigEndian.AppendUint16(dst, h.meanLog)
	return append(dst, h.gaps[:]...)
}

// Parse reads what AppendBinary wrote, and returns an error for anything else. If it
// accepts b, the estimate encodes to b again.
func Parse(b []byte) (Estimate, error) {
	if len(b) == lenNothing && b[0] == mark {
		return Estimate{}, nil
	}
	if len(b) != lenQuiet && len(b) != lenChanged || b[0]&markMask != mark {
		return Estimate{}, errEncoding
	}
	e := Estimate{
		looks: b[0] & looksMask, changes: b[0] >> changesShift & 3, noisy: b[0]>>noisyShift&1 != 0,
		quiet:     binary.BigEndian.Uint16(b[1:]),
		lastVisit: binary.BigEndian.Uint32(b[3:]), lastChange: binary.BigEndian.Uint32(b[7:]),
	}
	if len(b) == lenChanged {
		const low = 1<<20 - 1
		numbers := uint64(b[12])<<32 | uint64(binary.BigEndian.Uint32(b[13:]))
		h := &e.past
		h.faded = b[11]
		h.time = math.Float32frombits(uint32(numbers>>20) << trimmed)
		h.looks = math.Float32frombits(uint32(numbers&low) << trimmed)
		h.meanLog = binary.BigEndian.Uint16(b[17:])
		copy(h.gaps[:], b[lenChanged-bins:])
	}
	var again [lenChanged]byte
	if !e.valid() || !bytes.Equal(e.AppendBinary(again[:0]), b) {
		return Estimate{}, errEncoding
	}
	return e, nil
}

// valid reports whether e is within the bounds that every estimate keeps. NaN is always out
// of bounds.
func (e *Estimate) valid() bool {
	h := &e.past
	return e.looks >= 1 && e.looks <= 2 && e.lastChange <= e.lastVisit &&
		(h.changes() > 0) == (e.changes > 0) && h.faded < fadeFrom &&
		h.time >= 0 && h.time <= trim(maxTime) && h.looks >= 0 && h.looks <= trim(maxLooks)
}
