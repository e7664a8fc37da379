package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/servemap/servemap/store"
)

var scanRules = []rule{
	{"ScanIsInByteOrder", "parts of the sitemap would mix, and a scan could not be resumed", scanIsInByteOrder},
	{"ScanKeepsToItsBounds", "records of another kind would be taken for pages, and a page be listed twice or not at all",
		scanKeepsToItsBounds},
	{"ScanIsComplete", "the sitemap would shrink in silence", scanIsComplete},
	{"ScanStopsAndRunsAgain", "a caller that has seen enough would be called on, and the second loop over a scan see " +
		"nothing", scanStopsAndRunsAgain},
	{"ScanBesideUpdates", "tidying up while scanning would hang or lose records", scanBesideUpdates},
}

// awkward are keys in byte order that other orders would sort differently.
var awkward = []string{"!", "-", "0", "10", "2", "A", "B", "Z", "_", "a", "a!", "a/", "a/b", "aA", "a~", "b", "z", "~",
	"~~"}

func putKeys(t tester, p pair, keys []string) {
	t.Helper()
	for some := range slices.Chunk(keys, store.MaxKeys) {
		records := map[string][]byte{}
		for _, key := range some {
			records[key] = []byte("value of " + key)
		}
		p.putAll(t, records)
	}
}

// wantScan compares a scan with what it should yield. keys are all keys that there are, in order.
func wantScan(t tester, p pair, keys []string, prefix, after string) {
	t.Helper()
	want := slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		return !strings.HasPrefix(key, prefix) || key <= after
	})
	if got := keysOf(p.scan(t, prefix, after)); !slices.Equal(got, want) {
		t.Errorf("Scan(%q, %q) yields %q, want %q", prefix, after, got, want)
	}
}

func scanIsInByteOrder(t tester, p pair) {
	for i := range awkward {
		putKeys(t, p, awkward[len(awkward)-1-i:][:1])
	}
	got := p.scan(t, "", "")
	if !slices.Equal(keysOf(got), awkward) {
		t.Errorf("Scan yields %q, want %q", keysOf(got), awkward)
	}
	for _, r := range got {
		if want := "value of " + r.Key; string(r.Value) != want {
			t.Errorf("Scan yields %s=%q, want %q", r.Key, r.Value, want)
		}
	}
}

func scanKeepsToItsBounds(t tester, p pair) {
	wantScan(t, p, nil, "", "")
	putKeys(t, p, awkward)
	for _, prefix := range append([]string{"", "c", "a/b/", "a//"}, awkward...) {
		for _, after := range append([]string{"", "c", "a//", "a0", "zz", "~~~"}, awkward...) {
			wantScan(t, p, awkward, prefix, after)
		}
	}
}

// scanIsComplete reads more records and bytes than stores read at a time, and resumes everywhere
// around those limits.
func scanIsComplete(t tester, p pair) {
	const big = 30 // records of the longest values
	var keys []string
	for i := range 2*store.MaxKeys + 48 {
		keys = append(keys, fmt.Sprintf("m%05d", i))
	}
	putKeys(t, p, keys)
	putKeys(t, p, []string{"l", "n"})
	for i := range big {
		p.put(t, fmt.Sprintf("o%02d", i), patterned(store.MaxValue))
	}
	if got := keysOf(p.scan(t, "m", "")); !slices.Equal(got, keys) {
		t.Errorf("Scan yields %d keys, or other ones, want %d", len(got), len(keys))
	}
	for _, n := range []int{1, 255, 256, 257, 511, 512, 999, 1000, 1001, len(keys) - 1, len(keys)} {
		if got := keysOf(p.scan(t, "m", keys[n-1])); !slices.Equal(got, keys[n:]) {
			t.Errorf("Scan after %d keys yields %d keys, or other ones, want %d", n, len(got), len(keys)-n)
		}
	}
	if got := len(p.scan(t, "", "")); got != len(keys)+2+big {
		t.Errorf("Scan of everything yields %d records, want %d", got, len(keys)+2+big)
	}
}

func scanStopsAndRunsAgain(t tester, p pair) {
	putKeys(t, p, awkward)
	seq := p.b.Scan(context.Background(), "a", "a")
	for _, most := range []int{3, 9, 9} {
		seen := 0
		for _, err := range seq {
			if seen++; err != nil || seen == most {
				break
			}
		}
		if seen != min(most, 5) {
			t.Errorf("a loop over a scan of 5 records, which breaks at record %d, sees %d", most, seen)
		}
	}
}

// scanBesideUpdates deletes every hundredth record it sees, changes records ahead, and adds new
// ones behind. The scan must show every key that was there all the time, and none twice.
func scanBesideUpdates(t tester, p pair) {
	var keys []string
	for i := range 1500 {
		keys = append(keys, fmt.Sprintf("k%05d", i))
	}
	putKeys(t, p, keys)
	var got []string
	for r, err := range p.b.Scan(context.Background(), "k", "") {
		if err != nil {
			t.Fatalf("Scan: %v", err)
		}
		n := len(got)
		got = append(got, strings.Clone(r.Key))
		if n%100 == 0 {
			p.putAll(t, map[string][]byte{r.Key: nil, "j" + r.Key: {}, r.Key[:1]: {}})
			if n+200 < len(keys) {
				p.put(t, keys[n+200], []byte("changed"))
			}
		}
	}
	if !slices.Equal(got, keys) {
		t.Errorf("Scan beside updates yields %d keys, or other ones, want %d", len(got), len(keys))
	}
}

func keysOf(records []store.Record) []string {
	keys := make([]string, len(records))
	for i, r := range records {
		keys[i] = r.Key
	}
	return keys
}
