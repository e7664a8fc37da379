package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/servemap/servemap/store"
)

// rules are all rules, the simplest first: a store that breaks one of the first breaks many.
var rules = slices.Concat(valueRules, updateRules, sharingRules, sharedRules, scanRules, refusalRules)

var valueRules = []rule{
	{"AbsentIsNil", "a page never seen would be taken for one with an empty record", absentIsNil},
	{"EmptyIsAValue", "a mark without content would be lost", emptyIsAValue},
	{"NilDeletes", "a forgotten page would come back", nilDeletes},
	{"BytesComeBack", "records are binary: an encoding or a terminator would damage them", bytesComeBack},
	{"KeysAreBytes", "keys that differ in case or in a special character are different pages", keysAreBytes},
	{"ValuesInKeyOrder", "one page would get the record of another", valuesInKeyOrder},
	{"NoKeys", "an empty batch is not an error", noKeys},
	{"FullSize", "what the limits allow must work", fullSize},
	{"ManyKeys", "a batch of the most keys must work", manyKeys},
}

func absentIsNil(t tester, p pair) {
	p.put(t, "b", []byte("1"))
	for _, key := range []string{"a", "b!", "c"} {
		if got := p.get(t, key); got != nil {
			t.Errorf("value of absent key %q is %q, want nil", key, got)
		}
	}
	var seen [][]byte
	update(t, p.a, []string{"a"}, func(values [][]byte) { seen = cloneAll(values) })
	if len(seen) != 1 || seen[0] != nil {
		t.Errorf("Update of an absent key showed fn %q, want one nil", seen)
	}
	if got := p.scan(t, "", ""); len(got) != 1 {
		t.Errorf("an absent key left absent by Update: Scan yields %d records, want 1", len(got))
	}
}

func emptyIsAValue(t tester, p pair) {
	p.put(t, "k", []byte{})
	if got := p.get(t, "k"); got == nil || len(got) != 0 {
		t.Errorf("View of an empty value gives %#v, want empty and not nil", got)
	}
	if got := p.scan(t, "", ""); len(got) != 1 || got[0].Value == nil || len(got[0].Value) != 0 {
		t.Errorf("Scan of an empty value gives %#v, want one record, empty and not nil", got)
	}
	p.put(t, "k", []byte("long"))
	p.put(t, "k", []byte{})
	if got := p.get(t, "k"); got == nil || len(got) != 0 {
		t.Errorf("a value replaced by an empty one is %#v, want empty and not nil", got)
	}
}

func nilDeletes(t tester, p pair) {
	p.putAll(t, map[string][]byte{"a": []byte("1"), "b": []byte("2"), "c": {}})
	p.putAll(t, map[string][]byte{"a": nil, "c": nil, "never": nil})
	for _, key := range []string{"a", "c", "never"} {
		if got := p.get(t, key); got != nil {
			t.Errorf("value of deleted key %q is %q, want nil", key, got)
		}
	}
	if got := p.scan(t, "", ""); len(got) != 1 || got[0].Key != "b" {
		t.Errorf("after deleting a and c, Scan yields %s, want b alone", keysOf(got))
	}
	p.put(t, "a", []byte("again"))
	if got := p.get(t, "a"); string(got) != "again" {
		t.Errorf("a key deleted and written again holds %q, want %q", got, "again")
	}
}

func bytesComeBack(t tester, p pair) {
	all := make([]byte, 0, 512)
	for i := range 256 {
		all = append(all, byte(255-i), byte(i))
	}
	records := map[string][]byte{"all": all, "zeros": make([]byte, 100), "nul": {0}, "utf8": {0xff, 0xfe, 'x', 0}}
	p.putAll(t, records)
	for key, want := range records {
		if got := p.get(t, key); !bytes.Equal(got, want) {
			t.Errorf("value %s came back as %x, want %x", key, got, want)
		}
	}
	for _, r := range p.scan(t, "", "") {
		if !bytes.Equal(r.Value, records[r.Key]) {
			t.Errorf("Scan gives value %s as %x, want %x", r.Key, r.Value, records[r.Key])
		}
	}
}

