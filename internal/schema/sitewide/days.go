package sitewide

import (
	"maps"
	"slices"

	"github.com/servemap/servemap/internal/schema/codec"
)

// Day has the numbers of one day: what happened, and how the sitemap was when that was last noted.
type Day struct {
	Listed  int `cbor:"1,keyasint,omitzero" json:"listed"` // pages
	Dated   int `cbor:"2,keyasint,omitzero" json:"dated"`  // of these, with a lastmod
	Added   int `cbor:"3,keyasint,omitzero" json:"added"`
	Changed int `cbor:"4,keyasint,omitzero" json:"changed"` // each change counts
	Removed int `cbor:"5,keyasint,omitzero" json:"removed"`
}

// Days are the last days, by days since 1970, at most daysKept.
type Days map[int64]Day

const daysKept = 366

// ReadDays reads what Encode wrote. A damaged record counts as empty. It leaves out days later than today, which a
// wrong clock has written.
func ReadDays(b []byte, today int64) Days {
	days := codec.Read[Days](b)
	if days == nil {
		return Days{}
	}
	maps.DeleteFunc(days, func(day int64, _ Day) bool { return day > today })
	return days
}

// Add adds up what happened, and replaces how the sitemap was, if that is known.
func (d Days) Add(other Days) {
	for day, n := range other {
		sum := d[day]
		sum.Added, sum.Changed, sum.Removed = sum.Added+n.Added, sum.Changed+n.Changed, sum.Removed+n.Removed
		if n.Listed+n.Dated > 0 {
			sum.Listed, sum.Dated = n.Listed, n.Dated
		}
		d[day] = sum
	}
	for len(d) > daysKept {
		delete(d, slices.Min(slices.Collect(maps.Keys(d))))
	}
}

// Encode returns the record of the days.
func (d Days) Encode() []byte { return codec.MarshalOrNil(d) }
