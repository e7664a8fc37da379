package badgerstore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// Badger silently drops what it cannot read at the end of a log. So each sync of something new
// first writes a special key, and then notes in a file which version Badger gave to that key. If
// Badger's highest version is lower at the next opening, synced records are missing.
const (
	syncsName = "synced"

	// syncsKey is that key. It is never deleted, since Badger forgets the versions of deleted keys.
	// No record's key begins like it, see keyPrefix.
	syncsKey = "synced"

	syncsSize = 8 + crc32.Size
)

// encodeVersion returns the content of the file: the version, big-endian, and its CRC-32C.
func encodeVersion(version uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, version)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// readVersion returns the version noted in path, Badger's folder. It is 0 if none is, or if the file is
// damaged.
func readVersion(path string) uint64 {
	b, _ := os.ReadFile(filepath.Join(path, syncsName))
	if len(b) < syncsSize || binary.BigEndian.Uint32(b[8:]) != crc32.Checksum(b[:8], castagnoli) {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// syncs notes the syncs of an open Badger. Only the writer uses it.
type syncs struct {
	file  *os.File
	dirty bool // whether something was written since the last sync
}

// openSyncs opens the file in path, Badger's folder. It makes both if needed.
func openSyncs(path string) (*syncs, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, &problem{inaccessible, err}
	}
	f, err := openFile(filepath.Join(path, syncsName))
	if err != nil {
		return nil, &problem{inaccessible, err}
	}
	return &syncs{file: f}, nil
}

// note notes a version. A loss of power may undo it.
func (s *syncs) note(version uint64) error {
	if _, err := s.file.WriteAt(encodeVersion(version), 0); err != nil {
		return &problem{inaccessible, fmt.Errorf("noting what is stored: %w", err)}
	}
	return nil
}
