package files

import (
	"bytes"
	"context"
	"runtime"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/page/sitemap"
)

// All sites of the process share these: as many passes as there are processors run at once, and their writers, of
// some 800 KB each, are let go when none runs.
var (
	slots   = make(chan struct{}, runtime.GOMAXPROCS(0))
	writers = sync.Pool{New: func() any { return new(writer) }}
)

// withWriter waits for the turn of a pass, and runs it.
func withWriter(ctx context.Context, pass func(*writer) error) error {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	w := writers.Get().(*writer)
	defer writers.Put(w)
	return pass(w)
}

// writer writes one file after another. It compresses and hashes the text piece by piece,
// so that the whole text is never in memory. The zero value is ready.
type writer struct {
	text []byte // not compressed yet
	zip  *gzip.Writer
	out  bytes.Buffer
	sum  xxh3.Hasher
	size int

	listed []uint64 // hashes of the locations that the file lists
	given  lastmod.Gatherer
}

// pieceBytes is how much text is compressed at once.
const pieceBytes = 32 << 10

// begin begins a file.
func (w *writer) begin(opening string) {
	w.text, w.size = append(w.text[:0], opening...), 0
	w.listed, w.given = w.listed[:0], lastmod.Gatherer{}
	w.sum.Reset()
	w.out.Reset()
	if w.zip == nil {
		w.zip, _ = gzip.NewWriterLevel(&w.out, gzip.BestSpeed) // the level is valid
		return
	}
	w.zip.Reset(&w.out)
}

// flush compresses the text once there is enough of it.
func (w *writer) flush() {
	if len(w.text) >= pieceBytes {
		w.compress()
	}
}

func (w *writer) compress() {
	w.size += len(w.text)
	_, _ = w.sum.Write(w.text) // it never fails
	_, _ = w.zip.Write(w.text) // a bytes.Buffer takes everything
	w.text = w.text[:0]
}

// end ends the text of a file with closing, and sets the bytes of made.
func (w *writer) end(made *file, closing string) {
	w.text = append(w.text, closing...)
	w.compress()
	_ = w.zip.Close()
	made.hash, made.size, made.gz = w.sum.Sum128().Bytes(), w.size, bytes.Clone(w.out.Bytes())
}

// endPages ends a file of pages. A file that lists nothing has no bytes.
func (w *writer) endPages(made *file) *file {
	if made.pages = len(w.listed); made.pages == 0 {
		return new(file)
	}
	w.end(made, sitemap.URLSetClose)
	made.listed = newLocations(w.listed)
	return made
}
