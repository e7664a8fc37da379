package quota

// recent is how many hashes a Recent has at most. The links of a menu are on every page, and each costs two
// reads of the store unless it is known.
const recent = 1 << 15

// Recent is a set of hashes that begins anew once it is full. It grows with what is added. The zero value is empty. It
// is not safe for concurrent use.
type Recent struct{ hashes map[uint64]struct{} }

// Add adds hashes.
func (r *Recent) Add(hashes ...uint64) {
	for _, hash := range hashes {
		if r.hashes == nil || len(r.hashes) == recent {
			r.hashes = map[uint64]struct{}{}
		}
		r.hashes[hash] = struct{}{}
	}
}

// Has reports whether a hash was added, and is not forgotten.
func (r *Recent) Has(hash uint64) bool {
	_, has := r.hashes[hash]
	return has
}

// Forget drops all.
func (r *Recent) Forget() { *r = Recent{} }
