package rate

import (
	"encoding/binary"
	"errors"
	"math"
)

// The encoding is the version, then a byte of looks (low two bits) and changes (next two) unless nothing was seen, then quiet looks and
// the two times, and, only once a change was seen, the evidence and the posterior. Integers are big endian.
const (
	version    = 1
	lenNothing = 1
	lenQuiet   = 11
	lenChanged = 22
)

var errEncoding = errors.New("rate: not an estimate")

// AppendBinary appends the encoding of e to dst: 1 byte before the first look, 11 as long as no change was seen, then 22.
func (e Estimate) AppendBinary(dst []byte) []byte {
	dst = append(dst, version)
	if e.looks == 0 {
		return dst
	}
	dst = append(dst, e.looks|e.changes<<2, e.quiet)
	dst = binary.BigEndian.AppendUint32(dst, e.lastVisit)
	dst = binary.BigEndian.AppendUint32(dst, e.lastChange)
	if e.changes == 0 {
		return dst
	}
	dst = append(dst, byte(e.always), byte(e.faster), byte(e.slower))
	dst = binary.BigEndian.AppendUint32(dst, math.Float32bits(e.shape))
	return binary.BigEndian.AppendUint32(dst, math.Float32bits(e.time))
}

// Parse reads what AppendBinary wrote. It returns an error for anything else: for every b it accepts, the estimate's encoding is b.
func Parse(b []byte) (Estimate, error) {
	if len(b) == 0 || b[0] != version {
		return Estimate{}, errEncoding
	}
	if len(b) == lenNothing {
		return Estimate{}, nil
	}
	if len(b) != lenQuiet && len(b) != lenChanged {
		return Estimate{}, errEncoding
	}
	e := Estimate{
		looks:      b[1] & 3,
		changes:    b[1] >> 2,
		quiet:      b[2],
		lastVisit:  binary.BigEndian.Uint32(b[3:]),
		lastChange: binary.BigEndian.Uint32(b[7:]),
		shape:      priorShape,
		time:       priorTime,
	}
	if len(b) == lenChanged {
		e.always, e.faster, e.slower = int8(b[11]), int8(b[12]), int8(b[13])
		e.shape = math.Float32frombits(binary.BigEndian.Uint32(b[14:]))
		e.time = math.Float32frombits(binary.BigEndian.Uint32(b[18:]))
	}
	if !e.valid() || (e.changes > 0) != (len(b) == lenChanged) {
		return Estimate{}, errEncoding
	}
	return e, nil
}

// valid reports whether e is within the bounds that every estimate keeps. NaN is within none.
func (e Estimate) valid() bool {
	within := func(v, lo, hi float64) bool { return lo <= v && v <= hi }
	return e.looks >= 1 && e.looks <= 2 && e.changes <= 3 && e.lastChange <= e.lastVisit &&
		within(float64(e.shape), float64(float32(priorShape)), maxShape) && within(float64(e.time), minTime, maxTime) &&
		within(nats(e.always), alwaysMin, alwaysMax) &&
		within(nats(e.faster), 0, regimeMax) && within(nats(e.slower), 0, regimeMax)
}
