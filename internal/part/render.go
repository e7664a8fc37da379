package part

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitemap"
)

// file is one rendered file. Only its compressed form is kept: nearly every
// client takes it, and the others get it unpacked on the way.
type file struct {
	gz        []byte
	size      int       // bytes when unpacked
	hash      [16]byte  // of the unpacked bytes
	modified  time.Time // when the file last became another one
	pages     int
	locations []uint32 // sorted short hashes of the locations, for lists
	dates     dates
	until     int64 // when the first page expires, in Unix seconds, 0 for never
}

// listed is an entry with its location.
type listed struct {
	location string
	Entry
}

// renderPart reads part n from the store and renders it. It returns nil if the
// part lists nothing, and the number of entries that could not be read.
func (f *Files) renderPart(ctx context.Context, n int, trust Trust, old *file) (made *file, damaged int, err error) {
	now := time.Now()
	entries, damaged, err := f.readPart(ctx, n, now.Unix())
	if err != nil {
		return nil, 0, fmt.Errorf("part %d: %w", n, err)
	}
	if len(entries) == 0 {
		return nil, damaged, nil
	}
	made, body, refused := f.compose(entries, trust, now.Unix(), true)
	if len(body) > f.maxBytes() {
		// The part was filled when entries had no priorities.
		made, body, refused = f.compose(entries, trust, now.Unix(), false)
	}
	made.pack(body)
	made.modified = f.modified(ctx, n, made, old, now)
	return made, damaged + refused, nil
}

// compose writes the file of entries, and counts those that have no place in
// one.
func (f *Files) compose(entries []listed, trust Trust, now int64, priorities bool) (made *file, body []byte, refused int) {
	body = make([]byte, 0, len(entries)*192)
	body = append(body, sitemap.URLSetOpen...)
	made = &file{locations: make([]uint32, 0, len(entries)), dates: summarise(entries)}
	for _, e := range entries {
		u := sitemap.URL{Loc: f.cfg.URL(e.location), LastMod: e.LastMod(trust, now), ChangeFreq: e.Freq.String()}
		if f.cfg.Override != nil {
			freq, priority := f.cfg.Override(e.location)
			if freq != "" {
				u.ChangeFreq = freq
			}
			if priorities {
				u.Priority = priority
			}
		}
		var ok bool
		if body, ok = sitemap.AppendURL(body, u); !ok {
			refused++
			continue
		}
		made.locations = append(made.locations, short(e.location))
		made.until = earlier(made.until, e.Until)
	}
	slices.Sort(made.locations)
	made.pages = len(made.locations)
	return made, append(body, sitemap.URLSetClose...), refused
}

func (f *Files) maxBytes() int {
	if f.cfg.MaxBytes == 0 {
		return sitemap.MaxBytes
	}
	return f.cfg.MaxBytes
}

// passed reports whether now is at or after t, in Unix seconds, where 0 is never.
func passed(t, now int64) bool { return t != 0 && t <= now }

// earlier returns the first of two times in Unix seconds, where 0 is never.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// readPart returns the entries of part n that may be shown now, in the order of
// their locations; errShort if there seem to be too few.
func (f *Files) readPart(ctx context.Context, n int, now int64) (entries []listed, damaged int, err error) {
	before, err := f.readMeta(ctx, n)
	if err != nil {
		return nil, 0, err
	}
	prefix, found := f.cfg.Keys.list(n, ""), 0
	entries = make([]listed, 0, before.pages)
	for r, err := range f.cfg.Store.Scan(ctx, prefix, "") {
		if err != nil {
			return nil, 0, err
		}
		found++
		location := strings.Clone(strings.TrimPrefix(r.Key, prefix))
		e, err := DecodeEntry(r.Value)
		switch {
		case err != nil:
			damaged++
		case !passed(e.Until, now) && f.shown(location):
			entries = append(entries, listed{location, e})
		}
	}
	after, err := f.readMeta(ctx, n)
	if err != nil {
		return nil, 0, err
	}
	if found < before.pages && after == before && f.serves(n) && f.short[n] != found+1 {
		f.short[n] = found + 1
		return nil, 0, fmt.Errorf("%w: %d of %d", errShort, found, before.pages)
	}
	delete(f.short, n)
	return entries, damaged, nil
}

// errShort says that the store shows fewer entries of a part than it counts. A
// scan that ends early does so; when the next one ends in the same place, the
// entries are really lost, and the rest is served.
var errShort = errors.New("the store shows fewer entries than it counts")

func (f *Files) readMeta(ctx context.Context, n int) (m meta, err error) {
	err = f.cfg.Store.View(ctx, []string{f.cfg.Keys.part(n)}, func(values [][]byte) error {
		m = readMeta(values[0])
		return nil
	})
	return m, err
}

func (f *Files) shown(location string) bool {
	if f.cfg.Allowed != nil && !f.cfg.Allowed(location) {
		return false
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	_, gone := f.withdrawn[location]
	return !gone
}

func (f *Files) serves(n int) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.served.parts[n] != nil
}

