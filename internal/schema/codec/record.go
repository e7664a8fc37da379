// Package codec is the encoding of everything that is stored. It writes numbered fields in the
// wire format of protocol buffers, with a version before them and a checksum after them, and reads
// them back. A reader keeps fields that it does not know, so that an older program next to a newer
// one loses nothing; see [Read]. It must never return a field of a damaged record.
package codec

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/servemap/servemap/internal/decide/moment"
)

// version is the first byte of each record. It changes only if older readers would misread fields
// that they know. A process of the new version then writes the site's record first. Older processes
// read that record in each update, and stop.
const version = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged says that bytes are not a record, or no longer.
var ErrDamaged = errors.New("record is damaged")

// ErrVersion says that a later, incompatible version wrote the record.
var ErrVersion = errors.New("record is of a later version")

// Encoder builds one record. The zero value is ready.
type Encoder struct{ b []byte }

// Uint adds field num, unless v is 0. An absent field means 0.
func (e *Encoder) Uint(num int, v uint64) {
	if v != 0 {
		e.b = protowire.AppendTag(e.b, protowire.Number(num), protowire.VarintType)
		e.b = protowire.AppendVarint(e.b, v)
	}
}

// Int adds field num, unless v is 0.
func (e *Encoder) Int(num int, v int64) { e.Uint(num, protowire.EncodeZigZag(v)) }

// Bool adds field num if v is true.
func (e *Encoder) Bool(num int, v bool) {
	if v {
		e.Uint(num, 1)
	}
}

// Time adds field num, unless t is zero.
func (e *Encoder) Time(num int, t moment.Time) { e.Int(num, int64(t)) }

// Date adds field num in seconds, unless t is zero. It takes a byte less than Time. [Field.Date]
// reads it.
func (e *Encoder) Date(num int, t moment.Time) { e.Int(num, t.Seconds()) }

// Fixed adds field num, a hash, unless v is 0.
func (e *Encoder) Fixed(num int, v uint64) {
	if v != 0 {
		e.b = protowire.AppendTag(e.b, protowire.Number(num), protowire.Fixed64Type)
		e.b = protowire.AppendFixed64(e.b, v)
	}
}

// Bytes adds field num, unless v is empty.
func (e *Encoder) Bytes(num int, v []byte) {
	if len(v) > 0 {
		e.b = protowire.AppendTag(e.b, protowire.Number(num), protowire.BytesType)
		e.b = protowire.AppendBytes(e.b, v)
	}
}

// Raw adds encoded fields, as in [Field.Raw].
func (e *Encoder) Raw(fields []byte) { e.b = append(e.b, fields...) }

// Keep adds the fields that a reader of the record did not know.
func (e *Encoder) Keep(unread Unread) { e.b = append(e.b, unread...) }

// Seal returns the finished record. The caller owns it.
func (e *Encoder) Seal() []byte {
	out := make([]byte, 0, len(e.b)+5)
	out = append(out, version)
	out = append(out, e.b...)
	return binary.BigEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// SealAny is Seal, but returns nil if there are no fields.
func (e *Encoder) SealAny() []byte {
	if len(e.b) == 0 {
		return nil
	}
	return e.Seal()
}

// Field is one field of a record: Num, and either Value or Data, depending on how it was written.
// Data and Raw alias the record.
type Field struct {
	Num   int
	Value uint64
	Data  []byte
	Raw   []byte // the encoded field, which a reader that does not know it keeps
}

// Int returns the value of a field written by [Encoder.Int].
func (f Field) Int() int64 { return protowire.DecodeZigZag(f.Value) }

// Count returns the value as a number of things or bytes. It is at most [math.MaxInt32], so that
// sums of a few do not overflow.
func (f Field) Count() int { return Count(f.Value) }

// Count is [Field.Count] for a bare number.
func Count(n uint64) int { return int(min(n, math.MaxInt32)) }

// lastSecond is the last second of the year 9999, in Unix seconds.
const lastSecond = 253_402_300_799

// Seconds returns a time in Unix seconds, moved to the nearest one whose year has at most four
// digits.
func Seconds(unix int64) int64 { return max(-lastSecond, min(unix, lastSecond)) }

// Millis returns the value as a time in Unix milliseconds, limited like Seconds.
func (f Field) Millis() int64 { return max(-lastSecond*1000, min(f.Int(), lastSecond*1000)) }

// Time returns the value of a field written by [Encoder.Time].
func (f Field) Time() moment.Time { return moment.Time(f.Millis()) }

// Date returns the value of a field written by [Encoder.Date].
func (f Field) Date() moment.Time { return moment.Seconds(Seconds(f.Int())) }

// Open checks b and calls fn for each of its fields, in the order they were written. It returns
// ErrDamaged or ErrVersion. If the checksum is wrong, it never calls fn.
func Open(b []byte, fn func(Field)) error {
	if len(b) < 5 {
		return ErrDamaged
	}
	body, sum := b[:len(b)-4], b[len(b)-4:]
	if crc32.Checksum(body, castagnoli) != binary.BigEndian.Uint32(sum) {
		return ErrDamaged
	}
	if body[0] != version {
		return ErrVersion
	}
	for rest := body[1:]; len(rest) > 0; {
		f, n := field(rest)
		if n < 0 {
			return ErrDamaged
		}
		fn(f)
		rest = rest[n:]
	}
	return nil
}

// Unread holds the fields of a record that its reader did not know, since a later version of the
// program wrote them. The zero Unread is empty. It is comparable.
type Unread string

// Read is [Open] for a reader that writes the record again. fn reports whether it knew the field.
// Read returns the unknown fields for [Encoder.Keep], or none after an error.
func Read(b []byte, fn func(Field) bool) (Unread, error) {
	var unread []byte
	err := Open(b, func(f Field) {
		if !fn(f) {
			unread = append(unread, f.Raw...)
		}
	})
	if err != nil {
		return "", err
	}
	return Unread(unread), nil
}

// Others returns all fields of b but one, for a writer that knows only that one.
func Others(b []byte, known int) Unread {
	unread, _ := Read(b, func(f Field) bool { return f.Num == known }) // a damaged record keeps nothing
	return unread
}

// field reads the first field of b. It returns the field's length, or a negative number if it is
// malformed.
func field(b []byte) (Field, int) {
	num, typ, tag := protowire.ConsumeTag(b)
	if tag < 0 {
		return Field{}, tag
	}
	f, n := Field{Num: int(num)}, 0
	switch typ {
	case protowire.VarintType:
		f.Value, n = protowire.ConsumeVarint(b[tag:])
	case protowire.Fixed64Type:
		f.Value, n = protowire.ConsumeFixed64(b[tag:])
	case protowire.BytesType:
		f.Data, n = protowire.ConsumeBytes(b[tag:])
	default:
		n = protowire.ConsumeFieldValue(num, typ, b[tag:])
	}
	if n < 0 {
		return Field{}, n
	}
	f.Raw = b[:tag+n]
	return f, tag + n
}
