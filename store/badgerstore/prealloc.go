package badgerstore

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A preallocator gives Badger's write-ahead logs their disk space in advance.
// They are sparse files written through memory maps; with their space, commits
// survive a disk that somebody else fills between our check and the write. Only
// the writer uses it.
type preallocator struct {
	dir  string
	next int   // the number of the log to look for
	err  error // why the newest log has no space, nil if it has
}

// walSpace is what is written to a log at most: it is full at the size of a
// memtable, and the transaction that fills it goes in whole.
const walSpace = memTableSize + memTableSize/5

const walSuffix = ".mem"

func newPreallocator(dir string) *preallocator {
	p := &preallocator{dir: dir}
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		stem, ok := strings.CutSuffix(file.Name(), walSuffix)
		if n, err := strconv.Atoi(stem); ok && err == nil {
			p.next = max(p.next, n) // the newest is the one being written
		}
	}
	return p
}

// check returns a problem if the log being written to still gets no space.
func (p *preallocator) check() error {
	if p.err != nil {
		p.extend()
	}
	if p.err != nil {
		return &problem{noSpace, fmt.Errorf("no space for the log: %w", p.err)}
	}
	return nil
}

// extend gives space to the logs begun since the last time. Where the file system
// cannot give space in advance, only the gate protects.
func (p *preallocator) extend() {
	for p.err = nil; ; p.next++ {
		f, err := os.OpenFile(filepath.Join(p.dir, fmt.Sprintf("%05d%s", p.next, walSuffix)), os.O_RDWR, 0)
		if err != nil {
			return
		}
		p.err = allocate(f, walSpace)
		f.Close()
		if p.err != nil {
			return
		}
	}
}
