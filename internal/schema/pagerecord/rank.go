package pagerecord

// worth ranks a waiting location by what would be lost with its record.
func (p *Page) worth() uint8 {
	switch {
	case p.Led() && p.Witnessed:
		return 2
	case p.Led():
		return 1
	}
	return 0
}

// rankShift is the position of the worth in a rank. Below it is the time of the last observation, or link,
// in milliseconds.
const rankShift = 56

// Rank returns the rank of a waiting record: if there are too many, the lowest goes first. An
// unreadable record goes before all others.
func Rank(value []byte) uint64 {
	p, err := Decode(value)
	if err != nil {
		return 0
	}
	return uint64(p.worth())<<rankShift | uint64(max(0, p.LastSeen, p.LinkAt))
}
