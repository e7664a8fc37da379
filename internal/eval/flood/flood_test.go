package main

import (
	"errors"
	"io"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// small is a short flood. Memory is not judged, since other tests use it too.
func small() config {
	return config{junk: 2000, pages: 50, networks: 100, seed: 1, patience: time.Minute, renderEvery: time.Second, maxMemory: 1 << 40, maxDisk: 256 << 20}
}

func TestFloodRunsWithEachSetting(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*config)
	}{
		{"served", func(*config) {}},
		{"direct", func(c *config) { c.direct = true }},
		{"http", func(c *config) { c.http, c.junk = true, 500 }},
		{"large", func(c *config) { c.http, c.junk, c.bytes, c.rate, c.during = true, 300, 1<<20, 60, true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := small()
			tt.change(&cfg)
			var out strings.Builder
			if err := run(t.Context(), cfg, &out); err != nil {
				t.Errorf("%v\n%s", err, &out)
			}
			last := regexp.MustCompile(`\nflood: junk listed 0 of \d+, real listed (50 of 50|70 of 70), memory \+-?\d+ MB, disk \d+ MB, \d+ requests/s\n$`)
			if !last.MatchString(out.String()) {
				t.Errorf("the last line is not as wanted:\n%s", &out)
			}
			if !strings.Contains(out.String(), "new pages: 20 of 20 listed after") {
				t.Errorf("new pages were not listed:\n%s", &out)
			}
		})
	}
}

func TestRunFailsAboveItsBounds(t *testing.T) {
	cfg := small()
	cfg.direct, cfg.junk, cfg.maxDisk = true, 100, 1
	if err := run(t.Context(), cfg, io.Discard); !errors.Is(err, errBounds) {
		t.Errorf("a store of more than one byte: %v, want %v", err, errBounds)
	}
}

func TestEachJunkIsVisitedByDistinctNetworks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		junk   int
		quorum bool
		want   int // visits to each
	}{
		{"once", 1000, false, 1},
		{"less than a block", 1000, true, quorum},
		{"blocks and a rest", 2*block + 7, true, quorum},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPages(minPages, 1)
			f := newFlood(config{junk: tt.junk, networks: 10, quorum: tt.quorum}, slices.Concat(p.levels()...))
			clients := map[string][]netip.Addr{}
			for i := range f.visits() {
				v := f.visit(i)
				if !p.real(v.loc) {
					clients[v.loc] = append(clients[v.loc], v.client)
				}
			}
			if len(clients) != tt.junk {
				t.Errorf("%d junk locations, want %d", len(clients), tt.junk)
			}
			for loc, from := range clients {
				slices.SortFunc(from, netip.Addr.Compare)
				if n := len(slices.Compact(from)); n != tt.want {
					t.Fatalf("%s was visited by %d networks, want %d", loc, n, tt.want)
				}
			}
		})
	}
}

func TestRealVisitsAreOneInFifty(t *testing.T) {
	p := newPages(minPages, 1)
	f := newFlood(config{junk: 4900, networks: 10}, slices.Concat(p.levels()...))
	real := 0
	for i := range f.visits() {
		if p.real(f.visit(i).loc) {
			real++
		}
	}
	if f.visits() != 5000 || real != 100 {
		t.Errorf("%d of %d visits are to real pages, want 100 of 5000", real, f.visits())
	}
}

func TestJunkAnswersInTwoWays(t *testing.T) {
	p := newPages(minPages, 1)
	bodies := map[string]int{}
	const n = 1000
	most := 0
	for i := range n {
		body := string(p.body(nil, junkLocation(i, 1)))
		bodies[body]++
		most = max(most, bodies[body])
	}
	if most < n/3 || len(bodies) < n/3 {
		t.Errorf("of %d junk pages %d have the same body, and there are %d bodies; want about a half", n, most, len(bodies))
	}
}

func TestNewPagesAreLinkedOnceTheyAreThere(t *testing.T) {
	p := newPages(minPages, 1)
	fresh := p.articles[len(p.articles)-1]
	listing := "/" + sections[(len(p.articles)-1)%len(sections)]
	if p.real(fresh) || strings.Contains(string(p.body(nil, listing)), fresh) {
		t.Errorf("%s is there before its time", fresh)
	}
	p.open.Add(grown)
	if !p.real(fresh) || !strings.Contains(string(p.body(nil, listing)), fresh) {
		t.Errorf("%s is not there, or %s does not lead to it", fresh, listing)
	}
}
