// Package coding undoes the content codings of a response. It takes the bytes that a client was
// sent and returns those of the page. Whatever the bytes are, it must never use more memory or time
// than the caller's limit allows.
//
// All functions are safe for concurrent use.
package coding

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow is the largest window that RFC 8878 asks a decoder to support.
const maxZstdWindow = 8 << 20

// ErrUnsupported says that a content coding is unknown, or that there are several.
var ErrUnsupported = errors.New("content coding not supported")

// Decode undoes the content coding of body. encoding is the value of the Content-Encoding header: gzip, x-gzip, br,
// zstd or identity; empty means none. Decode returns at most limit bytes, and a longer stream costs no more. truncated
// says that there is more, or that body is only the beginning of a stream. The error wraps
// [ErrUnsupported] for an unknown coding. Any other error means a damaged stream.
func Decode(encoding string, body []byte, limit int) (out []byte, truncated bool, err error) {
	name := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(encoding)), "x-")
	switch {
	case name == "" || name == "identity":
		return body[:min(len(body), limit)], len(body) > limit, nil
	case decoders[name] == nil:
		return nil, false, fmt.Errorf("%w: %.20q", ErrUnsupported, name)
	case len(body) == 0:
		return nil, true, nil // no coding turns something into nothing
	}
	d := decoders[name].Get().(decoder)
	defer decoders[name].Put(d)
	if err = d.Reset(bytes.NewReader(body)); err == nil {
		out, err = io.ReadAll(io.LimitReader(d, int64(limit)+1))
	}
	truncated = len(out) > limit || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if out = out[:min(len(out), limit)]; err != nil && !truncated {
		return nil, false, fmt.Errorf("decode content: %w", err)
	}
	return out, truncated, nil
}

// decoder undoes one coding. After Reset it reads from r.
type decoder interface {
	io.Reader
	Reset(r io.Reader) error
}

// decoders holds reusable decoders of each coding, since they are costly to make.
var decoders = map[string]*sync.Pool{
	"gzip": {New: func() any { return new(gzip.Reader) }},
	"br":   {New: func() any { return new(brotli.Reader) }},
	"zstd": {New: newZstd},
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
