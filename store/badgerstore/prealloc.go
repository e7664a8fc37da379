package badgerstore

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// preallocator gives Badger's write-ahead logs, which are sparse files written
// through memory maps, their disk space in advance. Commits then survive a disk
// that somebody else fills between our look at it and the write. It is used by
// the one who commits.
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

// check returns a trouble, made unavailable, if the log being written to has not
// got its space and gets none now.
func (p *preallocator) check() error {
	if p.err != nil {
		p.extend()
	}
	if p.err != nil {
		return unavailable(&trouble{full, fmt.Errorf("no space for the log: %w", p.err)})
	}
	return nil
}

// extend gives space to logs begun since the last time. Where the file system
// cannot give space in advance the gate alone protects.
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
