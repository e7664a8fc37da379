package badgerstore

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/store"
)

// ErrLocked is wrapped by the errors of calls, and of [Store.Health], while another process has the
// folder open.
var ErrLocked error = locked("another process has it open, or another store of this one does; this one takes over when " +
	"that one ends; for both at once, give each a folder of its own, or use {Shared}")

// locked is an error that names settings as the owner writes them.
type locked string

func (e locked) Error() string { return words.Say(string(e)) }

// errClosed is the error of calls after Close.
var errClosed = fmt.Errorf("badgerstore: %w", store.ErrClosed)

// unavailable is the error of calls while the store cannot be used.
func unavailable(err error) error {
	return fmt.Errorf("badgerstore: %w: %w", store.ErrUnavailable, err)
}

// A badgerError is a failure of Badger.
type badgerError struct {
	text   string
	damage bool // its files are damaged
}

func (e *badgerError) Error() string { return e.text }

// failed describes an error of Badger. Badger writes keys into its errors, and a key may name a page
// that is not public. So only the innermost message is kept, which comes after the last " err: ".
func failed(doing string, err error) *badgerError {
	text := err.Error()
	text = strings.TrimPrefix(text[max(0, strings.LastIndex(text, " err: ")):], " err: ")
	text, _, _ = strings.Cut(text, "\n")
	return &badgerError{text: doing + ": " + strings.TrimSpace(text)}
}

// corruption says that files are damaged.
func corruption(format string, args ...any) error {
	return &badgerError{fmt.Sprintf("opening: "+format, args...), true}
}

// failedOpening says why Badger did not open. It is damage unless the system or another version of Badger explains it.
// Badger's errors contain those of the system only as text.
func failedOpening(err error) error {
	e := failed("opening", err)
	for _, text := range otherVersions {
		if strings.Contains(e.text, text) {
			return fmt.Errorf("another version wrote the records, which damaged nothing; run that version, or name another "+
				"folder; %w", e)
		}
	}
	e.damage = true
	for number := syscall.Errno(1); number < 134; number++ {
		if strings.HasSuffix(e.text, number.Error()) {
			e.damage = false
		}
	}
	return e
}

// Texts of Badger 4.9.6. Tests check them against the version in use.
var (
	// otherVersions are in its errors about the numbers of formats in a manifest.
	otherVersions = []string{"manifest has unsupported version", "the external magic number doesn't match"}

	// textBeforeTable begins the last log line before a compaction makes a table. The line itself
	// does not matter.
	textBeforeTable = "[%d] LOG Compact. Added %d keys."

	// textLogEnd is in its error about a log that it would have to cut: its number, and where it ends.
	textLogEnd = regexp.MustCompile(`while opening fid: (\d+) .*end offset: (\d+) < size`)
)

// logEnd returns which log Badger would have to cut, and where, if that is why it did not open.
func logEnd(err error) (number, size int64, needed bool) {
	found := textLogEnd.FindStringSubmatch(err.Error())
	if found == nil {
		return 0, 0, false
	}
	number, _ = strconv.ParseInt(found[1], 10, 64)
	size, err = strconv.ParseInt(found[2], 10, 64)
	return number, size, err == nil
}

// recoverTo turns a panic of Badger into an error. Badger panics in its callers if its files are
// damaged, and after a failed write. The panic's value may have a key in it.
func recoverTo(err *error) {
	if p := recover(); p != nil {
		*err = &badgerError{text: fmt.Sprintf("badger panicked with a value of type %T", p)}
	}
}

// badgerLog drops what Badger logs: it logs keys, and what is wrong with it shows in the store's calls.
// Badger has no hooks. So badgerLog calls back when Badger logs a certain line. Badger waits until it
// returns.
type badgerLog struct {
	beforeTable func() // called before a compaction makes a table
}

func (badgerLog) Errorf(string, ...any)   {}
func (badgerLog) Warningf(string, ...any) {}
func (badgerLog) Infof(string, ...any)    {}

func (l badgerLog) Debugf(format string, _ ...any) {
	if strings.HasPrefix(format, textBeforeTable) {
		l.beforeTable()
	}
}
