package part

// Guess returns the keys that listing location takes in most cases, for who reads
// them beforehand: n is the part that it is in, or for a new page, with isNew,
// that which the last one went to. A wrong guess costs a little time.
func (b Book) Guess(n int, location string, isNew bool) []string {
	switch {
	case n == 0:
		return nil
	case isNew:
		return []string{b.Keys.head(), b.Keys.part(n), b.Keys.list(n, location)}
	}
	return []string{b.Keys.list(n, location)}
}

// Guess returns the keys that noting an event at now takes, in Unix milliseconds.
// before is what [Journal.Note] returned the last time, 0 if never.
func (j Journal) Guess(before int64, location string, now int64) []string {
	keys := []string{j.Keys.log(now, location)}
	if before != 0 {
		keys = append(keys, j.Keys.log(before, location))
	}
	return keys
}
