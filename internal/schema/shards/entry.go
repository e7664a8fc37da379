package shards

import (
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/extension"
)

// Entry is what the sitemap tells about a listed page. Whether its date is left out is
// decided when the file is made.
type Entry struct {
	lastmod.Date `cbor:"1,keyasint,omitzero"`

	Freq rate.Freq `cbor:"2,keyasint,omitzero"` // changefreq, Unknown for none
	// Until is when the page becomes unavailable by its own unavailable_after. It is
	// not shown from then on.
	Until      moment.Time      `cbor:"3,keyasint,omitzero"`
	Extensions extension.Values `cbor:"4,keyasint,omitzero"`
	// Room is how many bytes of the shard are reserved for the extensions. It is stored,
	// so that the same number is freed when the page leaves. [Layout.Add] and [Layout.Set] set it.
	Room int `cbor:"5,keyasint,omitzero"`
}

// Encode returns the entry as it is stored.
func (e Entry) Encode() []byte { return codec.Marshal(e) }

// DecodeEntry reads what [Entry.Encode] wrote.
func DecodeEntry(b []byte) (e Entry, err error) {
	if err = codec.Unmarshal(b, &e); err == nil && (e.Room < 0 || e.Room > sitemap.MaxBytes || !e.By.Valid()) {
		err = codec.ErrDamaged
	}
	return e, err
}
