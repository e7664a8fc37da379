package sitemap

// maxTime is the last second of the year 9999, the last that four digits can name.
const maxTime = 253_402_300_799

// twoDigits holds the numbers from 00 to 99.
const twoDigits = "00010203040506070809" + "10111213141516171819" + "20212223242526272829" + "30313233343536373839" +
	"40414243444546474849" + "50515253545556575859" + "60616263646566676869" + "70717273747576777879" +
	"80818283848586878889" + "90919293949596979899"

// appendLastMod appends a lastmod element for a time in seconds since the Unix epoch, or nothing when it has none. The
// form is the complete one of W3C Datetime, in UTC; the schema accepts none that leaves out the seconds.
func appendLastMod(dst []byte, unix int64) []byte {
	if unix <= 0 || unix > maxTime {
		return dst
	}
	const blank = lastModOpen + "0000-00-00T00:00:00Z" + lastModClose
	dst = append(dst, blank...)
	b := dst[len(dst)-len(blank)+len(lastModOpen):]
	year, month, day := civil(uint32(unix / 86_400))
	second := uint32(unix % 86_400)
	put2(b[0:2], year/100)
	put2(b[2:4], year%100)
	put2(b[5:7], month)
	put2(b[8:10], day)
	put2(b[11:13], second/3600)
	put2(b[14:16], second/60%60)
	put2(b[17:19], second%60)
	return dst
}

// put2 writes a number below 100 as two digits.
func put2(b []byte, n uint32) {
	b[0], b[1] = twoDigits[2*n], twoDigits[2*n+1]
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
