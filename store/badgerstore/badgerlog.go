package badgerstore

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

// badgerLog passes Badger's warnings and errors on. Badger logs keys and key
// ranges, which may tell of pages that are not public, so only the constant
// text of a message is passed on, and the innermost message of an error in it.
// Badger repeats some of them every second, so each text is passed on once for
// each opening.
type badgerLog struct {
	log *slog.Logger
	dir string

	// beforeTable is called by a compaction before it makes a table, and holds
	// it up until it returns. It may be nil.
	beforeTable func()

	// unflushed is called when a memtable could not be written to a table, before
	// Badger tries that again. It may be nil.
	unflushed func()

	mu   sync.Mutex
	seen map[string]bool
}

func (l *badgerLog) Errorf(format string, args ...any) {
	if l.unflushed != nil && strings.HasPrefix(format, sayUnflushed) {
		l.unflushed()
	}
	l.pass(slog.LevelError, format, args)
}

func (l *badgerLog) Warningf(format string, args ...any) { l.pass(slog.LevelWarn, format, args) }
func (l *badgerLog) Infof(string, ...any)                {}

// Debugf passes nothing on. It is where Badger, which offers no such place, can
// be kept from making a table when there is no room for it: it waits for us to
// log what it did last.
func (l *badgerLog) Debugf(format string, _ ...any) {
	if l.beforeTable != nil && strings.HasPrefix(format, sayTableNext) {
		l.beforeTable()
	}
}

// spoilt tells of a record that failed its checksum.
func (l *badgerLog) spoilt() {
	l.pass(slog.LevelError, "a record is damaged and counts as absent", nil)
}

func (l *badgerLog) pass(level slog.Level, format string, args []any) {
	if strings.HasPrefix(format, sayReceived) || !l.first(format) {
		return
	}
	attrs := []any{"dir", l.dir}
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			attrs = append(attrs, "cause", innermost(err.Error()))
		}
	}
	l.log.Log(context.Background(), level, "badgerstore: badger: "+constant(format), attrs...)
}

// maxSeen bounds what is remembered, as a few of Badger's texts are not
// constant after all.
const maxSeen = 100

func (l *badgerLog) first(format string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen[format] || len(l.seen) >= maxSeen {
		return false
	}
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	l.seen[format] = true
	return true
}

// constant returns what a format says before its first verb.
func constant(format string) string {
	text, _, _ := strings.Cut(format, "%")
	return strings.TrimRight(text, " :[(\n")
}
