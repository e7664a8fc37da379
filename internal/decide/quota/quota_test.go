package quota

import (
	"net/netip"
	"testing"
	"time"
)

// fill lets networks take one by one of what is free, in turns, until none may, and returns how many each took.
func fill(h *Held, free int64, networks ...Payer) map[Payer]int64 {
	took := map[Payer]int64{}
	for more := true; more; {
		more = false
		for _, by := range networks {
			if h.May(by, free) {
				h.Add(by, 1)
				took[by]++
				free--
				more = true
			}
		}
	}
	return took
}

func TestANetworkHoldsNoMoreThanItLeaves(t *testing.T) {
	for _, tt := range []struct {
		name     string
		networks []Payer
		each     int64 // of 1,200
	}{
		{"one leaves half", []Payer{1}, 600},
		{"two leave a third", []Payer{1, 2}, 400},
		{"five leave a sixth", []Payer{1, 2, 3, 4, 5}, 200},
		{"what is not known is all there may be", []Payer{0}, 1200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, left := new(Held), int64(1200)
			for by, n := range fill(h, left, tt.networks...) {
				if left -= n; n < tt.each-1 || n > tt.each+1 {
					t.Errorf("network %d took %d, want %d", by, n, tt.each)
				}
			}
			if left > 0 && !h.May(9, left) {
				t.Errorf("a newcomer gets none of %d", left)
			}
			if h.May(9, 0) || h.May(0, 0) {
				t.Error("somebody may take what is not there")
			}
		})
	}
}

func TestWhatWasTakenIsForgivenInTime(t *testing.T) {
	start := time.Now()
	p := NewPart(nil, Rate{PerSecond: 1, Most: 1, Half: time.Minute}, start)
	p.Pay(1000, 3)
	for _, step := range []struct {
		at   time.Duration
		want int64
	}{{time.Minute - 1, 1000}, {time.Minute, 500}, {time.Minute + 1, 500}, {3 * time.Minute, 125}, {1000 * time.Hour, 0}} {
		if p.Allows(start.Add(step.at), true, 3); p.held.Of(3).Load() != step.want {
			t.Errorf("after %v it is %d, want %d", step.at, p.held.Of(3).Load(), step.want)
		}
	}
}

func TestNetworksAreToldApart(t *testing.T) {
	seen := map[Payer]bool{}
	for i := range 200 {
		network := netip.PrefixFrom(netip.AddrFrom4([4]byte{203, 0, byte(i), 0}), 24)
		if PayerOf(network) == 0 {
			t.Fatalf("%v is %d", network, PayerOf(network))
		}
		seen[PayerOf(network)] = true
	}
	if len(seen) < 180 || PayerOf(netip.Prefix{}) != 0 {
		t.Errorf("200 networks count as %d", len(seen))
	}
}

func TestBudgetRefillsWithTimeUpToItsLimit(t *testing.T) {
	start := time.Now()
	b := NewPart(nil, Reading, start)
	b.Pay(Reading.Most+int64(time.Second), 0)
	if b.Allows(start.Add(10*time.Second), true, 0) {
		t.Error("a debt of a second is paid after ten, want twenty")
	}
	if !b.Allows(start.Add(21*time.Second), true, 0) {
		t.Error("a debt of a second is not paid after 21 seconds")
	}
	if !b.Allows(start.Add(1000*time.Hour), true, 0) {
		t.Fatal("nothing is left after a long rest")
	}
	b.Pay(Reading.Most, 0)
	if b.Allows(start.Add(1000*time.Hour), true, 0) {
		t.Errorf("more than %v were saved", time.Duration(Reading.Most))
	}
}

// However many of its networks read pages, a site leaves the others on a budget as much as it used.
func TestSitesShareABudgetFairly(t *testing.T) {
	now := time.Now()
	all := NewBudget(Reading, now)
	flooded, quiet := NewPart(all, Reading, now), NewPart(all, Reading, now)
	floods := func() (used time.Duration) {
		for by := Payer(1); flooded.Allows(now, true, by); by = 1 + by%1000 {
			flooded.Pay(int64(time.Millisecond), by)
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
		if quiet.Pay(int64(time.Millisecond), 1); !quiet.Allows(now, true, 1) {
			t.Fatal("another site cannot read a page")
		}
	}
}

func TestTheLastHashesAreRemembered(t *testing.T) {
	var r Recent
	for n := range uint64(3 * recent) {
		if r.Add(n); !r.Has(n) || !r.Has(n-n%recent) || r.Has(n+1) || n >= recent && r.Has(n-recent) || len(r.hashes) > recent {
			t.Fatalf("after %d of them it has %d: the last %t, one that was never added %t", n+1, len(r.hashes), r.Has(n), r.Has(n+1))
		}
	}
	if r.Forget(); r.Has(3*recent - 1) {
		t.Error("it forgot nothing")
	}
}
