package pagerecord

import (
	"math"
	"reflect"
	"testing"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/testkit/base"
)

// changedDates returns the dates of a page whose change at 1700000100 was seen.
func changedDates() (d lastmod.Dates) {
	for i := range moment.Time(2) {
		d, _ = d.Observe(lastmod.Observation{
			At: moment.Seconds(1700000000) + 100_000*i, Before: moment.Seconds(1700000000) * i, First: i == 0,
			Outcome: mark.Changed * mark.Outcome(i), Since: moment.Seconds(1700000100),
			Given: lastmod.Given[moment.Time]{lastmod.Server: moment.Seconds(1690000000)},
		}, lastmod.Trust{})
	}
	return d
}

// full returns a page with no zero field.
func full() *Page {
	facts := html.Read([]byte("<main><p>A text that is long enough to be one."), html.Options{})
	view := mark.Read(&facts, 0)
	m, _, _ := mark.Mark{}.Observe(&view, 1)
	sec := moment.Seconds
	return &Page{
		Standing:       eligibility.Standing{Verdict: eligibility.Listed, Reason: eligibility.ByLink},
		Presence:       Presence{sec(1700000000), 1700000123456, 200, 7, true, eligibility.NotFound, true, true, true, true, sec(1700000003), true},
		PendingRemoval: PendingRemoval{1700000200000, eligibility.Denied, 9, 10},
		Statement:      Statement{eligibility.NoIndex, sec(1800000000), true, true, []byte("sealed")},
		Evidence: eligibility.Evidence{
			Route: true, Variable: true, Query: true, Link: true, LinkAt: sec(1700000001), LinkNet: 7, Confirmed: true, Unprompted: true,
			Hop: 2,
		},
		Redirect:  Redirect{5, 1700000003000, 9},
		Reading:   Reading{0x0123456789abcdef, true, Unproven, sec(1700000002), 8, NewLinks{{sec(1700000110), 13}, {sec(1700000111), 14}}},
		Copies:    Copies{9, 9, 1700000123456},
		Languages: Languages{[]Claim{{"de", 11}, {"x-default", 12}}, []extension.Alternate{{Lang: "de", Location: "/de/"}}, Variants{0x1235, 0xfffe}},
		Place:     Place{3, 1700000200001, 5},
		Mark:      m,
		Dates:     changedDates(), Rate: rate.Estimate{}.Saw(1700000000, false).Saw(1700000100, true),
		Loaded: Loaded{Known: true, Listed: true, Tallied: eligibility.Standing{Verdict: eligibility.Listed, Reason: eligibility.ByLink}, Change: sec(1700000100)},
	}
}

// zeros returns the names of the zero fields of a value, including those of the values in it.
func zeros(v reflect.Value) (names []string) {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if f.Kind() == reflect.Struct && v.Type().Field(i).Anonymous {
			names = append(names, zeros(f)...)
		} else if f.IsZero() {
			names = append(names, name)
		}
	}
	return names
}

func TestPageKeepsEveryField(t *testing.T) {
	want := full()
	if names := zeros(reflect.ValueOf(*want)); len(names) > 0 {
		t.Errorf("fields %q are zero, so this test would not notice their loss", names)
	}
	got, err := Decode(want.Encode())
	base.Check(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("decoded\n%+v, want\n%+v", got, want)
	}
	empty := &Page{Loaded: Loaded{Known: true}}
	if got, err := Decode(new(Page).Encode()); err != nil || !reflect.DeepEqual(got, empty) {
		t.Errorf("the zero page decodes as %+v, %v", got, err)
	}
}

// A record with a good checksum may still say anything. Decode rejects what the rest of the program
// could not handle.
func TestImpossiblePagesAreDamaged(t *testing.T) {
	const listing, presence, languages = 10, 2, 9
	for _, tt := range []struct {
		name    string
		in, num uint64
		value   any
		damaged bool
	}{
		{"a shard beyond all", listing, 1, 1 << 31, true},
		{"a shard below none", listing, 1, -1, true},
		{"listed in no shard", listing, 1, 0, true},
		{"a shard that is a text", listing, 1, "x", true},
		{"a status beyond all numbers", presence, 3, uint64(math.MaxUint64), true},
		{"a field of another version", presence, 99, "x", false},
		{"a peer that is no location", languages, 2, []any{map[int]string{1: "de", 2: "no location"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Decode(recordtest.Set(full().Encode(), tt.in, tt.num, tt.value))
			if (err != nil) != tt.damaged || err == nil && tt.in == languages && len(p.Peers) > 0 {
				t.Errorf("read as %+v, %v", p, err)
			}
		})
	}
}
