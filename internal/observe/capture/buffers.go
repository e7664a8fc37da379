package capture

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

const (
	// sniffLen is how many bytes http.DetectContentType looks at.
	sniffLen = 512

	// smallest is the capacity of a new buffer.
	smallest = 4 << 10
)

// Buffers lends the memory for bodies. It bounds each buffer, and the sum of all that are lent.
// Each site has its own Buffers, which also tells its taps from those of other sites. It is safe
// for concurrent use.
type Buffers struct {
	each  int
	total int64
	lent  atomic.Int64 // the sum of the capacities in use

	// idle holds unused *[]byte, by the number of bits of their capacity. With one pool for all,
	// small pages could get the buffers of large ones, and a few of them would use up the total.
	idle [bits.UintSize + 1]sync.Pool
}

// NewBuffers returns Buffers that keep at most each bytes of one body, and at most total bytes of
// all unreleased bodies. each is at least 512, which net/http needs to tell a type. With a total of
// 0, nothing is kept.
func NewBuffers(each, total int) *Buffers {
	return &Buffers{each: max(each, sniffLen), total: int64(total)}
}

// InUse returns how many bytes are lent now.
func (b *Buffers) InUse() int64 { return b.lent.Load() }

// grow returns a buffer with the content of buf and room for need bytes in all. If that would lend
// more than most bytes, it returns buf as it is, and false. buf may be nil. need is larger than the
// capacity of buf, and at most b.each.
func (b *Buffers) grow(buf *[]byte, need int, most int64) (*[]byte, bool) {
	have := 0
	if buf != nil {
		have = cap(*buf)
	}
	size := b.size(need)
	if !b.lend(size-have, most) {
		return buf, false
	}
	bigger, _ := b.idle[class(size)].Get().(*[]byte)
	if bigger == nil {
		fresh := make([]byte, 0, size)
		bigger = &fresh
	}
	if buf != nil {
		*bigger = append(*bigger, *buf...)
		b.keep(buf)
	}
	return bigger, true
}

// size rounds need up to a power of two, so that growing costs little and other pages can use the
// buffer too. It returns at most b.each.
func (b *Buffers) size(need int) int {
	return min(max(1<<bits.Len(uint(need-1)), smallest), b.each)
}

func (b *Buffers) lend(n int, most int64) bool {
	if b.lent.Add(int64(n)) > most {
		b.lent.Add(int64(-n))
		return false
	}
	return true
}

// put takes a buffer back.
func (b *Buffers) put(buf *[]byte) {
	b.lent.Add(int64(-cap(*buf)))
	b.keep(buf)
}

// keep sets a buffer aside for the next body of its size. All buffers of a class have one size: a
// power of two, or b.each in the last class.
func (b *Buffers) keep(buf *[]byte) {
	*buf = (*buf)[:0]
	b.idle[class(cap(*buf))].Put(buf)
}

func class(size int) int { return bits.Len(uint(size - 1)) }
