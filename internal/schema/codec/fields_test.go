package codec

import (
	"math"
	"reflect"
	"testing"

	"github.com/servemap/servemap/internal/decide/moment"
)

type listed struct {
	number uint16
	is     bool
	count  int
	signed int64
	at     moment.Time
	on     moment.Time
	hash   uint64
	texts  []string
}

func (v *listed) fields(f *Fields) {
	Uint(f, 1, &v.number)
	f.Bool(2, &v.is)
	f.Count(3, &v.count)
	f.Int(4, &v.signed)
	f.Time(5, &v.at)
	f.Date(6, &v.on)
	f.Hash(7, &v.hash)
	f.Data(8, len(v.texts), func(i int) []byte { return []byte(v.texts[i]) }, func(b []byte) { v.texts = append(v.texts, string(b)) })
}

func TestFieldsAreReadAsTheyWereWritten(t *testing.T) {
	for name, want := range map[string]listed{
		"no field":     {},
		"each field":   {9, true, 3, -4, 1_700_000_000_123, moment.Seconds(1_700_000_000), 1 << 63, []string{"a", "b"}},
		"the greatest": {math.MaxUint16, true, math.MaxInt32, math.MaxInt64, 253_402_300_799_000, moment.Seconds(253_402_300_799), math.MaxUint64, nil},
		"the least":    {0, false, 0, math.MinInt64, -253_402_300_799_000, moment.Seconds(-253_402_300_799), 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var e Encoder
			e.Add(want.fields)
			e.Uint(9, 5)
			var got listed
			unread, err := Read(e.Seal(), Into(got.fields))
			if err != nil || !reflect.DeepEqual(got, want) || unread != "\x48\x05" {
				t.Errorf("read as %+v and %q, %v, want %+v and field 9", got, unread, err, want)
			}
		})
	}
}
