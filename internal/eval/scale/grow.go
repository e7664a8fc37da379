package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/sitewide"
	"github.com/servemap/servemap/store"
)

// grownAtOnce is how many pages one transaction adds.
const grownAtOnce = 300

// grow makes a large site from a smaller one that was filled through the ledger. It copies
// the store, and adds pages with copies of the smaller site's records, in turn. That takes
// minutes where learning takes hours.
func grow(ctx context.Context, cfg config) error {
	var had int
	text, err := os.ReadFile(filepath.Join(cfg.from, "filled"))
	if err == nil {
		_, err = fmt.Sscanf(string(text), filledFormat, &had)
	}
	if err != nil {
		return fmt.Errorf("-from: %s is no folder that was filled: %w", cfg.from, err)
	}
	if had > cfg.pages {
		return fmt.Errorf("-from: %s holds %d pages, which is more than -pages", cfg.from, had)
	}
	from, err := openStore(cfg.from)
	if err != nil {
		return err
	}
	to, err := openStore(cfg.dir)
	if err != nil {
		return errors.Join(err, from.Close())
	}
	began := time.Now()
	_, err = store.Copy(ctx, to, from)
	at := min(grownAtOnce, had) // so that none copies the same record twice
	for first := had; first < cfg.pages && err == nil; first += at {
		err = addPages(ctx, to, first, min(first+at, cfg.pages), had)
	}
	if err == nil {
		err = addParts(ctx, to, had, cfg.pages)
	}
	fmt.Printf("grown from %d to %d pages: %.1f s\n", had, cfg.pages, time.Since(began).Seconds())
	return errors.Join(err, from.Close(), to.Close())
}

// The keys of a page's records, as package keys names them.
func pageKey(i int) string { return kit.Origin + "|page|" + location(i) }
func listKey(i int) string {
	return fmt.Sprintf("%s|list|%06d|%s", kit.Origin, i/sitemap.MaxURLs+1, location(i))
}

// addPages adds the pages from first up to end. Each has its own content.
func addPages(ctx context.Context, st store.Store, first, end, had int) error {
	var old, keys []string
	for i := first; i < end; i++ {
		old = append(old, pageKey(i%had), listKey(i%had))
		keys = append(keys, pageKey(i), listKey(i), fmt.Sprintf("%s|duplicates|%016x", kit.Origin, rand.Uint64()))
	}
	values := make([][]byte, 0, len(keys))
	err := st.View(ctx, old, func(stored [][]byte) error {
		values = values[:0]
		for i := first; i < end; i++ {
			page, err := inPart(stored[2*(i-first)], i/sitemap.MaxURLs+1)
			if err != nil {
				return err
			}
			values = append(values, page, bytes.Clone(stored[2*(i-first)+1]), sitewide.Duplicates{Listed: location(i)}.Encode(func(string) uint64 { return 0 }))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return st.Update(ctx, keys, func(stored [][]byte) error {
		copy(stored, values)
		return nil
	})
}

// inPart returns the record of a page with another part number.
func inPart(page []byte, n int) ([]byte, error) {
	p, err := pagerecord.Decode(page)
	if err != nil {
		return nil, err
	}
	p.Part = n
	return p.Encode(), nil
}

// addParts adds the records of the parts of the pages from had on.
func addParts(ctx context.Context, st store.Store, had, pages int) error {
	last := (pages + sitemap.MaxURLs - 1) / sitemap.MaxURLs
	for n := had/sitemap.MaxURLs + 1; n <= last; n++ {
		count, room := 0, 0
		for i := (n - 1) * sitemap.MaxURLs; i < min(n*sitemap.MaxURLs, pages); i++ {
			count, room = count+1, room+len(kit.Origin+location(i))+entryBytes
		}
		keys := []string{fmt.Sprintf("%s|part|%06d", kit.Origin, n)}
		if err := st.Update(ctx, keys, func(stored [][]byte) error {
			stored[0] = codec.Marshal(shards.Part{Pages: count, Bytes: room})
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// entryBytes is about the room reserved for a page beyond its URL.
const entryBytes = 130
