package badgerstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
)

// inspect looks for damage in Badger's files before Badger opens them. Badger dies of some damage
// and hides some. It makes some worse by deleting files that it does not know. inspect returns a
// problem if Badger must not see the files. It removes damaged files that hold no record; Badger
// makes them again. If all is set, it reads the tables to their ends. damaged is how many tables
// have blocks with a wrong checksum. They can be used, because each record has its own checksum.
func inspect(path string, files []fs.DirEntry, all bool) (damaged int, err error) {
	for _, file := range files {
		if err := inspectFile(filepath.Join(path, file.Name())); err != nil {
			return 0, err
		}
	}
	tables, err := inspectManifest(path, files)
	if err != nil {
		return 0, err
	}
	for id := range tables {
		bad, err := inspectTable(table.NewFilename(id, path), id, all)
		if err != nil {
			return 0, err
		}
		if bad {
			damaged++
		}
	}
	return damaged, nil
}

// Names in Badger's folder, and the beginnings of its files. A log begins with the number of its
// encryption key, and a random number. The registry of keys begins with a random number and a text.
// Here nothing is encrypted.
const (
	manifestName   = badger.ManifestFilename
	registryName   = badger.KeyRegistryFileName
	tableSuffix    = ".sst"
	walSuffix      = ".mem"
	valuesSuffix   = ".vlog" // logs of values; they are empty, since values stay beside their keys
	logHeadLength  = 20
	registryStart  = 16
	registryText   = "Hello Badger"
	registryLength = registryStart + len(registryText)
)

// inspectFile returns a problem if a file cannot be used, or is a log with a wrong beginning. It
// removes a file that holds no record and that Badger could not open: a damaged registry, a damaged
// log of values, or an empty log, which a process leaves that dies while it makes a log.
func inspectFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return &problem{inaccessible, err}
	}
	defer f.Close()
	registry, values, wal := filepath.Base(name) == registryName, strings.HasSuffix(name, valuesSuffix), strings.HasSuffix(name, walSuffix)
	if !registry && !values && !wal {
		return nil
	}
	head := make([]byte, registryLength+1)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return &problem{inaccessible, err}
	}
	head = head[:n]
	good := n >= logHeadLength && [8]byte(head) == [8]byte{}
	if registry {
		good = n == registryLength && string(head[registryStart:]) == registryText
	}
	if wal && n > 0 && !good {
		return corruption("a log has no valid beginning")
	}
	if !good {
		if err := os.Remove(name); err != nil {
			return &problem{inaccessible, err}
		}
	}
	return nil
}

func corruption(format string, args ...any) error {
	return &problem{corrupt, fmt.Errorf("opening: "+format, args...)}
}

// inspectManifest returns the tables that the manifest names. Badger replaces a missing manifest
// and accepts a truncated one. Then it deletes the tables that are not in it.
func inspectManifest(path string, files []fs.DirEntry) (map[uint64]badger.TableManifest, error) {
	found := map[uint64]bool{}
	for _, file := range files {
		if id, ok := table.ParseFileID(file.Name()); ok {
			found[id] = true
		}
	}
	f, err := os.Open(filepath.Join(path, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		if len(found) > 0 {
			return nil, corruption("there are tables without a manifest")
		}
		return nil, nil
	}
	if err != nil {
		return nil, &problem{inaccessible, err}
	}
	defer f.Close()
	manifest, end, err := badger.ReplayManifestFile(f, format, guestOptions(path, nil))
	if err != nil {
		return nil, badgerProblem(corrupt, "opening", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, &problem{inaccessible, err}
	}
	for id := range manifest.Tables {
		if !found[id] {
			return nil, corruption("table %d is missing", id)
		}
	}
	if end < info.Size() && len(found) > len(manifest.Tables) {
		return nil, corruption("the manifest was cut short, and there are tables that it does not name")
	}
	return manifest.Tables, nil
}
