package ledger

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

// waiting is a sighting as one of many that wait while the store hangs.
func waiting(i int, link string) *look.Sighting {
	return &look.Sighting{
		Kind: admit.Alive, Location: "/page/" + strconv.Itoa(i),
		Response: &tap.Response{Status: http.StatusNotModified, Header: tap.Header{Link: link}, Complete: true},
	}
}

func TestQueueIsBoundedInBytes(t *testing.T) {
	for _, tt := range []struct {
		name        string
		link        string
		least, most int
	}{
		{"small sightings", "", 2_000, 5_000},
		{"headers of 8 KB", strings.Repeat("x", 8<<10), 200, 256},
		{"headers of 1 MB", strings.Repeat("x", 1<<20), 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := newQueue()
			fill := func() (n int) {
				for ; q.offer(waiting(n, tt.link)); n++ {
				}
				return n
			}
			n := fill()
			if n < tt.least || n > tt.most || q.depth() != n || q.dropped.Load() != 1 {
				t.Errorf("%d were taken, %d wait, %d were dropped; want %d to %d", n, q.depth(), q.dropped.Load(), tt.least, tt.most)
			}
			taken := q.take(n + 1)
			if len(taken) != n || taken[n-1].Location != "/page/"+strconv.Itoa(n-1) {
				t.Errorf("%d were given back", len(taken))
			}
			if again := fill(); again != n {
				t.Errorf("%d fit after all were given back, want %d", again, n)
			}
		})
	}
}

func TestClosedQueueTakesNothing(t *testing.T) {
	q := newQueue()
	q.close()
	if q.offer(waiting(0, "")) {
		t.Error("it took a sighting")
	}
}