// keysAreBytes writes keys that collations, patterns and namespaces may confuse.
func keysAreBytes(t tester, p pair) {
	keys := []string{"A", "a", "a%", "a*", "a-b", "a.b", "a/b", "a_", "ab", "ax", "!badger!x", "!", "~", "'", `\`, `"`,
		"$1", "?"}
	slices.Sort(keys)
	records := map[string][]byte{}
	for i, key := range keys {
		records[key] = []byte{byte(i)}
	}
	p.putAll(t, records)
	for i, got := range p.getAll(t, keys) {
		if !bytes.Equal(got, records[keys[i]]) {
			t.Errorf("value of key %q is %x, want %x", keys[i], got, records[keys[i]])
		}
	}
	for _, prefix := range []string{"a%", "a_", "a*", "A", "!badger!", `\`, "'"} {
		wantScan(t, p, keys, prefix, "")
	}
}

func valuesInKeyOrder(t tester, p pair) {
	p.putAll(t, map[string][]byte{"a": []byte("1"), "b": []byte("2"), "d": []byte("4")})
	keys := []string{"d", "a", "c", "b"}
	if got := p.getAll(t, keys); fmt.Sprintf("%q", got) != `["4" "1" "" "2"]` || got[2] != nil {
		t.Errorf("View of %q gives %q", keys, got)
	}
	update(t, p.a, keys, func(values [][]byte) {
		for i, key := range keys {
			values[i] = []byte(key)
		}
	})
	for _, r := range p.scan(t, "", "") {
		if r.Key != string(r.Value) {
			t.Errorf("Update of unsorted keys wrote %q to %q", r.Value, r.Key)
		}
	}
}

func noKeys(t tester, p pair) {
	called := 0
	fn := func(values [][]byte) error {
		called++
		if len(values) != 0 {
			return errors.New("there are values")
		}
		return nil
	}
	if err := p.a.View(context.Background(), nil, fn); err != nil {
		t.Errorf("View of no keys: %v", err)
	}
	if err := p.a.Update(context.Background(), []string{}, fn); err != nil {
		t.Errorf("Update of no keys: %v", err)
	}
	if called < 2 {
		t.Errorf("View and Update of no keys called fn %d times, want each at least once", called)
	}
}

// fullSize writes the longest value under the longest key.
func fullSize(t tester, p pair) {
	long := strings.Repeat("~", store.MaxKey)
	big := patterned(store.MaxValue)
	p.put(t, long, big)
	if got := p.get(t, long); !bytes.Equal(got, big) {
		t.Errorf("the longest value under the longest key came back as %d other bytes", len(got))
	}
}

// manyKeys writes, rewrites and deletes as many keys as a call takes, with as many bytes as it
// takes.
func manyKeys(t tester, p pair) {
	records, keys := map[string][]byte{}, numbered(store.MaxKeys)
	for _, key := range keys {
		records[key] = patterned(store.MaxUpdate/store.MaxKeys - len(key))
	}
	for range 3 {
		p.putAll(t, records)
		for i, got := range p.getAll(t, keys) {
			if !bytes.Equal(got, records[keys[i]]) {
				t.Fatalf("of %d keys, key %q came back as %d bytes, or other ones", len(keys), keys[i], len(got))
			}
		}
		for _, value := range records {
			value[0]++
		}
	}
	if got := len(p.scan(t, "k", "")); got != len(keys) {
		t.Errorf("Scan yields %d of %d records", got, len(keys))
	}
	clear(records)
	for _, key := range keys {
		records[key] = nil
	}
	p.putAll(t, records)
	if got := len(p.scan(t, "", "")); got != 0 {
		t.Errorf("after all was deleted, Scan yields %d records", got)
	}
}
