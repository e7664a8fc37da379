package sitemap

// maxTime is the last second of the year 9999, the last that four digits can name.
const maxTime = 253_402_300_799

// hasTime reports whether a file can name a time in seconds since the Unix epoch.
func hasTime(unix int64) bool { return unix > 0 && unix <= maxTime }

// appendTime appends an element of a time in seconds since the Unix epoch, or nothing if a
// file cannot name it. It writes the complete form of W3C Datetime in UTC, since the schema
// requires the seconds.
func appendTime(dst []byte, open string, unix int64, end string) []byte {
	if !hasTime(unix) {
		return dst
	}
	year, month, day := civil(uint32(unix / 86_400))
	second := uint32(unix % 86_400)
	dst = append(dst, open...)
	dst = appendPair(dst, year/100)
	dst = append(appendPair(dst, year%100), '-')
	dst = append(appendPair(dst, month), '-')
	dst = append(appendPair(dst, day), 'T')
	dst = append(appendPair(dst, second/3600), ':')
	dst = append(appendPair(dst, second/60%60), ':')
	dst = append(appendPair(dst, second%60), 'Z')
	return append(dst, end...)
}

// appendPair appends a number below 100 as two digits.
func appendPair(dst []byte, n uint32) []byte { return append(dst, '0'+byte(n/10), '0'+byte(n%10)) }

// civil returns the date that lies days days after 1 January 1970, by the algorithm of C.
// Neri and L. Schneider, "Euclidean affine functions and their application to calendar
// algorithms", Software: Practice and Experience 53 (2023), figure 12. Its years begin in
// March, so that the leap day comes last.
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
