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
	_, err = tx.Exec(s.sql.lock, limit)
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
	"Sync": func(ctx context.Context, s *Store) error { return s.Sync(ctx) },
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
				s.timeout = c.timeout
				n.fail(c.mute, c.down)
				for range 3 {
					began := time.Now()
					err := call(context.Background(), s)
					if took := time.Since(began); !errors.Is(err, store.ErrUnavailable) || took > c.timeout+5*time.Second {
						t.Errorf("with a database that %s: %v after %v, want ErrUnavailable within %v", c.name, err, took, c.timeout)
					}
				}
				n.mend()
				s.timeout = time.Minute
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
			if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, store.ErrUnavailable) ||
				took > 5*time.Second {
				t.Errorf("a call with a deadline: %v after %v, want context.DeadlineExceeded", err, took)
			}
			log.Want(t, 0, "level=WARN") // a caller that does not wait is no problem of the store
		})
	}
}

// TestOpenMayComeBeforeTheDatabase starts the program before the database.
func TestOpenMayComeBeforeTheDatabase(t *testing.T) {
	s, n, _ := throughNetwork(t)
	n.fail(false, true)
	early := openWith(t, s.db, &Options{Table: s.sql.name.schema + ".early", Logger: new(base.Log).Logger()})
	if err := put(early, "k", "1"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("before the database is there: %v, want ErrUnavailable", err)
	}
	n.mend()
	if err := eventually(func() error { return put(early, "k", "1") }); err != nil {
		t.Errorf("when it is there: %v", err)
	}
}

// TestEndedSessionsLoseNoConfirmedWrite makes the database end the sessions of writers, again and
// again. Confirmed writes must be there; unconfirmed ones may be.
func TestEndedSessionsLoseNoConfirmedWrite(t *testing.T) {
	direct, db := open(t)
	mustPut(t, direct, "k", "")
	table := direct.sql.name
	name := table.schema // of the sessions
	s := openWith(t, dialWith(t, postgres.Address, "application_name="+name),
		&Options{Table: table.String(), Logger: new(base.Log).Logger()})
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
	hasty := openWith(t, db, &Options{Table: s.sql.name.String(), Logger: new(base.Log).Logger()})
	hasty.timeout = 200 * time.Millisecond
	if err := put(hasty, "k", "2"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Update behind a lock: %v, want ErrUnavailable", err)
	}
	hasty.timeout = time.Minute
	base.Equal(t, get(t, hasty, "k"), "1", "View behind a lock gives")
	base.Check(t, tx.Rollback())
	mustPut(t, hasty, "k", "3")
}

// TestUpdateThatWasOvertakenRunsAgain makes another writer change, create and delete what an update
// has read, just before that update writes.
func TestUpdateThatWasOvertakenRunsAgain(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after string // values of the key that the other writer changes, "" for none
	}{
		{"changed", "1", "2"},
		{"made", "", "2"},
		{"deleted", "1", ""},
	} {
		for _, only := range []string{"read", "written"} {
			t.Run(c.name+", and only "+only, func(t *testing.T) {
				s, _ := open(t)
				set(t, s, c.before)
				runs, saw := 0, ""
				err := s.Update(context.Background(), []string{"k", "sum"}, func(values [][]byte) error {
					if runs++; runs == 1 {
						set(t, s, c.after)
					}
					saw = string(values[0])
					values[1] = []byte("saw " + saw)
					if only == "written" {
						values[0] = []byte(saw + "!")
					}
					return nil
				})
				if err != nil || runs != 2 || saw != c.after {
					t.Errorf("fn ran %d times, the last time on %q (error %v), want twice and %q", runs, saw, err, c.after)
				}
				want := map[string]string{"read": c.after, "written": c.after + "!"}[only]
				if got := get(t, s, "k"); got != want || get(t, s, "sum") != "saw "+c.after {
					t.Errorf("it left %q and %q", got, get(t, s, "sum"))
				}
			})
		}
	}
}

