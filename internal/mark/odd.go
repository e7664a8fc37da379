package mark

// A look whose main text has almost vanished is an error or a challenge with
// status 200. One in another language is for other visitors.
const (
	oddShare = 3    // of ten parts that the text had
	oddSize  = 4096 // error pages say less, in bytes
	oddFrom  = 256  // a page with less cannot shrink to one
	oddDays  = 30   // from then on it is what the page has become
)

// oddDay is for how many days the page has been odd, at most 31, and in the lower
// bits the day of the last such look since the Unix epoch.
type oddDay uint16

// Of each gap between looks at most gapDays count. So it takes at least three
// looks to tell, and a clock that jumps tells nothing.
const (
	dayBits = 11
	gapDays = 10
)

// after returns the value after a look on a day.
func (d oddDay) after(today int64) oddDay {
	passed := int64(d >> dayBits)
	if d != 0 {
		gap := (today - int64(d)) & (1<<dayBits - 1)
		if gap >= 1<<(dayBits-1) {
			gap = 0 // the clock went back
		}
		passed = min(passed+min(gap, gapDays), 1<<(16-dayBits)-1)
	}
	return oddDay(passed<<dayBits | max(1, today&(1<<dayBits-1)))
}

// passed returns for how many days the page has been odd.
func (d oddDay) passed() int { return int(d >> dayBits) }

const daySeconds = 86400

func (m *Mark) odd(v *View) bool {
	if m.lang != 0 && v.lang != 0 && m.lang != v.lang {
		return true
	}
	was := 16 * int(m.size)
	return was >= oddFrom && v.size < oddSize && v.size*10 < was*oddShare
}

// lookAtOdd notes that the page is nearly empty. It reports false if it has been
// so for long.
func (m *Mark) lookAtOdd(at int64) bool {
	m.oddDay = m.oddDay.after(at / daySeconds)
	return m.oddDay.passed() < oddDays
}

// sizeClass returns a size in units of 16 bytes.
func sizeClass(n int) uint16 { return uint16(min(n/16, 1<<16-1)) }
