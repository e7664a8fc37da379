package priority

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestInboundEstimatesPages(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, pages := range []int{0, 1, 3, 10, 30, 60} {
		sum := 0.0
		const runs = 400
		for range runs {
			var n Inbound
			for range pages {
				from := rnd.Uint64()
				n = n.Add(from).Add(from) // a page that links twice is one page
			}
			sum += n.Pages()
		}
		if mean := sum / runs; math.Abs(mean-float64(pages)) > 0.2+0.1*float64(pages) {
			t.Errorf("%d pages are taken for %.1f on average", pages, mean)
		}
	}
}

func TestInboundIsBounded(t *testing.T) {
	var n Inbound
	for from := range uint64(100_000) {
		n = n.Add(from)
	}
	if got := n.Pages(); got < 100 || got > 200 {
		t.Errorf("100,000 pages are taken for %.0f", got)
	}
}

func TestMoreLinksAndVisitsWeighMore(t *testing.T) {
	day := 24 * time.Hour
	few, many := Inbound(0).Add(1), Inbound(0xFFFF)
	for _, row := range []struct {
		name          string
		lighter, more Weight
	}{
		{"links", Weigh(few, 10, day), Weigh(many, 10, day)},
		{"visits", Weigh(few, 10, day), Weigh(few, 1000, day)},
		{"visits a day, not visits", Weigh(few, 100, 100*day), Weigh(few, 100, day)},
		{"nothing at all", Weigh(0, 0, 0), Weigh(few, 1, day)},
	} {
		if row.lighter >= row.more {
			t.Errorf("%s: %d is not below %d", row.name, row.lighter, row.more)
		}
	}
	if w := Weigh(math.MaxUint32, math.MaxUint64, 0); w >= Weights {
		t.Errorf("the heaviest page weighs %d", w)
	}
	if a, b := Weigh(few, 100, 10*day), Weigh(few, 101, 10*day); a != b {
		t.Errorf("one visit more changes the weight from %d to %d", a, b)
	}
}

func TestRanksSpreadPagesOverThePriorities(t *testing.T) {
	var none Ranks
	if got := none.Of(3); got != 0 {
		t.Errorf("with no page counted the priority is %d", got)
	}
	var same Ranks
	for range 7 {
		same.Add(20)
	}
	if got := same.Of(20); got != 5 {
		t.Errorf("among equals the priority is %d tenths", got)
	}
	var spread Ranks
	for w := range Weight(Weights) {
		spread.Add(w)
	}
	before := uint8(0)
	seen := map[uint8]bool{}
	for w := range Weight(Weights) {
		got := spread.Of(w)
		if got < before || got < Least || got > Most {
			t.Fatalf("weight %d has priority %d after %d", w, got, before)
		}
		before, seen[got] = got, true
	}
	if len(seen) != Most {
		t.Errorf("%d of %d priorities are used", len(seen), Most)
	}
}

func TestPriorityMovesByTwoTenthsOrNotAtAll(t *testing.T) {
	for _, row := range []struct {
		name              string
		before, now, want uint8
	}{
		{"first", 0, 4, 4},
		{"unchanged", 4, 4, 4},
		{"a tenth up", 4, 5, 4},
		{"a tenth down", 4, 3, 4},
		{"two up", 4, 6, 6},
		{"two down", 4, 2, 2},
		{"unknown again", 4, 0, 0},
	} {
		if got := Settle(row.before, row.now); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}
