// Package recordtest makes records that no writer would make: with any bytes, and with impossible
// values. Only tests may import it.
package recordtest

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/servemap/servemap/internal/schema/codec"
)

// Sealed returns the record with these bytes in it, whatever they are.
func Sealed(body []byte) []byte {
	b := append([]byte{codec.Format}, body...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// FieldsOf returns what is in a record.
func FieldsOf(b []byte) []byte { return b[1 : len(b)-crc32.Size] }

// Set returns the record with another value for field num. If in is not 0, num is a field of the value in field in. A
// record without fields stays as it is.
func Set(b []byte, in, num uint64, value any) []byte {
	var all map[any]any
	if codec.Unmarshal(b, &all) != nil || all == nil {
		return b
	}
	if inner, ok := all[in].(map[any]any); ok {
		inner[num] = value
	} else {
		all[num] = value
	}
	return codec.Marshal(all)
}
