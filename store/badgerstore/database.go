package badgerstore

import (
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

	// format is the number of the layout of keys and values in Badger, and badgerFormat that of
	// Badger's files. A folder of other numbers is left alone.
	format       = 1
	badgerFormat = 8

	// keyPrefix comes before every key, since Badger reserves "!badger!".
	keyPrefix = "k"
)

// guestOptions are Badger's options for a guest: about 14 MB of heap instead of 91 MB. Values stay
// beside their keys, so the value log stays empty and needs no garbage collection. Without
// compression, blocks are read where they are mapped. So no cache is needed and reading leaves a
// third of the garbage, but the files are half as big again. Badger does not verify checksums of
// blocks while it reads, because it takes a damaged block for the end of its table. [checkFiles]
// verified them before, unless the last process closed the folder and it has more than quickTables.
// Then only the manifest and the indexes of the tables were verified: a record in a block that was
// damaged meanwhile may be missing, or wrong.
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
	badger *badger.DB
	lock   *folderLock
	gate   gate

	calls  sync.WaitGroup // running calls; none begins once the database is out of use
	failed chan error     // receives the error that took the database out of use
}

// read returns the values of keys at one moment, nil for absent ones.
func (db *database) read(keys []string) (values [][]byte, err error) {
	defer recoverTo(&err)
	txn := db.badger.NewTransaction(false)
	defer txn.Discard()
	values = make([][]byte, len(keys))
	var key []byte
	arena := make([]byte, 0, 512)
	for i := range keys {
		key = appendKey(key[:0], keys[i])
		item, err := txn.Get(key)
		if err == badger.ErrKeyNotFound {
			continue
		}
		if err != nil {
			return nil, badgerProblem(otherFailure, "reading", err)
		}
		if arena, values[i], err = appendValue(arena, item); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Limits of what a scan reads at a time. No transaction is open between two of its steps, since an
// open one keeps Badger from removing files.
const (
	firstRecords = 16 // whoever wants only the first records does not wait for more
	scanRecords  = 1000
	scanBytes    = 1 << 20
)

// next returns the first records after the key after that begin with prefix, and whether there may
// be more.
func (db *database) next(prefix, after string, most int) (records []store.Record, more bool, err error) {
	defer recoverTo(&err)
	txn := db.badger.NewTransaction(false)
	defer txn.Discard()
	// Values are next to their keys, so prefetching only costs time.
	it := txn.NewIterator(badger.IteratorOptions{Prefix: appendKey(nil, prefix)})
	defer it.Close()
	arena := make([]byte, 0, 512)
	for it.Seek(appendKey(nil, max(prefix, after+"\x00"))); it.Valid() && !more; it.Next() {
		var value []byte
		if arena, value, err = appendValue(arena, it.Item()); err != nil {
			return nil, false, err
		}
		records = append(records, store.Record{Key: string(it.Item().Key()[len(keyPrefix):]), Value: value})
		more = len(arena) >= scanBytes || len(records) == most
	}
	return records, more, nil
}

// appendValue appends the value of item to arena, and returns both. Earlier values stay what they
// are. arena must not be nil, since an empty value is not.
func appendValue(arena []byte, item *badger.Item) (_, value []byte, err error) {
	at := len(arena)
	err = item.Value(func(b []byte) error {
		arena = append(arena, b...)
		return nil
	})
	if err != nil {
		return arena, nil, badgerProblem(otherFailure, "reading", err)
	}
	return arena, arena[at:len(arena):len(arena)], nil
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
			err = txn.Set(key, c.value)
		}
		if err != nil {
			return badgerProblem(otherFailure, "writing", err)
		}
	}
	if err := txn.Commit(); err != nil {
		return badgerProblem(otherFailure, "writing", err)
	}
	return nil
}

// sync returns when everything committed survives a loss of power.
func (db *database) sync() (err error) {
	defer recoverTo(&err)
	if err := db.badger.Sync(); err != nil {
		return badgerProblem(otherFailure, "syncing", err)
	}
	return nil
}

// close closes Badger, notes how that was, and unlocks the folder.
func (db *database) close(count int) (err error) {
	defer db.lock.file.Close()
	defer db.gate.folder.Close()
	defer recoverTo(&err)
	if err := db.badger.Close(); err != nil {
		return badgerProblem(otherFailure, "closing", err)
	}
	return db.lock.set(count)
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
