package badgerstore

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/y"
)

// Texts of Badger 4.9.6. Tests check them against the version in use. Badger's errors contain other
// errors only as text, so errors.Is does not find them.
const (
	textLocked = "Another process is using this Badger database"

	// textBeforeTable begins the last log line before a compaction makes a table. The line itself
	// does not matter.
	textBeforeTable = "[%d] LOG Compact. Added %d keys."
)

// damageTexts begin the innermost messages of the errors with which Badger refuses damaged files.
var damageTexts = []string{
	// Of the manifest. Its other entries may contradict each other, or the tables.
	"manifest has bad magic",
	"manifest has checksum mismatch",
	"Buffer length: ",
	"MANIFEST invalid, ",
	"MANIFEST file has invalid manifestChange op",
	"file does not exist for table ",
	"Level ", "Inter: ", "Intra: ",

	// Of tables and logs.
	y.ErrChecksumMismatch.Error(),
	"checksum length less than zero",
	"invalid checksum length",
	"block out of index",
	"proto:",
	"binary: varint overflows",
	badger.ErrInvalidDataKeyID.Error(),

	// Of the registry of keys.
	badger.ErrEncryptionKeyMismatch.Error(),
	io.EOF.Error(),
}

// badgerProblem turns an error of Badger into a problem. Badger writes keys into its errors, and a
// key may name a page that is not public. So only the innermost message is kept.
func badgerProblem(r reason, doing string, err error) error {
	return &problem{r, fmt.Errorf("%s: %s", doing, innermost(err.Error()))}
}

// innermost returns what comes after the last " err: " of an error.
func innermost(text string) string {
	if i := strings.LastIndex(text, " err: "); i >= 0 {
		text = text[i+len(" err: "):]
	}
	return strings.TrimSpace(text)
}

// recoverTo turns a panic of Badger into an error. Badger panics in its callers if its files are
// damaged, and after a failed write.
func recoverTo(err *error) {
	if p := recover(); p != nil {
		*err = &problem{otherFailure, fmt.Errorf("%s", panicText(p))}
	}
}

// panicText describes a panic without anything that Badger may have put into it.
func panicText(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return "badger panicked: " + err.Error()
	}
	return fmt.Sprintf("badger panicked with a value of type %T", p)
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
