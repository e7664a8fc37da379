package tap

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

const (
	// sniffLen is how many bytes http.DetectContentType looks at.
	sniffLen = 512

	// smallest is the capacity of a new buffer.
	smallest = 16 << 10
)

// Buffers lends the memory in which bodies are kept, and bounds it: all that is lent at one time and the size of
// each. One Buffers serves one site; it also tells that site's taps from another's. It may be used concurrently.
type Buffers struct {
	each  int
	total int64
	lent  atomic.Int64 // the sum of the capacities in use
	idle  sync.Pool    // of *[]byte, emptied by the garbage collector
}

// NewBuffers returns Buffers that keep at most each bytes of one body, but not less than 512, which it takes to
// tell a type, and at most total bytes of all bodies that have not been released. With a total of 0 nothing is kept.
func NewBuffers(each, total int) *Buffers {
	return &Buffers{each: max(each, sniffLen), total: int64(total)}
}

// InUse returns how many bytes are lent at the moment.
func (b *Buffers) InUse() int64 { return b.lent.Load() }

// grow returns a buffer with the content of buf and room for need bytes in all, or false when that would lend too
// much; then buf stays as it is. buf may be nil. need is at most b.each.
func (b *Buffers) grow(buf *[]byte, need int) (*[]byte, bool) {
	if buf == nil {
		buf, _ = b.idle.Get().(*[]byte)
		if buf == nil {
			buf = new([]byte)
		}
		if !b.lend(cap(*buf)) {
			b.idle.Put(buf)
			return nil, false
		}
	}
	if cap(*buf) >= need {
		return buf, true
	}
	size := b.size(need)
	if !b.lend(size - cap(*buf)) {
		return buf, false
	}
	bigger := make([]byte, len(*buf), size)
	copy(bigger, *buf)
	*buf = bigger
	return buf, true
}

// size rounds need up to a power of two, so that growing costs little and buffers suit the next page too, but not
// beyond what one body may have.
func (b *Buffers) size(need int) int {
	return min(max(1<<bits.Len(uint(need-1)), smallest), b.each)
}

func (b *Buffers) lend(n int) bool {
	if b.lent.Add(int64(n)) > b.total {
		b.lent.Add(int64(-n))
		return false
	}
	return true
}

// put takes a buffer back.
func (b *Buffers) put(buf *[]byte) {
	b.lent.Add(int64(-cap(*buf)))
	*buf = (*buf)[:0]
	b.idle.Put(buf)
}
