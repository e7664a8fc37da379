package merge

import (
	"testing"

	"github.com/servemap/servemap/internal/moment"
)

func TestTheNetworksThatAreRemembered(t *testing.T) {
	var all refusals
	for i := range 3 * refusalsKept {
		now := moment.Seconds(int64(1_700_000_000 + i))
		r, at := all.find(uint32(i), now)
		if at >= 0 {
			t.Fatalf("network %d is known", i)
		}
		r.missing, r.wrong, r.wrongAt = i, i+1, now
		all.put(r, at)
		all = readRefusals(all.encode())
	}
	if len(all.of) != refusalsKept {
		t.Errorf("%d networks are remembered, want %d", len(all.of), refusalsKept)
	}
	const last = 3*refusalsKept - 1
	r, at := all.find(last, moment.Seconds(1_700_000_000+last))
	if want := (refusal{last, moment.Seconds(1_700_000_000 + last), last, moment.Seconds(1_700_000_000 + last), last + 1}); at < 0 || r != want {
		t.Errorf("of the last one is known %+v, want %+v", r, want)
	}
	if _, at := all.find(0, moment.Seconds(1_700_000_000)); at >= 0 {
		t.Error("the first one is still known")
	}
	if n := len(all.encode()); n > 3<<10 {
		t.Errorf("the record takes %d bytes", n)
	}
}

// What is stored of the networks may say anything.
func TestRefusalsThatCannotBe(t *testing.T) {
	r := refusal{7, moment.Seconds(1_700_000_000), 3, moment.Seconds(1_700_000_001), 4}
	whole := (&refusals{of: []refusal{r}}).encode()
	for name, b := range map[string][]byte{
		"nothing": nil, "damaged": whole[:len(whole)-1], "cut off": sealed([]byte("\x0a\x01\x07")), "empty": sealed([]byte("\x0a\x00")),
		"endless number": sealed([]byte("\x0a\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")),
	} {
		if got := readRefusals(b); len(got.of) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	later := readRefusals(forged{num: 9, n: 5}.in(whole))
	if got := readRefusals(later.encode()); len(got.of) != 1 || got.of[0] != r || got.unread == "" {
		t.Errorf("%+v, want %+v and the field of a later version", got, r)
	}
	future := refusal{7, moment.Seconds(9_000_000_000), 3, moment.Seconds(9_000_000_000), 9}
	if future.age(moment.Seconds(1_700_000_000)); future.missing != 0 || future.wrong != 0 {
		t.Errorf("of a time to come there is %+v", future)
	}
}
