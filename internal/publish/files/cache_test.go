package files

import (
	"strings"
	"testing"
)

// kept returns the names of the files whose bytes are in the cache, the most
// recently used first.
func (c *cache) kept() string {
	var b strings.Builder
	for e := c.order.Front(); e != nil; e = e.Next() {
		b.WriteByte(e.Value.(packed).hash[0])
	}
	return b.String()
}

func TestCacheDropsTheLeastRecentlyUsed(t *testing.T) {
	name := func(c byte) hash { return hash{c} }
	ten := make([]byte, 10)
	tests := []struct {
		name string
		do   func(*cache)
		want string
	}{
		{"the last ones asked for", func(c *cache) {
			for _, f := range "abcd" {
				c.put(name(byte(f)), ten)
			}
		}, "dcb"},
		{"asking keeps", func(c *cache) {
			c.put(name('a'), ten)
			c.put(name('b'), ten)
			c.put(name('c'), ten)
			c.get(name('a'))
			c.put(name('d'), ten)
		}, "dac"},
		{"a file larger than the cache is kept alone", func(c *cache) {
			c.put(name('a'), ten)
			c.put(name('b'), make([]byte, 100))
		}, "b"},
		{"the same file twice", func(c *cache) {
			c.put(name('a'), ten)
			c.put(name('b'), ten)
			c.put(name('a'), ten)
		}, "ab"},
		{"one is removed", func(c *cache) {
			c.put(name('a'), ten)
			c.put(name('b'), ten)
			c.remove(name('a'))
		}, "b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCache(30)
			tt.do(&c)
			if got := c.kept(); got != tt.want {
				t.Errorf("kept are %s, want %s", got, tt.want)
			}
			size := 0
			for e := c.order.Front(); e != nil; e = e.Next() {
				size += len(e.Value.(packed).gz)
			}
			if c.size != size || len(c.packs) != c.order.Len() {
				t.Errorf("it counts %d bytes and %d files, and has %d and %d", c.size, len(c.packs), size, c.order.Len())
			}
		})
	}
}
