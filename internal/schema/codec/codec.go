// Package codec is the encoding of everything that is stored: CBOR (RFC 8949), with the number of
// the format before it and a checksum behind it. A record is a struct whose tags number its fields.
// The package never returns a field of a damaged record.
package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/fxamacker/cbor/v2"
)

// Format is the number of the format of all records, their first byte. It changes if a reader of
// the earlier format would misread a record. A process that finds another number in the site's
// record stores nothing more; see package txn.
const Format = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged says that bytes are no record, or not a whole one.
var ErrDamaged = errors.New("record is damaged")

// ErrFormat says that another version of the program wrote a record, in its own format.
var ErrFormat = errors.New("record is in another format")

// The lists of a record are short, and values seldom hold values. Longer or deeper ones are damage.
var (
	encoding, _ = cbor.EncOptions{Sort: cbor.SortBytewiseLexical}.EncMode() // the options are valid, here and below
	decoding, _ = cbor.DecOptions{
		MaxArrayElements: 1 << 12, MaxMapPairs: 1 << 12, MaxNestedLevels: 8, IndefLength: cbor.IndefLengthForbidden,
		TagsMd: cbor.TagsForbidden, DupMapKey: cbor.DupMapKeyEnforcedAPF,
	}.DecMode()
)

// Marshal returns the record of a value: the format, the value and a checksum. Equal values have
// equal records.
func Marshal(v any) []byte {
	body, err := encoding.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("codec: a %T cannot be stored: %v", v, err))
	}
	return seal(body)
}

// MarshalOrNil is Marshal, but returns nil for a struct whose fields are all left out.
func MarshalOrNil(v any) []byte {
	if b := Marshal(v); len(b) > len(emptyRecord) {
		return b
	}
	return nil
}

var emptyRecord = Marshal(struct{}{})

func seal(body []byte) []byte {
	out := make([]byte, 0, 1+len(body)+crc32.Size)
	out = append(out, Format)
	out = append(out, body...)
	return binary.BigEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// Unmarshal reads the record of a value into v, which must be zero. It returns ErrDamaged or
// ErrFormat. A damaged record may have set some fields of v, but never if its checksum is wrong.
func Unmarshal(b []byte, v any) error {
	if err := Check(b); err != nil {
		return err
	}
	if err := decoding.Unmarshal(b[1:len(b)-crc32.Size], v); err != nil {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return nil
}

// Read returns the value of a record, the zero value if the record is damaged or missing.
func Read[T any](b []byte) (v T) {
	if Unmarshal(b, &v) != nil {
		return *new(T)
	}
	return v
}

// Check returns ErrDamaged or ErrFormat if the record cannot be read, whatever is in it.
func Check(b []byte) error {
	if len(b) < 1+crc32.Size {
		return ErrDamaged
	}
	body, sum := b[:len(b)-crc32.Size], b[len(b)-crc32.Size:]
	switch {
	case crc32.Checksum(body, castagnoli) != binary.BigEndian.Uint32(sum):
		return ErrDamaged
	case body[0] != Format:
		return ErrFormat
	}
	return nil
}
