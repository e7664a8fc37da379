package sitewide

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
)

const noon = moment.Time(1_700_000_000_000)

func TestOneNetworkAloneRemovesFewPagesADay(t *testing.T) {
	for _, tt := range []struct {
		name            string
		missing, listed int
		later           time.Duration
		suffices        bool
	}{
		{"none", 0, 100, 0, true}, {"nine", 9, 100, 0, true}, {"ten", 10, 100, 0, false}, {"ten, a day ago", 10, 100, 24 * time.Hour, true},
		{"a hundredth of a large site", 19, 2000, 0, true}, {"more than that", 21, 2000, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var all Refusals
			for range tt.missing {
				all.Removed(7, noon)
			}
			if r := all.Of(7, noon.Add(tt.later)); r.Suffices(tt.listed) != tt.suffices {
				t.Errorf("suffices %t, want %t", !tt.suffices, tt.suffices)
			}
			if other := all.Of(8, noon); !other.Suffices(tt.listed) {
				t.Errorf("another network is taken for this one: %+v", other)
			}
		})
	}
}

func TestRefusalsRememberTheLatestNetworks(t *testing.T) {
	var all Refusals
	for i := range 3 * refusalsKept {
		now := noon.Add(time.Duration(i) * time.Second)
		if all.Of(uint32(i), now).Missing != 0 {
			t.Fatalf("network %d is known", i)
		}
		all.Removed(uint32(i), now)
		all = ReadRefusals(all.Encode())
	}
	if len(all.Networks) != refusalsKept {
		t.Errorf("%d networks are remembered, want %d", len(all.Networks), refusalsKept)
	}
	const last = 3*refusalsKept - 1
	end := noon + last*1000
	if r, want := all.Of(last, end), (Refusal{last, end, 1}); r != want {
		t.Errorf("of the last one is known %+v, want %+v", r, want)
	}
	if all.Of(0, noon).Missing != 0 {
		t.Error("the first one is still known")
	}
	if n := len(all.Encode()); n > 3<<10 {
		t.Errorf("the record takes %d bytes", n)
	}
}

// A damaged record counts against no network, nor does one of a time to come.
func TestDamagedRefusalsDoNotCount(t *testing.T) {
	whole := (&Refusals{Networks: []Refusal{{7, noon, 3}}}).Encode()
	for name, b := range map[string][]byte{
		"nothing": nil, "damaged": whole[:len(whole)-1], "cut off": recordtest.Sealed(recordtest.FieldsOf(whole)[:9]), "of another kind": Duplicates{Listed: "/a", IDs: []uint64{1, 2}}.Encode(idOf),
	} {
		if got := ReadRefusals(b); len(got.Networks) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	future := Refusals{[]Refusal{{7, moment.Seconds(9_000_000_000), 30}}}
	if r := future.Of(7, noon); r.Missing != 0 {
		t.Errorf("of a time to come there is %+v", r)
	}
}
