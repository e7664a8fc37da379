package secret

// namesKept bounds the remembered names. All are dropped at once, which is good enough: the uses of
// one location mostly follow each other.
const namesKept = 1 << 11

// Names remembers the names of recently used locations. It belongs to one goroutine.
type Names struct {
	key  Key
	kept map[string]Name
}

// NewNames returns an empty Names for a key.
func NewNames(key Key) *Names { return &Names{key: key} }

// Key returns the key.
func (n *Names) Key() Key { return n.key }

// Of returns the name of a location.
func (n *Names) Of(location string) Name {
	if name, ok := n.kept[location]; ok {
		return name
	}
	if len(n.kept) >= namesKept || n.kept == nil {
		n.kept = map[string]Name{}
	}
	name := n.key.Name(location)
	n.kept[location] = name
	return name
}
