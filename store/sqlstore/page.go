package sqlstore

import (
	"context"
	"database/sql"

	"github.com/servemap/servemap/store"
)

// How much a Scan fetches at a time. The first page is small, since many scans are of few records.
// A page of more than pageMost bytes is cut.
const (
	firstRecords = 500
	nextRecords  = 4000
	pageMost     = 4 << 20
)

// page is a part of a scan.
type page struct {
	from, to string // the remaining keys: from from, to before to
	limit    int
	cut      bool // fewer than limit were taken, because of their size
	records  []store.Record
}

func firstPage(prefix, after string) *page {
	return &page{from: max(prefix, following(after)), to: prefix + "\x7f", limit: firstRecords} // no key has a byte above '~'
}

// following returns the first key after key, since no key has a byte below '!'.
func following(key string) string { return key + "!" }

// fetch reads the records of the page.
func (p *page) fetch(ctx context.Context, db *sql.DB, query string) error {
	p.records, p.cut = p.records[:0], false
	bytes := 0
	rows, err := db.QueryContext(ctx, query, describe, p.from, p.to, p.limit)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r store.Record
		if err := rows.Scan(&r.Key, &r.Value); err != nil {
			return err
		}
		p.records = append(p.records, r)
		if bytes += len(r.Key) + len(r.Value); bytes > pageMost {
			p.cut = true
			return nil
		}
	}
	return rows.Err()
}

// next moves to the next page, unless this is the last.
func (p *page) next() bool {
	n := len(p.records)
	if n == 0 || n < p.limit && !p.cut {
		return false
	}
	p.from, p.limit = following(p.records[n-1].Key), nextRecords
	return true
}
