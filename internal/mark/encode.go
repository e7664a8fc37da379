package mark

import (
	"encoding/binary"
	"errors"
)

// version is the first byte of an encoded mark.
const version = 4

// The flags of an encoded mark. The other bits are its doubt.
const (
	flagList  = 1 << 7
	flagLoss  = 1 << 6
	doubtMask = flagLoss - 1
)

// AppendBinary appends the mark in a form that [Parse] reads. It takes 20 bytes, plus two
// for each block that the page showed, at most 3,600, plus up to 224 if its text moves.
func (m Mark) AppendBinary(b []byte) []byte {
	if !m.looked {
		return b
	}
	flags := m.doubt
	if m.list {
		flags |= flagList
	}
	if m.loss != (loss{}) {
		flags |= flagLoss
	}
	b = append(b, version, flags, m.fresh, m.furniture)
	b = binary.BigEndian.AppendUint16(b, m.links)
	b = binary.BigEndian.AppendUint16(b, m.shown)
	b = binary.BigEndian.AppendUint32(b, m.text)
	b = binary.BigEndian.AppendUint32(b, m.size)
	watched, movers := 0, 0
	for _, w := range m.watch {
		if w.seen > 0 {
			watched++
		}
	}
	for movers < moversKept && m.movers[movers] != (mover{}) {
		movers++
	}
	b = append(b, byte(watched), byte(movers))
	for _, w := range m.watch {
		if w.seen > 0 {
			for _, key := range [...]uint16{w.key, w.form, w.prev, w.next} {
				b = binary.BigEndian.AppendUint16(b, key)
			}
			b = append(binary.BigEndian.AppendUint32(b, w.since), byte(w.size>>8), byte(w.size), w.seen, byte(w.why))
		}
	}
	for _, o := range m.movers[:movers] {
		b = append(binary.BigEndian.AppendUint16(b, o.name), o.n)
	}
	if m.loss != (loss{}) {
		b = binary.BigEndian.AppendUint16(b, m.loss.key)
		b = append(binary.BigEndian.AppendUint32(b, m.loss.since), m.loss.looks, m.loss.tired)
	}
	return append(b, m.known...)
}

var errMark = errors.New("mark: not a mark")

// Parse reads what AppendBinary wrote. No bytes give the zero Mark.
func Parse(b []byte) (m Mark, err error) {
	if len(b) == 0 {
		return Mark{}, nil
	}
	r := reader{b: b}
	if r.byte() != version {
		return Mark{}, errMark
	}
	flags := r.byte()
	m.looked, m.list, m.doubt = true, flags&flagList != 0, min(flags&doubtMask, firstDoubt)
	m.fresh, m.furniture = r.byte(), r.byte()
	m.links, m.shown = r.uint16(), r.uint16()
	m.text, m.size = r.uint32(), r.uint32()
	watched, movers := int(r.byte()), int(r.byte())
	if watched > watchKept || movers > moversKept {
		return Mark{}, errMark
	}
	for i := range watched {
		w := &m.watch[i]
		w.key, w.form, w.prev, w.next = r.uint16(), r.uint16(), r.uint16(), r.uint16()
		w.since, w.size, w.seen, w.why = r.uint32(), r.uint16(), max(1, r.byte()), min(doubt(r.byte()), emptiedLook)
	}
	for i := range movers {
		m.movers[i] = mover{name: r.uint16(), n: max(1, r.byte())}
	}
	if flags&flagLoss != 0 {
		m.loss = loss{key: r.uint16(), since: r.uint32(), looks: r.byte(), tired: r.byte()}
	}
	if r.short || len(r.b)%2 != 0 || len(r.b) > 2*knownKept {
		return Mark{}, errMark
	}
	m.known = string(r.b)
	m.shown = min(m.shown, uint16(len(r.b)/2))
	return m, nil
}

// reader takes values from the front of some bytes. short says that there were too few.
type reader struct {
	b     []byte
	short bool
}

var zeros [4]byte

func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.b, r.short = nil, true
		return zeros[:n]
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) byte() uint8    { return r.take(1)[0] }
func (r *reader) uint16() uint16 { return binary.BigEndian.Uint16(r.take(2)) }
func (r *reader) uint32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }
