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
	{"ScanKeepsToItsPrefix", "records of another kind would be taken for pages", scanKeepsToItsPrefix},
	{"ScanResumesAfter", "a page would be listed twice or not at all", scanResumesAfter},
	{"ScanIsComplete", "the sitemap would shrink in silence", scanIsComplete},
	{"ScanOfNothing", "nothing is not an error", scanOfNothing},
	{"ScanStopsWhenTold", "a caller that has seen enough would be called on", scanStopsWhenTold},
	{"ScanRunsAgain", "the second loop over a scan would see nothing", scanRunsAgain},
	{"ScanBesideUpdates", "tidying up while scanning would hang or lose records", scanBesideUpdates},
}

// awkward are keys, in byte order, that other orders would put differently.
var awkward = []string{"!", "-", "0", "10", "2", "A", "B", "Z", "_", "a", "a!", "a/", "a/b", "aA", "a~", "b", "z", "~", "~~"}

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

// wantScan compares a scan with what it should yield of keys, which are all that
// there are, in order.
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

func scanKeepsToItsPrefix(t tester, p pair) {
	putKeys(t, p, awkward)
	for _, prefix := range append([]string{"c", "a/b/", "a//"}, awkward...) {
		wantScan(t, p, awkward, prefix, "")
	}
}

func scanResumesAfter(t tester, p pair) {
	putKeys(t, p, awkward)
	for _, prefix := range []string{"", "a", "a/", "~", "c"} {
		for _, after := range append([]string{"c", "a//", "a0", "zz", "~~~"}, awkward...) {
			wantScan(t, p, awkward, prefix, after)
		}
	}
}

// scanIsComplete goes past the chunks that stores read at a time, in records
// and in bytes, and resumes everywhere around them.
func scanIsComplete(t tester, p pair) {
	var keys []string
	for i := range 2*store.MaxKeys + 48 {
		keys = append(keys, fmt.Sprintf("m%05d", i))
	}
	putKeys(t, p, keys)
	putKeys(t, p, []string{"l", "n"})
	big := map[string][]byte{}
	for i := range 15 {
		big[fmt.Sprintf("o%02d", i)] = patterned(store.MaxValue)
	}
	p.putAll(t, big)
	p.putAll(t, renamed(big, "p"))
	if got := keysOf(p.scan(t, "m", "")); !slices.Equal(got, keys) {
		t.Errorf("Scan yields %d keys, or other ones, want %d", len(got), len(keys))
	}
	for _, n := range []int{1, 255, 256, 257, 511, 512, 999, 1000, 1001, len(keys) - 1, len(keys)} {
		if got := keysOf(p.scan(t, "m", keys[n-1])); !slices.Equal(got, keys[n:]) {
			t.Errorf("Scan after %d keys yields %d keys, or other ones, want %d", n, len(got), len(keys)-n)
		}
	}
	if got := len(p.scan(t, "", "")); got != len(keys)+2+2*len(big) {
		t.Errorf("Scan of everything yields %d records, want %d", got, len(keys)+2+2*len(big))
	}
}

func scanOfNothing(t tester, p pair) {
	if got := p.scan(t, "", ""); len(got) != 0 {
		t.Errorf("Scan of an empty store yields %q", keysOf(got))
	}
	putKeys(t, p, []string{"b"})
	for _, c := range [][2]string{{"a", ""}, {"c", ""}, {"b", "b"}, {"", "b"}, {"bb", ""}, {"a", "z"}} {
		if got := p.scan(t, c[0], c[1]); len(got) != 0 {
			t.Errorf("Scan(%q, %q) yields %q, want nothing", c[0], c[1], keysOf(got))
		}
	}
}

func scanStopsWhenTold(t tester, p pair) {
	putKeys(t, p, awkward)
	seen := 0
	for _, err := range p.b.Scan(context.Background(), "", "") {
		if seen++; err != nil || seen == 3 {
			break
		}
	}
	if seen != 3 {
		t.Errorf("a loop that breaks at the third record saw %d", seen)
	}
	p.put(t, "a", nil)
	if got := len(p.scan(t, "", "")); got != len(awkward)-1 {
		t.Errorf("after a scan that was left, another yields %d records, want %d", got, len(awkward)-1)
	}
}

func scanRunsAgain(t tester, p pair) {
	putKeys(t, p, awkward)
	seq := p.b.Scan(context.Background(), "a", "a")
	for run := range 2 {
		n := 0
		for _, err := range seq {
			if err != nil {
				t.Fatalf("Scan: %v", err)
			}
			n++
		}
		if n != 5 {
			t.Errorf("loop %d over one scan sees %d records, want 5", run+1, n)
		}
	}
}

// scanBesideUpdates deletes every record it is shown, changes records ahead
// and adds new ones behind. Every key that was there all the time is shown,
// and no key is shown twice.
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

func renamed(records map[string][]byte, prefix string) map[string][]byte {
	out := map[string][]byte{}
	for key, value := range records {
		out[prefix+key] = value
	}
	return out
}
