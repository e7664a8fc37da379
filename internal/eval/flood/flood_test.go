package flood

import (
	"flag"
	"fmt"
	"strings"
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
	last := t.watch.last
	t.Logf("flood: junk listed %d of %d, real listed %d of %d, memory +%.0f MB, disk %.0f MB, %.0f requests/s",
		last.junk, t.cfg.junk, last.real, t.cfg.pages+grown, kit.MB(t.memory()), kit.MB(t.watch.most.Disk), t.speed)
	for _, bound := range t.exceeded() {
		t.Error(bound)
	}
}

// memory returns by how much the memory grew.
func (t *trial) memory() int64 { return t.watch.most.Anonymous - t.bare.Anonymous }

// exceeded says which bounds were exceeded.
func (t *trial) exceeded() (bounds []string) {
	w, all := t.watch, t.cfg.pages+grown
	if w.junk > 0 {
		bounds = append(bounds, fmt.Sprintf("up to %d junk locations were listed", w.junk))
	}
	if w.fewest < t.cfg.pages || w.last.real < all {
		bounds = append(bounds, fmt.Sprintf("at one time only %d of %d real pages were listed, and %d of %d in the end",
			w.fewest, t.cfg.pages, w.last.real, all))
	}
	if t.missing > 0 {
		bounds = append(bounds, fmt.Sprintf("%d of %d new pages were not listed within %v", t.missing, grown, t.cfg.patience))
	}
	if t.memory() > maxMemory && given.junk > 0 { // else other tests use it too
		bounds = append(bounds, fmt.Sprintf("memory grew by %.0f MB", kit.MB(t.memory())))
	}
	if w.most.Disk > maxDisk {
		bounds = append(bounds, fmt.Sprintf("the store took %.0f MB", kit.MB(w.most.Disk)))
	}
	return bounds
}

func TestEachBoundFails(t *testing.T) {
	for want, worsen := range map[string]func(*trial){
		"":                                   func(*trial) {},
		"up to 1 junk locations were listed": func(t *trial) { t.watch.junk = 1 },
		"at one time only 49 of 50 real":     func(t *trial) { t.watch.fewest-- },
		"and 69 of 70 in the end":            func(t *trial) { t.watch.last.real-- },
		"1 of 20 new pages were not listed":  func(t *trial) { t.missing = 1 },
		"the store took 1024 MB":             func(t *trial) { t.watch.most.Disk = 1 << 30 },
	} {
		good := &trial{cfg: config{pages: 50}, watch: &watch{fewest: 50, last: listing{real: 50 + grown}}}
		worsen(good)
		got := good.exceeded()
		if (want == "") != (len(got) == 0) || len(got) > 1 || !strings.Contains(strings.Join(got, ""), want) {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
