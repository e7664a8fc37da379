package record

import (
	"bytes"
	"encoding/hex"
	"errors"
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
	return e.Seal()
}

func TestGolden(t *testing.T) {
	const golden = "0108ac0210091801210807060504030201" + "2a046d61726b" + "da8a6dff"
	if got := hex.EncodeToString(sample()); got != golden {
		t.Errorf("encoding changed: stored records would not be read\n got %s\nwant %s", got, golden)
	}
}

func TestOpenReadsWhatWasSealed(t *testing.T) {
	got := map[int]Field{}
	if err := Open(sample(), func(f Field) { got[f.Num] = f }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 5 {
		t.Errorf("%d fields, want the 5 that are not zero", len(got))
	}
	if got[1].Value != 300 || got[2].Int() != -5 || got[3].Value != 1 || got[4].Value != 0x0102030405060708 || string(got[5].Data) != "mark" {
		t.Errorf("fields = %+v", got)
	}
}

func TestRawFieldsSurviveAReaderWhoDoesNotKnowThem(t *testing.T) {
	var kept []byte
	if err := Open(sample(), func(f Field) { kept = append(kept, f.Raw...) }); err != nil {
		t.Fatal(err)
	}
	var e Encoder
	e.Raw(kept)
	if got := e.Seal(); !bytes.Equal(got, sample()) {
		t.Errorf("re-encoding of unknown fields = %x, want %x", got, sample())
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
