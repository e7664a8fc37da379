package badgerstore

import "slices"

// Notes returns what befell the records since Open, one sentence each: damage
// that was found, and what was done about it, and whether the folder looks as if
// it were temporary. Each was logged as well. They name no key, and are kept
// until the Store is gone. It may be called concurrently.
func (s *Store) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}

// tell adds a note, once.
func (s *Store) tell(text string) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.notes, text) {
		return false
	}
	s.notes = append(s.notes, text)
	return true
}

// The notes.
const (
	noteAside  = "The records were damaged and were moved aside; the site is being learned anew, and pages barred by Forget need Never rules."
	noteLost   = "The last records that had been stored are missing; pages that Forget barred at last need to be barred again."
	noteSpoilt = "Some records are damaged, count as absent and are learned anew."
	noteMoved  = "The folder was removed, renamed or replaced while it was open; what is in its place now is used, and pages that Forget barred may need to be barred again."
	notePasses = "The folder is in memory or in the layer of a container, and what is learned is lost with it; give it a volume."
)
