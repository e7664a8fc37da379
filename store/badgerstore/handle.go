package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"runtime"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/servemap/servemap/store"
)

const (
	memTableSize = 8 << 20
	tableSize    = 512 << 10

	// blockSize is how much of a table has one line in its index, which repeats
	// a whole key. Within a block keys leave out what they share with its first,
	// which is less in larger blocks: above 8 KiB that costs more than the
	// shorter index saves.
	blockSize = 8 << 10

	// freshTables is how many tables of a memtable's size wait before they are
	// merged with others, and levelRatio how much larger each level is than the
	// one above. All that is not in the last level lies beside what it replaces
	// there, so these two bound what is stored twice: of a million pages' records
	// a ninth. With Badger's own 4 and 10 it is a fifth.
	freshTables = 2
	levelRatio  = 20

	// format is the version of how keys and values are laid out in Badger. A
	// folder of another format is refused, not misread.
	format = 1

	// keyPrefix is set before every key, as Badger keeps "!badger!" to itself.
	keyPrefix = "k"

	// sumSize is the length of the CRC-32C of key and value that follows a
	// value: Badger, as it is set up here, shows damaged blocks as they are.
	sumSize = crc32.Size
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// guestOptions are Badger's options for a guest: some 14 MB of heap instead of
// 91 MB. Values stay beside their keys, so that the value log, with its garbage
// collection, stays empty. Without compression, blocks are read where they are
// mapped, so that no cache is needed, reading leaves a third of the garbage,
// and damage does not end in a decoder; the files are half as big again.
// Checksums of blocks stay unverified because Badger takes a block that fails
// for the end of its table: every record has its own.
func guestOptions(dir string, logger badger.Logger) badger.Options {
	o := badger.DefaultOptions(dir)
	o.Logger = logger
	o.MemTableSize = memTableSize
	o.NumMemtables = 2
	o.BaseTableSize = tableSize // compaction holds a few in memory
	o.BlockSize = blockSize
	o.LevelSizeMultiplier = levelRatio
	o.Compression = options.None
	o.BlockCacheSize = 0
	o.IndexCacheSize = 0
	o.ValueLogFileSize = 1 << 20
	o.NumCompactors = 2
	o.NumLevelZeroTables = freshTables
	o.NumLevelZeroTablesStall = 10
	o.DetectConflicts = false
	o.MetricsEnabled = false
	o.CompactL0OnClose = false
	o.ChecksumVerificationMode = options.NoVerification
	o.ExternalMagicVersion = format
	return o
}

// A handle is an open Badger database and what is needed to use it safely.
type handle struct {
	path   string // of Badger's folder
	db     *badger.DB
	guard  *guard
	gate   gate
	wal    *preallocator
	syncs  *syncs
	spoilt func()      // called when a record fails its checksum
	giveUp func(error) // takes the handle out of use

	// Guarded by Store.mu.
	users   int           // calls under way
	retired bool          // no longer given out
	failed  chan struct{} // closed when a write failed, and the handle is done with
	idle    chan struct{} // closed when retired and without users
}

// read returns the values of keys as of one moment, nil for absent ones.
func (h *handle) read(keys []string) (values [][]byte, err error) {
	defer recoverTo(&err)
	txn := h.db.NewTransaction(false)
	defer txn.Discard()
	values = make([][]byte, len(keys))
	var key, arena []byte
	for i := range keys {
		key = appendKey(key[:0], keys[i])
		item, err := txn.Get(key)
		if err == badger.ErrKeyNotFound {
			continue
		}
		if err != nil {
			return nil, failure("reading", err)
		}
		if arena, values[i], err = h.appendValue(arena, item); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// A chunk is what a Scan reads at a time. Its values lie in arena, which the
// next chunk uses again.
type chunk struct {
	records []store.Record
	arena   []byte
	more    bool // there may be more records after the last
}

// next returns the chunk of records after after that begin with prefix. It
// uses c, the chunk before, again.
func (h *handle) next(c chunk, prefix, after string) (_ chunk, err error) {
	defer recoverTo(&err)
	txn := h.db.NewTransaction(false)
	defer txn.Discard()
	// Values are next to their keys, so prefetching them only costs.
	it := txn.NewIterator(badger.IteratorOptions{Prefix: appendKey(nil, prefix)})
	defer it.Close()
	c = chunk{records: c.records[:0], arena: c.arena[:0]}
	for it.Seek(appendKey(nil, max(prefix, after))); it.Valid(); it.Next() {
		item := it.Item()
		if string(item.Key()[len(keyPrefix):]) <= after {
			continue
		}
		var value []byte
		if c.arena, value, err = h.appendValue(c.arena, item); err != nil {
			return chunk{}, err
		}
		if value == nil {
			continue
		}
		c.records = append(c.records, store.Record{Key: string(item.Key()[len(keyPrefix):]), Value: value})
		if len(c.arena) >= chunkBytes || len(c.records) == chunkRecords {
			c.more = true
			break
		}
	}
	return c, nil
}

// appendValue appends the value of item to arena, and returns both. The value
// is never nil, unless it is damaged: a damaged record counts as absent, so
// that it is learned again.
func (h *handle) appendValue(arena []byte, item *badger.Item) (_, value []byte, err error) {
	err = item.Value(func(b []byte) error {
		n := len(b) - sumSize
		if n < 0 || binary.BigEndian.Uint32(b[n:]) != sum(item.Key(), b[:n]) {
			h.spoilt()
			return nil
		}
		// A new array instead of a bigger one leaves the values before alone.
		if cap(arena)-len(arena) < n || arena == nil {
			arena = make([]byte, 0, max(n, min(2*cap(arena), chunkBytes), 128))
		}
		at := len(arena)
		arena = append(arena, b[:n]...)
		value = arena[at:len(arena):len(arena)]
		return nil
	})
	if err != nil {
		return arena, nil, failure("reading", err)
	}
	return arena, value, nil
}

// ready returns why nothing may be written, nil if it may.
func (h *handle) ready() error {
	if err := h.gate.check(); err != nil {
		return err
	}
	return h.wal.check()
}

// commit writes changes, all or none. After an error the handle must not be
// used for writing again.
func (h *handle) commit(changes []change) (err error) {
	defer recoverTo(&err)
	txn := h.db.NewTransaction(true)
	defer txn.Discard()
	for _, c := range changes {
		key := appendKey(nil, c.key) // Badger keeps it until it has committed
		if c.value == nil {
			err = txn.Delete(key)
		} else {
			err = txn.Set(key, binary.BigEndian.AppendUint32(c.value, sum(key, c.value)))
		}
		if err != nil {
			return failure("writing", err)
		}
	}
	if err := txn.Commit(); err != nil {
		return failure("writing", err)
	}
	h.syncs.dirty = true
	h.wal.extend()
	return nil
}

// sync returns when what was committed survives a loss of power. It counts the
// syncs of something new, unless there is no room for that.
func (h *handle) sync() (err error) {
	defer recoverTo(&err)
	counts := h.syncs.dirty && h.ready() == nil
	if counts {
		if err := h.count(); err != nil {
			return failure("syncing", err)
		}
	}
	if err := h.db.Sync(); err != nil {
		return failure("syncing", err)
	}
	if counts {
		h.syncs.noteCount()
	}
	return nil
}

// count stores the next number of syncs.
func (h *handle) count() error {
	next := h.syncs.count + 1
	err := h.db.Update(func(txn *badger.Txn) error {
		return txn.Set([]byte(syncedKey), binary.BigEndian.AppendUint64(nil, next))
	})
	if err == nil {
		h.syncs.count, h.syncs.dirty = next, false
	}
	return err
}

// close closes Badger and unlocks the folder.
func (h *handle) close() (err error) {
	defer h.guard.close()
	defer h.syncs.file.Close()
	defer recoverTo(&err)
	if err := h.db.Close(); err != nil {
		return failure("closing", err)
	}
	return h.syncs.note(true)
}

// appendKey appends the form of key in Badger to dst.
func appendKey(dst []byte, key string) []byte {
	return append(append(dst, keyPrefix...), key...)
}

// sum returns the checksum of a record, of its key as it is in Badger.
func sum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}

// recoverTo makes a panic of Badger an error. Badger panics in its callers
// when its files are damaged and while a failed handle awaits its end.
func recoverTo(err *error) {
	if p := recover(); p != nil {
		*err = unavailable(&trouble{failing, errors.New(panicText(p))})
	}
}

// panicText tells of a panic without what Badger may have put into it.
func panicText(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return "badger panicked: " + err.Error()
	}
	return fmt.Sprintf("badger panicked with a value of type %T", p)
}

// tablesSize returns the bytes of the tables among the files of a folder.
func tablesSize(files []fs.DirEntry) (size int64) {
	for _, file := range files {
		if info, err := file.Info(); err == nil && strings.HasSuffix(file.Name(), ".sst") {
			size += info.Size()
		}
	}
	return size
}
