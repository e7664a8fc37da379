package keys

import (
	"math"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

// Times in any other form would put keys out of order.
func TestKeysHaveTimesInOneFormOnly(t *testing.T) {
	k := Keys("s|")
	for digits, want := range map[string]bool{
		"0123456789a": true, "123456789a": false, "00123456789a": false, "-123456789a": false, "+123456789a": false,
		"7fffffffffffffff": false, "": false,
	} {
		if at, location, ok := Logged(k, k.Logs()+digits+"|/a"); ok != want ||
			ok && (at != 0x123456789a || location != "/a") {
			t.Errorf("%q of an event is read as %x, %q, %v", digits, at, location, ok)
		}
	}
	longest := len(k.Log(1<<44-1, ""))
	for _, at := range []int64{math.MinInt64, -1, 0, 1 << 44, math.MaxInt64} {
		if n := len(k.Log(at, "")); n != longest {
			t.Errorf("the key of an event at %d has %d bytes, want %d", at, n, longest)
		}
	}
}

// The longest origin leaves room for the longest location in each key.
func TestLongestOriginLeavesRoomForTheLongestLocation(t *testing.T) {
	if _, err := New(strings.Repeat("o", maxOrigin+1)); err == nil {
		t.Error("an origin that is too long is taken")
	}
	k, err := New(strings.Repeat("o", maxOrigin))
	base.Check(t, err)
	location := strings.Repeat("l", MaxLocation)
	for _, key := range []string{k.Log(math.MaxInt64, location), k.List(MaxShard, location), k.Page(location)} {
		if len(key) > store.MaxKey {
			t.Errorf("the key %.40s... has %d bytes", key[maxOrigin:], len(key))
		}
	}
}
