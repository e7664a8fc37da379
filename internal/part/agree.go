package part

import (
	"context"
	"maps"
	"slices"

	"github.com/servemap/servemap/store"
)

// Refresh says that other processes have changed the listing of parts, if any, in
// the store that they share with this one. Since when each file is as it is, is
// compared with what they say, too: an index tells that time of every part, and
// crawlers are to get the same index from all.
func (f *Files) Refresh(parts ...int) {
	f.mu.Lock()
	for _, n := range parts {
		f.dirty[n] = true
	}
	f.compare = true
	f.mu.Unlock()
	poke(f.wake)
}

// compareTimes compares the times if Refresh asked for that. If the store does not
// answer, the next Refresh will ask again.
func (f *Files) compareTimes(ctx context.Context) {
	f.mu.Lock()
	compare := f.compare
	f.compare = false
	f.mu.Unlock()
	if compare {
		_ = f.agree(ctx)
	}
}

// agree takes over, for files that have the bytes which the store knows of, the
// time since when they have them. It may be another one if a process was behind
// when it stored it. While the store knows the same indexes, the times of all
// parts are the same; but not if it knows them from this process.
func (f *Files) agree(ctx context.Context) (err error) {
	same, err := f.knowsIndexes(ctx)
	if err != nil || same && !f.noted.Load() {
		return err
	}
	if err := take(ctx, f.turn); err != nil {
		return err
	}
	defer func() { <-f.turn }()
	f.noted.Store(false)
	defer func() {
		if err != nil {
			f.noted.Store(true)
		}
	}()
	parts, agreed := f.current().parts, map[int]*file{}
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(parts)), store.MaxKeys) {
		err := viewNumbers(ctx, f.cfg.Store, chunk, f.cfg.Keys.file, func(n int, value []byte) {
			if p := parts[n].since(readFile(value)); p != nil {
				agreed[n] = p
			}
		})
		if err != nil {
			return err
		}
	}
	if len(agreed) > 0 {
		f.publish(agreed, f.Trust())
		f.noteIndexes(ctx)
	}
	return nil
}

// knowsIndexes reports whether the store knows the indexes that are served.
func (f *Files) knowsIndexes(ctx context.Context) (same bool, err error) {
	indexes := f.current().indexes
	if len(indexes) == 0 {
		return true, nil
	}
	keys := make([]string, min(len(indexes), store.MaxKeys))
	for i := range keys {
		keys[i] = f.cfg.Keys.index(i + 1)
	}
	err = f.cfg.Store.View(ctx, keys, func(values [][]byte) error {
		same = true
		for i, value := range values {
			known := readFile(value)
			same = same && known != nil && known.hash == indexes[i].hash
		}
		return nil
	})
	return same, err
}

// since returns the file with the time that is known of the same bytes, nil if
// that is what it has.
func (p *file) since(known *file) *file {
	if known == nil || p.unsure || known.hash != p.hash || known.modified.IsZero() || known.modified.Equal(p.modified) {
		return nil
	}
	next := *p
	next.modified = known.modified
	return &next
}
