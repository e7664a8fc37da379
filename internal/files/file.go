package files

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitemap"
)

// hash is that of a file's bytes before compression. It has no seed, since entity
// tags and the store go by it in every process. Who can have two states of a file
// listed that have one hash hides that change from crawlers, and no more.
type hash [16]byte

func hashSum(sum xxh3.Uint128) (h hash) {
	binary.BigEndian.PutUint64(h[:8], sum.Hi)
	binary.BigEndian.PutUint64(h[8:], sum.Lo)
	return h
}

// file is what is kept of each file. It is replaced, never changed.
type file struct {
	hash     hash
	size     int       // bytes before compression
	modified time.Time // when the file last became another one
	pages    int
	damaged  int         // entries that could not be read
	changes  int         // of a part, up to which it was made; see book.Part
	until    moment.Time // when the first page expires, 0 for never
	dates    lastmod.Summary
	listed   locations
	linked   locations // of the alternates that it names
	gz       []byte    // the bytes, compressed; nil for a part, whose bytes may be in the cache

	// unread says that the file was read from the store at the start and not made
	// since. It may have other bytes by now, by other settings perhaps, so it is
	// made before anything is said of it.
	unread bool
	// gone are withdrawn locations that the bytes with this hash name. The bytes
	// without them are made when somebody asks for them. All else is said of these.
	gone []string
	// stored says that the store knows of the file what is said here.
	stored bool
	others record.Unread // fields of the stored record that this version does not know
}

// The fields of a stored file.
const (
	fileHash = 1 + iota
	fileModified
	filePages
	fileSize
	fileUntil
	fileDamaged
	fileChanges

	fileDates = 10 // one for each source
)

func (p *file) encode() []byte {
	var enc record.Encoder
	enc.Bytes(fileHash, p.hash[:])
	if !p.modified.IsZero() {
		enc.Int(fileModified, p.modified.Unix())
	}
	enc.Uint(filePages, uint64(p.pages))
	enc.Uint(fileSize, uint64(p.size))
	enc.Date(fileUntil, p.until)
	enc.Uint(fileDamaged, uint64(p.damaged))
	enc.Uint(fileChanges, uint64(p.changes))
	p.dates.Encode(&enc, fileDates)
	enc.Keep(p.others)
	return enc.Seal()
}

// readFile reads what encode wrote, nil if that is damaged.
func readFile(b []byte) *file {
	p := &file{unread: true, stored: true}
	others, err := record.Read(b, func(f record.Field) bool {
		switch f.Num {
		case fileHash:
			copy(p.hash[:], f.Data)
		case fileModified:
			p.modified = time.Unix(f.Seconds(), 0)
		case filePages:
			p.pages = f.Count()
		case fileSize:
			p.size = min(f.Count(), sitemap.MaxBytes)
		case fileUntil:
			p.until = f.Date()
		case fileDamaged:
			p.damaged = f.Count()
		case fileChanges:
			p.changes = f.Count()
		default:
			return p.dates.Decode(f, fileDates)
		}
		return true
	})
	if err != nil {
		return nil
	}
	p.others = others
	return p
}

// note stores under key what is known of a file that was just made, and fills in
// since when it is as it is. The same bytes keep the time that is known for them:
// from the file before, or from the store, where it survives restarts and other
// processes see it. Other bytes than before have a later time than these. A file
// without pages is stored too: else a restart would take its part for one that was
// never made. What another process made of a later state of the part, whose record has
// the key part, stays stored. If the store does not answer, the time may be another one
// after a restart.
func (f *Files) note(ctx context.Context, key, part string, made, old *file, now time.Time) {
	since := now.Truncate(time.Second)
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
	keys, kept := []string{key}, false
	if part != "" {
		keys = append(keys, part)
	}
	err := f.cfg.Store.Update(ctx, keys, func(values [][]byte) error {
		made.modified, kept = since, false
		if known := readFile(values[0]); known != nil {
			made.others = known.others
			if part != "" && known.changes > made.changes && known.changes <= book.DecodePart(values[1]).Changes {
				kept = true // this process will make that state too
				return nil
			}
			if known.hash == made.hash && (old == nil || known.modified.After(old.modified)) {
				made.modified = known.modified
			}
		}
		values[0] = made.encode()
		return nil
	})
	if made.stored = err == nil && !kept; err != nil {
		made.modified = since
	}
}

// later returns the time of a file that takes the place of p: now, but after p's,
// so that who goes by times to the second gets the new one.
func (p *file) later(now time.Time) time.Time {
	now = now.Truncate(time.Second)
	if next := p.modified.Add(time.Second); next.After(now) {
		return next
	}
	return now
}

// known reports whether the file's bytes are those with its hash.
func (p *file) known() bool { return !p.unread && len(p.gone) == 0 }

// names reports whether the file lists a location or links to it. It is false for a
// file of which that is not known, which is made anew before it is served.
func (p *file) names(h uint64) bool { return p.listed.has(h) || p.linked.has(h) }

// without returns the file without withdrawn locations that it names, nil if it
// lists nothing else.
func (p *file) without(gone []string, hashes locations, now time.Time) *file {
	next := *p
	next.gone = slices.Concat(p.gone, gone)
	next.listed, next.linked = p.listed.without(hashes), p.linked.without(hashes)
	if next.pages -= len(p.listed) - len(next.listed); next.pages <= 0 {
		return nil
	}
	next.modified, next.stored = p.later(now), false
	return &next
}

// passed reports whether now is at or after t, where 0 is never.
func passed(t, now moment.Time) bool { return t != 0 && t <= now }

// earlier returns the first of two times, where 0 is never.
func earlier(a, b moment.Time) moment.Time {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
