// Package recordtest makes records for tests that no writer would make: with any fields,
// and with fields that say what cannot be. It is for tests alone.
package recordtest

import "github.com/servemap/servemap/internal/record"

// Sealed returns the record with these fields, whatever they are.
func Sealed(fields []byte) []byte {
	var e record.Encoder
	e.Raw(fields)
	return e.Seal()
}

// FieldsOf returns the fields of a record.
func FieldsOf(b []byte) []byte { return b[1 : len(b)-4] }

// Numbered returns a record with one number in it.
func Numbered(num int, v uint64) []byte {
	var e record.Encoder
	e.Uint(num, v)
	return e.Seal()
}

// Forged is a field that says something else than the one of its number in a record:
// readers go by the last one.
type Forged struct {
	Num  int
	N    uint64
	Data string // in place of N, where it is not empty
}

// In returns a record with the forged field at its end.
func (f Forged) In(b []byte) []byte {
	var e record.Encoder
	e.Keep(record.Others(b, 0))
	if f.Data != "" {
		e.Bytes(f.Num, []byte(f.Data))
	} else {
		e.Uint(f.Num, f.N)
	}
	return e.Seal()
}
