package badgerstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
	"google.golang.org/protobuf/proto"
)

// inspectTable returns a problem if Badger would die of the table, or would hide records without a
// word. It checks the table's index and, if all is set, the rest too. Then bad says that a part has
// a wrong checksum.
func inspectTable(name string, id uint64, all bool) (bad bool, err error) {
	data, done, err := tableData(name, all)
	if err != nil {
		return false, &problem{inaccessible, err}
	}
	defer done()
	bad, err = inspectTableData(data, id, all)
	if err != nil {
		return false, corruption("table %d: %w", id, err)
	}
	return bad, nil
}

// tableData returns the bytes of a table. They are valid until done is called. Unless all are
// needed, they are mapped, so that unread ones are not fetched from the disk.
func tableData(name string, all bool) (data []byte, done func(), err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if all || info.Size() == 0 {
		data, err = os.ReadFile(name)
		return data, func() {}, err
	}
	file, err := z.OpenMmapFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	return file.Data, func() { _ = file.Close(-1) }, nil // it was only read
}

func inspectTableData(data []byte, id uint64, all bool) (bad bool, err error) {
	if err := verifyIndex(data); err != nil {
		return false, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("it cannot be read")
		}
	}()
	t, err := table.OpenInMemoryTable(data, id, &table.Options{Compression: options.None})
	if err != nil {
		return false, errors.New("it cannot be opened")
	}
	if !all || blocksWhole(t) {
		return false, nil
	}
	return true, walk(t)
}

// verifyIndex checks the end of a table: the index, its length, its checksum, and the checksum's
// length. Badger ends the process if it cannot read them.
func verifyIndex(data []byte) error {
	sum, data, ok := cutTail(data)
	if !ok {
		return errors.New("it has no checksum")
	}
	index, _, ok := cutTail(data)
	if !ok {
		return errors.New("it has no index")
	}
	var want pb.Checksum
	if err := proto.Unmarshal(sum, &want); err != nil || want.Algo != pb.Checksum_CRC32C {
		return errors.New("its checksum cannot be read")
	}
	if err := y.VerifyChecksum(index, &want); err != nil {
		return errors.New("its index fails its checksum")
	}
	return nil
}

// cutTail cuts off the end of data. The length of that end follows it.
func cutTail(data []byte) (tail, rest []byte, ok bool) {
	at := len(data) - 4
	if at < 0 {
		return nil, nil, false
	}
	n := int(binary.BigEndian.Uint32(data[at:]))
	if n > at {
		return nil, nil, false
	}
	return data[at-n : at], data[:at-n], true
}

// blocksWhole reports whether each block of t has the right checksum.
func blocksWhole(t *table.Table) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	return t.VerifyChecksum() == nil
}

// walk goes through a table with a wrong checksum, as Badger does later. It returns an error if it
// cannot reach all records, or if a key is damaged: then the record that the lost one replaced
// would show again. The index has the first key once more; Badger does not open tables of which the
// keys contradict that. A damaged value is found when it is read.
func walk(t *table.Table) error {
	it := t.NewIterator(table.NOCACHE)
	defer it.Close()
	var last []byte
	n := uint32(0)
	for it.Rewind(); it.Valid(); it.Next() {
		key := it.Key()
		if len(key) < 8 || n == 0 && !bytes.Equal(key, t.Smallest()) || n > 0 && y.CompareKeys(last, key) >= 0 || t.DoesNotHave(y.Hash(y.ParseKey(key))) {
			return errors.New("a key is damaged")
		}
		last = append(last[:0], key...)
		n++
	}
	if n != t.KeyCount() {
		return fmt.Errorf("%d of %d records can be read", n, t.KeyCount())
	}
	return nil
}
