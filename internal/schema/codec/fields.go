package codec

import "github.com/servemap/servemap/internal/decide/moment"

// Fields goes through the fields of a value, to write all of them or to read one. The
// value lists its fields once, each with its number, and the list serves for both:
//
//	func (p *point) fields(f *record.Fields) {
//		f.Bool(1, &p.seen)
//		f.Time(2, &p.at)
//	}
//
// [Encoder.Add] writes such a list, and [Into] reads it.
type Fields struct {
	to    *Encoder // nil while a field is read
	from  Field
	known bool // whether the list has the field being read
}

// Add adds all fields of a list, in its order, except zero ones.
func (e *Encoder) Add(list func(*Fields)) { list(&Fields{to: e}) }

// Write returns the record of a list, plus the fields that its reader did not know. It returns nil
// if both are empty.
func Write(list func(*Fields), unread Unread) []byte {
	var e Encoder
	e.Add(list)
	e.Keep(unread)
	return e.SealAny()
}

// Encode is Write, but returns a record also if there are no fields.
func Encode(list func(*Fields), unread Unread) []byte {
	var e Encoder
	e.Add(list)
	e.Keep(unread)
	return e.Seal()
}

// Into returns a function for [Read] that sets the fields of a list.
func Into(list func(*Fields)) func(Field) bool {
	var f Fields
	return func(from Field) bool {
		f = Fields{from: from}
		list(&f)
		return f.known
	}
}

// Reading reports whether one field is being read. Otherwise all are being written.
func (f *Fields) Reading() bool { return f.to == nil }

// reads reports whether the field with that number is being read.
func (f *Fields) reads(num int) bool {
	if f.from.Num != num {
		return false
	}
	f.known = true
	return true
}

// Value lists the fields of an inner value. They have the numbers from first up to, but not
// including, end.
func (f *Fields) Value(first, end int, list func(*Fields)) {
	if f.to != nil || first <= f.from.Num && f.from.Num < end {
		list(f)
	}
}

// Uint lists a number.
func Uint[T ~uint8 | ~uint16 | ~uint32 | ~uint64](f *Fields, num int, v *T) {
	if f.reads(num) {
		*v = T(f.from.Value)
	} else if f.to != nil {
		f.to.Uint(num, uint64(*v))
	}
}

// Bool lists a boolean.
func (f *Fields) Bool(num int, v *bool) {
	if f.reads(num) {
		*v = f.from.Value != 0
	} else if f.to != nil {
		f.to.Bool(num, *v)
	}
}

// Count lists a number of things; see [Field.Count].
func (f *Fields) Count(num int, v *int) {
	if f.reads(num) {
		*v = f.from.Count()
	} else if f.to != nil {
		f.to.Uint(num, uint64(max(0, *v)))
	}
}

// Int lists a number that may be negative.
func (f *Fields) Int(num int, v *int64) {
	if f.reads(num) {
		*v = f.from.Int()
	} else if f.to != nil {
		f.to.Int(num, *v)
	}
}

// Time lists a time.
func (f *Fields) Time(num int, v *moment.Time) {
	if f.reads(num) {
		*v = f.from.Time()
	} else if f.to != nil {
		f.to.Time(num, *v)
	}
}

// Date lists a time in seconds, which takes a byte less than Time.
func (f *Fields) Date(num int, v *moment.Time) {
	if f.reads(num) {
		*v = f.from.Date()
	} else if f.to != nil {
		f.to.Date(num, *v)
	}
}

// Text lists a text.
func (f *Fields) Text(num int, v *string) {
	f.Data(num, 1, func(int) []byte { return []byte(*v) }, func(b []byte) { *v = string(b) })
}

// Hash lists a hash.
func (f *Fields) Hash(num int, v *uint64) {
	if f.reads(num) {
		*v = f.from.Value
	} else if f.to != nil {
		f.to.Fixed(num, *v)
	}
}

// Data lists n byte strings under one number. write returns the one at i; the record leaves out
// empty ones. read takes the next one, which aliases the record.
func (f *Fields) Data(num, n int, write func(i int) []byte, read func([]byte)) {
	if f.reads(num) {
		read(f.from.Data)
	} else if f.to != nil {
		for i := range n {
			f.to.Bytes(num, write(i))
		}
	}
}
