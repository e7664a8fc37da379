package badgerstore

import (
	"os"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/internal/call"
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

	// format is the number of the layout of keys and values in Badger. A folder of another number, or
	// of another format of Badger's own files, is left alone.
	format = 1

	// keyPrefix comes before every key, since Badger reserves "!badger!".
	keyPrefix = "k"
)

// guestOptions are Badger's options for a guest: about 14 MB of heap instead of 91 MB. Values stay
// beside their keys, so the value log stays empty and needs no garbage collection. Without
// compression, blocks are read where they are mapped. So no cache is needed and reading leaves a
// third of the garbage, but the files are half as big again. Badger does not verify checksums of
// blocks while it reads, because it takes a damaged block for the end of its table. [checkFiles]
// verified them before.
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
	o.ValueLogFileSize = 1 << 20
	o.NumCompactors = 2
	o.NumLevelZeroTables = freshTables
	o.NumLevelZeroTablesStall = 10
	o.DetectConflicts = false
	o.MetricsEnabled = false
	o.ChecksumVerificationMode = options.NoVerification
	o.ExternalMagicVersion = format
	return o
}

// A database is an open Badger, and what is needed to use it safely.
type database struct {
	badger *badger.DB
	lock   *os.File
	gate   gate
	full   error // why it was opened for reading alone, nil if it can be written

	begins string    // what the log says at the first call, before the folder's name
	beside string    // a file that stands there and is no store's, if the store begins; "" for none
	used   sync.Once // logs both at that call

	calls  sync.WaitGroup // running calls; none begins once the database is out of use
	failed chan error     // receives the error that took the database out of use
}

// read returns the values of keys at one moment, nil for absent ones.
func (db *database) read(keys []string) (values [][]byte, err error) {
	defer recoverTo(&err)
	txn := db.badger.NewTransaction(false)
	defer txn.Discard()
	values = make([][]byte, len(keys))
	for i, key := range keys {
		item, err := txn.Get(stored(key))
		if err == badger.ErrKeyNotFound {
			continue
		}
		if err != nil {
			return nil, failed("reading", err)
		}
		if values[i], err = valueOf(item); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// next returns at most most records whose keys begin with prefix, from the key first on, and whether there may be
// more. No transaction is open between two steps of a scan, since an open one keeps Badger from removing files.
func (db *database) next(prefix, first string, most int) (records []store.Record, more bool, err error) {
	defer recoverTo(&err)
	txn := db.badger.NewTransaction(false)
	defer txn.Discard()
	// Values are next to their keys, so prefetching only costs time.
	it := txn.NewIterator(badger.IteratorOptions{Prefix: stored(prefix)})
	defer it.Close()
	size := 0
	for it.Seek(stored(first)); it.Valid() && !more; it.Next() {
		value, err := valueOf(it.Item())
		if err != nil {
			return nil, false, err
		}
		records = append(records, store.Record{Key: string(it.Item().Key()[len(keyPrefix):]), Value: value})
		size += len(value)
		more = size >= call.MostBytes || len(records) == most
	}
	return records, more, nil
}

// valueOf returns a copy of the value of item. It is not nil.
func valueOf(item *badger.Item) ([]byte, error) {
	value := []byte{}
	err := item.Value(func(b []byte) error {
		value = append(value, b...)
		return nil
	})
	if err != nil {
		return nil, failed("reading", err)
	}
	return value, nil
}

// commit writes all changes or none. Badger keeps their values. After an error, nothing may be written to the
// database any more.
func (db *database) commit(changes []store.Record) (err error) {
	defer recoverTo(&err)
	txn := db.badger.NewTransaction(true)
	defer txn.Discard()
	for _, c := range changes {
		if key := stored(c.Key); c.Value == nil {
			err = txn.Delete(key)
		} else {
			err = txn.Set(key, c.Value)
		}
		if err != nil {
			return failed("writing", err)
		}
	}
	if err := txn.Commit(); err != nil {
		return failed("writing", err)
	}
	return nil
}

// sync returns when everything committed survives a loss of power.
func (db *database) sync() (err error) {
	defer recoverTo(&err)
	if err := db.badger.Sync(); err != nil {
		return failed("syncing", err)
	}
	return nil
}

// close closes Badger, which writes everything to the disk, and unlocks the folder.
func (db *database) close() (err error) {
	defer db.lock.Close()
	defer db.gate.folder.Close()
	defer recoverTo(&err)
	if err := db.badger.Close(); err != nil {
		return failed("closing", err)
	}
	return nil
}

// mayWrite returns an error if nothing may be written. files is as for [gate.check].
func (db *database) mayWrite(files int) error {
	if err := db.gate.check(files); err != nil {
		return unavailable(err)
	}
	if db.full != nil {
		return unavailable(errRoom)
	}
	return nil
}

// tablePause is the time between two checks of whether Badger may make a table.
const tablePause = 250 * time.Millisecond

// awaitTable returns when a compaction may make a table.
func (db *database) awaitTable() {
	for db.gate.check(spareFiles) != nil {
		time.Sleep(tablePause)
	}
}

// stored returns a key as Badger stores it.
func stored(key string) []byte { return append([]byte(keyPrefix), key...) }
