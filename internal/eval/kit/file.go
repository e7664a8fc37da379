package kit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// ReadFile opens a file of data, which may be compressed with gzip or zstd, and lets fn
// read it. Errors name the file.
func ReadFile(name string, fn func(io.Reader) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := decompress(f, fn); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return nil
}

func decompress(f io.Reader, fn func(io.Reader) error) error {
	r := bufio.NewReader(f)
	magic, _ := r.Peek(4) // a shorter file is not compressed
	switch {
	case bytes.HasPrefix(magic, []byte{0x1F, 0x8B}): // RFC 1952, section 2.3.1
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		return fn(z)
	case bytes.Equal(magic, []byte{0x28, 0xB5, 0x2F, 0xFD}): // RFC 8878, section 3.1.1
		z, err := zstd.NewReader(r)
		if err != nil {
			return err
		}
		defer z.Close()
		return fn(z)
	}
	return fn(r)
}
