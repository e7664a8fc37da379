package files

import "container/list"

// cache keeps the compressed bytes of files by their hash: those that were made or asked
// for last. It is guarded by Files.mu.
type cache struct {
	most int // bytes

	size  int
	order *list.List // of packed, the last one in front
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

// get returns the bytes of a file that somebody asks for, nil if they are not here.
func (c *cache) get(h hash) []byte {
	e := c.packs[h]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(packed).gz
}

// put keeps the bytes of a file, in place of those that were made or asked for longest
// ago; the last one stays, however large it is.
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
