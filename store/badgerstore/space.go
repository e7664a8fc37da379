package badgerstore

import (
	"fmt"
	"os"
)

const (
	defaultReserve = 512 << 20
	leastReserve   = 3 * memTableSize // two memtables that become tables, and a write and two compactions meanwhile
	reservedFiles  = 64               // inodes; a compaction makes about ten files at a time
)

// space is the free space of a file system.
type space struct {
	total, free int64 // bytes
	files       int64 // inodes; negative if the file system does not count them
	readOnly    bool
}

// A gate keeps Badger from writing to a full disk, where a memory map without space would end the
// process with SIGBUS. It also keeps Badger from opening files when no file descriptors are left, and from
// a folder that is not its own.
type gate struct {
	dir         string
	reserve     int64    // as in Options
	descriptors int      // how many files are about to be opened
	folder      *os.File // Badger's; nil before that is open
}

// check returns a problem if nothing may be written. If the system does not tell, check allows it.
func (g gate) check() error {
	if err := g.inPlace(); err != nil {
		return err
	}
	if sp, ok := spaceAt(g.dir); ok {
		if err := g.judgeSpace(sp); err != nil {
			return &problem{noSpace, err}
		}
	}
	if left, limit, ok := descriptorsLeft(); ok {
		if err := g.judgeDescriptors(left, limit); err != nil {
			return &problem{noDescriptors, err}
		}
	}
	return nil
}

func (g gate) judgeSpace(sp space) error {
	need := reserveFor(g.reserve, sp.total)
	switch {
	case sp.readOnly:
		return fmt.Errorf("the file system of %s is read-only; make it writable, or name another folder", g.dir)
	case sp.free < need:
		return fmt.Errorf("%d MiB are free at %s, %d MiB are needed; free some, or lower Options.Reserve (-reserve of the command)", sp.free>>20, g.dir, (need+1<<20-1)>>20)
	case sp.files >= 0 && sp.files < reservedFiles:
		return fmt.Errorf("%d files can be created at %s, %d are needed; remove some", sp.files, g.dir, reservedFiles)
	}
	return nil
}

// reserveFor returns how many bytes must be free; see Options.Reserve.
func reserveFor(option, total int64) int64 {
	if option > 0 {
		return option
	}
	return max(leastReserve, min(defaultReserve, total/10))
}

// judgeDescriptors returns an error if the process can open too few files. If a commit cannot open
// its log, Badger becomes unusable. If a compaction cannot make a table, it goes on without it, and
// deletes the tables that it was to replace. A flush and two compactions open about 20 files at a
// time. The rest is for files that others open between this check and the write.
func (g gate) judgeDescriptors(left, limit int) error {
	need := max(64, min(limit/8, 512)) + g.descriptors
	if left >= need {
		return nil
	}
	return fmt.Errorf("this process can open %d more files, %d are needed; raise its limit of %d open files", left, need, limit)
}
