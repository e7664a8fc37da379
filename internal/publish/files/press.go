package files

import (
	"bytes"

	"github.com/klauspost/compress/gzip"
	"github.com/zeebo/xxh3"
)

// press makes one file after another. It compresses and hashes the text piece by piece,
// so that the whole text is never in memory. The zero value is ready.
type press struct {
	text []byte // not compressed yet
	zip  *gzip.Writer
	out  bytes.Buffer
	sum  xxh3.Hasher
	size int
}

// pieceBytes is how much text is compressed at once.
const pieceBytes = 32 << 10

// begin begins a file.
func (p *press) begin() {
	p.text, p.size = p.text[:0], 0
	p.sum.Reset()
	p.out.Reset()
	if p.zip == nil {
		p.zip, _ = gzip.NewWriterLevel(&p.out, gzip.BestSpeed) // the level is valid
		return
	}
	p.zip.Reset(&p.out)
}

// flush compresses the text once there is enough of it.
func (p *press) flush() {
	if len(p.text) >= pieceBytes {
		p.compress()
	}
}

func (p *press) compress() {
	p.size += len(p.text)
	_, _ = p.sum.Write(p.text) // it never fails
	_, _ = p.zip.Write(p.text) // a bytes.Buffer takes everything
	p.text = p.text[:0]
}

// end ends the file with closing, and sets the hash, size and bytes of made.
func (p *press) end(made *file, closing string) {
	p.text = append(p.text, closing...)
	p.compress()
	_ = p.zip.Close()
	made.hash, made.size, made.gz = p.sum.Sum128().Bytes(), p.size, bytes.Clone(p.out.Bytes())
}
