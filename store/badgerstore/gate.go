package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/servemap/servemap/internal/page/words"
)

const (
	defaultReserve = 512 << 20
	leastReserve   = 3 * memTableSize // two memtables that become tables, and a write and two compactions meanwhile
	reservedInodes = 64               // a compaction makes about ten files at a time
	spareFiles     = 32               // a flush and two compactions open about 20 at a time
)

// space is the free space of a file system.
type space struct {
	total, free int64 // bytes
	inodes      int64 // free ones; negative if the file system does not count them
	readOnly    bool
}

// A gate keeps Badger from writing to a full disk, where a memory map without space would end the
// process with SIGBUS. It also keeps Badger from a folder that is not its own, and from opening files
// when the process can open few: if a commit cannot open its log, Badger becomes unusable, and if a
// compaction cannot make a table, it still deletes the tables that the new one was to replace.
type gate struct {
	dir     string
	reserve int64    // as in Options
	folder  *os.File // Badger's; nil before that is open
}

// check returns an error if nothing may be written. files is how many files are about to be opened.
func (g gate) check(files int) error {
	if g.folder != nil && replaced(g.folder) {
		return fmt.Errorf("the folder %s was removed, renamed or replaced while it was open; put it back, or restart the "+
			"process", g.dir)
	}
	if err := g.room(); err != nil {
		return err
	}
	return mayOpen(files)
}

// room returns an error if there is too little space to write.
func (g gate) room() error {
	if sp, known := spaceAt(g.dir); known {
		return g.judge(sp)
	}
	return nil
}

// mayOpen returns an error if this process cannot open that many more files.
func mayOpen(files int) error {
	if err := needDescriptors(files); err != nil {
		return fmt.Errorf("this process cannot open %d more files; raise its limit of open files; %w", files, err)
	}
	return nil
}

func (g gate) judge(sp space) error {
	need := g.reserve
	if need == 0 {
		need = max(leastReserve, min(defaultReserve, sp.total/10))
	}
	switch {
	case sp.readOnly:
		return fmt.Errorf("the file system of %s is read-only; make it writable, or name another folder", g.dir)
	case sp.free < need:
		return fmt.Errorf(words.Say("%d MiB are free at %s, %d MiB are needed; free some{OrReserve}"), sp.free>>20, g.dir,
			(need+1<<20-1)>>20)
	case sp.inodes >= 0 && sp.inodes < reservedInodes:
		return fmt.Errorf("%d files can be created at %s, %d are needed; remove some", sp.inodes, g.dir, reservedInodes)
	}
	return nil
}

// replaced reports whether nothing is at the path of an open folder, or something else. Badger does
// not notice that. It goes on writing to the files that it has open, and makes new ones in the folder that is
// now at that path. If that is somebody else's, it would delete files there that have the names of its own.
func replaced(folder *os.File) bool {
	there, err := os.Stat(folder.Name())
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	ours, err := folder.Stat()
	return err == nil && !os.SameFile(ours, there)
}
