package ledger

import (
	"context"
	"time"
)

// Forget takes location out of the sitemap, erases what is known of it, and bars it
// until a rule lists it. When it returns nil, that survives a loss of power.
func (l *Ledger) Forget(ctx context.Context, location string) error {
	l.cfg.Files.Withdraw(location, time.Now())
	return l.call(ctx, func(ctx context.Context) error {
		if err := l.open(ctx); err != nil {
			return err
		}
		if err := l.commit(ctx, nil, func(m *merge) { m.forget(location) }); err != nil {
			return err
		}
		delete(l.doubts, location)
		return l.sync(ctx, true)
	})
}
