package files

import (
	"bytes"
	"testing"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
)

func testURL(location string) string { return "https://example.com" + location }

// FuzzEntry reads an entry, and shows it in a file.
func FuzzEntry(f *testing.F) {
	f.Add(recordtest.FieldsOf(shards.Entry{Date: lastmod.Date{At: 2000, By: lastmod.Page, Seen: true}, Freq: 6}.Encode()),
		int64(1_700_000_000), uint8(0))
	f.Add(recordtest.FieldsOf(shards.Entry{Until: moment.Seconds(1700000000)}.Encode()), int64(0), uint8(1))
	f.Add(recordtest.FieldsOf(shards.Entry{Date: lastmod.Date{At: 3000, By: lastmod.Server},
		Extensions: inLanguages("de=/de", "x-default=/")}.Encode()), int64(1<<62), uint8(0xff))
	f.Fuzz(func(t *testing.T, fields []byte, now int64, on uint8) {
		e, err := shards.DecodeEntry(recordtest.Sealed(fields))
		if err != nil {
			return
		}
		if again, err := shards.DecodeEntry(e.Encode()); err != nil || !bytes.Equal(again.Encode(), e.Encode()) {
			t.Errorf("%+v, then %+v, %v", e, again, err)
		}
		files := New(Config{URL: testURL, Extensions: extension.Set(on)})
		c := pass{Files: files, to: new(writer), now: moment.Time(now)}
		text, ok := c.appendEntry(nil, "/a", &e)
		if !ok {
			t.Errorf("%+v has no place in a file", e)
		}
		if most := (shards.Layout{URL: testURL}).Reserved("/a", e.Extensions); len(text) > most {
			t.Errorf("it takes %d bytes, and %d are reserved", len(text), most)
		}
	})
}
