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
	listed := eligibility.Standing{Verdict: eligibility.Listed, Reason: eligibility.ByLink}
	p := &Page{
		Standing: listed, Languages: Languages{Peers: []extension.Alternate{{Lang: "de", Location: "/de/"}}},
		Mark: m, Dates: changedDates(), Rate: rate.Estimate{}.Saw(1700000000, false).Saw(1700000100, true),
	}
	n := 1
	fill(reflect.ValueOf(p).Elem(), &n)
	p.Loaded = Loaded{Known: true, Listed: true, Tallied: listed, Change: p.Dates.Changed, Joined: p.Showing}
	return p
}

// fill sets each zero field of a value, and of the values in it, to another number.
func fill(v reflect.Value, n *int) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().Field(i).Tag.Get("cbor") != "-" {
				fill(v.Field(i), n)
			}
		}
	case !v.IsZero():
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.String:
		v.SetString("text")
	case v.CanInt():
		v.SetInt(int64(*n))
	case v.CanUint():
		v.SetUint(uint64(*n))
	}
	*n++
}

func TestPageKeepsEveryField(t *testing.T) {
	want := full()
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

// A million pages have a million of each field, and each is a rule to know: one more needs another to go.
func TestPageHasSoManyFields(t *testing.T) {
	const most = 43
	n := 0
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Page]()) {
		if tag := f.Tag.Get("cbor"); tag != "" && tag != "-" && !f.Anonymous {
			n++
		}
	}
	if n > most {
		t.Errorf("%d fields are stored of a page, want at most %d", n, most)
	}
	t.Logf("%d fields", n)
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
