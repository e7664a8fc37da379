package capture

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A script is a handler that does what its bytes say: anything that a handler may do, sensible or
// not.
type script struct {
	steps []byte
	file  string    // an HTML file
	notes *[]string // what the calls returned
}

func (s script) next() (byte, script) {
	if len(s.steps) == 0 {
		return 0, s
	}
	return s.steps[0], script{s.steps[1:], s.file, s.notes}
}

// note records what a call returned.
func (s script) note(results ...any) { *s.notes = append(*s.notes, fmt.Sprint(results...)) }

var (
	types  = []string{"text/html; charset=utf-8", "TEXT/HTML", "application/xhtml+xml", "text/plain", "image/png", ""}
	status = []int{200, 200, 200, 201, 204, 206, 304, 404, 500, 103, 100, 101, 301, 99}
	sizes  = []int{0, 1, 5, 100, 511, 512, 513, 2047, 2048, 2049, 4096, 40000, 100000}
	starts = []string{"<!DOCTYPE html><p>", "<", "html><body>", "plain text ", "\x89PNG\r\n\x1a\n", " \n\t"}
)

func pick[T any](from []T, b byte) T { return from[int(b)%len(from)] }

// content returns content that begins in one of several ways.
func content(kind, size byte) string {
	start, n := pick(starts, kind), pick(sizes, size)
	return (start + strings.Repeat("0123456789abcdef", n/16+1))[:n]
}

func (s script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for len(s.steps) > 0 {
		var op, a, b byte
		op, s = s.next()
		a, s = s.next()
		b, s = s.next()
		if op %= 32; op < 10 {
			s.setHeader(w, op, a, b)
		} else if op < 22 {
			s.write(w, op, a, b)
		} else if s.leave(w, r, op, a, b) {
			return
		}
	}
}

func (s script) setHeader(w http.ResponseWriter, op, a, b byte) {
	switch op {
	case 0, 1:
		w.Header().Set("Content-Type", pick(types, a))
	case 2:
		w.Header()["Content-Type"] = nil
	case 3:
		w.Header().Set("Content-Length", strconv.Itoa(pick(sizes, a)))
	case 4:
		w.Header().Set(pick([]string{"Content-Encoding", "Transfer-Encoding"}, a),
			pick([]string{"gzip", "identity", "chunked", ""}, b))
	case 5:
		w.Header().Add(pick([]string{"Cache-Control", "Vary", "Trailer", "Content-Disposition"}, a),
			pick([]string{"private", "X-End", "attachment"}, b))
	case 6:
		w.Header().Set(pick([]string{http.TrailerPrefix + "X-Late", "X-End"}, a), "end")
	case 7, 8:
		w.WriteHeader(pick(status, a))
	case 9:
		rc := http.NewResponseController(w)
		s.note(rc.SetReadDeadline(never), rc.SetWriteDeadline(never), rc.EnableFullDuplex())
	}
}

func (s script) write(w http.ResponseWriter, op, a, b byte) {
	switch op {
	case 10, 11:
		s.note(w.Write([]byte(content(a, b))))
	case 12, 13:
		s.note(io.WriteString(w, content(a, b)))
	case 14:
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	case 15:
		s.note(http.NewResponseController(w).Flush())
	case 16:
		s.note(io.Copy(w, struct{ io.Reader }{strings.NewReader(content(a, b))}))
	case 17:
		if p, ok := w.(http.Pusher); ok {
			s.note(p.Push("/pushed", nil))
		}
	case 18:
		s.note(io.Copy(w, bufio.NewReader(strings.NewReader(content(a, b)))))
	case 19:
		s.copyFile(w, a, b)
	case 20:
		s.note(io.Copy(w, io.MultiReader(strings.NewReader(content(a, b)), failing{})))
	case 21:
		http.Error(w, "no", pick([]int{404, 500, 410, 200}, a))
	}
}

// leave runs the steps that may end the script, and reports whether one did.
func (s script) leave(w http.ResponseWriter, r *http.Request, op, a, b byte) bool {
	switch op {
	case 22, 23:
		s.serveContent(w, r, a, b)
	case 24:
		s.ServeHTTP(caddyish{w}, r)
		return true
	case 25:
		if a%4 == 0 {
			return s.hijack(w)
		}
	case 26:
		if a%4 == 0 {
			panic(http.ErrAbortHandler)
		}
	case 27:
		if a%8 == 0 {
			runtime.Goexit()
		}
	case 28:
		if a%4 == 0 {
			s.recovered(w, r)
			return true
		}
	}
	return false
}

// serveContent serves all of some content, a part of it, or none because the client has it.
func (s script) serveContent(w http.ResponseWriter, r *http.Request, a, b byte) {
	asks := r.Clone(r.Context())
	asks.Header.Set(pick([]string{"Range", "Accept", "If-Modified-Since"}, a),
		pick([]string{"bytes=1-3", "bytes=600-", "bytes=999999-", newer}, a/3))
	http.ServeContent(w, asks, pick([]string{"page.html", "page.txt", "page"}, b), changed,
		strings.NewReader(content(a, b)))
}

var changed = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

var newer = changed.Add(time.Hour).Format(http.TimeFormat)

// hijack takes over the connection, if there is one.
func (s script) hijack(w http.ResponseWriter) bool {
	conn, _, err := http.NewResponseController(w).Hijack()
	s.note(err)
	if err != nil {
		return false
	}
	s.note(io.WriteString(conn, "taken over"))
	s.note(io.WriteString(w, "too late"))
	w.WriteHeader(http.StatusOK)
	s.note(conn.Close())
	return true
}

// copyFile sends a file or its beginning, as http.ServeContent does.
func (s script) copyFile(w io.Writer, a, b byte) {
	f, err := os.Open(s.file)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if a%2 == 0 {
		s.note(io.Copy(w, f))
		return
	}
	s.note(io.CopyN(w, f, int64(pick(sizes, b))))
}

// recovered runs the rest and panics. The recovery answers with an error.
func (s script) recovered(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if recover() != nil {
			http.Error(w, "recovered", http.StatusInternalServerError)
		}
	}()
	s.ServeHTTP(w, r)
	panic("the page failed")
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("source failed") }
