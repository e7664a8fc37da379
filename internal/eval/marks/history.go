package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// fetch is one line of a history.
type fetch struct {
	Site  string `json:"site"`
	Page  string `json:"page"`
	Unix  int64  `json:"unix"`
	Truth string `json:"truth"`
	HTML  string `json:"html"`
}

// The truths.
const (
	truthFirst   = "first"
	truthChange  = "change"
	truthSame    = "same"
	truthUnclear = "unclear"
)

// zstdMagic begins a zstd frame (RFC 8878, section 3.1.1).
var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// read calls each for every line of a history.
func read(r io.Reader, each func(*fetch) error) error {
	b := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := b.Peek(len(zstdMagic)); bytes.Equal(magic, zstdMagic) {
		z, err := zstd.NewReader(b)
		if err != nil {
			return err
		}
		defer z.Close()
		b = bufio.NewReaderSize(z, 1<<20)
	}
	lines := json.NewDecoder(b)
	for n := 1; ; n++ {
		var f fetch
		err := lines.Decode(&f)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f.check()
		}
		if err == nil {
			err = each(&f)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
}

func (f *fetch) check() error {
	switch f.Truth {
	case truthFirst, truthChange, truthSame, truthUnclear:
		return nil
	}
	return fmt.Errorf("truth %q is none of first, change, same and unclear", f.Truth)
}
