package coding

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/servemap/servemap/internal/testkit/base"
)

// encode applies one content coding.
func encode(t testing.TB, coding string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	default:
		t.Fatalf("no coding %q", coding)
	}
	base.Check(t, err)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	base.Check(t, w.Close())
	return b.Bytes()
}

func TestDecodeUndoesEachCoding(t *testing.T) {
	text := []byte(strings.Repeat("<p>some text</p>\n", 1000))
	gz := encode(t, "gzip", text)
	tests := []struct {
		name, encoding string
		body           []byte
	}{
		{"empty", "", text},
		{"gzip", "gzip", gz},
		{"x-gzip in upper case", " X-GZIP ", gz},
		{"gzip of two members", "gzip", append(encode(t, "gzip", text[:100]), encode(t, "gzip", text[100:])...)},
		{"br", "br", encode(t, "br", text)},
		{"zstd", "zstd", encode(t, "zstd", text)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 { // the second time with reused decoders
				out, truncated, err := Decode(tt.encoding, tt.body, len(text))
				if err != nil || truncated || !bytes.Equal(out, text) {
					t.Fatalf("%d bytes, truncated %v, error %v", len(out), truncated, err)
				}
			}
			out, truncated, err := Decode(tt.encoding, tt.body, len(text)-1)
			if err != nil || !truncated || !bytes.Equal(out, text[:len(text)-1]) {
				t.Errorf("beyond the limit: %d bytes, truncated %v, error %v", len(out), truncated, err)
			}
			out, truncated, err = Decode(tt.encoding, tt.body, 0)
			if err != nil || !truncated || len(out) != 0 {
				t.Errorf("limit of zero: %d bytes, truncated %v, error %v", len(out), truncated, err)
			}
		})
	}
}

func TestDecodeGivesTheBeginningOfACutBody(t *testing.T) {
	text := make([]byte, 50_000)
	for i := range text {
		text[i] = byte('a' + rand.N(26))
	}
	for _, coding := range []string{"gzip", "br", "zstd"} {
		t.Run(coding, func(t *testing.T) {
			body := encode(t, coding, text)
			for _, n := range []int{0, 1, 3, 9, 12, len(body) / 2, len(body) - 1} {
				out, truncated, err := Decode(coding, body[:n], 1<<20)
				if err != nil || !truncated || !bytes.HasPrefix(text, out) {
					t.Errorf("after %d of %d bytes: %d bytes, truncated %v, error %v", n, len(body), len(out), truncated, err)
				}
			}
		})
	}
}

func TestDecodeRefusesDamagedBodies(t *testing.T) {
	gz := encode(t, "gzip", []byte("text"))
	damaged := bytes.Clone(gz)
	damaged[len(damaged)-5] ^= 1 // the checksum
	tests := []struct {
		name, encoding string
		body           []byte
		coding         bool // whether the coding is at fault
	}{
		{"unknown coding", "deflate", gz, true},
		{"two codings", "gzip, br", gz, true},
		{"not gzip", "gzip", []byte("<!doctype html><title>x</title>"), false},
		{"wrong checksum", "gzip", damaged, false},
		{"window beyond the standard's", "zstd", []byte("\x28\xb5\x2f\xfd\x00\xa0\x00\x00\x00"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, truncated, err := Decode(tt.encoding, tt.body, 1<<20)
			if err == nil || truncated || errors.Is(err, ErrUnsupported) != tt.coding {
				t.Errorf("truncated %v, error %v, want one for which ErrUnsupported is %v", truncated, err, tt.coding)
			}
		})
	}
}

// zeros is an endless source.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestBombCostsOnlyTheMemoryOfItsLimit checks that bombs cost only the memory of their limit.
func TestBombCostsOnlyTheMemoryOfItsLimit(t *testing.T) {
	const size, limit = 16 << 20, 64 << 10
	var gz, br bytes.Buffer
	zw, bw := gzip.NewWriter(&gz), brotli.NewWriterLevel(&br, 1)
	for _, w := range []io.WriteCloser{zw, bw} {
		if _, err := io.CopyN(w, zeros{}, size); err != nil {
			t.Fatal(err)
		}
		base.Check(t, w.Close())
	}
	tests := []struct {
		encoding string
		body     []byte
	}{{"gzip", gz.Bytes()}, {"br", br.Bytes()}}
	for _, tt := range tests {
		t.Run(tt.encoding, func(t *testing.T) {
			out, truncated, err := Decode(tt.encoding, tt.body, limit)
			if err != nil || !truncated || len(out) != limit || cap(out) > 2*limit {
				t.Errorf("%d bytes with room for %d, truncated %v, error %v", len(out), cap(out), truncated, err)
			}
		})
	}
}
