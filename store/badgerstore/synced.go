package badgerstore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
)

// Badger drops what it cannot read at the end of a log, and says nothing. So
// each sync of something new stores a number in Badger first, which counts the
// syncs, and notes it in a file of its own afterwards. If Badger knows a lower
// number at the next opening than the file, then records that were synced are
// missing. The file also notes the folder's format, and whether Badger was closed
// in the end.

const (
	syncedName = "synced"

	// syncedKey is where Badger has the number. It begins as no record's key
	// does, see keyPrefix.
	syncedKey = "synced"

	syncedSize = 8 + 1 + 1 + crc32.Size
)

// A mark is what the file says.
type mark struct {
	syncs  uint64
	format uint8 // of the folder; 0 if nothing is known
	clean  bool  // Badger was closed
}

// encode lays the mark out: the number, big-endian, the format, 1 for clean, and
// the CRC-32C of all that.
func (m mark) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, m.syncs)
	b = append(b, m.format, 0)
	if m.clean {
		b[9] = 1
	}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeMark returns the zero mark, which says nothing, if b is none.
func decodeMark(b []byte) mark {
	if len(b) != syncedSize || binary.BigEndian.Uint32(b[10:]) != crc32.Checksum(b[:10], castagnoli) {
		return mark{}
	}
	return mark{binary.BigEndian.Uint64(b), b[8], b[9] == 1}
}

// readMark returns the mark in Badger's folder path.
func readMark(path string) mark {
	b, err := os.ReadFile(filepath.Join(path, syncedName))
	if err != nil {
		return mark{}
	}
	return decodeMark(b)
}

// syncs is the count of syncs of an open Badger. It is used by the one who
// commits.
type syncs struct {
	file  *os.File
	count uint64
	dirty bool // something was written since
}

// openSyncs makes or opens the file, and Badger's folder path, in which it is.
func openSyncs(path string) (*syncs, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, &trouble{files, err}
	}
	f, err := os.OpenFile(filepath.Join(path, syncedName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, &trouble{files, err}
	}
	return &syncs{file: f}, nil
}

// begin goes on counting from count, and marks the file as not clean.
func (s *syncs) begin(count uint64) error {
	s.count = count
	return s.note(false)
}

// note writes the mark. One that says whether Badger was closed must survive a
// loss of power.
func (s *syncs) note(clean bool) error {
	_, err := s.file.WriteAt(mark{s.count, format, clean}.encode(), 0)
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return &trouble{files, fmt.Errorf("noting what is stored: %w", err)}
	}
	return nil
}

// noteCount writes the mark after a sync. It may be lost, or late.
func (s *syncs) noteCount() {
	_, _ = s.file.WriteAt(mark{syncs: s.count, format: format}.encode(), 0)
}

// storedSyncs returns the number that Badger knows, 0 if none.
func storedSyncs(db *badger.DB) (n uint64, err error) {
	defer recoverTo(&err)
	err = db.View(func(txn *badger.Txn) error {
		item, err := txn.Get([]byte(syncedKey))
		if err == badger.ErrKeyNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		return item.Value(func(b []byte) error {
			if len(b) == 8 {
				n = binary.BigEndian.Uint64(b)
			}
			return nil
		})
	})
	return n, err
}
