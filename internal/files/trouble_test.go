package files

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/store"
)

// A part whose record was lost counts its changes from zero again. The stored date of its
// file must not be taken for the new file's.
func TestFileOfAPartWhoseRecordWasLostKeepsItsTimeAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		defer func() { s.stop() }()
		s.list(book.Entry{}, "/a", "/b")
		for i := range 20 {
			s.write(func(tx book.Tx) { s.book.Set(tx, 1, "/a", changedAt(int64(1000+i))) })
		}
		s.files.ChangedAll()
		s.render()
		s.write(func(tx book.Tx) { tx.Put("s|part|000001", nil) })
		time.Sleep(time.Hour)
		s.list(book.Entry{}, "/c")
		s.render()
		before := s.get("sitemap.xml").Header()
		s.again()
		time.Sleep(time.Hour)
		s.render()
		after := s.get("sitemap.xml").Header()
		if before.Get("Etag") != after.Get("Etag") || before.Get("Last-Modified") != after.Get("Last-Modified") {
			t.Errorf("after a restart the file is %v, want %v", after, before)
		}
	})
}

func TestPartOutOfMemoryIsMadeAfterTheSiteWasClosed(t *testing.T) {
	s := newShelf(t, func(c *Config) { c.CacheBytes = 1 })
	s.run()
	s.list(book.Entry{}, "/a", "/b", "/c", "/d", "/e", "/f", "/g")
	s.render()
	s.stop()
	s.stop = func() {}
	s.want("sitemap-1.xml", "/a", "/b", "/c")
	s.want("sitemap-2.xml", "/d", "/e", "/f")
	s.want("sitemap-3.xml", "/g")
}

// shortParts is a store whose scans of parts end after the first.
type shortParts struct{ store.Store }

func (s *shortParts) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for r, err := range s.Store.Scan(ctx, prefix, after) {
			if !yield(r, err) || strings.Contains(prefix, "part|") {
				return
			}
		}
	}
}

func TestScanOfPartsThatEndsEarlyTakesNoPartOut(t *testing.T) {
	s := newShelf(t)
	s.list(book.Entry{}, "/a", "/b", "/c", "/d")
	s.render()
	s.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml")
	s.st.Store = &shortParts{s.st.Store}
	s.files.ChangedAll()
	s.render()
	s.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml")
	s.want("sitemap-2.xml", "/d")
}
