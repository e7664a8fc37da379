package capture

import (
	"io"
	"net/http"
	"syscall"
)

// readFrom makes w read from src in one call, as it would without the tap: when net/http flushes
// and where it cuts chunks depends on that. If the body is wanted, the tap reads along, which costs
// sendfile. Otherwise w gets src itself.
func (t *tap) readFrom(w io.ReaderFrom, src io.Reader) (int64, error) {
	if t.seen == nil || t.hijacked {
		return w.ReadFrom(src)
	}
	t.snapshot()
	next, start := t.foresee(src)
	if next == skipping {
		return t.readUnwatched(w, src, start)
	}
	e := &teeReader{t: t, src: src}
	t.inside++
	n, err := w.ReadFrom(e.reader())
	t.inside--
	t.checkRead(n == e.heard, err)
	return n, err
}

// readUnwatched makes w read a source whose body is not wanted. start is its beginning, if the type
// depends on that.
func (t *tap) readUnwatched(w io.ReaderFrom, src io.Reader, start []byte) (int64, error) {
	t.inside++
	n, err := w.ReadFrom(src)
	t.inside--
	if n > 0 {
		t.implicit()
		if t.stage == sniffing {
			t.settle(start)
		}
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

// foresee returns what to do with the bytes of src. If they decide the type, and src is a file that
// w could send without copying, foresee reads its start in advance and returns it.
func (t *tap) foresee(src io.Reader) (stage, []byte) {
	next := t.stage
	if next == waiting {
		next = judge(t.wants, t.get, http.StatusOK, t.untyped, &t.seen.Header)
	}
	if next != sniffing {
		return next, nil
	}
	start := make([]byte, sniffLen)
	have := copy(start, t.seen.Body)
	start = start[:have+peek(src, start[have:])]
	if len(start) < sniffLen {
		return sniffing, nil
	}
	typed := t.seen.Header
	typed.ContentType = http.DetectContentType(start)
	return judgeTyped(t.wants, t.get, &typed), start
}

// peek copies into p what src will give next, and returns how much. It does not move src. It works
// for files only: net sends nothing else without copying.
func peek(src io.Reader, p []byte) int {
	if limited, ok := src.(*io.LimitedReader); ok {
		p = p[:min(int64(len(p)), max(limited.N, 0))]
		src = limited.R
	}
	file, ok := src.(interface {
		io.ReaderAt
		io.Seeker
		syscall.Conn
	})
	if !ok {
		return 0
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	n, _ := file.ReadAt(p, at)
	return n
}

// A teeReader reads a source and shows the tap what it reads.
type teeReader struct {
	t     *tap
	src   io.Reader
	heard int64
}

// reader returns the source for w. It has WriteTo if src has it, since io.Copy asks for that.
func (e *teeReader) reader() io.Reader {
	if _, ok := e.src.(io.WriterTo); ok {
		return teeWriterTo{e}
	}
	return e
}

func (e *teeReader) Read(p []byte) (int, error) {
	n, err := e.src.Read(p)
	if n > 0 {
		// w sends the header after this and before the first byte.
		e.t.snapshot()
		e.t.hear(e, p[:clamp(n, len(p))])
	}
	return n, err
}

type teeWriterTo struct{ *teeReader }

func (e teeWriterTo) WriteTo(dst io.Writer) (int64, error) {
	return e.src.(io.WriterTo).WriteTo(teeWriter{e.teeReader, dst})
}

// A teeWriter is the destination for a source with WriteTo.
type teeWriter struct {
	e   *teeReader
	dst io.Writer
}

func (w teeWriter) Write(p []byte) (int, error) {
	w.e.t.snapshot()
	n, err := w.dst.Write(p)
	w.e.t.hear(w.e, p[:clamp(n, len(p))])
	return n, err
}

// hear notes bytes on their way from a source to w.
func (t *tap) hear(e *teeReader, p []byte) {
	t.implicit()
	observe(t, p)
	e.heard += int64(len(p))
}
