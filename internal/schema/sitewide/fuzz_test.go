package sitewide

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
	"github.com/servemap/servemap/internal/schema/keys"
)

// FuzzSmallRecords reads each record, and uses it as the program does.
func FuzzSmallRecords(f *testing.F) {
	for _, a := range []Activity{{Since: 5, Last: 1_700_000_000_000}, {Since: math.MinInt64, Last: math.MaxInt64},
		{Since: math.MaxInt64, Last: math.MinInt64}} {
		f.Add(recordtest.FieldsOf(a.Encode()), int64(1_700_000_000))
	}
	for _, listed := range []string{"no location", "/\x00", "/" + strings.Repeat("a", keys.MaxLocation)} {
		f.Add(recordtest.FieldsOf(Duplicates{Listed: listed}.Encode(idOf)), int64(5))
	}
	f.Add(recordtest.FieldsOf(Duplicates{Listed: "/a", IDs: []uint64{1, 2}}.Encode(idOf)), int64(5))
	f.Add(recordtest.FieldsOf(Days{19675: {Listed: 5}}.Encode()), int64(1_700_000_000))
	f.Add(recordtest.FieldsOf((&Refusals{Since: 1, Pages: 2}).Encode()), int64(5))
	f.Fuzz(func(t *testing.T, fields []byte, at int64) {
		b := recordtest.Sealed(fields)
		now := moment.Seconds(max(0, at%(1<<38)))
		if a := codec.Read[Activity](b).Observed(now, time.Hour); a.Last > now ||
			a.Enough(now.Add(-5*time.Second), time.Hour) {
			t.Errorf("%+v is enough within 5 seconds", a)
		}
		d := ReadDuplicates(b, idOf)
		if d.Join(1); d.Listed != "" && !keys.IsLocation(d.Listed) {
			t.Errorf("%q stands for a content", d.Listed)
		}
		days := ReadDays(b, now.Day())
		if days.Add(Days{now.Day(): {Added: 1}}); len(days) > daysKept {
			t.Errorf("%d days are remembered", len(days))
		}
		if r := codec.Read[Refusals](b).At(now); r.Pages < few && !r.Few(100) {
			t.Errorf("%+v keeps every page", r)
		}
	})
}
