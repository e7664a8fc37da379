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

	syncsSize = 8 + 1 + crc32.Size
)

// A syncState is the content of the file. The zero state says nothing.
type syncState struct {
	version uint64
	clean   bool // whether Badger was closed in the end
}

// encode returns the content of the file: the version, big-endian, 1 for clean, and the CRC-32C of
// both.
func (s syncState) encode() []byte {
	b := append(binary.BigEndian.AppendUint64(nil, s.version), 0)
	if s.clean {
		b[8] = 1
	}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeSyncState returns the zero state if b is damaged.
func decodeSyncState(b []byte) syncState {
	if len(b) != syncsSize || binary.BigEndian.Uint32(b[9:]) != crc32.Checksum(b[:9], castagnoli) {
		return syncState{}
	}
	return syncState{binary.BigEndian.Uint64(b), b[8] == 1}
}

// readSyncState returns the state noted in path, Badger's folder.
func readSyncState(path string) syncState {
	b, _ := os.ReadFile(filepath.Join(path, syncsName))
	return decodeSyncState(b)
}

// syncs notes the syncs of an open Badger. Only the writer uses it.
type syncs struct {
	file    *os.File
	version uint64
	dirty   bool // whether something was written since the last sync
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

// write notes the state. A loss of power may undo it.
func (s *syncs) write(clean bool) error {
	_, err := s.file.WriteAt(syncState{s.version, clean}.encode(), 0)
	return err
}

// save notes the state so that it survives a loss of power.
func (s *syncs) save(clean bool) error {
	err := s.write(clean)
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return &problem{inaccessible, fmt.Errorf("noting what is stored: %w", err)}
	}
	return nil
}
