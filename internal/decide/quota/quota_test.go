package quota

import (
	"testing"
	"time"
)

func TestWhatWasTakenIsForgivenInTime(t *testing.T) {
	start := time.Now()
	p := NewPart(nil, Rate{PerSecond: 1, Most: 1, Half: time.Minute}, start)
	p.Pay(1000)
	for _, step := range []struct {
		at   time.Duration
		want int64
	}{{time.Minute - 1, 1000}, {time.Minute, 500}, {time.Minute + 1, 500}, {3 * time.Minute, 125}, {1000 * time.Hour, 0}} {
		if p.Allows(start.Add(step.at), true); p.spent != step.want {
			t.Errorf("after %v it is %d, want %d", step.at, p.spent, step.want)
		}
	}
}

// Strangers leave half of a budget to what something on the site vouches for.
func TestHalfIsKeptForWhatSomethingVouchesFor(t *testing.T) {
	now := time.Now()
	b := NewPart(nil, Reading, now)
	spend := func(vouched bool) (used time.Duration) {
		for b.Allows(now, vouched) {
			b.Pay(int64(time.Millisecond))
			used += time.Millisecond
		}
		return used
	}
	half := time.Duration(Reading.Reserved)
	if made, vouched := spend(false), spend(true); made != half || vouched != half {
		t.Errorf("made-up addresses took %v and listed pages then %v, want %v each", made, vouched, half)
	}
}

func TestBudgetRefillsWithTimeUpToItsLimit(t *testing.T) {
	start := time.Now()
	b := NewPart(nil, Reading, start)
	b.Pay(Reading.Most + int64(time.Second))
	if b.Allows(start.Add(10*time.Second), true) {
		t.Error("a debt of a second is paid after ten, want twenty")
	}
	if !b.Allows(start.Add(21*time.Second), true) {
		t.Error("a debt of a second is not paid after 21 seconds")
	}
	if !b.Allows(start.Add(1000*time.Hour), true) {
		t.Fatal("nothing is left after a long rest")
	}
	b.Pay(Reading.Most)
	if b.Allows(start.Add(1000*time.Hour), true) {
		t.Errorf("more than %v were saved", time.Duration(Reading.Most))
	}
}

// However much it reads, a site leaves the others on a budget as much as it used.
func TestSitesShareABudgetFairly(t *testing.T) {
	now := time.Now()
	all := NewBudget(Reading, now)
	flooded, quiet := NewPart(all, Reading, now), NewPart(all, Reading, now)
	floods := func() (used time.Duration) {
		for flooded.Allows(now, true) {
			flooded.Pay(int64(time.Millisecond))
			used += time.Millisecond
		}
		return used
	}
	if used, half := floods(), time.Duration(Reading.Most/2); used < half-time.Second || used > half+time.Second {
		t.Errorf("a site took %v of %v, want half", used, 2*half)
	}
	for range 3600 {
		now = now.Add(time.Second)
		floods()
		if quiet.Pay(int64(time.Millisecond)); !quiet.Allows(now, true) {
			t.Fatal("another site cannot read a page")
		}
	}
}

func TestTheLastHashesAreRemembered(t *testing.T) {
	var r Recent
	for n := range uint64(3 * recent) {
		if r.Add(n); !r.Has(n) || !r.Has(n-n%recent) || r.Has(n+1) || n >= recent && r.Has(n-recent) ||
			len(r.hashes) > recent {
			t.Fatalf("after %d of them it has %d: the last %t, one that was never added %t", n+1, len(r.hashes), r.Has(n),
				r.Has(n+1))
		}
	}
	if r.Forget(); r.Has(3*recent - 1) {
		t.Error("it forgot nothing")
	}
}
