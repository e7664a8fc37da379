package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/servemap/servemap/store"
)

const mb = 1 << 20

// usage is what the process and the store take, in bytes.
type usage struct {
	memory int64 // resident and anonymous; 0 where the system does not tell it as Linux does
	mapped int64 // resident pages of files, which the system takes back when it needs them
	heap   int64 // objects of Go's heap, dead ones too that are not yet swept
	held   int64 // what the last collection of garbage left of them, however often there is one
	disk   int64 // blocks of the store's files
}

// measure returns the present usage. Without a folder there are no files.
func measure(dir string) usage {
	var u usage
	u.heap, u.held = heapBytes()
	if rollup, err := os.ReadFile("/proc/self/smaps_rollup"); err == nil {
		u.memory = field(rollup, "Anonymous:")
		u.mapped = field(rollup, "Rss:") - u.memory
	}
	if dir != "" {
		u.disk = diskBytes(dir)
	}
	return u
}

// field returns a field of smaps_rollup, which is in kB there.
func field(rollup []byte, name string) int64 {
	_, rest, _ := bytes.Cut(rollup, []byte("\n"+name))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64) // 0 for what is missing
	return n << 10
}

func heapBytes() (objects, held int64) {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64()), int64(s[1].Value.Uint64())
}

// diskBytes returns what du would. Files that vanish meanwhile count as nothing.
func diskBytes(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil {
			sum += allocated(info)
		}
		return nil
	})
	return sum
}

// peak is the most of each.
func (u usage) peak(v usage) usage {
	return usage{max(u.memory, v.memory), max(u.mapped, v.mapped), max(u.heap, v.heap), max(u.held, v.held), max(u.disk, v.disk)}
}

// A tally is how many records there are, and the bytes of their keys and values.
type tally struct{ records, bytes int }

// census counts the records of a store by kind: what follows the origin in the key.
func census(ctx context.Context, st store.Store) (map[string]tally, error) {
	kinds := map[string]tally{}
	for r, err := range st.Scan(ctx, origin+"|", "") {
		if err != nil {
			return nil, err
		}
		kind, _, _ := strings.Cut(strings.TrimPrefix(r.Key, origin+"|"), "|")
		t := kinds[kind]
		kinds[strings.Clone(kind)] = tally{t.records + 1, t.bytes + len(r.Key) + len(r.Value)}
	}
	return kinds, nil
}

func printCensus(w *tabwriter.Writer, kinds map[string]tally) {
	fmt.Fprintf(w, "records\tcount\tMB\tbytes each\t\n")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t := kinds[kind]
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%d\t\n", kind, t.records, megabytes(int64(t.bytes)), t.bytes/t.records)
	}
	w.Flush()
}

func megabytes(n int64) float64 { return float64(n) / mb }

// readSitemap calls fn with each location that the sitemap lists. A sitemap that is not there yet lists none.
func readSitemap(h http.Handler, fn func(loc string)) error {
	files := []string{"/sitemap.xml"}
	for len(files) > 0 {
		w := &keeping{discarding: discarding{header: http.Header{}}}
		r, err := request(visit{loc: files[0]})
		if err != nil {
			return err
		}
		files = files[1:]
		h.ServeHTTP(w, r)
		switch w.status {
		case http.StatusServiceUnavailable:
			return nil
		case http.StatusOK:
		default:
			return fmt.Errorf("%s: status %d", r.RequestURI, w.status)
		}
		index := bytes.Contains(w.body[:min(len(w.body), 200)], []byte("<sitemapindex"))
		for loc := range locs(w.body) {
			if index {
				files = append(files, loc)
			} else {
				fn(loc)
			}
		}
	}
	return nil
}

// keeping keeps the body.
type keeping struct {
	discarding
	body []byte
}

func (w *keeping) Write(p []byte) (int, error) {
	w.body = append(w.body, p...)
	return w.discarding.Write(p)
}

// locs yields what stands between <loc> and </loc>, without the origin. No location of this site needs escaping.
func locs(xml []byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for {
			_, rest, found := bytes.Cut(xml, []byte("<loc>"+origin))
			if !found {
				return
			}
			var loc []byte
			loc, xml, _ = bytes.Cut(rest, []byte("</loc>"))
			if !yield(string(loc)) {
				return
			}
		}
	}
}
