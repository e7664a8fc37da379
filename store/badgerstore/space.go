package badgerstore

import "fmt"

const (
	defaultReserve = 512 << 20
	leastReserve   = 8 * memTableSize
	reservedFiles  = 64 // inodes; a compaction makes some ten files at a time
)

// space is what a file system has free for us.
type space struct {
	total, free int64 // bytes
	files       int64 // inodes; negative if the file system does not count them
	readOnly    bool
}

// gate keeps Badger from writing to a full disk, and from opening files when
// there are no descriptors left. Badger writes through memory maps, and a map
// that finds no space ends the process with SIGBUS.
type gate struct {
	dir         string
	reserve     int64 // as in Options
	ledger      int64 // bytes of the tables when the folder was opened
	descriptors int   // that must be left beside the reserve
}

// check returns a trouble, made unavailable, if nothing may be written. A
// system that does not tell is trusted.
func (g gate) check() error {
	if sp, ok := spaceAt(g.dir); ok {
		if err := g.judge(sp); err != nil {
			return unavailable(&trouble{full, err})
		}
	}
	if left, limit, ok := descriptorsLeft(); ok {
		if err := judgeDescriptors(left, limit, g.descriptors); err != nil {
			return unavailable(&trouble{starved, err})
		}
	}
	return nil
}

func (g gate) judge(sp space) error {
	need := reserveFor(g.reserve, sp.total, g.ledger)
	switch {
	case sp.readOnly:
		return fmt.Errorf("the file system of %s is read-only", g.dir)
	case sp.free < need:
		return fmt.Errorf("%d MiB are free at %s, %d MiB are needed", sp.free>>20, g.dir, (need+1<<20-1)>>20)
	case sp.files >= 0 && sp.files < reservedFiles:
		return fmt.Errorf("%d files can be created at %s, %d are needed", sp.files, g.dir, reservedFiles)
	}
	return nil
}

// reserveFor returns how many bytes must be free: option if it is set, else
// 512 MiB or 5 % of the ledger, but at most a tenth of the file system, but at
// least what a compaction may need in between.
func reserveFor(option, total, ledger int64) int64 {
	if option > 0 {
		return option
	}
	return max(leastReserve, min(max(defaultReserve, ledger/20), total/10))
}
