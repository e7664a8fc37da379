package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap/store"
)

// A reason says why a store cannot be used. It determines when to try again.
type reason int

const (
	working       reason = iota
	locked               // another process or store has the folder open
	noSpace              // too little is free on the file system
	noDescriptors        // the process cannot open enough files
	inaccessible         // the folder cannot be created, read or locked
	folderMoved          // the folder was removed, renamed or replaced while it was open
	otherFormat          // another version of Badger, or of this package, wrote the folder
	corrupt              // Badger's files are damaged
	otherFailure         // Badger does not open, or failed, for another reason
)

// A problem is the error of calls while the store cannot be used. It wraps
// [store.ErrUnavailable].
type problem struct {
	reason reason
	err    error
}

func (p *problem) Error() string {
	return fmt.Sprintf("badgerstore: %v: %v", store.ErrUnavailable, p.err)
}
func (p *problem) Unwrap() []error { return []error{store.ErrUnavailable, p.err} }

// reasonOf returns the reason in err, or otherFailure if it has none.
func reasonOf(err error) reason {
	if err == nil {
		return working
	}
	if p, ok := errors.AsType[*problem](err); ok {
		return p.reason
	}
	return otherFailure
}

// corruption is the problem of files that are damaged.
func corruption(format string, args ...any) error {
	return &problem{corrupt, fmt.Errorf("opening: "+format, args...)}
}

// openingProblem says why Badger did not open. Only what Badger itself says of damage proves it: every
// other error may be one of the system, which passes. Badger's errors contain others only as text.
func openingProblem(err error) error {
	text := err.Error()
	if strings.Contains(text, textLocked) {
		return badgerProblem(locked, "opening", err)
	}
	for _, damage := range damageTexts {
		if strings.HasPrefix(innermost(text), damage) { // a path further in may have any name
			return badgerProblem(corrupt, "opening", err)
		}
	}
	return badgerProblem(otherFailure, "opening", err)
}

// errClosed is the error of calls after Close.
var errClosed = fmt.Errorf("badgerstore: %w", store.ErrClosed)

// contextError is the error of a call whose context is done.
func contextError(ctx context.Context) error {
	return fmt.Errorf("badgerstore: %w", ctx.Err())
}

// retryDelay returns how long to wait before the next attempt to open the folder, after this reason
// occurred n times in a row before. A locked folder is tried often, so that a successor takes over
// at once. When Badger fails to open, it never frees its memory, so then the delay doubles up to an
// hour.
func retryDelay(r reason, n int) time.Duration {
	limit := 5 * time.Second
	switch r {
	case locked:
		limit = time.Second
	case corrupt, otherFailure:
		limit = time.Hour
	}
	return min(limit, 250*time.Millisecond<<min(n, 20))
}
