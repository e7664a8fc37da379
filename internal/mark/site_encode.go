package mark

import (
	"encoding/binary"
	"fmt"
)

// siteVersion leads the encoding of a site's memory.
const siteVersion = 1

// AppendBinary appends the encoding of what is remembered to dst: at most 46 KB.
// It holds nothing but hashes and counts.
func (s *Site) AppendBinary(dst []byte) []byte {
	dst = append(dst, siteVersion)
	dst = binary.BigEndian.AppendUint32(dst, s.looks)
	dst = binary.BigEndian.AppendUint16(dst, s.last)
	at := len(dst)
	dst = binary.BigEndian.AppendUint16(dst, 0)
	n := 0
	for i := range s.texts {
		for _, t := range s.texts[i] {
			if t.n > 0 {
				dst = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(dst, t.key), t.page)
				dst = append(dst, t.n, t.idle)
				n++
			}
		}
	}
	binary.BigEndian.PutUint16(dst[at:], uint16(n))
	for i := range s.waves {
		for _, w := range s.waves[i] {
			if w.n > 0 {
				dst = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(dst, w.key), w.since)
				dst = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(dst, w.page), w.n)
			}
		}
	}
	return dst
}

// ParseSite decodes what [Site.AppendBinary] wrote. Nothing at all is the empty
// memory. An encoding of another version is an error; the caller then begins an
// empty one.
func ParseSite(b []byte) (*Site, error) {
	s := new(Site)
	if len(b) == 0 {
		return s, nil
	}
	if b[0] != siteVersion {
		return nil, fmt.Errorf("mark: version %d of a site's memory is not known", b[0])
	}
	r := reader{b: b[1:]}
	s.looks, s.last = r.fourth(), r.short()
	for range r.short() {
		t := shown{key: r.fourth(), page: r.short(), n: r.byte(), idle: r.byte()}
		if !put(&s.texts[t.key%uint32(len(s.texts))], t, func(t *shown) bool { return t.n > 0 }) || t.n > manyPages {
			r.failed = true
			break
		}
	}
	for len(r.b) > 0 && !r.failed {
		w := wave{key: r.fourth(), since: r.fourth(), page: r.short(), n: r.short()}
		if !put(&s.waves[w.key%uint32(len(s.waves))], w, func(w *wave) bool { return w.n > 0 }) || w.n > maxWave {
			r.failed = true
		}
	}
	if r.failed {
		return nil, errMalformed
	}
	return s, nil
}

// put puts an entry that is in use into the first room that is not.
func put[T any](set *[ways]T, entry T, used func(*T) bool) bool {
	if !used(&entry) {
		return false
	}
	for i := range set {
		if !used(&set[i]) {
			set[i] = entry
			return true
		}
	}
	return false
}
