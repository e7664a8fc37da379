package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// tableName is the table of the records and its schema, "" for the connection's own.
type tableName struct{ schema, table string }

// identifier leaves room for suffixes: PostgreSQL cuts a name after 63 bytes.
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

// String returns the name as written in Options.
func (n tableName) String() string { return strings.ReplaceAll(n.quoted(""), `"`, "") }

// quoted returns the name with a suffix, for use in a statement.
func (n tableName) quoted(suffix string) string {
	table := `"` + n.table + suffix + `"`
	if n.schema == "" {
		return table
	}
	return `"` + n.schema + `".` + table
}

// grants returns the statements that give a role the rights to use the tables, or to make them if they were not made
// yet.
func (q *statements) grants(made bool) string {
	schema := `"` + cmp.Or(q.name.schema, "public") + `"`
	if !made {
		return "GRANT USAGE, CREATE ON SCHEMA " + schema + " TO the_role"
	}
	return fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO the_role; GRANT SELECT, INSERT, UPDATE, DELETE ON %s, %s TO the_role",
		schema, q.name.quoted(""), q.name.quoted("_format"))
}

// format is the version of the tables.
const format = 1

// statements holds everything that is ever sent to the database, with the tables' names filled in.
type statements struct {
	name tableName

	view, scan         string
	lock, write, flush string

	version    string
	makeTables []string // each makes what is missing
}

// With a collation other than C, scans would not be in byte order, and comparisons would be slower.
// The fill factor leaves room on each page, so that most updates do not touch the index.
const createRecords = `CREATE TABLE IF NOT EXISTS {records} (
	key text COLLATE "C" PRIMARY KEY,
	value bytea NOT NULL
) WITH (fillfactor = 80)`

// The one row of the format table holds the version of the records table. Writers lock this row.
const createFormat = `CREATE TABLE IF NOT EXISTS {format} (
	one boolean PRIMARY KEY DEFAULT true CHECK (one),
	version integer NOT NULL
)`

var addFormat = fmt.Sprintf(`INSERT INTO {format} (version) VALUES (%d) ON CONFLICT DO NOTHING`, format)

// lockWriter sets the limits of the transaction before it waits for the row.
const lockWriter = `WITH limits AS MATERIALIZED (SELECT
	set_config('lock_timeout', $1, true),
	set_config('statement_timeout', $1, true),
	set_config('idle_in_transaction_session_timeout', $1, true))
SELECT f.version FROM limits, {format} f FOR UPDATE OF f`

// writeValues returns which of the keys $1 no longer have the values $2 (null for absent), and
// their current values. If there are none, it stores the values $4 at the keys $3 and deletes the
// keys $5.
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

// flushCommit makes the transaction's end wait for the disk, even if the owner has turned that off.
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

		version:    fill(`SELECT (SELECT version FROM {format}), to_regclass('{records}') IS NOT NULL`),
		makeTables: []string{fill(createRecords), fill(createFormat), fill(addFormat)},
	}
}

var (
	// errLater is the error for tables that this version cannot read.
	errLater = errors.New("was made by a later version of this program; run that version in place of this one")

	// errNoFormat is the error for writers if the format table has no row.
	errNoFormat = errors.New("the format table has lost its row")
)

func (q *statements) checkFormat(version int) error {
	if version > format {
		return fmt.Errorf("table %s of format %d %w, which knows format %d", q.name.quoted(""), version, errLater, format)
	}
	return nil
}

// prepare makes what is missing of the tables, once.
func (s *Store) prepare(ctx context.Context) error {
	if s.ready.Load() {
		return nil
	}
	var version sql.Null[int]
	var found bool // whether the records table exists
	err := s.db.QueryRowContext(ctx, s.sql.version, describe).Scan(&version, &found)
	if err != nil && stateOf(err) != undefinedTable && stateOf(err) != undefinedSchema {
		return err
	}
	if err := s.sql.checkFormat(version.V); err != nil {
		return err
	}
	if !version.Valid || !found {
		if err := s.inSession(ctx, func(session *sql.Conn) error { return s.create(ctx, session) }); err != nil {
			return err
		}
	}
	s.ready.Store(true)
	return nil
}

// create makes the tables, or those that are missing, as after an incomplete restore. Processes
// that start together do so one after the other.
func (s *Store) create(ctx context.Context, session *sql.Conn) error {
	tx, err := session.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtext($1))`, describe,
		"servemap "+s.sql.name.quoted("")); err != nil {
		return err
	}
	var found bool
	if err := tx.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, describe,
		s.sql.name.quoted("")).Scan(&found); err != nil {
		return err
	}
	for _, step := range s.sql.makeTables {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if !found {
		s.log.Info("sqlstore: made the table, which was not there, so the site is learned from the start", "table",
			s.sql.name.String())
	}
	return nil
}
