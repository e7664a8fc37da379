package rate

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

func TestEncodingOfAnEstimateStays(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    Estimate
		want string
	}{
		{"nothing seen", Estimate{}, "40"},
		{"seen once", Estimate{}.Saw(t0, false), "4100006553f1006553f100"},
		{"no change seen", looks(4, hour, never), "42000365541b306553f100"},
		{"changes", looks(11, day, everyNth(3)), "4e000165612000655fce800e91fa48180063b900000000000000000201000000"},
		{"known change at the first look", Estimate{}.SawChangeAt(t0, t0-day), "4500006553f10065529f80000000000000000001000000000000000000000000"},
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
			if back, err := Parse(b); err != nil || back != e || len(b) > 32 {
				t.Fatalf("seed %d: %+v, %v from %x of %+v", seed, back, err, b, e)
			}
		}
	}
}

func TestParseRefusesDamagedEstimates(t *testing.T) {
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
		{"unknown bits", with(0, good[0]|0x20)},
		{"cut short", good[:len(good)-1]},
		{"too long", append(bytes.Clone(good), 1)},
		{"changes without a history", good[:lenQuiet]},
		{"history without changes", with(0, mark|2)},
		{"no changes in the history", with(lenChanged-bins, make([]byte, bins)...)},
		{"no looks", with(0, mark|3<<changesShift)},
		{"three looks", with(0, mark|3<<changesShift|3)},
		{"changed after the last look", with(7, 0xff, 0xff, 0xff, 0xff)},
		{"more to fade than is put aside", with(11, fadeFrom)},
		{"infinite time", with(12, 0xff, 0x00)},
		{"time not a number", with(12, 0xff, 0xff)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if e, err := Parse(tt.b); err == nil || e != (Estimate{}) {
				t.Errorf("Parse(%x) = %+v, %v, want an error", tt.b, e, err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte{mark}, []byte{})
	f.Add(busy().AppendBinary(nil), []byte{3, 0, 0x81, 0x42})
	f.Add(Estimate{}.Saw(t0, false).AppendBinary(nil), []byte{0x40, 1})
	f.Add(looks(11, day, everyNth(3)).AppendBinary(nil), []byte("looks"))
	f.Add([]byte("@"), []byte("\xea__"))                                             // surely yearly
	f.Add([]byte("\x8e\x00\x02t\xbf00t\xba00000000\x0000000000000000"), []byte("a")) // surely always
	f.Fuzz(func(t *testing.T, b, more []byte) {
		e, err := Parse(b)
		if err != nil {
			return
		}
		got := e.AppendBinary(nil)
		if !bytes.Equal(got, b) {
			t.Fatalf("%x parsed and encoded is %x", b, got)
		}
		if back, err := Parse(got); err != nil || back != e {
			t.Fatalf("%+v encoded and parsed is %+v, %v", e, back, err)
		}
		for _, at := range []int64{0, e.LastVisit(), e.LastVisit() + 1, 1 << 40} {
			for _, next := range []Estimate{e.Saw(at, false), e.Saw(at, true), e.SawChangeAt(at, at-1), e.SawNoise(at)} {
				if !valid(next) {
					t.Fatalf("%+v led to %+v", e, next)
				}
				if _, p := next.Freq(); !(p >= 0 && p <= 1) {
					t.Fatalf("probability %g of %+v", p, next)
				}
			}
		}
		at := e.LastVisit()
		for _, how := range more[:min(len(more), 64)] {
			at += 1 << (how & 31)
			switch how >> 5 {
			case 0, 1:
				e = e.Saw(at, false)
			case 2:
				e = e.SawNoise(at)
			case 3, 4:
				e = e.Saw(at, true)
			case 5:
				e = e.SawChangeAt(at, at-1<<(how&15))
			case 6:
				at -= 1 << (how & 31) * 2 // the clock goes back
				e = e.Saw(at, how&1 == 1)
			default:
				e = e.SawChangeAt(at, at+5)
			}
			if !valid(e) {
				t.Fatalf("%x led to %+v", more, e)
			}
		}
		wantSane(t, e)
	})
}

// wantSane checks everything that an estimate says.
func wantSane(t *testing.T, e Estimate) {
	t.Helper()
	sum := 0.0
	for f, p := range tuned.Probabilities(e) {
		if sum += p; !(p >= 0 && p <= 1) {
			t.Errorf("%v of %+v has probability %g", Freq(f), e, p)
		}
	}
	want := 1.0
	if f, _ := e.Freq(); f == Unknown {
		want = 0
	}
	if !near(sum, want, 1e-9) {
		t.Errorf("the probabilities of %+v sum to %g", e, sum)
	}
	if least, likely, most := e.Interval(); !(least >= 0 && least <= likely && likely <= most && most < 1e12) {
		t.Errorf("%+v has intervals of %g, %g and %g", e, least, likely, most)
	}
	if again, err := Parse(e.AppendBinary(nil)); err != nil || again != e {
		t.Errorf("%+v is read back as %+v, %v", e, again, err)
	}
}
