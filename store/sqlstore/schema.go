package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
)

// tableName is the table of the records, and the schema it is in, "" for the
// connection's own.
type tableName struct{ schema, table string }

// identifiers leave room for what is added to them: PostgreSQL cuts a name
// after 63 bytes.
var identifier = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,49}$`)

func parseTable(text string) (tableName, error) {
	name := tableName{table: text}
	if schema, table, ok := strings.Cut(text, "."); ok {
		name = tableName{schema, table}
		if !identifier.MatchString(schema) {
			return name, fmt.Errorf("is %q: the schema must be 1 to 50 lower-case letters, digits and underscores", text)
		}
	}
	if !identifier.MatchString(name.table) {
		return name, fmt.Errorf("is %q: it must be 1 to 50 lower-case letters, digits and underscores", text)
	}
	return name, nil
}

// String returns the name as it is written in Options.
func (n tableName) String() string { return strings.ReplaceAll(n.quoted(""), `"`, "") }

// quoted returns the name, with suffix added, as it stands in a statement.
func (n tableName) quoted(suffix string) string {
	table := `"` + n.table + suffix + `"`
	if n.schema == "" {
		return table
	}
	return `"` + n.schema + `".` + table
}

// statements are all that is ever sent to the database, with the names of the
// tables filled in.
type statements struct {
	name tableName

	view, scan         string
	lock, write, flush string

	makeSchema, makeFormat      string
	version, addVersion, raised string
	steps                       []string // each does nothing if it was taken before
}

// A collation other than C would scan in another order than that of the bytes,
// and compare slower. The fill factor leaves room on each page, so that most
// updates need not touch the index.
const createRecords = `CREATE TABLE IF NOT EXISTS {records} (
	key text COLLATE "C" PRIMARY KEY,
	value bytea NOT NULL
) WITH (fillfactor = 80)`

// The one row of the format table says what the other is like, and is what
// writers lock.
const createFormat = `CREATE TABLE IF NOT EXISTS {format} (
	one boolean PRIMARY KEY DEFAULT true CHECK (one),
	version integer NOT NULL
)`

// lockWriter sets the limits of the transaction before it waits for the row.
const lockWriter = `WITH limits AS MATERIALIZED (SELECT
	set_config('lock_timeout', $1, true),
	set_config('statement_timeout', $1, true),
	set_config('idle_in_transaction_session_timeout', $1, true))
SELECT f.version FROM limits, {format} f FOR UPDATE OF f`

// writeValues returns which of the keys $1 no longer have the values $2, null
// for none, and what they have instead. If it is none of them, it stores the
// values $4 at the keys $3 and deletes the keys $5.
const writeValues = `WITH stale AS MATERIALIZED (
	SELECT seen.key, now.value
	FROM unnest($1::text[], $2::bytea[]) AS seen (key, value)
	LEFT JOIN {records} AS now ON now.key = seen.key
	WHERE now.value IS DISTINCT FROM seen.value
), stored AS (
	INSERT INTO {records} (key, value)
	SELECT put.key, put.value FROM unnest($3::text[], $4::bytea[]) AS put (key, value)
	WHERE NOT EXISTS (SELECT FROM stale)
	ON CONFLICT (key) DO UPDATE SET value = excluded.value
), deleted AS (
	DELETE FROM {records} WHERE key = ANY ($5::text[]) AND NOT EXISTS (SELECT FROM stale)
)
SELECT key, value FROM stale`

// flushCommit makes the transaction wait for the disk when it ends, if the
// owner has transactions not do so.
const flushCommit = `SELECT set_config('synchronous_commit', 'on', true)
WHERE current_setting('synchronous_commit') = 'off'`

