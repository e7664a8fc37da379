package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/sitemap"
)

// press makes one file after the other: text goes in by pieces, and is
// compressed and hashed on its way, so that the whole is never in memory.
type press struct {
	text   []byte // what was not compressed yet
	zip    *gzip.Writer
	out    bytes.Buffer
	sum    xxh3.Hasher
	size   int
	hashes []uint32
	linked []uint32 // of the alternates
	given  lastmod.Gatherer
}

// pieceBytes is how much text is compressed at once.
const pieceBytes = 32 << 10

// begin begins a file. expected is how many compressed bytes it may have.
func (p *press) begin(expected int) {
	p.text, p.size, p.hashes, p.linked = p.text[:0], 0, p.hashes[:0], p.linked[:0]
	p.given.Reset()
	p.sum.Reset()
	p.out = *bytes.NewBuffer(make([]byte, 0, expected))
	if p.zip == nil {
		p.zip, _ = gzip.NewWriterLevel(&p.out, gzip.BestSpeed) // the level is valid
		return
	}
	p.zip.Reset(&p.out)
}

// flush compresses the text there is, once it is enough or at the end.
func (p *press) flush(end bool) {
	if len(p.text) < pieceBytes && !end {
		return
	}
	p.size += len(p.text)
	_, _ = p.sum.Write(p.text) // it never fails
	_, _ = p.zip.Write(p.text) // a bytes.Buffer takes everything
	p.text = p.text[:0]
}

// end ends the file, and returns its bytes, compressed.
func (p *press) end() (h hash, size int, gz []byte) {
	p.flush(true)
	_ = p.zip.Close()
	gz = p.out.Bytes()
	p.out = bytes.Buffer{}
	if cap(gz) > len(gz)+len(gz)/16 {
		gz = bytes.Clone(gz)
	}
	return hashSum(p.sum.Sum128()), p.size, gz
}

// errShort says that the store shows fewer entries of a part than it counts. A
// scan that ends early does so; when the next one ends in the same place, the
// entries are really lost, and the rest is served.
var errShort = errors.New("the store shows fewer entries than it counts")

// renderPart renders part n as the store now has it. It returns nil if the part
// lists nothing. The caller holds Files.turn.
func (f *Files) renderPart(ctx context.Context, n int, trust lastmod.Trust) (made *file, gz []byte, err error) {
	now := time.Now()
	made, gz, err = f.compose(ctx, n, trust, moment.Of(now))
	if err != nil {
		return nil, nil, fmt.Errorf("part %d: %w", n, err)
	}
	old := f.current().parts[n]
	if made == nil {
		f.noteNothing(ctx, n)
		return nil, nil, nil
	}
	if old != nil && old.listed.equal(made.listed) {
		made.listed = old.listed // so that there is but one of them
	}
	f.note(ctx, f.cfg.Keys.File(n), made, old, now)
	return made, gz, nil
}

// making is what all entries of a file have in common.
type making struct {
	trust    lastmod.Trust
	now      moment.Time
	gone     map[string]bool // withdrawn locations; true for those that an entry names
	declared sitemap.Namespaces
	shown    sitemap.Extension // of the entry that is being written
}

// shows reports whether an entry is one of those to be shown.
func (f *Files) shows(m *making, location string, e *book.Entry) bool {
	return !passed(e.Until, m.now) && f.linkable(m, location)
}

// linkable reports whether a listed location may be named in a file.
func (f *Files) linkable(m *making, location string) bool {
	if _, gone := m.gone[location]; gone {
		m.gone[location] = true
		return false
	}
	return f.allowed(location)
}

