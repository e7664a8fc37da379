package files

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

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

// file is what is kept of each rendered file: everything but its bytes, which
// are in the cache for as long as they are wanted. It is replaced, never changed.
type file struct {
	hash     hash
	size     int       // bytes before compression
	modified time.Time // when the file last became another one
	pages    int
	damaged  int         // entries that could not be read
	until    moment.Time // when the first page expires, 0 for never
	dates    lastmod.Summary
	listed   *locations
	linked   *locations // of the alternates that it names
	absent   []string   // locations that are in listed or linked, and not in the file any more
	strange  []string   // those that were withdrawn, and never in the file although the sets hold them

	// unsure says that the file may have other bytes by now: it was rendered
	// before the start, by other settings perhaps, or a page was withdrawn whose
	// file was not at hand. It is rendered before anything is said of it.
	unsure bool
	// empty says that the part has pages and none is shown, so that there is no
	// such file. It is only stored so.
	empty bool
	// stored says that the store knows of the file what is said here.
	stored bool
	unread record.Unread // of what is stored
}

// The fields of a stored file. A record of the first version has only the first
// two.
const (
	fileHash = 1 + iota
	fileModified
	filePages
	fileSize
	fileUntil
	fileDamaged
	fileEmpty // the part has pages, and none is shown

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
	p.dates.Encode(&enc, fileDates)
	enc.Bool(fileEmpty, p.empty)
	enc.Keep(p.unread)
	return enc.Seal()
}

// readFile reads what encode wrote, nil if that is damaged. Its pages are 0 if
// no more is known than its hash and time.
func readFile(b []byte) *file {
	p := &file{unsure: true, stored: true}
	unread, err := record.Read(b, func(f record.Field) bool {
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
		case fileEmpty:
			p.empty = true
		default:
			return p.dates.Decode(f, fileDates)
		}
		return true
	})
	if err != nil {
		return nil
	}
	p.unread = unread
	return p
}

// note stores what is known of a file that was just made under key, and fills
// in since when it is as it is: the time known for the same bytes, from memory,
// or from the store, where it survives restarts and other processes see it; else
// now. A store that does not answer costs only that.
func (f *Files) note(ctx context.Context, key string, made, old *file, now time.Time) {
	since := now.Truncate(time.Second)
	switch {
	case old == nil || old.modified.IsZero():
	case old.hash == made.hash:
		since = old.modified
	default:
		since = old.later(now)
	}
	made.modified = since
	if old != nil {
		made.unread = old.unread
	}
	if old != nil && old.stored && string(old.encode()) == string(made.encode()) {
		made.stored = true
		return
	}
	err := f.cfg.Store.Update(ctx, []string{key}, func(values [][]byte) error {
		made.modified = since
		if known := readFile(values[0]); known != nil {
			made.unread = known.unread
			if known.hash == made.hash && !known.modified.IsZero() {
				made.modified = known.modified
			}
		}
		values[0] = made.encode()
		return nil
	})
	if made.stored = err == nil; err != nil {
		made.modified = since
	}
}

// noteNothing stores that part n, which has pages, shows none. Without that it
// would be taken for one that was never rendered.
func (f *Files) noteNothing(ctx context.Context, n int) {
	_ = f.cfg.Store.Update(ctx, []string{f.cfg.Keys.File(n)}, func(values [][]byte) error {
		none := &file{empty: true}
		if known := readFile(values[0]); known != nil {
			none.unread = known.unread
		}
		values[0] = none.encode()
		return nil
	})
}

// lists reports whether the file lists the location with this hash.
func (p *file) lists(location string, h uint32) bool {
	return p.listed.has(h) && !p.lacks(location)
}

// names reports whether the file lists the location with this hash, or names it as
// an alternate of another page.
func (p *file) names(location string, h uint32) bool {
	return (p.listed.has(h) || p.linked.has(h)) && !p.lacks(location)
}

// lacks reports whether a location is known not to be in the file, whatever the
// sets hold.
func (p *file) lacks(location string) bool {
	return slices.Contains(p.absent, location) || slices.Contains(p.strange, location)
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
