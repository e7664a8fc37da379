package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
)

// TestDeadlockIsTriedAgain has a stranger, who does not keep to the order in
// which writers lock, make a deadlock that the database settles against us.
func TestDeadlockIsTriedAgain(t *testing.T) {
	direct, db := open(t)
	mustPut(t, direct, "k", "")
	name := direct.sql.name
	t.Run("sessions", func(t *testing.T) { // they end with it
		settings := withSetting(withSetting(address(), "application_name="+name.schema), "deadlock_timeout=300ms")
		s := openTable(t, dial(t, settings), name.String())
		for range 10 {
			runs := deadlock(t, s, db)
			if runs == 2 {
				return
			}
		}
		t.Error("none of ten deadlocks was settled against an update")
	})
	if err := eventually(func() error { return sessionsEnded(db, name.schema) }); err != nil {
		t.Fatal(err)
	}
}

// deadlock makes a deadlock of an update of s and a stranger's transaction. It
// returns how often the update ran: twice, if it was the one that the database
// ended. The other one is that if it waits for less long, of which the test
// cannot be certain.
func deadlock(t *testing.T, s *Store, db *sql.DB) (runs int) {
	t.Helper()
	stranger, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Rollback() }()
	if _, err := stranger.Exec("SELECT FROM " + s.sql.name.quoted("") + " FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	before, done := get(t, s, "k"), make(chan error, 1)
	go func() {
		done <- s.Update(context.Background(), []string{"k"}, func(values [][]byte) error {
			runs++
			values[0] = append(values[0], '.')
			return nil
		})
	}()
	if err := eventually(func() error { return waitsForLock(db, s.sql.name.schema) }); err != nil {
		t.Fatal(err)
	}
	_, err = stranger.Exec("SELECT FROM " + s.sql.name.quoted("_format") + " FOR UPDATE") // which the update has
	if err != nil && stateOf(err) != deadlockDetected {
		t.Fatal(err)
	}
	_ = stranger.Rollback() // it may have ended
	if err := <-done; err != nil {
		t.Errorf("an update that the database may have ended for a deadlock: %v", err)
	}
	if got := get(t, s, "k"); got != before+"." {
		t.Errorf("it left %q, want %q", got, before+".")
	}
	return runs
}

// waitsForLock returns an error until a session of that name waits for a lock.
func waitsForLock(db *sql.DB, name string) error {
	var waits bool
	err := db.QueryRow(`SELECT EXISTS (SELECT FROM pg_stat_activity
		WHERE application_name = $1 AND wait_event_type = 'Lock')`, name).Scan(&waits)
	if err == nil && !waits {
		err = errors.New("no session waits for a lock")
	}
	return err
}

// TestRivalry tells the errors after which another try helps.
func TestRivalry(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{state(serializationFailure), true},
		{fmt.Errorf("wrapped: %w", state(deadlockDetected)), true},
		{state("57014"), false},
		{errors.New("40001"), false},
		{context.DeadlineExceeded, false},
	} {
		if got := rivalry(c.err); got != c.want {
			t.Errorf("rivalry of %v is %v, want %v", c.err, got, c.want)
		}
	}
}
