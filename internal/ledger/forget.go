package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/servemap/servemap/internal/record"
)

// Forget takes location out of the sitemap, erases what is known of it, and
// bars it until a rule lists it. When it returns nil, that survives a loss of
// power. What a record of a later version names it cannot forget; then it bars the
// page if it can, keeps it out of what this process serves, and tries again with
// each review.
func (l *Ledger) Forget(ctx context.Context, location string) error {
	l.cfg.Files.Withdraw(location, time.Now())
	left := false
	err := l.call(ctx, func(ctx context.Context) error {
		if err := l.open(ctx); err != nil {
			return err
		}
		var err error
		if left, err = l.forget(ctx, location); err != nil {
			return err
		}
		return l.sync(ctx, true)
	})
	if err == nil && left {
		return fmt.Errorf("the page's record: %w; this process does not serve the page, let one forget it that runs that version", record.ErrVersion)
	}
	return err
}

// forgottenKept bounds what is still to be forgotten. Beyond that only its owner,
// who was told, knows of it.
const forgottenKept = 4096

// forget stores that a location is forgotten, and reports whether records of a
// later version are left that name it.
func (l *Ledger) forget(ctx context.Context, location string) (left bool, err error) {
	if err := l.commit(ctx, nil, func(m *merge) { left = !m.forget(location) }); err != nil {
		return false, err
	}
	switch {
	case !left:
		delete(l.doubts, location)
		delete(l.forgotten, location)
	case len(l.forgotten) < forgottenKept:
		l.forgotten[location] = true
	}
	return left, nil
}

// forgetAgain forgets what is still to be forgotten, where a process of the later
// version has left that to this one by now.
func (l *Ledger) forgetAgain(ctx context.Context) error {
	for location := range l.forgotten {
		if _, err := l.forget(ctx, location); err != nil && !tooMuch(err) {
			return err
		}
	}
	return nil
}
