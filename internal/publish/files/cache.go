package files

import "container/list"

// cache keeps the compressed bytes of the most recently used files, by their hash.
// Files.mu guards it.
type cache struct {
	most int // bytes

	size  int
	order *list.List // of packed, the most recently used in front
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

// get returns the bytes of a file, nil if they are not here.
func (c *cache) get(h hash) []byte {
	e := c.packs[h]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(packed).gz
}

// put adds the bytes of a file and drops the least recently used ones beyond the bound.
// The newest file stays, however large it is.
func (c *cache) put(h hash, gz []byte) {
	if c.get(h) != nil {
		return
	}
	c.packs[h] = c.order.PushFront(packed{h, gz})
	for c.size += len(gz); c.size > c.most && c.order.Len() > 1; {
		c.remove(c.order.Back().Value.(packed).hash)
	}
}

// remove forgets the bytes of a file.
func (c *cache) remove(h hash) {
	if e := c.packs[h]; e != nil {
		c.size -= len(c.order.Remove(e).(packed).gz)
		delete(c.packs, h)
	}
}
