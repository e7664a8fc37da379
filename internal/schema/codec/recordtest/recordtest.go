// Package recordtest makes records that no writer would make: with any fields, and with impossible
// values. Only tests may import it.
package recordtest

import "github.com/servemap/servemap/internal/schema/codec"

// Sealed returns the record with these fields, whatever they are.
func Sealed(fields []byte) []byte {
	var e codec.Encoder
	e.Raw(fields)
	return e.Seal()
}

// FieldsOf returns the fields of a record.
func FieldsOf(b []byte) []byte { return b[1 : len(b)-4] }

// Numbered returns a record with one number in it.
func Numbered(num int, v uint64) []byte {
	var e codec.Encoder
	e.Uint(num, v)
	return e.Seal()
}

// Forged is a field with another value than the record's own field of that number. If a number is
// repeated, readers take the last value.
type Forged struct {
	Num  int
	N    uint64
	Data string // used instead of N if not empty
}

// In returns a record with the forged field at its end.
func (f Forged) In(b []byte) []byte {
	var e codec.Encoder
	e.Keep(codec.Others(b, 0))
	if f.Data != "" {
		e.Bytes(f.Num, []byte(f.Data))
	} else {
		e.Uint(f.Num, f.N)
	}
	return e.Seal()
}
