package sitewide

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
)

const noon = moment.Time(1_700_000_000_000)

func TestRefusedNetworkIsBelievedLess(t *testing.T) {
	for _, tt := range []struct {
		name           string
		missing, wrong int
		listed         int
		later          time.Duration
		blocked        bool
		suffices       bool
	}{
		{"a network of which nothing is known", 0, 0, 100, 0, false, true},
		{"pages that others get", 0, 4, 100, 0, false, true},
		{"many pages that others get", 0, 5, 100, 0, true, false},
		{"many pages that others get, a day ago", 0, 5, 100, 24 * time.Hour, false, true},
		{"many missing pages", 10, 0, 100, 0, false, false},
		{"many missing pages, a day ago", 10, 0, 100, 24 * time.Hour, false, true},
		{"a hundredth of a large site", 19, 0, 2000, 0, false, true},
		{"more than a hundredth of a large site", 21, 0, 2000, 0, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var all Refusals
			for range tt.missing {
				all.FoundMissing(7, noon)
			}
			for range tt.wrong {
				all.Refuted(7, noon)
			}
			r := all.Of(7, noon.Add(tt.later))
			if r.Blocked() != tt.blocked || r.Suffices(tt.listed) != tt.suffices {
				t.Errorf("blocked %t and suffices %t, want %t and %t", r.Blocked(), r.Suffices(tt.listed), tt.blocked, tt.suffices)
			}
			if other := all.Of(8, noon); other.Blocked() || !other.Suffices(tt.listed) {
				t.Errorf("another network is taken for this one: %+v", other)
			}
		})
	}
}

func TestRefusalsRememberTheLatestNetworks(t *testing.T) {
	var all Refusals
	for i := range 3 * refusalsKept {
		now := noon.Add(time.Duration(i) * time.Second)
		if all.Of(uint32(i), now).Wrong != 0 {
			t.Fatalf("network %d is known", i)
		}
		all.FoundMissing(uint32(i), now)
		all.Refuted(uint32(i), now)
		all = ReadRefusals(all.Encode())
	}
	if len(all.Networks) != refusalsKept {
		t.Errorf("%d networks are remembered, want %d", len(all.Networks), refusalsKept)
	}
	const last = 3*refusalsKept - 1
	end := noon + last*1000
	if r, want := all.Of(last, end), (Refusal{last, end, 1, end, 1}); r != want {
		t.Errorf("of the last one is known %+v, want %+v", r, want)
	}
	if all.Of(0, noon).Wrong != 0 {
		t.Error("the first one is still known")
	}
	if n := len(all.Encode()); n > 3<<10 {
		t.Errorf("the record takes %d bytes", n)
	}
}

// A damaged record counts against no network, nor does one of a time to come.
func TestDamagedRefusalsDoNotCount(t *testing.T) {
	whole := (&Refusals{Networks: []Refusal{{7, noon, 3, noon + 1000, 4}}}).Encode()
	for name, b := range map[string][]byte{
		"nothing": nil, "damaged": whole[:len(whole)-1], "cut off": recordtest.Sealed(recordtest.FieldsOf(whole)[:9]), "of another kind": Duplicates{Listed: "/a", IDs: []uint64{1, 2}}.Encode(idOf),
	} {
		if got := ReadRefusals(b); len(got.Networks) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	future := Refusal{7, moment.Seconds(9_000_000_000), 3, moment.Seconds(9_000_000_000), 9}
	if future.age(noon); future.Missing != 0 || future.Wrong != 0 {
		t.Errorf("of a time to come there is %+v", future)
	}
}
