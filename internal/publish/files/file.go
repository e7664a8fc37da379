package files

import (
	"context"
	"time"

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

// file is what is kept of each file. It is replaced, never changed.
type file struct {
	hash     hash
	size     int         // bytes before compression
	modified moment.Time // when the file last became another one, to the second
	pages    int
	damaged  int         // entries that could not be read
	changes  int         // of a part, up to which it was made; see book.Part
	until    moment.Time // when the first page expires, 0 for never
	dates    lastmod.Summary
	listed   locations
	linked   locations // of the alternates that it names
	order    int       // among the files that this process made; the later one has the higher number

	// gz holds the compressed bytes of the index and of views. The bytes of other files
	// are in the cache, by their hash.
	gz []byte
	// gone are withdrawn locations. The bytes with this hash still have them, but pages,
	// listed and linked leave them out already. [Files.cutBytes] makes the bytes without
	// them for the first request, and with these the hash and the size.
	gone []string
	// unread says that the file is known by its stored record only. This process has not
	// made it yet. Its bytes may differ by now, for example after other settings, so it is
	// made before it is served.
	unread bool
	// stored says that the store has this state of the file.
	stored bool
	others codec.Unread // fields of the stored record that this version does not know
}

// fields lists what is stored of a file.
func (p *file) fields(f *codec.Fields) {
	f.Data(1, 1, func(int) []byte { return p.hash[:] }, func(b []byte) { copy(p.hash[:], b) })
	f.Date(2, &p.modified)
	f.Count(3, &p.pages)
	f.Count(4, &p.size)
	f.Date(5, &p.until)
	f.Count(6, &p.damaged)
	f.Count(7, &p.changes)
	p.dates.Fields(f, 10)
}

func (p *file) encode() []byte { return codec.Write(p.fields, p.others) }

// readFile reads what encode wrote, nil if that is damaged.
func readFile(b []byte) *file {
	p := &file{unread: true, stored: true}
	others, err := codec.Read(b, codec.Into(p.fields))
	if err != nil {
		return nil
	}
	p.others, p.size = others, min(p.size, sitemap.MaxBytes)
	return p
}

// key returns the key under which it is stored since when file n is as it is.
func (f *Files) key(n int) string {
	if n == newsFile {
		return f.cfg.Keys.News()
	}
	return f.cfg.Keys.File(n)
}

// note stores what is known of file n, which was just made, and sets its time. The same
// bytes keep their time: that of the file before, or the stored one, which survives
// restarts and which other processes see. Other bytes get a later time. A file without
// pages is stored too, so that a restart knows that its part was made. If another process
// has stored the file of a later state of the part, that stays. If the store does not
// answer, the time may be another one after a restart.
func (f *Files) note(ctx context.Context, n int, made, old *file, now moment.Time) {
	since := now
	if old != nil {
		made.others = old.others
		if since = old.later(now); old.hash == made.hash {
			since = old.modified
		}
	}
	made.modified = since
	if old != nil && old.stored && string(old.encode()) == string(made.encode()) {
		made.stored = true
		return
	}
	names := []string{f.key(n)}
	if n <= keys.MaxPart {
		names = append(names, f.cfg.Keys.Part(n))
	}
	err := f.cfg.Store.Update(ctx, names, func(values [][]byte) error {
		made.modified, made.stored = since, true
		known := readFile(values[0])
		switch {
		case known == nil:
		case known.changes > made.changes && known.changes <= shards.DecodePart(values[1]).Changes:
			made.stored = false // this process will make that state too
			return nil
		default:
			made.others = known.others
			if known.hash == made.hash && (old == nil || known.modified > old.modified) {
				made.modified = known.modified
			}
		}
		values[0] = made.encode()
		return nil
	})
	if err != nil {
		made.modified, made.stored = since, false
	}
}

// later returns the time of a file that takes the place of p: now, but after p's, so that a
// client that compares times to the second gets the new one.
func (p *file) later(now moment.Time) moment.Time { return max(now, p.modified.Add(time.Second)) }

// known reports whether the file's bytes are those with its hash.
func (p *file) known() bool { return !p.unread && len(p.gone) == 0 }

// names reports whether the file lists a location or links to it. It is false for an
// unread file. Such a file is made anew before it is served.
func (p *file) names(h uint64) bool { return p.listed.has(h) || p.linked.has(h) }

// passed reports whether now is at or after t, where 0 is never.
func passed(t, now moment.Time) bool { return t != 0 && t <= now }

// earlier returns the first of two times, where 0 is never.
func earlier(a, b moment.Time) moment.Time {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
