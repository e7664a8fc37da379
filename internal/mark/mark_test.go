package mark

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

func TestLook(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []uint64
		want  []Outcome
	}{
		{"first", []uint64{1}, []Outcome{First}},
		{"same", []uint64{1, 1, 1}, []Outcome{First, Same, Same}},
		{"changed", []uint64{1, 2, 3}, []Outcome{First, Changed, Changed}},
		{"alternating", []uint64{1, 2, 1, 2, 2}, []Outcome{First, Changed, Variant, Variant, Same}},
		{"four texts in turn", []uint64{1, 2, 3, 4, 1, 2, 3, 4}, []Outcome{First, Changed, Changed, Changed, Variant, Variant, Variant, Variant}},
		{"the fifth pushes out the first", []uint64{1, 2, 3, 4, 5, 1}, []Outcome{First, Changed, Changed, Changed, Changed, Changed}},
		{"a variant is kept from being pushed out", []uint64{1, 2, 3, 4, 1, 5, 1}, []Outcome{First, Changed, Changed, Changed, Variant, Changed, Variant}},
		{"and the oldest goes", []uint64{1, 2, 3, 4, 1, 5, 2}, []Outcome{First, Changed, Changed, Changed, Variant, Changed, Changed}},
		{"a fingerprint of 0", []uint64{0, 0, 1, 0}, []Outcome{First, Same, Changed, Variant}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m Mark
			var got []Outcome
			for _, text := range tt.texts {
				var o Outcome
				m, o = m.Look(text)
				got = append(got, o)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("outcomes = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestLookLeavesItsReceiver(t *testing.T) {
	m, _ := Mark{}.Look(1)
	before := m
	m.Look(2)
	if m != before {
		t.Errorf("mark = %v after a look, want %v", m, before)
	}
}

// sample is the mark after looks at the texts 1 to n.
func sample(n uint64) Mark {
	var m Mark
	for i := range n {
		m, _ = m.Look(i + 1)
	}
	return m
}

func TestGolden(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "",
		1: "01" + "0000000000000001",
		2: "01" + "0000000000000002" + "0000000000000001",
		4: "01" + "0000000000000004" + "0000000000000003" + "0000000000000002" + "0000000000000001",
		5: "01" + "0000000000000005" + "0000000000000004" + "0000000000000003" + "0000000000000002",
	} {
		b := sample(n).AppendBinary([]byte("x"))
		if got, ok := strings.CutPrefix(hex.EncodeToString(b), hex.EncodeToString([]byte("x"))); !ok || got != want {
			t.Errorf("%d texts: encoding changed: stored marks would not be read\n got %s\nwant %s", n, got, want)
		}
		if m, err := Parse(b[1:]); err != nil || m != sample(n) {
			t.Errorf("%d texts: read back as %v, %v, want %v", n, m, err, sample(n))
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []byte
		want string
	}{
		{"version 0", []byte{0}, "version 0"},
		{"a later version", []byte{2, 1, 2, 3}, "version 2"},
		{"no text", []byte{1}, "malformed"},
		{"half a text", []byte{1, 0, 0, 0, 0}, "malformed"},
		{"a byte too many", append([]byte{1}, make([]byte, 9)...), "malformed"},
		{"too many texts", append([]byte{1}, make([]byte, 40)...), "malformed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one that says %q", err, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample(3).AppendBinary(nil), uint64(2))
	f.Add([]byte{1}, uint64(0))
	f.Add([]byte{}, uint64(1))
	f.Fuzz(func(t *testing.T, b []byte, text uint64) {
		m, err := Parse(b)
		if err != nil {
			return
		}
		if got := m.AppendBinary(nil); !bytes.Equal(got, b) {
			t.Errorf("%x is read, and written as %x", b, got)
		}
		m, _ = m.Look(text)
		if _, o := m.Look(text); o != Same {
			t.Errorf("the text of the look before is %v, want Same", o)
		}
		if n := len(m.AppendBinary(nil)); n > 33 {
			t.Errorf("a mark takes %d bytes, want at most 33", n)
		}
	})
}

func BenchmarkLook(b *testing.B) {
	m := sample(4)
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		m, _ = m.Look(i & 7)
	}
}
