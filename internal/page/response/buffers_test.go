package response

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

var chunk = make([]byte, 100_000)

// kept returns a response that keeps pieces of these sizes.
func kept(b *Buffers, limits Limits, sizes ...int) *Response {
	r := new(Response)
	for _, n := range sizes {
		Keep(b, r, chunk[:n], limits)
	}
	return r
}

func TestBodyIsBounded(t *testing.T) {
	for _, c := range []struct {
		name        string
		each, total int
		sizes       []int
		kept, inUse int
		truncated   bool
	}{
		{"small", 1 << 20, 1 << 20, []int{10}, 10, 4 << 10, false},
		{"grows", 1 << 20, 1 << 20, []int{10000, 10000, 80000}, 100000, 128 << 10, false},
		{"exactly the bound", 50000, 1 << 20, []int{25000, 25000}, 50000, 50000, false},
		{"over the bound", 50000, 1 << 20, []int{25000, 25001}, 50000, 50000, true},
		{"over the bound at once", 50000, 1 << 20, []int{99999}, 50000, 50000, true},
		{"no total", 1 << 20, 0, []int{10}, 0, 0, true},
		{"total used up on the way", 1 << 20, 20 << 10, []int{16 << 10, 10}, 16 << 10, 16 << 10, true},
		{"nothing after that", 1 << 20, 20 << 10, []int{16 << 10, 90000, 1}, 16 << 10, 16 << 10, true},
		{"tiny bound", 1, 1 << 20, []int{1000}, 512, 512, true},
		{"nothing", 1 << 20, 1 << 20, nil, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuffers(c.each, c.total, nil)
			r := kept(b, b.Limits(), c.sizes...)
			if len(r.Body) != c.kept || r.Truncated != c.truncated || b.InUse() != int64(c.inUse) {
				t.Errorf("kept %d, truncated %v, %d in use", len(r.Body), r.Truncated, b.InUse())
			}
			r.Release()
			r.Release()
			if b.InUse() != 0 || r.Body != nil {
				t.Errorf("%d in use after Release", b.InUse())
			}
		})
	}
}

// Many bodies at once stay below the bound together, and none gets another's content.
func TestBuffersTogetherStayBelowTheirBound(t *testing.T) {
	const total = 256 << 10
	b := NewBuffers(64<<10, total, nil)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for range 50 {
				text := strings.Repeat(string(rune('a'+worker)), 1000+worker*7000)
				r := new(Response)
				Keep(b, r, text, b.Limits())
				if !bytes.Equal(r.Body, []byte(text)) && !r.Truncated {
					t.Errorf("worker %d: another's content", worker)
				}
				if b.InUse() > 2*total { // a refused one may be counted for a moment
					t.Errorf("%d bytes in use", b.InUse())
				}
				r.Release()
			}
		})
	}
	wg.Wait()
	base.Equal(t, b.InUse(), 0, "bytes in use at the end")
}

// A site holds no more than it leaves to the others.
func TestSitesShareMemoryFairly(t *testing.T) {
	const each, total = 64 << 10, 16 * 64 << 10
	m := NewMemory(total)
	flooded, quiet := NewBuffers(each, 10*total, m), NewBuffers(each, 10*total, m)
	var bodies []*Response
	for n := 0; n < 100; n++ {
		bodies = append(bodies, kept(flooded, flooded.Limits(), each))
	}
	if got := flooded.InUse(); got != total/2 {
		t.Errorf("one site holds %d of %d, want half", got, total)
	}
	if r := kept(quiet, quiet.Limits(), each); r.Truncated {
		t.Error("another site has no room")
	} else {
		r.Release()
	}
	for _, r := range bodies {
		r.Release()
	}
	base.Equal(t, m.taken.Load(), 0, "bytes are taken after all were released")
}
