package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
)

// quickTables is how many bytes of tables are read at each opening, which takes a quarter of a
// second. If there are more, they are read only if the last process did not close the folder.
const quickTables = 256 << 20

// checkFormat reads the numbers of the formats, with which a manifest begins. It accepts a file that
// begins otherwise: that is damage.
func checkFormat(manifest string) error {
	f, err := os.Open(manifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &problem{inaccessible, err}
	}
	defer f.Close()
	var head struct {
		Magic        [4]byte
		Ours, Badger uint16
	}
	if err := binary.Read(f, binary.BigEndian, &head); err != nil || string(head.Magic[:]) != "Bdgr" || head.Ours == format && head.Badger == badgerFormat {
		return nil
	}
	return &problem{otherFormat, fmt.Errorf("the records are in format %d.%d, and this program reads format %d.%d: another version wrote them, which damaged nothing; "+
		"run the version that wrote them, or name another folder", head.Ours, head.Badger, format, badgerFormat)}
}

// checkFiles finds the damage that Badger dies of, or hides, before Badger meets it. It also
// removes empty logs, which a process leaves that dies while it makes one. Badger itself finds
// other damage when it opens. A log with a damaged record in it counts as one that ends there, and
// a manifest that was cut between two entries as a shorter one.
func checkFiles(path string, files []fs.DirEntry, unclosed bool) error {
	tables, size := 0, int64(0)
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			return &problem{inaccessible, err}
		}
		switch filepath.Ext(file.Name()) {
		case ".sst":
			tables++
			size += info.Size()
		case ".mem", ".vlog":
			if info.Size() > 0 {
				continue
			}
			if err := os.Remove(filepath.Join(path, file.Name())); err != nil {
				return &problem{inaccessible, err}
			}
		}
	}
	named, err := readManifest(path, tables)
	if err != nil || !unclosed && size > quickTables {
		return err
	}
	for id := range named {
		if err := checkTable(table.NewFilename(id, path), id); err != nil {
			return err
		}
	}
	return nil
}

// readManifest returns the tables that the manifest names. Badger replaces a missing manifest, and
// takes one that was cut short. Then it deletes the tables that are not in it.
func readManifest(path string, tables int) (named map[uint64]badger.TableManifest, err error) {
	f, err := os.Open(filepath.Join(path, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) && tables == 0 {
		return nil, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, corruption("there are tables without a manifest")
	}
	if err != nil {
		return nil, &problem{inaccessible, err}
	}
	defer f.Close()
	manifest, end, err := badger.ReplayManifestFile(f, format, guestOptions(path, nil))
	if err != nil {
		return nil, openingProblem(err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, &problem{inaccessible, err}
	}
	if end < info.Size() && tables > len(manifest.Tables) {
		return nil, corruption("the manifest was cut short, and there are tables that it does not name")
	}
	return manifest.Tables, nil
}

// checkTable compares a table with its checksums.
func checkTable(name string, id uint64) (err error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return corruption("table %d is missing", id)
	}
	if err != nil {
		return &problem{inaccessible, err}
	}
	if !tableWhole(data, id) {
		return corruption("table %d fails its checksums", id)
	}
	return nil
}

// tableWhole has Badger verify its checksums here, where a panic does no harm.
func tableWhole(data []byte, id uint64) (whole bool) {
	defer func() { whole = recover() == nil && whole }()
	if !lengthsFit(data) {
		return false
	}
	t, err := table.OpenInMemoryTable(data, id, &table.Options{Compression: options.None})
	return err == nil && t.VerifyChecksum() == nil
}

// lengthsFit reports whether the checksum at the end of a table, and the index before it, lie in
// the table. Their lengths follow them. Badger ends the process if they do not fit.
func lengthsFit(data []byte) bool {
	for range 2 {
		at := len(data) - 4
		if at < 0 {
			return false
		}
		n := int(binary.BigEndian.Uint32(data[at:]))
		if n > at {
			return false
		}
		data = data[:at-n]
	}
	return true
}
