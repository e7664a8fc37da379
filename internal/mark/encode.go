package mark

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The version leads an encoding, so that a better mark can replace an older one
// without taking every page for changed. Version 1 held only the last texts.
const (
	version1 = 1
	version2 = 2
)

// maxFlaps is the highest count of prose that comes and goes.
const maxFlaps = 7

// AppendBinary appends the mark's encoding to dst: at most 160 bytes, none for
// the zero value.
func (m Mark) AppendBinary(dst []byte) []byte {
	if m.n == 0 {
		return dst
	}
	dst = append(dst, version2, m.n)
	for _, t := range m.texts[:m.n] {
		dst = binary.BigEndian.AppendUint32(dst, t)
	}
	if !m.learned {
		return dst
	}
	dst = append(dst, m.levels[prose]<<4|m.levels[brief], m.furniture<<4|m.levels[link])
	for _, x := range [...]uint16{m.size, m.home, uint16(m.oddDay)} {
		dst = binary.BigEndian.AppendUint16(dst, x)
	}
	dst = append(dst, m.lang, m.flaps<<5|m.quiet)
	dst = m.appendSlots(dst)
	dst = m.appendNews(dst)
	dst = append(dst, m.groups.n)
	return m.groups.appendBits(dst)
}

// appendSlots writes which slots there are, as bits, and then the slots.
func (m *Mark) appendSlots(dst []byte) []byte {
	at := len(dst)
	dst = append(dst, 0)
	for i, s := range m.slots {
		if s.moves > 0 {
			dst[at] |= 1 << i
			dst = binary.BigEndian.AppendUint16(dst, s.at<<4|uint16(s.moves))
		}
	}
	return dst
}

// appendNews writes which news there are, as bits before those of the movers, and
// then the news.
func (m *Mark) appendNews(dst []byte) []byte {
	at := len(dst)
	dst = append(dst, m.movers[prose]<<newsKept|m.movers[brief]<<(newsKept+moverBits))
	for i, w := range m.news {
		if w.flags != 0 {
			dst[at] |= 1 << i
			dst = binary.BigEndian.AppendUint16(dst, w.print)
			dst = append(binary.BigEndian.AppendUint16(dst, w.slot), byte(w.flags), w.looks)
			dst = binary.BigEndian.AppendUint32(dst, uint32(w.since))
		}
	}
	return dst
}

// moverBits is the length of a count of movers.
const moverBits = 3

// errMalformed says that an encoding is not one that this package writes.
var errMalformed = errors.New("mark: malformed encoding")

// Parse decodes what [Mark.AppendBinary] wrote, also in version 1. An encoding
// of a later version is an error; the caller then begins a new mark.
func Parse(b []byte) (Mark, error) {
	if len(b) == 0 {
		return Mark{}, nil
	}
	switch b[0] {
	case version1:
		return parseVersion1(b[1:])
	case version2:
		r := reader{b: b[1:]}
		m := r.mark()
		if r.failed || len(r.b) > 0 {
			return Mark{}, errMalformed
		}
		return m, nil
	}
	return Mark{}, fmt.Errorf("mark: version %d is not known", b[0])
}

func parseVersion1(b []byte) (m Mark, err error) {
	if len(b) == 0 || len(b)%8 != 0 || len(b)/8 > memory {
		return Mark{}, errMalformed
	}
	for ; len(b) > 0; b = b[8:] {
		m.texts[m.n] = textOf(binary.BigEndian.Uint64(b))
		m.n++
	}
	return m, nil
}

// reader reads an encoding. After a failure it returns zeros.
type reader struct {
	b      []byte
	failed bool
}

var zeros [4]byte

func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.failed, r.b = true, nil
		return zeros[:n]
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) byte() byte     { return r.take(1)[0] }
func (r *reader) short() uint16  { return binary.BigEndian.Uint16(r.take(2)) }
func (r *reader) fourth() uint32 { return binary.BigEndian.Uint32(r.take(4)) }

func (r *reader) mark() (m Mark) {
	if m.n = r.byte(); m.n == 0 || m.n > memory {
		r.failed = true
		return m
	}
	for i := range m.n {
		m.texts[i] = r.fourth()
	}
	if len(r.b) == 0 {
		return m
	}
	m.learned = true
	lv, more := r.byte(), r.byte()
	m.levels = levels{prose: lv >> 4, brief: lv & 15, link: more & 15}
	m.furniture = more >> 4
	m.size, m.home, m.oddDay = r.short(), r.short(), oddDay(r.short())
	m.lang, more = r.byte(), r.byte()
	m.flaps, m.quiet = more>>5, more&(calmLooks-1)
	for i, there := 0, r.byte(); i < slotsKept; i++ {
		if there>>i&1 == 1 {
			s := r.short()
			m.slots[i] = slot{s >> 4, uint8(s & maxMoves)}
			r.failed = r.failed || m.slots[i].moves == 0
		}
	}
	there := r.byte()
	m.movers = movers{prose: there >> newsKept & maxMovers, brief: there >> (newsKept + moverBits) & maxMovers}
	for i := range newsKept {
		if there>>i&1 == 1 {
			m.news[i] = news{r.short(), r.short(), newsFlags(r.byte()), r.byte(), int64(r.fourth())}
			r.failed = r.failed || !m.news[i].possible()
		}
	}
	m.groups = r.set(int(r.byte()))
	return m
}

// riceBits is how many bits of a gap between fingerprints are written as they
// are; the rest is written as so many ones (Rice's code). It is near the best for
// a full set, whose gaps are 256 on average.
const riceBits = 7

// appendBits writes the gaps between the fingerprints and their states.
func (s *set) appendBits(dst []byte) []byte {
	w := bitWriter{b: dst}
	last := -1
	for _, k := range s.list[:s.n] {
		gap := int(k.print()) - last - 1
		last = int(k.print())
		for range gap >> riceBits {
			w.put(1, 1)
		}
		w.put(0, 1)
		w.put(uint(gap)&(1<<riceBits-1), riceBits)
		w.put(uint(k.state()), 2)
	}
	return w.b
}

func (r *reader) set(n int) (s set) {
	if n > setSize {
		r.failed = true
		return s
	}
	bits := bitReader{b: r.b}
	last := -1
	for range n {
		gap := 0
		for bits.get(1) == 1 && !bits.failed && gap < 1<<printBits {
			gap += 1 << riceBits
		}
		last += gap + int(bits.get(riceBits)) + 1
		if bits.failed || last >= 1<<printBits {
			r.failed = true
			return s
		}
		s.list[s.n] = newKnown(uint16(last), state(bits.get(2)))
		s.n++
	}
	r.failed = r.failed || bits.failed
	r.b = bits.rest()
	return s
}

// bitWriter appends bits to b, the most significant ones of a byte first.
type bitWriter struct {
	b    []byte
	free int // bits of the last byte
}

func (w *bitWriter) put(x uint, n int) {
	for n--; n >= 0; n-- {
		if w.free == 0 {
			w.b, w.free = append(w.b, 0), 8
		}
		w.free--
		w.b[len(w.b)-1] |= byte(x>>n&1) << w.free
	}
}

type bitReader struct {
	b      []byte
	at     int // in bits
	failed bool
}

func (r *bitReader) get(n int) (x uint) {
	for range n {
		if r.at/8 >= len(r.b) {
			r.failed = true
			return 0
		}
		x = x<<1 | uint(r.b[r.at/8]>>(7-r.at%8)&1)
		r.at++
	}
	return x
}

// rest returns what follows the last byte that was begun.
func (r *bitReader) rest() []byte { return r.b[min(len(r.b), (r.at+7)/8):] }