func statementsFor(name tableName) statements {
	fill := strings.NewReplacer("{records}", name.quoted(""), "{format}", name.quoted("_format")).Replace
	return statements{
		name:  name,
		view:  fill(`SELECT key, value FROM {records} WHERE key = ANY ($1::text[])`),
		scan:  fill(`SELECT key, value FROM {records} WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3`),
		lock:  fill(lockWriter),
		write: fill(writeValues),
		flush: flushCommit,

		makeSchema: `CREATE SCHEMA IF NOT EXISTS "` + name.schema + `"`,
		makeFormat: fill(createFormat),
		version:    fill(`SELECT (SELECT version FROM {format}), to_regclass('{records}') IS NOT NULL`),
		addVersion: fill(`INSERT INTO {format} (version) VALUES (0)`),
		raised:     fill(`UPDATE {format} SET version = $1`),
		steps:      []string{fill(createRecords)},
	}
}

// format is the version of the tables that the steps lead to.
func (q *statements) format() int { return len(q.steps) }

var (
	// errLater is returned for tables that this version cannot read.
	errLater = errors.New("was made by a later version of this program")

	// errNoFormat is returned to writers if there is no row that says what the
	// tables are like.
	errNoFormat = errors.New("the format table has lost its row")
)

func (q *statements) checkFormat(version int) error {
	if version > q.format() {
		return fmt.Errorf("table %s %w: its format is %d, known here is %d", q.name.quoted(""), errLater, version, q.format())
	}
	return nil
}

// prepare makes the tables, or brings them up to date, unless they are.
func (s *Store) prepare(ctx context.Context) error {
	if s.ready.Load() {
		return nil
	}
	var version sql.Null[int]
	var found bool // the table of the records
	err := s.db.QueryRowContext(ctx, s.sql.version).Scan(&version, &found)
	if err != nil && stateOf(err) != undefinedTable && stateOf(err) != undefinedSchema {
		return err
	}
	if err := s.sql.checkFormat(version.V); err != nil {
		return err
	}
	if version.V != s.sql.format() || !found {
		if err := inSession(ctx, s.db, func(session *sql.Conn) error { return s.migrate(ctx, session) }); err != nil {
			return err
		}
	}
	s.ready.Store(true)
	return nil
}

// migrate takes the steps that have not been taken yet, or all of them if a table
// or the row is missing, as after a restore that left it out. Processes that start
// together do so one after the other.
func (s *Store) migrate(ctx context.Context, session *sql.Conn) error {
	tx, err := session.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	name := fnv.New64a()
	name.Write([]byte("servemap " + s.sql.name.quoted("")))
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(name.Sum64())); err != nil {
		return err
	}
	version, found, err := s.sql.readFormat(ctx, tx)
	if err != nil {
		return err
	}
	if !found {
		version = 0
	}
	for ; version < s.sql.format(); version++ {
		if _, err := tx.ExecContext(ctx, s.sql.steps[version]); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, s.sql.raised, version); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if !found {
		s.log.Info("sqlstore: the table was not there and was made; nothing that was learned before is here, and the site is learned anew", "table", s.sql.name.String())
	}
	return nil
}

// readFormat returns the version of the tables, 0 if there is none, and whether
// that of the records is there. It makes what is needed to note a version.
func (q *statements) readFormat(ctx context.Context, tx *sql.Tx) (_ int, found bool, err error) {
	if q.name.schema != "" {
		var missing bool
		if err := tx.QueryRowContext(ctx, `SELECT to_regnamespace($1) IS NULL`, q.name.schema).Scan(&missing); err != nil {
			return 0, false, err
		}
		if missing { // asked first, as to make one takes a right that few roles have
			if _, err := tx.ExecContext(ctx, q.makeSchema); err != nil {
				return 0, false, err
			}
		}
	}
	if _, err := tx.ExecContext(ctx, q.makeFormat); err != nil {
		return 0, false, err
	}
	var version sql.Null[int]
	if err := tx.QueryRowContext(ctx, q.version).Scan(&version, &found); err != nil {
		return 0, false, err
	}
	if !version.Valid {
		_, err = tx.ExecContext(ctx, q.addVersion)
		return 0, found, err
	}
	return version.V, found, q.checkFormat(version.V)
}
