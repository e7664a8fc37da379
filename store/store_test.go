package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestCheckKeysRefusesWrongKeys(t *testing.T) {
	sorted := make([]string, MaxKeys)
	for i := range sorted {
		sorted[i] = fmt.Sprintf("k%04d", i)
	}
	long := strings.Repeat("~", MaxKey)
	for _, c := range []struct {
		name string
		keys []string
		want string // in the error; "" if there is none
	}{
		{"none", nil, ""},
		{"the first and the last of the alphabet", []string{"!", "~"}, ""},
		{"the longest", []string{long}, ""},
		{"the most", sorted, ""},
		{"too many", append(sorted, "x"), "1001 keys, at most 1000"},
		{"too long", []string{"a", long + "~"}, "key 1 is 1201 bytes, at most 1200"},
		{"empty", []string{"a", ""}, "key 1 is empty"},
		{"a space", []string{"a b"}, "key 0 has byte 0x20 at 1"},
		{"DEL", []string{"a", "b", "c\x7f"}, "key 2 has byte 0x7f at 1"},
		{"UTF-8", []string{"é"}, "key 0 has byte 0xc3 at 0"},
		{"twice in a row", []string{"a", "b", "b"}, "two of the keys are the same"},
	} {
		checkError(t, c.name, CheckKeys(c.keys), c.want)
	}
}

func TestCheckValuesRefusesWrongValues(t *testing.T) {
	long := make([]byte, MaxValue)
	for _, c := range []struct {
		name   string
		keys   []string
		values [][]byte
		want   string
	}{
		{"none", nil, nil, ""},
		{"absent and empty", []string{"a", "b"}, [][]byte{nil, {}}, ""},
		{"the longest", []string{"a"}, [][]byte{long}, ""},
		{"too long", []string{"a", "b"}, [][]byte{nil, append(long, 0)}, "value 1 is 65537 bytes, at most 65536"},
		{"the most", many(16, ""), fill(16, MaxValue-2), ""},
		{"too much", many(16, "x"), fill(16, MaxValue-2), "update of 1048592 bytes, at most 1048576"},
	} {
		checkError(t, c.name, CheckValues(c.keys, c.values), c.want)
	}
}

// many returns n keys of two bytes and a suffix.
func many(n int, suffix string) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("%02d%s", i, suffix)
	}
	return keys
}

func fill(n, size int) [][]byte {
	values := make([][]byte, n)
	for i := range values {
		values[i] = make([]byte, size)
	}
	return values
}

func TestCheckScanRefusesWrongBounds(t *testing.T) {
	long := strings.Repeat("~", MaxKey)
	for _, c := range []struct{ name, prefix, after, want string }{
		{"everything", "", "", ""},
		{"the longest", long, long, ""},
		{"a long prefix", long + "~", "", "prefix is 1201 bytes"},
		{"a long after", "", long + "~", "after is 1201 bytes"},
		{"a space in prefix", " ", "", "prefix has byte 0x20"},
		{"a NUL in after", "", "k\x00", "after has byte 0x00"},
	} {
		checkError(t, c.name, CheckScan(c.prefix, c.after), c.want)
	}
}

func checkError(t *testing.T, name string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v, want no error", name, err)
	case want != "" && (err == nil || !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %v, want ErrInvalid and %q", name, err, want)
	}
}
