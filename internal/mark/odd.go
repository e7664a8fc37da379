package mark

// A look whose main text has all but vanished is an error or a challenge that
// was served with status 200. One in another language is what other visitors
// get.
const (
	oddShare = 3    // of ten parts that the text had
	oddSize  = 4096 // no error page says more, in bytes
	oddFrom  = 256  // no page with less can shrink to one
	oddDays  = 30   // from then on it is what the page has become
)

const daySeconds = 86400

func (m *Mark) odd(v *View) bool {
	if m.lang != 0 && v.lang != 0 && m.lang != v.lang {
		return true
	}
	was := 16 * int(m.size)
	return was >= oddFrom && v.size < oddSize && v.size*10 < was*oddShare
}

// lookAtOdd notes that the page is next to empty. It reports false when it has
// been so for long.
func (m *Mark) lookAtOdd(at int64) bool {
	day := uint16(at / daySeconds)
	if m.oddDay == 0 {
		m.oddDay = day
	}
	return day-m.oddDay < oddDays
}

// sizeClass returns a size in units of 16 bytes.
func sizeClass(n int) uint16 { return uint16(min(n/16, 1<<16-1)) }