// pack fills in everything that depends on the file's bytes alone.
func (p *file) pack(body []byte) {
	p.size = len(body)
	sum := xxh3.Hash128(body)
	binary.BigEndian.PutUint64(p.hash[:8], sum.Hi)
	binary.BigEndian.PutUint64(p.hash[8:], sum.Lo)
	var buf bytes.Buffer
	zw, _ := gzip.NewWriterLevel(&buf, gzip.BestSpeed) // the level is valid
	_, _ = zw.Write(body)                              // a bytes.Buffer takes everything
	_ = zw.Close()
	p.gz = bytes.Clone(buf.Bytes())
}

// unpack returns the file's bytes.
func (p *file) unpack() ([]byte, error) {
	zr, err := gzip.NewReader(bytes.NewReader(p.gz))
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, p.size+bytes.MinRead)
	buf := bytes.NewBuffer(body)
	_, err = io.Copy(buf, zr)
	return buf.Bytes(), err
}

// modified returns when file n became what it is now: the time known for the
// same bytes, from memory or from before a restart, else now, which is then
// stored. A store that does not answer costs only the memory across restarts.
func (f *Files) modified(ctx context.Context, n int, made, old *file, now time.Time) time.Time {
	if old != nil && old.hash == made.hash {
		return old.modified
	}
	modified := now.Truncate(time.Second)
	_ = f.cfg.Store.Update(ctx, []string{f.cfg.Keys.file(n)}, func(values [][]byte) error {
		modified = now.Truncate(time.Second)
		hash, at := readFile(values[0])
		if string(hash) == string(made.hash[:]) {
			modified = time.Unix(at, 0)
			return nil
		}
		var enc record.Encoder
		enc.Bytes(1, made.hash[:])
		enc.Int(2, modified.Unix())
		values[0] = enc.Seal()
		return nil
	})
	return modified
}

func readFile(b []byte) (hash []byte, at int64) {
	_ = record.Open(b, func(f record.Field) {
		switch f.Num {
		case 1:
			hash = f.Data
		case 2:
			at = f.Int()
		}
	})
	return hash, at
}

// assemble makes a snapshot of the parts, with an index if there are several.
func (f *Files) assemble(ctx context.Context, parts map[int]*file, old snapshot) (snapshot, error) {
	snap := old.with(parts, f.indexURL, time.Now())
	if snap.index != nil {
		snap.index.modified = f.modified(ctx, 0, snap.index, old.index, time.Now())
	}
	return snap, ctx.Err()
}

// with returns the snapshot of other parts. Its index is new at now, unless
// its bytes are those of the present one.
func (s snapshot) with(parts map[int]*file, url func(int) string, now time.Time) snapshot {
	next := snapshot{parts: parts}
	for _, p := range parts {
		next.pages += p.pages
		next.until = earlier(next.until, p.until)
	}
	if len(parts) < 2 {
		return next
	}
	body := []byte(sitemap.IndexOpen)
	for _, n := range slices.Sorted(maps.Keys(parts)) {
		body, _ = sitemap.AppendSitemap(body, url(n), parts[n].modified.Unix())
	}
	next.index = &file{modified: now.Truncate(time.Second)}
	next.index.pack(append(body, sitemap.IndexClose...))
	if s.index != nil && s.index.hash == next.index.hash {
		next.index = s.index
	}
	return next
}

func (f *Files) indexURL(n int) string {
	return f.cfg.URL(f.cfg.Folder + f.cfg.Name + "-" + strconv.Itoa(n) + ".xml")
}

// without returns the file with the locations in gone cut out: itself if it
// lists none of them, nil if it lists nothing else.
func (p *file) without(gone []string, url func(string) string) *file {
	gone = slices.DeleteFunc(slices.Clone(gone), func(location string) bool { return !p.lists(location) })
	if len(gone) == 0 {
		return p
	}
	body, err := p.unpack()
	if err != nil {
		return nil
	}
	next := &file{locations: slices.Clone(p.locations), dates: p.dates, until: p.until, modified: time.Now().Truncate(time.Second)}
	for _, location := range gone {
		shorter, found := cutURL(body, url(location))
		if !found {
			continue
		}
		body = shorter
		if i, ok := slices.BinarySearch(next.locations, short(location)); ok {
			next.locations = slices.Delete(next.locations, i, i+1)
		}
	}
	if next.pages = len(next.locations); next.pages == 0 {
		return nil
	}
	next.pack(body)
	return next
}

func (p *file) lists(location string) bool {
	_, ok := slices.BinarySearch(p.locations, short(location))
	return ok
}

func (s snapshot) lists(location string) bool {
	for _, p := range s.parts {
		if p.lists(location) {
			return true
		}
	}
	return false
}

func short(location string) uint32 { return uint32(xxh3.HashString(location)) }

// cutURL returns body without the entry for loc. It changes body.
func cutURL(body []byte, loc string) ([]byte, bool) {
	bare, ok := sitemap.AppendURL(nil, sitemap.URL{Loc: loc})
	if !ok {
		return body, false
	}
	end := []byte("</url>\n")
	from := bytes.Index(body, bytes.TrimSuffix(bare, end))
	if from < 0 {
		return body, false
	}
	length := bytes.Index(body[from:], end)
	if length < 0 {
		return body, false
	}
	return slices.Delete(body, from, from+length+len(end)), true
}