// set sets k to value, or deletes it if value is "".
func set(t *testing.T, s *Store, value string) {
	t.Helper()
	err := s.Update(context.Background(), []string{"k"}, func(values [][]byte) error {
		if values[0] = []byte(value); value == "" {
			values[0] = nil
		}
		return nil
	})
	if err != nil {
		t.Errorf("Update: %v", err)
	}
}

// TestUpdateThatFailsAgainReturnsItsError makes fn fail, and panic, when it runs again.
func TestUpdateThatFailsAgainReturnsItsError(t *testing.T) {
	s, _ := open(t)
	errMine := errors.New("mine")
	again := func(do func() error) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = p.(error)
			}
		}()
		runs := 0
		return s.Update(context.Background(), []string{"k"}, func(values [][]byte) error {
			if runs++; runs == 2 {
				return do()
			}
			set(t, s, time.Now().String())
			values[0] = []byte("never")
			return nil
		})
	}
	for name, do := range map[string]func() error{
		"fails":  func() error { return errMine },
		"panics": func() error { panic(errMine) },
	} {
		if err := again(do); err != errMine {
			t.Errorf("when fn %s in its second run, Update does so with %v, want fn's own", name, err)
		}
		if got := get(t, s, "k"); got == "never" {
			t.Errorf("when fn %s in its second run, what the first left is stored", name)
		}
	}
	mustPut(t, s, "k", "1")
}

// TestSyncWaitsForTheDisk asks the server itself what it has flushed.
func TestSyncWaitsForTheDisk(t *testing.T) {
	direct, db := open(t)
	mustPut(t, direct, "k", "1")
	s := openTable(t, dialWith(t, postgres.Address, "synchronous_commit=off"), direct.sql.name.String())
	for range 20 {
		mustPut(t, s, "k", time.Now().String())
		var written string
		base.Check(t, db.QueryRow(`SELECT pg_current_wal_insert_lsn()`).Scan(&written))
		base.Check(t, s.Sync(context.Background()))
		var flushed bool
		base.Check(t, db.QueryRow(`SELECT pg_current_wal_flush_lsn() >= $1::pg_lsn`, written).Scan(&flushed))
		if !flushed {
			t.Fatal("Sync returned before the disk had what was written")
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
	mustExec(t, db, `ALTER TABLE `+s.sql.name.quoted("")+` ADD CHECK (key <> '`+secret+`' OR length(value) < 3)`)
	if err := put(s, secret, "long"); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("an update that the database refuses: %v, want an error that does not show the key", err)
	}
}

// CockroachDB and YugabyteDB refuse transactions so; here a trigger does.
func TestRefusedTransactionIsTriedAgain(t *testing.T) {
	for _, c := range []struct {
		name    string
		refused int
		want    bool
	}{
		{"three times", 3, true},
		{"more often", 4, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, db := open(t)
			s.log = new(base.Log).Logger()
			mustPut(t, s, "k", "1")
			schema := s.sql.name.schema
			mustExec(t, db, fmt.Sprintf(`CREATE SEQUENCE %[1]s.tries; CREATE FUNCTION %[1]s.refuse() RETURNS trigger AS $$ BEGIN
				IF nextval('%[1]s.tries') <= %[3]d THEN RAISE EXCEPTION 'restart transaction' USING ERRCODE = '40001'; END IF;
				RETURN NULL; END $$ LANGUAGE plpgsql;
				CREATE TRIGGER refuse AFTER INSERT OR UPDATE ON %[2]s FOR EACH STATEMENT EXECUTE FUNCTION %[1]s.refuse()`, schema, s.sql.name.quoted(""), c.refused))
			if err := put(s, "k", "2"); (err == nil) != c.want || !c.want && !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("refused %d times: %v", c.refused, err)
			}
			if got := get(t, s, "k"); (got == "2") != c.want {
				t.Errorf("refused %d times, the store holds %q", c.refused, got)
			}
		})
	}
}
