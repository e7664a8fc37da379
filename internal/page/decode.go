package page

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

// maxCodings is how many codings one after the other are undone.
const maxCodings = 2

// maxZstdWindow is the largest window that RFC 8878 asks a decoder to support.
const maxZstdWindow = 8 << 20

// ErrCoding says that a content coding is unknown, or that there are too many.
var ErrCoding = errors.New("content coding not supported")

// Decode undoes the content codings of body and appends the result to dst.
// The encoding is the value of the Content-Encoding header: gzip, x-gzip,
// deflate, br, zstd or identity, or a list of up to two of them in the order
// in which they were applied; empty means none. At most limit bytes are
// appended, and a stream that would grow beyond that costs no more. The result
// is truncated if it was longer than limit or if body is only the beginning of
// a stream. The error wraps [ErrCoding] for an unknown coding, and else is
// that of a damaged stream.
func Decode(dst []byte, encoding string, body []byte, limit int) (out []byte, truncated bool, err error) {
	codings, err := parseCodings(encoding)
	if err != nil {
		return dst, false, err
	}
	limit = max(limit, 0)
	if len(codings) == 0 {
		n := min(len(body), limit)
		return append(dst, body[:n]...), n < len(body), nil
	}
	if len(body) == 0 {
		return dst, true, nil // no coding makes nothing of something
	}
	var c chain
	defer c.release()
	if err := c.open(codings, body, limit); err != nil {
		return dst, errors.Is(err, io.ErrUnexpectedEOF), cutIsNoError(err)
	}
	out, truncated, err = readUpTo(dst, c.top, limit)
	return out, truncated, cutIsNoError(err)
}

// cutIsNoError drops the error of a stream that is cut off: what there was of
// it has been decoded.
func cutIsNoError(err error) error {
	if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return fmt.Errorf("decode content: %w", err)
}

// parseCodings returns the codings to undo in the order they were applied.
func parseCodings(encoding string) ([]string, error) {
	var list []string
	for c := range strings.SplitSeq(encoding, ",") {
		c = strings.ToLower(strings.TrimSpace(c))
		switch c {
		case "", "identity":
			continue
		case "x-gzip":
			c = "gzip"
		case "gzip", "deflate", "br", "zstd":
		default:
			return nil, fmt.Errorf("%w: %.20q", ErrCoding, c)
		}
		if len(list) == maxCodings {
			return nil, fmt.Errorf("%w: more than %d", ErrCoding, maxCodings)
		}
		list = append(list, c)
	}
	return list, nil
}

// chain is a row of decoders, each reading from the one before.
type chain struct {
	top      io.Reader
	releases [maxCodings]func()
}

// open builds the chain over body. What an inner coding may yield is bounded
// too, since it can be a bomb that the outer one swallows.
func (c *chain) open(codings []string, body []byte, limit int) error {
	c.top = bytes.NewReader(body)
	for i, coding := range slices.Backward(codings) {
		r, release, err := openDecoder(coding, c.top)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		c.top, c.releases[i] = r, release
		if i > 0 {
			c.top = &cutReader{r: r, left: limit + 64<<10}
		}
	}
	return nil
}

func (c *chain) release() {
	for _, release := range c.releases {
		if release != nil {
			release()
		}
	}
}

// cutReader ends after some bytes as if the stream were cut off there.
type cutReader struct {
	r    io.Reader
	left int
}

func (c *cutReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.r.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// readUpTo appends what r has to dst, at most limit bytes. It is truncated if
// r has more or is cut off.
func readUpTo(dst []byte, r io.Reader, limit int) (out []byte, truncated bool, err error) {
	start := len(dst)
	for {
		if len(dst)-start >= limit {
			more, err := hasMore(r)
			return dst, more, err
		}
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, min(limit-(len(dst)-start), max(4096, len(dst)-start)))
		}
		room := min(cap(dst), start+limit)
		n, err := r.Read(dst[len(dst):room])
		dst = dst[:len(dst)+n]
		if err == io.EOF {
			return dst, false, nil
		}
		if err != nil {
			return dst, errors.Is(err, io.ErrUnexpectedEOF), err
		}
	}
}

// hasMore reports whether r has another byte.
func hasMore(r io.Reader) (bool, error) {
	var b [1]byte
	n, err := io.ReadFull(r, b[:])
	if n == 0 && err == io.EOF {
		return false, nil
	}
	return n > 0 || errors.Is(err, io.ErrUnexpectedEOF), err
}

// The decoders are costly to make and are used again.
var (
	gzipPool   sync.Pool // of *gzip.Reader
	flatePool  sync.Pool // of io.ReadCloser that is a flate.Resetter
	zlibPool   sync.Pool // of io.ReadCloser that is a zlib.Resetter
	brotliPool sync.Pool // of *brotli.Reader
	zstdPool   sync.Pool // of *zstd.Decoder
)

// openDecoder returns a decoder of r and what gives it back.
func openDecoder(coding string, r io.Reader) (io.Reader, func(), error) {
	switch coding {
	case "gzip":
		return openGzip(r)
	case "deflate":
		return openDeflate(r)
	case "br":
		return openBrotli(r)
	}
	return openZstd(r)
}

func openGzip(r io.Reader) (io.Reader, func(), error) {
	d, ok := gzipPool.Get().(*gzip.Reader)
	if !ok {
		d = new(gzip.Reader)
	}
	release := func() { gzipPool.Put(d) }
	if err := d.Reset(r); err != nil {
		release()
		return nil, nil, err
	}
	return d, release, nil
}

// openDeflate reads the zlib format, and also bare deflate data, which some
// servers send under that name and all browsers accept.
func openDeflate(r io.Reader) (io.Reader, func(), error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(2)
	if err != nil {
		return nil, nil, err
	}
	if head[0]&0x0f != 8 || (int(head[0])<<8|int(head[1]))%31 != 0 {
		d, ok := flatePool.Get().(io.ReadCloser)
		if !ok {
			d = flate.NewReader(b)
		}
		return d, func() { flatePool.Put(d) }, d.(flate.Resetter).Reset(b, nil)
	}
	d, ok := zlibPool.Get().(io.ReadCloser)
	if !ok {
		d, err = zlib.NewReader(b)
	} else {
		err = d.(zlib.Resetter).Reset(b, nil)
	}
	if err != nil {
		return nil, nil, err
	}
	return d, func() { zlibPool.Put(d) }, nil
}

func openBrotli(r io.Reader) (io.Reader, func(), error) {
	d, ok := brotliPool.Get().(*brotli.Reader)
	if !ok {
		d = new(brotli.Reader)
	}
	return d, func() { brotliPool.Put(d) }, d.Reset(r)
}

func openZstd(r io.Reader) (io.Reader, func(), error) {
	d, ok := zstdPool.Get().(*zstd.Decoder)
	if !ok {
		var err error
		// With a concurrency of one, the decoder has no goroutines to stop.
		d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, nil, err
		}
	}
	release := func() {
		if d.Reset(nil) == nil {
			zstdPool.Put(d)
		}
	}
	if err := d.Reset(r); err != nil {
		release()
		return nil, nil, err
	}
	return d, release, nil
}
