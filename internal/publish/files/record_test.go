package files

import (
	"bytes"
	"math"
	"testing"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
)

// A record with a valid checksum may still hold any values.
func TestFileRecordsWithImpossibleNumbersAreDamaged(t *testing.T) {
	for _, v := range []any{-1, uint64(math.MaxUint64), "text"} {
		for field := uint64(3); field <= 4; field++ {
			if r, ok := readRecord(recordtest.Set((&record{}).encode(), 0, field, v)); ok {
				t.Errorf("%v in field %d is read as %+v", v, field, r)
			}
		}
	}
}

func testURL(location string) string { return "https://example.com" + location }

// FuzzEntry reads an entry, and shows it in a file.
func FuzzEntry(f *testing.F) {
	f.Add(recordtest.FieldsOf(shards.Entry{Date: lastmod.Date{At: 2000, By: lastmod.Page, Seen: true}, Freq: 6}.Encode()), int64(1_700_000_000), uint8(0))
	f.Add(recordtest.FieldsOf(shards.Entry{Date: lastmod.Date{Volatile: true}, Until: moment.Seconds(1700000000)}.Encode()), int64(0), uint8(1))
	f.Add(recordtest.FieldsOf(shards.Entry{Date: lastmod.Date{At: 3000, By: lastmod.Server}, Extensions: inLanguages("de=/de", "x-default=/")}.Encode()), int64(1<<62), uint8(0xff))
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

// A client that compares times to the second gets each new file.
func TestOtherBytesHaveALaterTime(t *testing.T) {
	before := &file{record: record{Hash: hash{1}, Modified: moment.Seconds(1000)}}
	for name, tt := range map[string]struct {
		made     byte
		at, want int64
	}{
		"the same bytes": {1, 2000, 1000}, "others": {2, 2000, 2000},
		"others in the same second": {2, 1000, 1001}, "others by a clock that went back": {2, 500, 1001},
	} {
		made := &file{record: record{Hash: hash{tt.made}}}
		if got := made.since(before, moment.Seconds(tt.at)); got != moment.Seconds(tt.want) {
			t.Errorf("%s: of %v, want %d", name, got.Time(), tt.want)
		}
	}
}
