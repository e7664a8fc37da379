package badgerstore

import (
	"encoding/binary"
	"hash/crc32"
	"log/slog"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/servemap/servemap/store"
)

const (
	memTableSize = 8 << 20
	tableSize    = 512 << 10

	// blockSize is how many bytes of a table share one entry in its index. An entry repeats a whole
	// key. Keys in a block leave out what they share with its first key, which is less in larger
	// blocks. Above 8 KiB, that costs more than the shorter index saves.
	blockSize = 8 << 10

	// freshTables is how many tables of a memtable's size wait before they are merged with others.
	// levelRatio is how much larger each level is than the one above. Records above the last level
	// also exist there in their old form. So these two bound how much is stored twice: a ninth of
	// the records of a million pages. With Badger's own 4 and 10 it is a fifth.
	freshTables = 2
	levelRatio  = 20

	// format is the version of the layout of keys and values in Badger. A folder of another format
	// counts as damaged.
	format = 1

	// keyPrefix comes before every key, since Badger reserves "!badger!".
	keyPrefix = "k"

	// sumSize is the length of the CRC-32C of key and value, which follows each value.
	sumSize = crc32.Size
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// guestOptions are Badger's options for a guest: about 14 MB of heap instead of 91 MB. Values stay
// beside their keys, so the value log stays empty and needs no garbage collection. Without
// compression, blocks are read where they are mapped. So no cache is needed, reading leaves a third
// of the garbage, and damage never reaches a decoder, but the files are half as big again. Badger
// does not verify checksums of blocks, because it takes a damaged block for the end of its table.
// Instead, every record has its own checksum.
func guestOptions(dir string, logger badger.Logger) badger.Options {
	o := badger.DefaultOptions(dir)
	o.Logger = logger
	o.MemTableSize = memTableSize
	o.NumMemtables = 2
	o.BaseTableSize = tableSize // a compaction holds a few of these in memory
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

// A database is an open Badger, and what is needed to use it safely.
type database struct {
	store  *Store
	badger *badger.DB
	lock   *folderLock
	gate   gate
	syncs  *syncs // used by the writer only

	calls  sync.WaitGroup // running calls; none begins once the database is out of use
	failed chan error     // receives the error that took the database out of use
}

// read returns the values of keys at one moment, nil for absent ones.
func (db *database) read(keys []string) (values [][]byte, err error) {
	defer recoverTo(&err)
	txn := db.badger.NewTransaction(false)
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
			return nil, badgerProblem(otherFailure, "reading", err)
		}
		if arena, values[i], err = db.appendValue(arena, item); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// A chunk is what Scan reads at a time. Its values are in arena, which the next chunk reuses.
type chunk struct {
	records []store.Record
	arena   []byte
	more    bool // there may be more records after the last
	most    int  // records in the next chunk; 0 stands for firstRecords
}

// Limits of a chunk. No transaction is open between two chunks, since an open one keeps Badger from
// removing files.
const (
	firstRecords = 16 // whoever wants only the first records does not wait for more
	chunkRecords = 1000
	chunkBytes   = 1 << 20
)

// next returns the next chunk: records after the key after that begin with prefix. It reuses the
// memory of c, the chunk before.
func (db *database) next(c chunk, prefix, after string) (_ chunk, err error) {
	defer recoverTo(&err)
	txn := db.badger.NewTransaction(false)
	defer txn.Discard()
	// Values are next to their keys, so prefetching only costs time.
	it := txn.NewIterator(badger.IteratorOptions{Prefix: appendKey(nil, prefix)})
	defer it.Close()
	most := max(c.most, firstRecords)
	c = chunk{records: c.records[:0], arena: c.arena[:0], most: min(4*most, chunkRecords)}
	for it.Seek(appendKey(nil, max(prefix, after+"\x00"))); it.Valid() && !c.more; it.Next() {
		item := it.Item()
		var value []byte
		if c.arena, value, err = db.appendValue(c.arena, item); err != nil {
			return chunk{}, err
		}
		if value != nil {
			c.records = append(c.records, store.Record{Key: string(item.Key()[len(keyPrefix):]), Value: value})
			c.more = len(c.arena) >= chunkBytes || len(c.records) == most
		}
	}
	return c, nil
}

// appendValue appends the value of item to arena, and returns both. If the record is damaged, the
// value is nil: the record counts as absent and is learned again.
func (db *database) appendValue(arena []byte, item *badger.Item) (_, value []byte, err error) {
	err = item.Value(func(b []byte) error {
		n := len(b) - sumSize
		if n < 0 || binary.BigEndian.Uint32(b[n:]) != sum(item.Key(), b[:n]) {
			db.store.report(slog.LevelError, noteDamaged)
			return nil
		}
		// A new array, not a bigger one, leaves earlier values in place.
		if cap(arena)-len(arena) < n || arena == nil {
			arena = make([]byte, 0, max(n, min(2*cap(arena), chunkBytes), 128))
		}
		at := len(arena)
		arena = append(arena, b[:n]...)
		value = arena[at:len(arena):len(arena)]
		return nil
	})
	if err != nil {
		return arena, nil, badgerProblem(otherFailure, "reading", err)
	}
	return arena, value, nil
}

// commit writes all changes or none. After an error, nothing may be written to the database any
// more.
func (db *database) commit(changes []change) (err error) {
	defer recoverTo(&err)
	txn := db.badger.NewTransaction(true)
	defer txn.Discard()
	for _, c := range changes {
		key := appendKey(nil, c.key) // Badger keeps it until it has committed
		if c.value == nil {
			err = txn.Delete(key)
		} else {
			err = txn.Set(key, binary.BigEndian.AppendUint32(c.value, sum(key, c.value)))
		}
		if err != nil {
			return badgerProblem(otherFailure, "writing", err)
		}
	}
	if err := txn.Commit(); err != nil {
		return badgerProblem(otherFailure, "writing", err)
	}
	db.syncs.dirty = true
	return nil
}

// sync returns when everything committed survives a loss of power. If there was anything new, it
// notes the sync, unless there is no room for that.
func (db *database) sync() (err error) {
	defer recoverTo(&err)
	noted := db.syncs.dirty && db.gate.check() == nil
	if noted {
		err = db.badger.Update(func(txn *badger.Txn) error { return txn.Set([]byte(syncsKey), nil) })
	}
	if err == nil {
		err = db.badger.Sync()
	}
	if err != nil {
		return badgerProblem(otherFailure, "syncing", err)
	}
	if noted {
		db.syncs.version, db.syncs.dirty = db.badger.MaxVersion(), false
		_ = db.syncs.write(false) // a version that is too low does no harm
	}
	return nil
}

// close closes Badger and unlocks the folder.
func (db *database) close() (err error) {
	defer db.lock.close()
	defer db.syncs.file.Close()
	defer recoverTo(&err)
	if err := db.badger.Close(); err != nil {
		return badgerProblem(otherFailure, "closing", err)
	}
	return db.syncs.save(true)
}

// tablePause is the time between two checks of whether Badger may make a table.
const tablePause = 250 * time.Millisecond

// awaitTable returns when a compaction may make a table.
func (db *database) awaitTable() {
	for db.gate.check() != nil {
		time.Sleep(tablePause)
	}
}

// appendKey appends a key to dst as Badger stores it.
func appendKey(dst []byte, key string) []byte {
	return append(append(dst, keyPrefix...), key...)
}

// sum returns the checksum of a record. key is as Badger stores it.
func sum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}
