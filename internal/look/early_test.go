package look

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/tap"
)

// leads returns a look, at a time, at a location that links to another.
func leads(from, to string, at time.Time) *Look {
	k := &Look{Sighting: &Sighting{Location: from, At: at, Response: new(tap.Response)}}
	k.Links = []Link{{Location: to}}
	return k
}

func TestEarlyGivesALookBackOnceForAMinute(t *testing.T) {
	now := time.Now()
	for name, tt := range map[string]struct {
		entered time.Duration
		want    int
	}{"at once": {0, 1}, "a minute later": {time.Minute, 1}, "later": {time.Minute + 1, 0}} {
		t.Run(name, func(t *testing.T) {
			var e Early
			e.Keep(leads("/a", "/b", now))
			e.Enter("/other", now)
			e.Enter("/a", now.Add(tt.entered))
			e.Enter("/a", now.Add(tt.entered))
			got := 0
			for k := e.Next(); k != nil; k = e.Next() {
				if got++; k.Location != "/a" || len(k.Links) != 1 {
					t.Errorf("got %s with %d links", k.Location, len(k.Links))
				}
			}
			if got != tt.want || e.Has("/a") {
				t.Errorf("%d looks count, want %d", got, tt.want)
			}
		})
	}
}

func TestEarlyForgetsTheOldestForTheLatest(t *testing.T) {
	var e Early
	long, now := "/"+strings.Repeat("x", 1000), time.Now()
	for i := range 2 * earlyBytes / len(long) {
		e.Keep(leads(fmt.Sprint("/", i), long, now))
		if e.bytes > earlyBytes {
			t.Fatalf("%d bytes are held, want at most %d", e.bytes, earlyBytes)
		}
		if !e.Has(fmt.Sprint("/", i)) {
			t.Fatalf("the look at /%d is forgotten at once", i)
		}
	}
	if e.Has("/0") {
		t.Error("the oldest look is still remembered")
	}
	e.Keep(leads("/huge", strings.Repeat("x", earlyBytes), now))
	if e.Has("/huge") {
		t.Error("a look is remembered that is longer than all that may be")
	}
}
