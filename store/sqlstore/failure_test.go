package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/postgres"
	"github.com/servemap/servemap/store"
)

// holdLock takes the lock that writers wait for, for as long as the database allows. It gives it back
// when the test ends.
func holdLock(t *testing.T, s *Store, db *sql.DB, limit string) *sql.Tx {
	t.Helper()
	tx, err := db.Begin()
	base.Check(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	_, err = tx.Exec(s.on(lockTable), limit)
	base.Check(t, err)
	return tx
}

// calls has one call of each kind.
var calls = map[string]func(context.Context, *Store) error{
	"View": func(ctx context.Context, s *Store) error {
		return s.View(ctx, []string{"k"}, func([][]byte) error { return nil })
	},
	"Update": func(ctx context.Context, s *Store) error {
		return s.Update(ctx, []string{"n"}, func(values [][]byte) error {
			values[0] = append(values[0], '.')
			return nil
		})
	},
	"Scan": func(ctx context.Context, s *Store) (last error) {
		for _, err := range s.Scan(ctx, "", "") {
			last = err
		}
		return last
	},
}

// TestStoreWorksAgainAfterTheDatabaseFailed makes the database hang or disappear, and then come back.
func TestStoreWorksAgainAfterTheDatabaseFailed(t *testing.T) {
	for _, c := range []struct {
		name       string
		timeout    time.Duration
		mute, down bool // the network
	}{
		{"hangs", 300 * time.Millisecond, true, false},
		{"is gone", 5 * time.Second, false, true},
	} {
		for name, call := range calls {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				s, n, log := throughNetwork(t)
				s.timeout = c.timeout // only now, since this machine may be busy
				n.fail(c.mute, c.down)
				for range 3 {
					began := time.Now()
					err := call(context.Background(), s)
					if took := time.Since(began); !errors.Is(err, store.ErrUnavailable) || took > c.timeout+5*time.Second {
						t.Errorf("with a database that %s: %v after %v, want ErrUnavailable within %v", c.name, err, took, c.timeout)
					}
				}
				n.mend()
				s.timeout = time.Minute // this machine may be busy
				if err := eventually(func() error { return call(context.Background(), s) }); err != nil {
					t.Errorf("when the database is back: %v", err)
				}
				mustPut(t, s, "k", "2") // only a write shows that writing works again
				log.Want(t, 1, "level=WARN")
				log.Want(t, 1, "works again")
			})
		}
	}
}

func TestCallsEndAtTheCallersDeadline(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			s, n, log := throughNetwork(t)
			n.fail(true, false)
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			began := time.Now()
			err := call(ctx, s)
			if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, store.ErrUnavailable) || took > 5*time.Second {
				t.Errorf("a call with a deadline: %v after %v, want context.DeadlineExceeded", err, took)
			}
			log.Want(t, 0, "level=WARN") // a caller that does not wait is no problem of the store
		})
	}
}

// TestEndedSessionsLoseNoConfirmedWrite makes the database end the sessions of writers, again and
// again. Confirmed writes must be there; unconfirmed ones may be.
func TestEndedSessionsLoseNoConfirmedWrite(t *testing.T) {
	direct, db := open(t)
	mustPut(t, direct, "k", "")
	name, _, _ := strings.Cut(direct.table, ".") // of the sessions
	s := openWith(t, dialWith(t, postgres.Address, "application_name="+name),
		&Options{Table: direct.table, Logger: new(base.Log).Logger()})
	const writers, rounds = 3, 60
	var confirmed, doubtful [writers]int
	var end sync.WaitGroup
	for w := range writers {
		end.Go(func() {
			for range rounds {
				err := s.Update(context.Background(), []string{fmt.Sprint("w", w), "all"}, func(values [][]byte) error {
					values[0], values[1] = append(values[0], '.'), append(values[1], '.')
					return nil
				})
				switch {
				case err == nil:
					confirmed[w]++
				case errors.Is(err, store.ErrUnavailable):
					doubtful[w]++
				default:
					t.Errorf("Update of an ended session: %v, want ErrUnavailable", err)
				}
			}
		})
	}
	for range 20 {
		mustExec(t, db, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 ORDER BY random() LIMIT 1`, name)
	}
	end.Wait()
	total := 0
	for w := range writers {
		got := len(get(t, direct, fmt.Sprint("w", w)))
		total += got
		if got < confirmed[w] || got > confirmed[w]+doubtful[w] {
			t.Errorf("of %d confirmed and %d doubtful updates %d were stored", confirmed[w], doubtful[w], got)
		}
	}
	if all := len(get(t, direct, "all")); all != total {
		t.Errorf("updates stored one key %d times and the other %d times", all, total)
	}
}

// TestWriterThatStandsStillHoldsOthersUpOnlyBriefly makes a process take the lock and then do nothing.
func TestWriterThatStandsStillHoldsOthersUpOnlyBriefly(t *testing.T) {
	s, db := open(t)
	mustPut(t, s, "k", "1")
	tx := holdLock(t, s, db, "300ms")
	began := time.Now()
	mustPut(t, s, "k", "2")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a writer that stands still for 300 ms kept another waiting for %v", took)
	}
	if err := tx.Commit(); err == nil {
		t.Error("the database did not give up the transaction of a writer that stood still")
	}
}

func TestLockThatIsNotGivenBackFailsUpdatesAndLetsReadsThrough(t *testing.T) {
	s, db := open(t)
	mustPut(t, s, "k", "1")
	tx := holdLock(t, s, db, "60s")
	hasty := openWith(t, db, &Options{Table: s.table,
		Timeout: 200 * time.Millisecond, Logger: new(base.Log).Logger()})
	if err := put(hasty, "k", "2"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Update behind a lock: %v, want ErrUnavailable", err)
	}
	hasty.timeout = time.Minute
	if got := get(t, hasty, "k"); got != "1" {
		t.Errorf("View behind a lock gives %q, want 1", got)
	}
	base.Check(t, tx.Rollback())
	mustPut(t, hasty, "k", "3")
}

// TestUpdateWaitsForTheDisk asks the server itself what it has flushed.
func TestUpdateWaitsForTheDisk(t *testing.T) {
	direct, db := open(t)
	mustPut(t, direct, "k", "1")
	s := openTable(t, dialWith(t, postgres.Address, "synchronous_commit=off"), direct.table)
	for range 20 {
		var before string
		base.Check(t, db.QueryRow(`SELECT pg_current_wal_insert_lsn()`).Scan(&before))
		mustPut(t, s, "k", time.Now().String())
		var flushed bool
		base.Check(t, db.QueryRow(`SELECT pg_current_wal_flush_lsn() > $1::pg_lsn`, before).Scan(&flushed))
		if !flushed {
			t.Fatal("Update returned before the disk had what was written")
		}
	}
}

// eventually calls f until it succeeds, for a bounded time, and returns its last error.
func eventually(f func() error) (err error) {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

func TestErrorsTellNoKeys(t *testing.T) {
	const secret = "reset-token"
	s, db := open(t)
	mustPut(t, s, secret, "1")
	s.log = new(base.Log).Logger()
	mustExec(t, db, `ALTER TABLE `+s.table+` ADD CHECK (key <> '`+secret+`' OR length(value) < 3)`)
	if err := put(s, secret, "long"); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("an update that the database refuses: %v, want an error that does not show the key", err)
	}
}
