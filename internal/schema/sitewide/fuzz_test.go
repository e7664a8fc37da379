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
	f.Add(recordtest.FieldsOf(Siblings{Linked: 1, Orphans: 2, day: 3, grown: 4}.Encode()), int64(1_700_000_000))
	f.Add(recordtest.FieldsOf(Activity{length: 3600, last: 472222, seen: 5}.Encode()), int64(1_700_000_000))
	for _, impossible := range []Activity{{length: 3600, last: math.MinInt64, seen: 7}, {last: 5, seen: 7}, {length: -60, last: 5, seen: 7}, {length: 3600, last: math.MaxInt64, seen: 7}} {
		f.Add(recordtest.FieldsOf(impossible.Encode()), int64(1_700_000_000))
	}
	for _, listed := range []string{"no location", "/\x00", "/" + strings.Repeat("a", keys.MaxLocation)} {
		f.Add(recordtest.FieldsOf(Duplicates{Listed: listed}.Encode(idOf)), int64(5))
	}
	f.Add(recordtest.FieldsOf(Duplicates{Listed: "/a", members: []uint64{1, 2}}.Encode(idOf)), int64(5))
	f.Add(recordtest.FieldsOf((&Refusals{of: []Refusal{{network: 1, missing: 2}}}).Encode()), int64(5))
	f.Fuzz(func(t *testing.T, fields []byte, at int64) {
		b := recordtest.Sealed(fields)
		now := moment.Seconds(max(0, codec.Seconds(at)))
		a := ReadActivity(b).Observed(now, time.Hour)
		if seen := a.since(now.Add(-5 * time.Second)); seen < 0 || seen > spans || a.last < 0 {
			t.Errorf("%+v was observed in %d spans", a, seen)
		}
		s := ReadSiblings(b)
		s.Grow(now.Day())
		s.Recount(Uncounted, Linked)
		if s.Linked < 1 || s.grown < 1 {
			t.Errorf("%+v", s)
		}
		d := ReadDuplicates(b, idOf)
		if d.Join(1); d.Listed != "" && !keys.IsLocation(d.Listed) {
			t.Errorf("%q stands for a content", d.Listed)
		}
		all := ReadRefusals(b)
		if r := all.Of(7, now); r.missing < 0 || r.wrong < 0 {
			t.Errorf("%+v", r)
		}
		if len(all.of) > refusalsKept {
			t.Errorf("%d networks are remembered", len(all.of))
		}
	})
}
