package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// What is sent to the database. {table} stands for the name of the table.
const (
	// With a collation other than C, scans would not be in byte order, and comparisons would be slower.
	// The fill factor leaves room on each page, so that most updates do not touch the index. Processes
	// that start together create the table one after the other.
	createTable = `SELECT pg_advisory_xact_lock(hashtext('servemap {table}'));
CREATE TABLE IF NOT EXISTS {table} (
	key text COLLATE "C" PRIMARY KEY,
	value bytea NOT NULL
) WITH (fillfactor = 80)`

	viewValues = `SELECT key, value FROM {table} WHERE key = ANY ($1::text[])`
	scanPage   = `SELECT key, value FROM {table} WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3`

	// lockTable sets the limits of the transaction before it waits for the lock, and has its end wait
	// for the disk.
	lockTable = `WITH settings AS MATERIALIZED (SELECT
	set_config('lock_timeout', $1, true),
	set_config('statement_timeout', $1, true),
	set_config('idle_in_transaction_session_timeout', $1, true),
	set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true))
SELECT pg_advisory_xact_lock(hashtextextended('servemap ' || '{table}'::regclass::oid, 0)) FROM settings`

	// writeValues stores the values $2 at the keys $1, and deletes the keys $3.
	writeValues = `WITH stored AS (
	INSERT INTO {table} (key, value)
	SELECT put.key, put.value FROM unnest($1::text[], $2::bytea[]) AS put (key, value)
	ON CONFLICT (key) DO UPDATE SET value = excluded.value
)
DELETE FROM {table} WHERE key = ANY ($3::text[])`
)

// describe has pgx keep the types of a statement, and no statement at the server. So it does not
// matter which of a pooler's connections a query gets. It is the first argument of each query.
const describe = pgx.QueryExecModeCacheDescribe

// on returns a statement with the table's name, which is quoted, since it may be a word of SQL.
func (s *Store) on(statement string) string {
	return strings.ReplaceAll(statement, "{table}", `"`+strings.ReplaceAll(s.table, ".", `"."`)+`"`)
}

// create makes the table.
func (s *Store) create(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, s.on(createTable), pgx.QueryExecModeSimpleProtocol) // both statements are one transaction
	if err == nil {
		s.log.Info("sqlstore: made the table, which was not there, so the site is learned from the start", "table", s.table)
	}
	return err
}

// read returns the values of the keys in their order, nil for absent ones. from is the database, or
// a transaction.
func (s *Store) read(ctx context.Context, from interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, keys []string) ([][]byte, error) {
	rows, err := from.QueryContext(ctx, s.on(viewValues), describe, keys)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	index := make(map[string]int, len(keys))
	for i, key := range keys {
		index[key] = i
	}
	values := make([][]byte, len(keys))
	for rows.Next() {
		var key sql.RawBytes
		var value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return nil, err
		}
		i, ok := index[string(key)]
		if !ok {
			return nil, errors.New("the database answered with a key that was not asked for")
		}
		values[i] = slices.Clip(value)
	}
	return values, rows.Err()
}
