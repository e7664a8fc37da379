// Package coding undoes the content codings of a response. It takes the bytes that a client was
// sent and returns those of the page. Whatever the bytes are, it must never use more memory or time
// than the caller's limit allows.
//
// All functions are safe for concurrent use.
package coding

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow is the largest window that RFC 8878 asks a decoder to support.
const maxZstdWindow = 8 << 20

// ErrUnsupported says that a content coding is unknown, or that there are several.
var ErrUnsupported = errors.New("content coding not supported")

// Decode undoes the content coding of body and appends the result to dst. encoding is the value of
// the Content-Encoding header: gzip, x-gzip, deflate, br, zstd or identity; empty means none.
// Decode appends at most limit bytes, and a longer stream costs no more. truncated says that the
// result is longer than limit, or that body is only the beginning of a stream. The error wraps
// [ErrUnsupported] for an unknown coding. Any other error means a damaged stream.
func Decode(dst []byte, encoding string, body []byte, limit int) (out []byte, truncated bool, err error) {
	var r io.Reader = bytes.NewReader(body)
	switch name := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(encoding)), "x-"); {
	case name == "" || name == "identity":
	case decoders[name] == nil:
		return dst, false, fmt.Errorf("%w: %.20q", ErrUnsupported, name)
	case len(body) == 0:
		return dst, true, nil // no coding turns something into nothing
	default:
		d := decoders[name].Get().(decoder)
		defer decoders[name].Put(d)
		err = d.Reset(r)
		r = d
	}
	out = dst
	if err == nil {
		out, truncated, err = readUpTo(dst, r, max(limit, 0))
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return out, true, nil
	}
	if err != nil {
		return out, false, fmt.Errorf("decode content: %w", err)
	}
	return out, truncated, nil
}

// readUpTo appends what r has to dst, at most limit bytes. truncated says that r has more.
func readUpTo(dst []byte, r io.Reader, limit int) (out []byte, truncated bool, err error) {
	end := len(dst) + limit
	for len(dst) < end {
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, min(end-len(dst), max(4096, len(dst))))
		}
		n, err := r.Read(dst[len(dst):min(cap(dst), end)])
		dst = dst[:len(dst)+n]
		if err == io.EOF {
			return dst, false, nil
		}
		if err != nil {
			return dst, false, err
		}
	}
	var more [1]byte
	switch _, err := io.ReadFull(r, more[:]); err {
	case nil:
		return dst, true, nil
	case io.EOF:
		return dst, false, nil
	default:
		return dst, false, err
	}
}

// decoder undoes one coding. After Reset it reads from r.
type decoder interface {
	io.Reader
	Reset(r io.Reader) error
}

// decoders holds reusable decoders of each coding, since they are costly to make.
var decoders = map[string]*sync.Pool{
	"gzip":    {New: func() any { return new(gzip.Reader) }},
	"deflate": {New: func() any { return &inflater{bare: flate.NewReader(nil)} }},
	"br":      {New: func() any { return new(brotli.Reader) }},
	"zstd":    {New: newZstd},
}

// newZstd returns a decoder without goroutines, so it needs no Close.
func newZstd() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		panic(err) // the options are wrong
	}
	return d
}

// inflater reads the zlib format. It also reads bare deflate data, which some servers send under
// the same name and all browsers accept.
type inflater struct {
	io.Reader // one of the two below
	in        bufio.Reader
	bare      io.ReadCloser
	zlib      io.ReadCloser // nil until data in its format came
}

// Reset makes d read from r.
func (d *inflater) Reset(r io.Reader) error {
	d.in.Reset(r)
	head, err := d.in.Peek(2)
	if err != nil {
		return err
	}
	if head[0]&0x0f != 8 || (int(head[0])<<8|int(head[1]))%31 != 0 {
		d.Reader = d.bare
		return d.bare.(flate.Resetter).Reset(&d.in, nil)
	}
	if d.zlib == nil {
		d.zlib, err = zlib.NewReader(&d.in)
	} else {
		err = d.zlib.(zlib.Resetter).Reset(&d.in, nil)
	}
	d.Reader = d.zlib
	return err
}
