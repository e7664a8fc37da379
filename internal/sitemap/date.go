package sitemap

import "encoding/binary"

// maxTime is the last second of the year 9999, the last that four digits can name.
const maxTime = 253_402_300_799

// timeLen is the length of a time in a file.
const timeLen = len("2006-01-02T15:04:05Z")

// hasTime reports whether a file can name a time in seconds since the Unix epoch.
func hasTime(unix int64) bool { return unix > 0 && unix <= maxTime }

// appendDated ends an address, and appends a lastmod element for a time in seconds since the Unix epoch, or nothing when
// a file cannot name it.
func appendDated(dst []byte, unix int64) []byte {
	if !hasTime(unix) {
		return append(dst, locClose...)
	}
	const blank = locClose + lastModOpen + "0000-00-00T00:00:00Z" + lastModClose
	dst = append(dst, blank...)
	putTime(dst[len(dst)-timeLen-len(lastModClose):], unix)
	return dst
}

// putTime writes the digits of a time that a file can name over zeros. The form is the complete one of W3C Datetime, in
// UTC; the schema accepts none that leaves out the seconds.
func putTime(dst []byte, unix int64) {
	b := (*[timeLen]byte)(dst)
	year, month, day := civil(uint32(unix / 86_400))
	second := uint32(unix % 86_400)
	minute := second / 60
	date := digits(year/100, year%100, month, day)
	binary.LittleEndian.PutUint32(b[0:], uint32(date))
	binary.LittleEndian.PutUint16(b[5:], uint16(date>>32))
	binary.LittleEndian.PutUint16(b[8:], uint16(date>>48))
	clock := digits(minute/60, minute%60, second%60, 0)
	binary.LittleEndian.PutUint16(b[11:], uint16(clock))
	binary.LittleEndian.PutUint16(b[14:], uint16(clock>>16))
	binary.LittleEndian.PutUint16(b[17:], uint16(clock>>32))
}

// digits returns four numbers below 100 as two digits each, the first digit in the lowest byte. The four are computed at
// once, in 16 bits each: 103/1024 is a tenth as far as 178.
func digits(a, b, c, d uint32) uint64 {
	const each = 0x0001_0001_0001_0001
	n := uint64(a) | uint64(b)<<16 | uint64(c)<<32 | uint64(d)<<48
	tens := n * 103 >> 10 & (0xF * each)
	return tens + (n-10*tens)<<8 + 0x3030*each
}

// civil returns the date that lies a number of days after 1 January 1970, by the algorithm of C. Neri and L. Schneider,
// "Euclidean affine functions and their application to calendar algorithms", Software: Practice and Experience 53
// (2023), figure 12. Its years begin in March, so that the leap day is their last.
func civil(days uint32) (year, month, day uint32) {
	const toEpoch = 719_468 // days from 1 March of the year 0
	n1 := 4*(days+toEpoch) + 3
	century, rest := n1/146_097, n1%146_097/4
	n2 := 2_939_745 * uint64(4*rest+3)
	year = 100*century + uint32(n2>>32)
	dayOfYear := uint32(n2) / 2_939_745 / 4
	n3 := 2141*dayOfYear + 197_913
	month, day = n3>>16, (n3&0xFFFF)/2141+1
	if dayOfYear >= 306 { // January and February
		return year + 1, month - 12, day
	}
	return year, month, day
}
