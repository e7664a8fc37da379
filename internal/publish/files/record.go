package files

import (
	"context"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/shards"
)

// hash is that of a file's bytes before compression. It has no seed, since entity
// tags and the store go by it in every process. Somebody who makes two states of a file
// with one hash only hides that change from crawlers.
type hash [16]byte

// record is what is stored of a file. By it a restart serves the index at once, and all
// processes tell the same time of a file.
type record struct {
	hash     hash
	modified moment.Time // when the file last became another one, to the second
	pages    int
	size     int // bytes before compression
	changes  int // of a part, up to which it was made; see shards.Part
	dates    lastmod.Summary
}

// fields lists what is stored of a file.
func (r *record) fields(f *codec.Fields) {
	f.Data(1, 1, func(int) []byte { return r.hash[:] }, func(b []byte) { copy(r.hash[:], b) })
	f.Date(2, &r.modified)
	f.Count(3, &r.pages)
	f.Count(4, &r.size)
	f.Count(7, &r.changes)
	r.dates.Fields(f, 10)
}

func (r *record) encode() []byte { return codec.Write(r.fields, "") }

// readRecord reads what encode wrote. ok is false if that is damaged.
func readRecord(b []byte) (r record, ok bool) {
	_, err := codec.Read(b, codec.Into(r.fields))
	r.size = min(r.size, sitemap.MaxBytes)
	return r, err == nil
}

// recordKey returns the key under which the record of file n is stored.
func recordKey(k keys.Keys, n int) string {
	if n == newsFile {
		return k.News()
	}
	return k.File(n)
}

// note sets the time of file n, which was just made, and stores its record. The same
// bytes keep their time: that of the file before, or the stored one, which survives
// restarts and which other processes see. Other bytes get a later time. A file without
// pages is stored too, so that a restart knows that its part was made. If another process
// has stored the file of a later state of the part, that stays. If the store does not
// answer, the time may be another one after a restart.
func (c *composer) note(ctx context.Context, n int, made, old *file) {
	now := c.now.Second()
	since := now
	if old != nil {
		if since = old.later(now); old.hash == made.hash {
			since = old.modified
		}
	}
	made.modified = since
	if old != nil && old.stored && string(old.encode()) == string(made.encode()) {
		made.stored = true
		return
	}
	names := []string{recordKey(c.cfg.Keys, n)}
	if n <= keys.MaxPart {
		names = append(names, c.cfg.Keys.Part(n))
	}
	err := c.cfg.Store.Update(ctx, names, func(values [][]byte) error {
		made.modified, made.stored = since, true
		known, ok := readRecord(values[0])
		switch {
		case !ok:
		case known.changes > made.changes && known.changes <= shards.DecodePart(values[1]).Changes:
			made.stored = false // this process will make that state too
			return nil
		case known.hash == made.hash && (old == nil || known.modified > old.modified):
			made.modified = known.modified
		}
		values[0] = made.encode()
		return nil
	})
	if err != nil {
		made.modified, made.stored = since, false
	}
}
