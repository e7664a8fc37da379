package files

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

// hash is that of a file's bytes before compression. It has no seed, since entity
// tags and the store go by it in every process. Somebody who makes two states of a file
// with one hash only hides that change from crawlers.
type hash [16]byte

// record is what is stored of a file. By it a restart serves the index at once, and all
// processes tell the same time of a file.
type record struct {
	Hash     hash            `cbor:"1,keyasint"`
	Modified moment.Time     `cbor:"2,keyasint,omitzero"` // when the file last became another one, to the second
	Pages    int             `cbor:"3,keyasint,omitzero"`
	Size     int             `cbor:"4,keyasint,omitzero"` // bytes before compression
	Dates    lastmod.Summary `cbor:"5,keyasint,omitzero"`
}

func (r *record) encode() []byte { return codec.Marshal(r) }

// readRecord reads what encode wrote. ok is false if that is damaged. A time later than now, of a
// wrong clock, counts as now.
func readRecord(b []byte) (r record, ok bool) {
	err := codec.Unmarshal(b, &r)
	r.Modified = min(r.Modified, moment.Of(time.Now()).Second())
	return r, err == nil && min(r.Pages, r.Size) >= 0
}

// note sets the time of file n, which was just made, and stores its record. The same
// bytes keep their time: that of the file before, or the stored one, which survives
// restarts and which other processes see. A file without pages is stored too, so that a
// restart knows that its shard was made. If the store does not answer, the time may be another
// one after a restart.
func (p *pass) note(ctx context.Context, n int, made, old *file) {
	since := made.since(old, p.now.Second())
	err := p.cfg.Store.Update(ctx, []string{p.cfg.Keys.File(n)}, func(values [][]byte) error {
		made.Modified = since
		known, ok := readRecord(values[0])
		if ok && known.Hash == made.Hash && (old == nil || old.Hash != made.Hash && known.Modified > old.Modified) {
			made.Modified = known.Modified
		}
		values[0] = made.encode()
		return nil
	})
	if err != nil {
		made.Modified = since
	}
}
