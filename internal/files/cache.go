package files

import (
	"container/list"
)

// cache keeps the compressed bytes of files by their hash: those that were asked
// for last, and as many others as there is room for. It is guarded by Files.mu.
type cache struct {
	most int // bytes

	size  int
	order *list.List // of packed, the one that was asked for last in front
	packs map[hash]*list.Element
}

// packed is a file's bytes, compressed.
type packed struct {
	hash hash
	gz   []byte
}

func newCache(most int) cache {
	return cache{most: most, order: list.New(), packs: map[hash]*list.Element{}}
}

// get returns the bytes of a file that somebody asked for, nil if they are not
// here.
func (c *cache) get(h hash) []byte {
	e := c.packs[h]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(packed).gz
}

// put keeps the bytes of a file that somebody asked for, in place of others if
// need be.
func (c *cache) put(h hash, gz []byte) {
	if e := c.packs[h]; e != nil {
		c.order.MoveToFront(e)
		return
	}
	c.packs[h] = c.order.PushFront(packed{h, gz})
	c.size += len(gz)
	c.trim()
}

// offer keeps the bytes of a file that nobody asked for, if there is room: that
// of the file it replaces, or some that is free.
func (c *cache) offer(h hash, gz []byte, replaced hash) {
	old := c.packs[replaced]
	switch {
	case c.packs[h] != nil, old == nil && c.size+len(gz) > c.most:
		return
	case old != nil:
		c.packs[h] = c.order.InsertBefore(packed{h, gz}, old)
	default:
		c.packs[h] = c.order.PushBack(packed{h, gz})
	}
	c.size += len(gz)
	c.trim()
}

// trim drops what was asked for longest ago, but never the only file.
func (c *cache) trim() {
	for c.size > c.most && c.order.Len() > 1 {
		c.drop(c.order.Back())
	}
}

// remove forgets the bytes of a file.
func (c *cache) remove(h hash) {
	if e := c.packs[h]; e != nil {
		c.drop(e)
	}
}

func (c *cache) drop(e *list.Element) {
	p := c.order.Remove(e).(packed)
	delete(c.packs, p.hash)
	c.size -= len(p.gz)
}
