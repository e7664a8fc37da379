package flood

import (
	"flag"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// config says what the flood is.
type config struct {
	junk, pages int
	http        bool
	bytes       int           // of a junk page, at least
	rate        float64       // requests/s, 0 for as fast as it goes
	patience    time.Duration // for new pages to be listed
}

// What a flood may cost over the bare site, in bytes.
const (
	maxMemory = 64 << 20
	maxDisk   = 256 << 20
)

var given config

func init() {
	flag.IntVar(&given.junk, "junk", 0, "distinct junk locations; 0 for two small floods")
	flag.IntVar(&given.pages, "pages", 1000, "real pages, with the root and 20 sections")
	flag.BoolVar(&given.http, "http", false, "serve by a real server on the loopback interface")
	flag.Float64Var(&given.rate, "rate", 0, "requests per second; 0 for as fast as it goes")
	flag.IntVar(&given.bytes, "bytes", 0, "least size of a junk page; what is added is dense with markup")
	flag.DurationVar(&given.patience, "patience", 90*time.Second, "how long new pages may take to be listed")
}

func TestFloodIsNotListedAndKeepsNoPageOut(t *testing.T) {
	if given.junk > 0 {
		run(t, given)
		return
	}
	base.OneByOne(t)
	for name, cfg := range map[string]config{
		"served":           {junk: 2000, pages: 50, patience: time.Minute},
		"over HTTP, large": {junk: 300, pages: 50, patience: time.Minute, http: true, bytes: 1 << 20, rate: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, cfg)
		})
	}
}

// judge says what the flood did and cost, and fails the test for each bound that was exceeded.
func (t *trial) judge() {
	s := t.site.Stats()
	t.Logf("observed: %d junk, %d real; observations %d, dropped %d, waiting %d, damaged %d, ignored %v",
		t.pages.watchedJunk.Load(), t.pages.watchedReal.Load(), s.Observations, s.Dropped, s.Waiting, s.Damaged, s.Ignored)
	most, last, all := t.watch.most, t.watch.last, t.cfg.pages+grown
	memory := most.Anonymous - t.bare.Anonymous
	t.Logf("flood: junk listed %d of %d, real listed %d of %d, memory +%.0f MB, disk %.0f MB, %.0f requests/s",
		last.junk, t.cfg.junk, last.real, all, kit.MB(memory), kit.MB(most.Disk), t.speed)
	if t.watch.junk > 0 {
		t.Errorf("up to %d junk locations were listed", t.watch.junk)
	}
	if t.watch.fewest < t.cfg.pages || last.real < all {
		t.Errorf("at one time only %d of %d real pages were listed, and %d of %d in the end", t.watch.fewest, t.cfg.pages,
			last.real, all)
	}
	if t.missing > 0 {
		t.Errorf("%d of %d new pages were not listed within %v", t.missing, grown, t.cfg.patience)
	}
	if memory > maxMemory && given.junk > 0 { // else other tests use it too
		t.Errorf("memory grew by %.0f MB", kit.MB(memory))
	}
	if most.Disk > maxDisk {
		t.Errorf("the store took %.0f MB", kit.MB(most.Disk))
	}
}
