// Package table measures what pages take in a table of PostgreSQL.
package table

import (
	"context"
	"crypto/md5"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/postgres"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/sqlstore"
)

var scale = flag.String("scale", "10000",
	"the numbers of pages that BenchmarkScale is run with, with commas between them")

const (
	partPages = 50_000
	site      = "https://example.com|"
)

// fill makes the three rows of a listed page in their usual sizes: its state, its entry in a
// part, and the pages with its content. Locations come in random order, as visitors ask for them.
const fill = `INSERT INTO {records} (key, value)
SELECT row.key, convert_to(rpad(i::text, row.bytes, '.'), 'UTF8')
FROM generate_series($1::bigint, $2::bigint - 1) AS i,
LATERAL (SELECT '/section/' || left(md5(i::text), 12) || '-the-title-of-the-page' AS location) AS page,
LATERAL (VALUES
	($3 || 'page|' || page.location, 150),
	($3 || 'list|' || lpad((1 + i / $4)::text, 6, '0') || '|' || page.location, 28),
	($3 || 'duplicates|' || right(md5(i::text), 16), 52)) AS row (key, bytes)`

// pageKey returns the key of the state of page i.
func pageKey(i int) string {
	sum := md5.Sum([]byte(strconv.Itoa(i)))
	return site + "page|/section/" + hex.EncodeToString(sum[:6]) + "-the-title-of-the-page"
}

// BenchmarkScale measures the size of a table with many pages. It writes the states of random pages, as many at a
// time as an update takes.
func BenchmarkScale(b *testing.B) {
	for size := range strings.SplitSeq(*scale, ",") {
		pages, err := strconv.Atoi(size)
		base.Check(b, err)
		b.Run(size, func(b *testing.B) { benchPages(b, max(pages, store.MaxKeys)) })
	}
}

func benchPages(b *testing.B, pages int) {
	db := postgres.Open(b)
	table := postgres.Schema(b, db) + ".servemap"
	st, err := sqlstore.Open(postgres.Dial(b, postgres.Address), &sqlstore.Options{Table: table})
	base.Check(b, err)
	base.MustPut(b, st, "made", "by this")
	for first := 0; first < pages; first += partPages {
		postgres.Exec(b, db, strings.ReplaceAll(fill, "{records}", table), first, min(pages, first+partPages), site,
			partPages)
	}
	postgres.Exec(b, db, "ANALYZE "+table)
	rows, bytes := number(b, db, "SELECT count(*) FROM "+table), number(b, db,
		"SELECT pg_total_relation_size('"+table+"')")
	b.Run("merge", func(b *testing.B) {
		const written = `SELECT pg_current_wal_lsn() - '0/0'` // by the whole server, into its log
		before, random := number(b, db, written), rand.New(rand.NewPCG(1, uint64(b.N)))
		for range b.N {
			keys := make([]string, store.MaxKeys)
			first := random.IntN(pages)
			for i := range keys {
				keys[i] = pageKey((first + i*(pages/store.MaxKeys)) % pages)
			}
			slices.Sort(keys)
			base.Check(b, st.Update(context.Background(), keys, visit))
		}
		b.ReportMetric((number(b, db, written)-before)/(float64(b.N)*store.MaxKeys), "WAL-B/page")
		b.ReportMetric(rows/float64(pages), "rows/page")
		b.ReportMetric(bytes/float64(pages), "B/page")
	})
}

func number(b *testing.B, db *sql.DB, query string) (n float64) {
	b.Helper()
	base.Check(b, db.QueryRow(query).Scan(&n))
	return n
}

// visit counts visits in the records.
func visit(values [][]byte) error {
	for _, value := range values {
		binary.BigEndian.PutUint64(value, binary.BigEndian.Uint64(value)+1)
	}
	return nil
}
