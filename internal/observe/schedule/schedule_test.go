package schedule

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

// inBubble runs fn with a table in virtual time.
func inBubble(t *testing.T, size int, fn func(t *testing.T, table *Table)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { fn(t, New(size)) })
}

func madeUp() bool { return false }

// begin claims a target that must be due.
func begin(t *testing.T, table *Table, target string) Claim {
	t.Helper()
	claim, ok := table.Begin(target, madeUp)
	if !ok {
		t.Fatalf("%s is not due", target)
	}
	return claim
}

// wait returns how long it takes until target is due, and begins the claim. Next must have said the
// same. Time passes in steps of a millisecond.
func wait(t *testing.T, table *Table, target string) (time.Duration, Claim) {
	t.Helper()
	next := table.Next(target)
	for passed := time.Duration(0); passed <= 2*Longest; passed += time.Millisecond {
		if claim, ok := table.Begin(target, madeUp); ok {
			if now := time.Now(); passed == 0 && !next.IsZero() || passed > 0 && !next.Equal(now) {
				t.Errorf("%s was said to be due at %v, and is due at %v", target, next, now)
			}
			return passed, claim
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%s is not due within %v", target, 2*Longest)
	return 0, Claim{}
}

func TestOutcomeOfAnObservationDecidesTheNextWait(t *testing.T) {
	accept, giveBack := Claim.Accept, Claim.Return
	ms := func(n ...int) (all []time.Duration) {
		for _, n := range n {
			all = append(all, time.Duration(n)*time.Millisecond)
		}
		return all
	}
	for _, tt := range []struct {
		name   string
		settle []func(Claim)
		want   []time.Duration // after each
	}{
		{"accepted observations grow by a quarter, up to a minute", slices.Repeat([]func(Claim){accept}, 18),
			ms(2000, 2500, 3100, 3800, 4700, 5800, 7200, 9000, 11200, 14000, 17500, 21800, 27200, 34000, 42500, 53100, 60000,
				60000)},
		{"a returned observation leaves it due", []func(Claim){giveBack, giveBack, accept}, ms(0, 0, 2000)},
		{"a returned observation keeps the wait", []func(Claim){accept, accept, giveBack, accept}, ms(2000, 2500, 0, 3100)},
		{"an observation never settled is leased for a second", []func(Claim){func(Claim) {}, accept}, ms(1000, 2000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, 64, func(t *testing.T, table *Table) {
				claim := begin(t, table, "/a")
				for i, settle := range tt.settle {
					settle(claim)
					var got time.Duration
					if got, claim = wait(t, table, "/a"); got != tt.want[i] {
						t.Errorf("wait %d is %v, want %v", i+1, got, tt.want[i])
					}
				}
			})
		})
	}
}

func TestResetMakesATargetDueAtOnce(t *testing.T) {
	inBubble(t, 64, func(t *testing.T, table *Table) {
		for range 5 {
			_, claim := wait(t, table, "/a")
			claim.Accept()
		}
		table.Reset("/a")
		claim := begin(t, table, "/a")
		claim.Accept()
		if got, _ := wait(t, table, "/a"); got != Shortest {
			t.Errorf("wait after a reset is %v, want %v", got, Shortest)
		}
		table.Reset("/never-seen")
		begin(t, table, "/never-seen")
	})
}

func TestTargetsThatWereResetStayExpected(t *testing.T) {
	table := New(8)
	table.Reset("/linked")
	for i := range 100 { // far more than there are slots
		begin(t, table, "/junk/"+strconv.Itoa(i)).Accept()
	}
	if !table.Expects("/linked") || table.Expects("/junk/1") {
		t.Errorf("the target that was Reset is expected: %t, one that nobody named: %t", table.Expects("/linked"),
			table.Expects("/junk/1"))
	}
}

// taken returns how many slots are taken.
func (t *Table) taken() (n int) {
	all := *t.slots.Load()
	for i := range all {
		for j := range all[i] {
			if all[i][j].tag.Load() != 0 {
				n++
			}
		}
	}
	return n
}

// A flood of made-up targets takes the slots of targets that have been due longest. It never takes
// those of visited pages that wait for their next claim.
func TestFloodPushesOutWhatIsDueForLongest(t *testing.T) {
	inBubble(t, 64, func(t *testing.T, table *Table) {
		var kept []string
		for i := range 7 { // fewer than share a bucket
			target := "/page/" + strconv.Itoa(i)
			begin(t, table, target).Accept()
			kept = append(kept, target)
		}
		for i := range 10_000 {
			begin(t, table, "/junk/"+strconv.Itoa(i)).Return()
		}
		for _, target := range kept {
			if _, ok := table.Begin(target, madeUp); ok {
				t.Errorf("%s was pushed out, and is due again", target)
			}
		}
		if n := table.taken(); n > 64 {
			t.Errorf("%d slots are taken, want at most 64", n)
		}
	})
}

func TestObservationOfATargetThatWasPushedOutChangesNoOther(t *testing.T) {
	inBubble(t, 8, func(t *testing.T, table *Table) {
		old := begin(t, table, "/old")
		old.Return()
		for i := range 8 { // all slots of the only bucket
			begin(t, table, "/new/"+strconv.Itoa(i)).Return()
		}
		old.Accept()
		for i := range 8 {
			begin(t, table, "/new/"+strconv.Itoa(i))
		}
	})
}

// A table that knows few targets is small. All that it knows, and the claims under way, move when it grows.
func TestTableGrowsWithItsTargets(t *testing.T) {
	inBubble(t, 1<<12, func(t *testing.T, table *Table) {
		begin(t, table, "/waits").Accept()
		claim := begin(t, table, "/claimed")
		small := len(*table.slots.Load())
		for i := range 1000 {
			begin(t, table, "/more/"+strconv.Itoa(i)).Accept()
		}
		claim.Accept()
		if large := len(*table.slots.Load()); small*ways > 64 || large*ways < 1000 || large*ways > 1<<12 {
			t.Errorf("it has %d buckets for 2 targets and %d for 1002", small, large)
		}
		for _, target := range []string{"/waits", "/claimed"} {
			base.Equal(t, time.Until(table.Next(target)), Shortest, "%s is due in", target)
		}
	})
}

func TestUnknownTargetsShareABudget(t *testing.T) {
	inBubble(t, 1<<16, func(t *testing.T, table *Table) {
		next := 0
		granted := func(vouched bool) (n int) {
			for {
				next++
				if _, ok := table.Begin("/"+strconv.Itoa(next), func() bool { return vouched }); !ok {
					return n
				}
				n++
			}
		}
		most := int(unknown.Most - unknown.Reserved)
		begin(t, table, "/known").Accept() // waits longer than any other, and so is kept
		base.Equal(t, granted(false), most-1, "made-up targets were granted at once")
		if n := granted(true); n != int(unknown.Reserved) {
			t.Errorf("%d targets were granted then that something vouches for, want %d", n, unknown.Reserved)
		}
		table.Reset("/known")
		begin(t, table, "/known") // needs no budget
		for i := range 100 {
			if _, ok := table.Begin("/linked/"+strconv.Itoa(i), madeUp); ok {
				t.Error("a target is granted that nobody expects, and there is no budget left")
			}
			table.Reset("/linked/" + strconv.Itoa(i))
			begin(t, table, "/linked/"+strconv.Itoa(i)) // expected targets need none either
		}
		time.Sleep(time.Second)
		base.Equal(t, granted(true), int(unknown.PerSecond), "were granted after a second")
		time.Sleep(time.Hour)
		base.Equal(t, granted(false), most, "were granted after a quiet hour")
	})
}

func TestOnlyOneOfManyConcurrentCallersBegins(t *testing.T) {
	inBubble(t, 1<<12, func(t *testing.T, table *Table) {
		const clients = 8
		for round := range 2_000 {
			target := "/" + strconv.Itoa(round)
			var begun atomic.Int32
			var start, done sync.WaitGroup
			start.Add(1)
			for range clients {
				done.Go(func() {
					start.Wait()
					if _, ok := table.Begin(target, madeUp); ok {
						begun.Add(1)
					}
				})
			}
			start.Done()
			done.Wait()
			if n := begun.Load(); n != 1 {
				t.Fatalf("round %d: %d of %d began a claim, want 1", round, n, clients)
			}
		}
	})
}

func TestKnownTargetCostsNoMemory(t *testing.T) {
	table := New(64)
	table.Begin("/a", madeUp)
	if n := testing.AllocsPerRun(100, func() { table.Begin("/a", madeUp) }); n != 0 {
		t.Errorf("a target that is not due costs %v allocations, want none", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		table.Reset("/a")
		claim, _ := table.Begin("/a", madeUp)
		claim.Accept()
		claim.Return()
	}); n != 0 {
		t.Errorf("an observation costs %v allocations, want none", n)
	}
}
