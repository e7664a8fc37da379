package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"reflect"
	"testing"
)

// example has a field of each kind that records have.
type example struct {
	Number int64          `cbor:"1,keyasint,omitzero"`
	Hash   uint64         `cbor:"2,keyasint,omitzero"`
	Yes    bool           `cbor:"3,keyasint,omitzero"`
	Text   string         `cbor:"4,keyasint,omitzero"`
	Bytes  []byte         `cbor:"5,keyasint,omitzero"`
	List   []uint16       `cbor:"6,keyasint,omitzero"`
	Inner  inner          `cbor:"7,keyasint,omitzero"`
	ByName map[string]int `cbor:"8,keyasint,omitempty"`
}

type inner struct {
	Small uint8 `cbor:"1,keyasint,omitzero"`
}

func full() example {
	return example{-5, 1 << 63, true, "text", []byte{0, 1}, []uint16{1, 0xffff}, inner{7},
		map[string]int{"a": 1, "b": 2, "c": 3}}
}

// framed returns a record with any format and body, and a good checksum.
func framed(format byte, body []byte) []byte {
	b := append([]byte{format}, body...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func TestRecordIsReadAsItWasWritten(t *testing.T) {
	for name, want := range map[string]example{"nothing": {}, "one field": {Text: "a"}, "every field": full()} {
		b := Marshal(want)
		var got example
		if err := Unmarshal(b, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read as %+v, %v", name, got, err)
		}
		if again := Marshal(want); !bytes.Equal(again, b) {
			t.Errorf("%s: an equal value is stored as %x and as %x", name, b, again)
		}
		if stored := MarshalOrNil(want) != nil; stored != (name != "nothing") {
			t.Errorf("%s: whether it is stored at all is %v", name, stored)
		}
	}
}

func TestDamageIsFoundAndAnotherFormatIsNotDamage(t *testing.T) {
	whole := Marshal(full())
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 0x10
		for what, b := range map[string][]byte{"with another byte": flipped, "cut": whole[:i]} {
			var v example
			if err := Unmarshal(b, &v); !errors.Is(err, ErrDamaged) || !reflect.DeepEqual(v, example{}) {
				t.Errorf("a record that is %s at %d gives %+v, %v", what, i, v, err)
			}
		}
	}
	for name, tt := range map[string]struct {
		b    []byte
		want error
	}{
		"nothing":              {nil, ErrDamaged},
		"a later format":       {framed(Format+1, []byte{0xa0}), ErrFormat},
		"one not to be read":   {framed(0xff, []byte("anything")), ErrFormat},
		"no value":             {framed(Format, nil), ErrDamaged},
		"a value of its own":   {framed(Format, []byte{0x07}), ErrDamaged},
		"two values":           {framed(Format, []byte{0xa0, 0xa0}), ErrDamaged},
		"a number too large":   {framed(Format, []byte("\xa1\x07\xa1\x01\x19\x01\x00")), ErrDamaged},
		"a field twice":        {framed(Format, []byte("\xa2\x01\x01\x01\x02")), ErrDamaged},
		"an endless list":      {framed(Format, []byte("\xa1\x06\x9f\xff")), ErrDamaged},
		"a list that is short": {framed(Format, []byte("\xa1\x06\x9b\x00\x00\x00\xff\xff\xff\xff\xff")), ErrDamaged},
		"values in values":     {framed(Format, append(bytes.Repeat([]byte{0x81}, 1000), 0)), ErrDamaged},
		"an unknown field":     {framed(Format, []byte("\xa1\x18\x63\x01")), nil},
	} {
		var v example
		if err := Unmarshal(tt.b, &v); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

// FuzzRecord reads any bytes behind a good checksum. What can be read can be written and read again.
func FuzzRecord(f *testing.F) {
	for _, v := range []any{full(), example{}, 5, "text", []int{1, 2}} {
		b := Marshal(v)
		f.Add(b[1 : len(b)-crc32.Size])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_ = Check(body)
		var v, again example
		if Unmarshal(framed(Format, body), &v) != nil {
			return
		}
		if err := Unmarshal(Marshal(v), &again); err != nil || !bytes.Equal(Marshal(v), Marshal(again)) {
			t.Errorf("%+v is read again as %+v, %v", v, again, err)
		}
	})
}
