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

// someDates has a build in it.
func someDates() lastmod.Summary {
	var g lastmod.Gatherer
	for range 300 {
		g.Add(lastmod.Date{By: lastmod.Server, At: moment.Seconds(1_690_000_000)})
	}
	return g.Summarise()
}

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

// FuzzFile reads the record of a file as a start does.
func FuzzFile(f *testing.F) {
	r := record{Hash: hash{1}, Size: 7, Pages: 3, Modified: moment.Seconds(1_700_000_000), Dates: someDates()}
	f.Add(recordtest.FieldsOf(r.encode()), int64(1_750_000_000))
	f.Fuzz(func(t *testing.T, fields []byte, now int64) {
		r, ok := readRecord(recordtest.Sealed(fields))
		if !ok {
			return
		}
		if again, ok := readRecord(r.encode()); !ok || !bytes.Equal(again.encode(), r.encode()) {
			t.Errorf("%+v is read again as %+v", r, again)
		}
		files := New(Config{Name: "sitemap", Folder: "/", URL: testURL})
		files.publish(map[int]*file{1: {record: r}, 2: {record: r}}, lastmod.Trust{}, 0)
		if next := files.served.Load(); next.pages < 0 {
			t.Errorf("%d pages", next.pages)
		}
		if fresh := files.due.wait(files.served.Load().until, moment.Seconds(now%(1<<38))); fresh < 0 || fresh > lookAgain {
			t.Errorf("fresh for %v", fresh)
		}
		if at := new(file).since(&file{record: r}, moment.Seconds(1_750_000_000)); r.Hash != (hash{}) && at <= r.Modified {
			t.Errorf("what follows %v is of %v", r.Modified, at)
		}
	})
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
		c := composer{Files: files, to: new(writer), now: moment.Time(now)}
		text, ok := c.appendEntry(nil, "/a", &e)
		if !ok {
			t.Errorf("%+v has no place in a file", e)
		}
		if most := (shards.Layout{URL: testURL}).Reserved("/a", e.Extensions); len(text) > most {
			t.Errorf("it takes %d bytes, and %d are reserved", len(text), most)
		}
	})
}
