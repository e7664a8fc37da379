package schedule

import (
	"testing"
	"testing/synctest"
	"time"
)

// known returns a table that knows the target "/a", which is due in a minute.
func known(t *testing.T) *Table {
	table := New(8)
	claim := begin(t, table, "/a")
	table.find(claim.tag).state.Store(pack(table.clock.now()+uint64(time.Minute.Milliseconds()), 0))
	return table
}

// ask asks for the target, which must not be due.
func ask(t *testing.T, table *Table) {
	t.Helper()
	if _, ok := table.Begin("/a", madeUp); ok {
		t.Fatal("it is due")
	}
}

func TestClockTicksWhileRequestsCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := known(t)
		c := table.clock
		if c.running.Load() || c.horizon.Load() != rests {
			t.Error("it ticks before any request came")
		}
		for range 300 { // 30 seconds
			ask(t, table)
			ask(t, table)
			if h, now := c.horizon.Load(), c.now(); h < now || h > now+uint64(tick.Milliseconds()) {
				t.Fatalf("the horizon is %d at %d, want at most %v ahead", h, now, tick)
			}
			time.Sleep(tick)
			synctest.Wait()
		}
		time.Sleep(3 * tick)
		synctest.Wait()
		if c.running.Load() || c.horizon.Load() != rests {
			t.Error("it still ticks after the last request")
		}
		ask(t, table)
		if !c.running.Load() || c.horizon.Load() == rests {
			t.Error("it does not tick again")
		}
	})
}

// Whatever the clock is doing, a target is due in the exact millisecond.
func TestTargetIsDueInTheExactMillisecond(t *testing.T) {
	for _, every := range []time.Duration{time.Millisecond, 7 * time.Millisecond, 99 * time.Millisecond, tick,
		250 * time.Millisecond, time.Hour} {
		t.Run(every.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table := known(t)
				last := time.Minute - time.Millisecond
				for passed := time.Duration(0); passed < last; {
					ask(t, table)
					step := min(every, last-passed)
					time.Sleep(step)
					passed += step
				}
				ask(t, table)
				time.Sleep(time.Millisecond)
				begin(t, table, "/a")
			})
		})
	}
}
