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

var scale = flag.String("scale", "10000", "the numbers of pages that BenchmarkScale is run with, with commas between them")

const (
	scalePart = 50_000 // pages
	scaleSite = "https://example.com|"
)

// fillScale makes the three rows of a listed page in their usual sizes: its state, its entry in a
// part, and the pages with its content. Locations come in random order, as visitors ask for them.
const fillScale = `INSERT INTO {records} (key, value)
SELECT row.key, convert_to(rpad(i::text, row.bytes, '.'), 'UTF8')
FROM generate_series($1::bigint, $2::bigint - 1) AS i,
LATERAL (SELECT '/section/' || left(md5(i::text), 12) || '-the-title-of-the-page' AS location) AS page,
LATERAL (VALUES
	($3 || 'page|' || page.location, 150),
	($3 || 'list|' || lpad((1 + i / $4)::text, 6, '0') || '|' || page.location, 28),
	($3 || 'duplicates|' || right(md5(i::text), 16), 52)) AS row (key, bytes)`

// scaleLocation returns the location of page i in fillScale.
func scaleLocation(i int) string {
	sum := md5.Sum([]byte(strconv.Itoa(i)))
	return "/section/" + hex.EncodeToString(sum[:6]) + "-the-title-of-the-page"
}

// BenchmarkScale measures the size of a table with many pages. merge
// writes the states of random pages, a thousand at a time.
func BenchmarkScale(b *testing.B) {
	for size := range strings.SplitSeq(*scale, ",") {
		pages, err := strconv.Atoi(size)
		if err != nil || pages < store.MaxKeys {
			b.Fatalf("-scale: %q is no number of pages from %d on", size, store.MaxKeys)
		}
		b.Run(size, func(b *testing.B) { benchPages(b, pages) })
	}
}

func benchPages(b *testing.B, pages int) {
	db := postgres.Open(b)
	table := postgres.Schema(b, db) + ".servemap"
	st, err := sqlstore.Open(postgres.Dial(b, postgres.Address), &sqlstore.Options{Table: table})
	base.Check(b, err)
	base.MustPut(b, st, "made", "by this")
	fill := strings.ReplaceAll(fillScale, "{records}", table)
	for first := 0; first < pages; first += scalePart {
		postgres.Exec(b, db, fill, first, min(pages, first+scalePart), scaleSite, scalePart)
	}
	postgres.Exec(b, db, "ANALYZE "+table)
	rows, bytes := measure(b, db, table)
	b.Run("merge", func(b *testing.B) {
		before := walBytes(b, db)
		mergeScale(b, st, pages)
		merged := float64(b.N) * store.MaxKeys
		b.ReportMetric((walBytes(b, db)-before)/merged, "WAL-B/page")
		b.ReportMetric(rows/float64(pages), "rows/page")
		b.ReportMetric(bytes/float64(pages), "B/page")
	})
}

// measure returns the number of rows, and the bytes of the table and its index.
func measure(b *testing.B, db *sql.DB, table string) (rows, bytes float64) {
	b.Helper()
	base.Check(b, db.QueryRow("SELECT count(*), pg_total_relation_size('"+table+"') FROM "+table).Scan(&rows, &bytes))
	return rows, bytes
}

// walBytes returns how many bytes the whole server has written to its log so far.
func walBytes(b *testing.B, db *sql.DB) (n float64) {
	b.Helper()
	base.Check(b, db.QueryRow(`SELECT pg_current_wal_lsn() - '0/0'`).Scan(&n))
	return n
}

func mergeScale(b *testing.B, st store.Store, pages int) {
	random := rand.New(rand.NewPCG(1, uint64(b.N)))
	for range b.N {
		base.Check(b, st.Update(context.Background(), scaleKeys(random, pages), visit))
	}
}

// scaleKeys returns the keys of as many pages as an update takes, in order.
func scaleKeys(random *rand.Rand, pages int) []string {
	keys := make([]string, store.MaxKeys)
	first := random.IntN(pages)
	for i := range keys {
		keys[i] = scaleSite + "page|" + scaleLocation((first+i*(pages/store.MaxKeys))%pages)
	}
	slices.Sort(keys)
	return keys
}

// visit counts visits in records of 100 bytes.
func visit(values [][]byte) error {
	for i, value := range values {
		if value == nil {
			value = make([]byte, 100)
		}
		binary.BigEndian.PutUint64(value, binary.BigEndian.Uint64(value)+1)
		values[i] = value
	}
	return nil
}