// compose reads the entries of part n and writes its file.
func (f *Files) compose(ctx context.Context, n int, trust lastmod.Trust, now moment.Time) (*file, []byte, error) {
	before, err := book.ReadPart(ctx, f.cfg.Store, f.cfg.Keys, n)
	if err != nil {
		return nil, nil, err
	}
	m := making{trust: trust, now: now, gone: f.withdrawals(), declared: before.Uses() & f.cfg.Extensions}
	made, found := new(file), 0
	p := &f.press
	p.begin(f.expected(n))
	p.text = sitemap.AppendURLSetOpen(p.text, m.declared)
	prefix := f.cfg.Keys.List(n, "")
	for r, err := range f.cfg.Store.Scan(ctx, prefix, "") {
		if err != nil {
			return nil, nil, err
		}
		found++
		location := strings.TrimPrefix(r.Key, prefix)
		e, err := book.DecodeEntry(r.Value)
		switch {
		case err != nil:
			made.damaged++
			continue
		case passed(e.Until, now):
			continue
		case !f.linkable(&m, location):
			continue
		}
		p.given.Add(&e.Candidates)
		if !f.append(p, location, &e, &m) {
			made.damaged++
			continue
		}
		made.until = earlier(made.until, e.Until)
		p.flush(false)
	}
	if err := f.checkFound(ctx, n, found, before); err != nil {
		return nil, nil, err
	}
	f.named(m.gone)
	if made.pages = len(p.hashes); made.pages == 0 {
		return nil, nil, nil
	}
	p.text = append(p.text, sitemap.URLSetClose...)
	var gz []byte
	made.hash, made.size, gz = p.end()
	made.dates, made.listed = p.given.Summarise(), newLocations(p.hashes)
	if len(p.linked) > 0 {
		slices.Sort(p.linked)
		made.linked = newLocations(slices.Compact(p.linked))
	}
	for location := range m.gone { // none of them is in the file
		if made.names(location, f.hashOf(location)) {
			made.strange = append(made.strange, location)
		}
	}
	return made, gz, nil
}

// append writes an entry, and reports whether it has a place in a file. One whose
// extensions have none is written without them.
func (f *Files) append(p *press, location string, e *book.Entry, m *making) (ok bool) {
	u := sitemap.URL{Loc: f.cfg.URL(location), LastMod: e.LastMod(m.trust, m.now).Seconds(), ChangeFreq: e.Freq.String()}
	if f.cfg.InferPriority {
		u.Priority = e.Priority
	}
	if f.cfg.Override != nil {
		freq, priority := f.cfg.Override(location)
		if freq != "" {
			u.ChangeFreq = freq
		}
		if priority != 0 {
			u.Priority = priority
		}
	}
	x := e.Extension.Shown(&m.shown, m.declared, f.cfg.URL, func(location string) bool { return f.linkable(m, location) })
	if p.text, ok = sitemap.AppendExtended(p.text, u, x, m.declared); !ok && x != nil {
		x = nil
		p.text, ok = sitemap.AppendURL(p.text, u)
	}
	if !ok {
		return false
	}
	p.hashes = append(p.hashes, f.hashOf(location))
	if x != nil && len(x.Alternates) > 0 {
		for _, a := range e.Extension.Alternates {
			if a.Location != location && f.linkable(m, a.Location) {
				p.linked = append(p.linked, f.hashOf(a.Location))
			}
		}
	}
	return true
}

func (f *Files) allowed(location string) bool { return f.cfg.Allowed == nil || f.cfg.Allowed(location) }

// expected returns about how many compressed bytes the file of part n will have.
func (f *Files) expected(n int) int {
	old := f.current().parts[n]
	if old == nil {
		return pieceBytes
	}
	if gz := f.cache.peek(old.hash); gz != nil {
		return len(gz) + len(gz)/32
	}
	return old.size / 12
}

// checkFound returns errShort if a scan of part n found too few entries, for the
// first time. before is what the part's record said when it began.
func (f *Files) checkFound(ctx context.Context, n, found int, before book.Part) error {
	if found >= before.Pages {
		delete(f.short, n)
		return nil
	}
	after, err := book.ReadPart(ctx, f.cfg.Store, f.cfg.Keys, n)
	if err != nil {
		return err
	}
	if after == before && f.short[n] != found+1 {
		f.short[n] = found + 1
		return fmt.Errorf("%w: %d of %d", errShort, found, before.Pages)
	}
	delete(f.short, n)
	return nil
}
