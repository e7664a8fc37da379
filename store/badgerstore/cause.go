package badgerstore

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// kind says what sort of trouble keeps a store from working, and so what is
// done about it.
type kind int

const (
	fine    kind = iota
	busy         // somebody else has the folder open
	full         // too little is free on the file system
	starved      // the process cannot open enough files
	files        // the folder cannot be created, read or locked
	moved        // the folder was removed, renamed or replaced while it was open
	damaged      // Badger's files are damaged
	failing      // Badger does not open, or failed, for another reason
)

// trouble is an error of a kind.
type trouble struct {
	kind kind
	err  error
}

func (t *trouble) Error() string { return t.err.Error() }
func (t *trouble) Unwrap() error { return t.err }

// kindOf returns the kind of an error that was made here, failing if none.
func kindOf(err error) kind {
	if err == nil {
		return fine
	}
	if t, ok := errors.AsType[*trouble](err); ok {
		return t.kind
	}
	return failing
}

// What Badger 4.9.6 says. Most of its errors carry others only as text, so
// that errors.Is does not find them; the tests hold these texts to the version
// in use.
const (
	sayNewFile = "Create a new file"
	sayLocked  = "Another process is using this Badger database"
	sayNoTable = "file does not exist for table"

	// sayReceived begins what Badger logs of an error that Open returns too.
	sayReceived = "Received err"

	// sayUnflushed begins what Badger logs when it could not write a memtable to
	// a table, which it then tries again without end.
	sayUnflushed = "error flushing memtable to disk"

	// sayTableNext begins what Badger logs, of no importance, in the course of
	// a compaction when the next thing it does is to make a table.
	sayTableNext = "[%d] LOG Compact. Added %d keys."
)

// sayDamaged are the errors of damage that is there to stay. What Badger says
// of a folder of a newer version is not among them.
var sayDamaged = []string{
	"manifest has bad magic",
	"manifest has checksum mismatch",
	"Manifest file might be corrupted",
	sayNoTable,
	"failed to verify checksum for table",
	"Error while reading IV for key registry",
	"Error while reading sanity text",
	"Encryption key mismatch", // nothing here is encrypted
}

// classify returns the kind of an error of badger.Open. Of what the system says
// no more is made than that Badger failed: what lasts of it, such as too little
// space, is found before Badger is opened.
func classify(err error) kind {
	text := err.Error()
	if strings.Contains(text, sayLocked) {
		return busy
	}
	for _, say := range sayDamaged {
		if strings.Contains(text, say) {
			return damaged
		}
	}
	return failing
}

// halfMade reports whether an error of badger.Open says that a file had been
// created and not yet been given its length when a process died. Opening again
// heals it, without loss.
func halfMade(err error) bool { return strings.Contains(err.Error(), sayNewFile) }

// failure makes an error of Badger ours. Badger writes keys into its errors,
// and a key may tell of a page that is not public, so only the innermost
// message is kept, the one after the last " err: ".
func failure(doing string, err error) error {
	return unavailable(&trouble{failing, fmt.Errorf("%s: %s", doing, innermost(err.Error()))})
}

func innermost(text string) string {
	if i := strings.LastIndex(text, " err: "); i >= 0 {
		text = text[i+len(" err: "):]
	}
	return strings.TrimSpace(text)
}

// delay returns how long to wait before opening is tried again, after trouble
// of a kind met n times running. A folder that is busy is asked for often, so
// that a successor takes over at once. What Badger leaves behind when it fails
// to open is never freed, so then the waits double up to an hour. Who renames a
// folder to put another one in its place gets some seconds to do so.
func delay(k kind, n int) time.Duration {
	limit := 5 * time.Second
	switch k {
	case busy:
		limit = time.Second
	case failing:
		limit = time.Hour
	case moved:
		return limit
	}
	return min(limit, 250*time.Millisecond<<min(n, 20))
}
