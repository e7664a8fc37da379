package codec

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"slices"
	"testing"
)

func sample() []byte {
	var e Encoder
	e.Uint(1, 300)
	e.Int(2, -5)
	e.Bool(3, true)
	e.Fixed(4, 0x0102030405060708)
	e.Bytes(5, []byte("mark"))
	e.Uint(6, 0)
	e.Bool(7, false)
	e.Bytes(8, nil)
	e.Int(9, 0)
	e.Fixed(10, 0)
	return e.Seal()
}

func TestEncodingOfARecordStays(t *testing.T) {
	const golden = "0108ac0210091801210807060504030201" + "2a046d61726b" + "da8a6dff"
	if got := hex.EncodeToString(sample()); got != golden {
		t.Errorf("encoding changed: stored records would not be read\n got %s\nwant %s", got, golden)
	}
}

func TestDamageIsRecognised(t *testing.T) {
	good := sample()
	for i := range good {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := bytes.Clone(good)
			bad[i] ^= flip
			if err := Open(bad, func(Field) { t.Errorf("byte %d: a field of a damaged record was handed out", i) }); !errors.Is(err, ErrDamaged) {
				t.Errorf("byte %d xor %#x: error %v, want ErrDamaged", i, flip, err)
			}
		}
	}
	for n := range good {
		if err := Open(good[:n], func(Field) {}); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut to %d bytes: error %v, want ErrDamaged", n, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(sample()[1 : len(sample())-4])
	f.Add([]byte{0x0b, 0x0c})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, fields []byte) {
		var e Encoder
		e.Raw(fields)
		var again Encoder
		if Open(e.Seal(), func(f Field) { again.Raw(f.Raw) }) == nil && !bytes.Equal(again.b, fields) {
			t.Errorf("fields %x read as %x", fields, again.b)
		}
	})
}

// sealed returns a record of any version with a correct checksum.
func sealed(version byte, fields ...byte) []byte {
	b := append([]byte{version}, fields...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func TestOpenRefusesMalformedRecords(t *testing.T) {
	for _, tt := range []struct {
		name   string
		in     []byte
		want   error
		fields int
	}{
		{"nothing", nil, ErrDamaged, 0},
		{"too short for a checksum", []byte{1, 2, 3, 4}, ErrDamaged, 0},
		{"no fields", sealed(1), nil, 0},
		{"a later version", sealed(2, 0x08, 1), ErrVersion, 0},
		{"a field of 32 bits", sealed(1, 0x0d, 1, 2, 3, 4), nil, 1},
		{"a group", sealed(1, 0x0b, 0x08, 1, 0x0c), nil, 1},
		{"field number 0", sealed(1, 0x00, 1), ErrDamaged, 0},
		{"an endless number", sealed(1, 0x08, 0xff), ErrDamaged, 0},
		{"fixed field cut off", sealed(1, 0x09, 1, 2), ErrDamaged, 0},
		{"bytes cut off", sealed(1, 0x0a, 5, 1), ErrDamaged, 0},
		{"the end of no group", sealed(1, 0x0c), ErrDamaged, 0},
		{"a good field before a bad one", sealed(1, 0x08, 1, 0x08), ErrDamaged, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			if err := Open(tt.in, func(Field) { n++ }); !errors.Is(err, tt.want) || n != tt.fields {
				t.Errorf("error %v after %d fields, want %v after %d", err, n, tt.want, tt.fields)
			}
		})
	}
}

func FuzzOpenOfAnything(f *testing.F) {
	f.Add(sample())
	f.Add(sealed(2))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := bytes.Clone(b)
		size := 0
		err := Open(b, func(f Field) { size += len(f.Raw) })
		if err == nil && size != len(b)-5 {
			t.Errorf("%x is a record of %d bytes, whose fields have %d", b, len(b), size)
		}
		if !bytes.Equal(b, in) {
			t.Error("opening a record changed it")
		}
	})
}

func TestReadReturnsWhatItsReaderDoesNotKnow(t *testing.T) {
	known := func(nums ...int) func(Field) bool {
		return func(f Field) bool { return slices.Contains(nums, f.Num) }
	}
	for _, tt := range []struct {
		name   string
		record []byte
		known  []int
		unread int // fields
		err    error
	}{
		{"all is known", sample(), []int{1, 2, 3, 4, 5}, 0, nil},
		{"some is not", sample(), []int{1, 3}, 3, nil},
		{"nothing is", sample(), nil, 5, nil},
		{"damaged", sample()[1:], nil, 0, ErrDamaged},
		{"of a later version", sealed(2, 0x08, 1), nil, 0, ErrVersion},
		{"no record", nil, nil, 0, ErrDamaged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			unread, err := Read(tt.record, known(tt.known...))
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			var e Encoder
			e.Keep(unread)
			n := 0
			if err := Open(e.Seal(), func(f Field) {
				if n++; slices.Contains(tt.known, f.Num) {
					t.Errorf("field %d was known", f.Num)
				}
			}); err != nil || n != tt.unread {
				t.Errorf("%d fields, %v, want %d", n, err, tt.unread)
			}
		})
	}
}
