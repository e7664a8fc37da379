package tap

import (
	"io"
	"net/http"
)

// readFrom makes w read from src in one call, as it would without the tap: when net/http flushes
// and where it cuts chunks depends on that. If the body may be wanted, the tap reads along, which
// costs sendfile. Otherwise w gets src itself.
func (t *tap) readFrom(w io.ReaderFrom, src io.Reader) (int64, error) {
	if t.seen == nil || t.hijacked {
		return w.ReadFrom(src)
	}
	t.snapshot()
	next := t.stage
	if next == waiting {
		next = judge(t.wants, t.get, http.StatusOK, t.untyped, &t.seen.Header)
	}
	if next == skipping {
		return t.readUnwatched(w, src)
	}
	e := &teeReader{t: t, src: src}
	t.inside++
	n, err := w.ReadFrom(e)
	t.inside--
	t.checkRead(n == e.heard, err)
	return n, err
}

// readUnwatched makes w read a source whose body is not wanted.
func (t *tap) readUnwatched(w io.ReaderFrom, src io.Reader) (int64, error) {
	t.inside++
	n, err := w.ReadFrom(src)
	t.inside--
	if n > 0 {
		t.implicit()
		t.seen.Written += n
	}
	if t.stage == waiting && err != nil {
		t.failed = true // either src gave nothing, or w took nothing after it sent the header
		return n, err
	}
	t.checkRead(true, err)
	return n, err
}

// checkRead is check for a source. An empty source sends no header. If a source cannot be read, the
// handler may still answer with an error.
func (t *tap) checkRead(all bool, err error) {
	if t.stage != waiting {
		t.check(all, err)
	}
}

// A teeReader reads a source and shows the tap what it reads. It hides a WriteTo of the source:
// io.Copy would have used that one instead of ReadFrom.
type teeReader struct {
	t     *tap
	src   io.Reader
	heard int64
}

func (e *teeReader) Read(p []byte) (int, error) {
	n, err := e.src.Read(p)
	if n > 0 {
		e.t.snapshot() // w sends the header after this and before the first byte
		e.t.implicit()
		observe(e.t, p[:clamp(n, len(p))])
		e.heard += int64(n)
	}
	return n, err
}
