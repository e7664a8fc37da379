package response

import (
	"cmp"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
)

const (
	// least is how many bytes of a body must find room: net/http needs these to tell the type.
	least = 512

	// smallest is the capacity of a new buffer.
	smallest = 4 << 10
)

// Memory bounds the bytes that all sites of a process hold together, from a response until it is read. A site may take
// more only while it holds no more than is free, so that a newcomer always finds something. It is safe for concurrent
// use.
type Memory struct {
	total int64
	taken atomic.Int64
	idle  pools
}

// NewMemory returns a Memory of total bytes.
func NewMemory(total int64) *Memory { return &Memory{total: total} }

// Take takes bytes for a site, which then holds held bytes in all. It returns false if there is no room for them.
func (m *Memory) Take(bytes, held int64) bool {
	all := m.taken.Add(bytes)
	if held > m.total-all+bytes {
		m.Give(bytes)
		return false
	}
	return true
}

// Give gives bytes back.
func (m *Memory) Give(bytes int64) { m.taken.Add(-bytes) }

// Buffers lends the memory for bodies. It bounds each body, and the sum of all that are lent. It is
// safe for concurrent use.
type Buffers struct {
	each   int
	total  int64
	memory *Memory
	lent   atomic.Int64 // the sum of the capacities in use
}

// pools hold unused *[]byte, by the number of bits of their capacity. With one pool for all,
// small pages could get the buffers of large ones, and a few of them would use up the total.
type pools [bits.UintSize + 1]sync.Pool

// NewBuffers returns Buffers that keep at most each bytes of one body, and at most total bytes of all unreleased
// bodies. They take the memory from m, which is nil for a site alone; all Buffers that share m have the same each. each
// is at least 512. With a total of 0, nothing is kept.
func NewBuffers(each, total int, m *Memory) *Buffers {
	return &Buffers{each: max(each, least), total: int64(total), memory: cmp.Or(m, NewMemory(math.MaxInt64))}
}

// InUse returns how many bytes are lent now.
func (b *Buffers) InUse() int64 { return b.lent.Load() }

// Limits bound one body.
type Limits struct {
	Most int   // how many of its bytes are kept
	Lent int64 // how many bytes all bodies together may take for this one to grow
}

// Limits returns what a body may take.
func (b *Buffers) Limits() Limits { return Limits{Most: b.each, Lent: b.total} }

// Keep appends p to the Body of r, as far as there is room.
func Keep[T string | []byte](b *Buffers, r *Response, p T, limits Limits) {
	if r.Truncated || len(p) == 0 {
		return
	}
	room := p[:min(len(p), limits.Most-len(r.Body))]
	if need := len(r.Body) + len(room); cap(r.Body) < need && !r.lent.grow(b, need, limits) {
		r.Truncated = true
		return
	}
	*r.lent.buf = append(*r.lent.buf, room...)
	r.Body = *r.lent.buf
	r.Truncated = len(room) < len(p)
}

// lent is a buffer that was lent. buf is nil if there is none.
type lent struct {
	from *Buffers
	buf  *[]byte
}

// grow replaces the buffer by one with the same content and room for need bytes in all. If that
// would lend more than the limits allow, it changes nothing and returns false.
func (l *lent) grow(b *Buffers, need int, limits Limits) bool {
	size := min(max(1<<bits.Len(uint(need-1)), smallest), b.each) // other pages can use a power of two again
	have := 0
	if l.buf != nil {
		have = cap(*l.buf)
	}
	l.from = b
	more := int64(size - have)
	if all := b.lent.Add(more); all > limits.Lent || !b.memory.Take(more, all) {
		b.lent.Add(-more)
		return false
	}
	bigger, _ := b.memory.idle[class(size)].Get().(*[]byte)
	if bigger == nil {
		fresh := make([]byte, 0, size)
		bigger = &fresh
	}
	if l.buf != nil {
		*bigger = append(*bigger, *l.buf...)
		b.keep(l.buf)
	}
	l.buf = bigger
	return true
}

func (l *lent) giveBack() {
	if l.buf == nil {
		return
	}
	l.from.lent.Add(-int64(cap(*l.buf)))
	l.from.memory.Give(int64(cap(*l.buf)))
	l.from.keep(l.buf)
	l.buf = nil
}

// keep sets a buffer aside for the next body of its size. All buffers of a class have one size: a
// power of two, or b.each in the last class.
func (b *Buffers) keep(buf *[]byte) {
	*buf = (*buf)[:0]
	b.memory.idle[class(cap(*buf))].Put(buf)
}

func class(size int) int { return bits.Len(uint(size - 1)) }
