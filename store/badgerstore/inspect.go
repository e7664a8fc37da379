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

// inspect looks at Badger's files in folder path before Badger does, for damage
// that Badger dies of, hides, or makes worse, since it deletes what it does not
// know of. It returns a trouble if Badger must not see them. Damaged files that
// hold no record are removed; Badger makes them anew. With all it reads the
// tables to their ends; spoilt is how many of them have blocks that fail their
// checksum, and can be used all the same because each record has its own.
func inspect(path string, known mark, all bool) (spoilt int, err error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, &trouble{files, err}
	}
	for _, entry := range entries {
		if err := inspectFile(filepath.Join(path, entry.Name())); err != nil {
			return 0, err
		}
	}
	tables, err := inspectManifest(path, known, entries)
	if err != nil {
		return 0, err
	}
	for id := range tables {
		bad, err := inspectTable(table.NewFilename(id, path), all)
		if err != nil {
			return 0, err
		}
		if bad {
			spoilt++
		}
	}
	return spoilt, nil
}

// Names in Badger's folder, and how its files begin. A log begins with the
// number of the key that it is encrypted with, and a random number; what names
// the keys, with a random number and a text. Here nothing is encrypted.
const (
	manifestName   = badger.ManifestFilename
	keysName       = badger.KeyRegistryFileName
	valuesSuffix   = ".vlog"
	logKeyLength   = 8
	logHeadLength  = 20
	keysTextStart  = 16
	keysText       = "Hello Badger"
	keysFileLength = keysTextStart + len(keysText)
)

// inspectFile returns a trouble if a file cannot be used, or is a log that does
// not begin as one.
func inspectFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return &trouble{files, err}
	}
	defer f.Close()
	values, keys := strings.HasSuffix(name, valuesSuffix), filepath.Base(name) == keysName
	if !values && !keys && !strings.HasSuffix(name, walSuffix) {
		return nil
	}
	head := make([]byte, keysFileLength+1)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return &trouble{files, err}
	}
	switch head = head[:n]; {
	case keys && !keysWell(head) || values && !logWell(head):
		if err := os.Remove(name); err != nil {
			return &trouble{files, err}
		}
	case !keys && !values && !logWell(head):
		return &trouble{damaged, errors.New("opening: a log does not begin as one")}
	}
	return nil
}

// logWell reports whether a log may begin with head. One without length was half
// made, which heals.
func logWell(head []byte) bool {
	return len(head) == 0 || len(head) >= logHeadLength && [logKeyLength]byte(head) == [logKeyLength]byte{}
}

// keysWell reports whether head is the whole of a file that names no key.
func keysWell(head []byte) bool {
	return len(head) == keysFileLength && string(head[keysTextStart:]) == keysText
}

// inspectManifest returns the tables that the manifest names. Badger makes a
// missing manifest anew and takes one that was cut short as it is; then it
// deletes the tables that are not in it.
// One that is of another format, or of another version of Badger, is damaged if
// the folder is known to be of this one.
func inspectManifest(path string, known mark, entries []fs.DirEntry) (map[uint64]badger.TableManifest, error) {
	found := map[uint64]bool{}
	for _, entry := range entries {
		if id, ok := table.ParseFileID(entry.Name()); ok {
			found[id] = true
		}
	}
	f, err := os.Open(filepath.Join(path, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		if len(found) > 0 {
			return nil, &trouble{damaged, errors.New("opening: there are tables without a manifest")}
		}
		return nil, nil
	}
	if err != nil {
		return nil, &trouble{files, err}
	}
	defer f.Close()
	manifest, end, err := badger.ReplayManifestFile(f, format, guestOptions(path, nil))
	if err != nil {
		k := classify(err)
		if k == failing && known.format == format {
			k = damaged
		}
		return nil, &trouble{k, fmt.Errorf("opening: %s", innermost(err.Error()))}
	}
	info, err := f.Stat()
	if err != nil {
		return nil, &trouble{files, err}
	}
	for id := range manifest.Tables {
		if !found[id] {
			return nil, &trouble{damaged, fmt.Errorf("opening: %s %d", sayNoTable, id)}
		}
	}
	if end < info.Size() && len(found) > len(manifest.Tables) {
		return nil, &trouble{damaged, errors.New("opening: the manifest was cut short, and there are tables that it does not name")}
	}
	return manifest.Tables, nil
}
