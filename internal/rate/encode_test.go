package rate

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

func TestEncoding(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    Estimate
		want string
	}{
		{"nothing seen", Estimate{}, "01"},
		{"seen once", Estimate{}.Saw(t0, false), "0101006553f1006553f100"},
		{"no change seen", looks(4, hour, never), "01020365541b306553f100"},
		{"changes", looks(11, day, everyNth(3)), "010e0165612000655fce80db0000404341954919c090"},
		{"known change at the first look", Estimate{}.SawChangeAt(t0, t0-day), "0105006553f10065529f800000003f8f5c29461c4000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.e.AppendBinary([]byte("x"))
			if hex.EncodeToString(got[1:]) != tt.want {
				t.Errorf("encoding %x, want %s", got[1:], tt.want)
			}
			back, err := Parse(got[1:])
			if err != nil || back != tt.e {
				t.Errorf("parsed %+v, %v, want %+v", back, err, tt.e)
			}
		})
	}
}

func TestEncodingKeepsEveryEstimate(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		e := Estimate{}.Saw(t0, false)
		for range 50 {
			e = visit(r, e)
			b := e.AppendBinary(nil)
			if back, err := Parse(b); err != nil || back != e || len(b) > lenChanged {
				t.Fatalf("seed %d: %+v, %v from %x of %+v", seed, back, err, b, e)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := looks(11, day, everyNth(3)).AppendBinary(nil)
	with := func(at int, v ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at:], v)
		return b
	}
	for _, tt := range []struct {
		name string
		b    []byte
	}{
		{"nothing", nil},
		{"another version", with(0, 2)},
		{"cut short", good[:len(good)-1]},
		{"too long", append(bytes.Clone(good), 0)},
		{"changes without a posterior", good[:lenQuiet]},
		{"posterior without changes", with(1, 2)},
		{"no looks", with(1, 3<<2)},
		{"three looks", with(1, 3<<2|3)},
		{"unknown bits", with(1, 0x80|3<<2|2)},
		{"changed after the last look", with(7, 0xff, 0xff, 0xff, 0xff)},
		{"evidence below its bound", with(11, 0x80)},
		{"evidence above its bound", with(12, 0x7f)},
		{"evidence against a regime", with(13, 0xff)},
		{"shape not a number", with(14, 0x7f, 0xc0, 0, 0)},
		{"negative shape", with(14, 0xc0, 0, 0, 0)},
		{"infinite time", with(18, 0x7f, 0x80, 0, 0)},
		{"no time", with(18, 0, 0, 0, 0)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if e, err := Parse(tt.b); err == nil || e != (Estimate{}) {
				t.Errorf("Parse(%x) = %+v, %v, want an error", tt.b, e, err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte{version})
	f.Add(Estimate{}.Saw(t0, false).AppendBinary(nil))
	f.Add(looks(11, day, everyNth(3)).AppendBinary(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Parse(b)
		if err != nil {
			return
		}
		if got := e.AppendBinary(nil); !bytes.Equal(got, b) {
			t.Fatalf("%x parsed and encoded is %x", b, got)
		}
		for _, at := range []int64{0, e.LastVisit(), e.LastVisit() + 1, 1 << 40} {
			for _, next := range []Estimate{e.Saw(at, false), e.Saw(at, true), e.SawChangeAt(at, at-1)} {
				if !next.valid() {
					t.Fatalf("%+v led to %+v", e, next)
				}
				if _, p := next.Freq(); !(p >= 0 && p <= 1) {
					t.Fatalf("probability %g of %+v", p, next)
				}
			}
		}
	})
}

func BenchmarkAppendBinary(b *testing.B) {
	b.ReportAllocs()
	e := looks(100, day, everyNth(3))
	var buf [32]byte
	for b.Loop() {
		e.AppendBinary(buf[:0])
	}
}
