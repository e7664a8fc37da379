package badgerstore

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"

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

// badgerLog passes on Badger's warnings and errors, each once per opening, since Badger repeats some
// every second. Badger logs keys. So badgerLog passes on only the constant text of a message, and
// the innermost message of an error in it.
//
// Badger has no hooks. So badgerLog also calls back when Badger logs a certain line. Badger waits until
// it returns.
type badgerLog struct {
	log         *slog.Logger
	dir         string
	beforeTable func()   // called before a compaction makes a table; may be nil
	seen        sync.Map // texts that were logged
}

func (l *badgerLog) Errorf(format string, args ...any)   { l.pass(slog.LevelError, format, args) }
func (l *badgerLog) Warningf(format string, args ...any) { l.pass(slog.LevelWarn, format, args) }
func (l *badgerLog) Infof(string, ...any)                {}

func (l *badgerLog) Debugf(format string, _ ...any) {
	if l.beforeTable != nil && strings.HasPrefix(format, textBeforeTable) {
		l.beforeTable()
	}
}

func (l *badgerLog) pass(level slog.Level, format string, args []any) {
	constant, _, found := strings.Cut(format, "%")
	if _, old := l.seen.LoadOrStore(constant, true); old || !found {
		return // a text without arguments is one that Badger made of others
	}
	attrs := []any{"dir", l.dir}
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			attrs = append(attrs, "cause", innermost(err.Error()))
		}
	}
	l.log.Log(context.Background(), level, "badgerstore: badger: "+strings.TrimRight(constant, " :[(\n"), attrs...)
}
