package main

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
)

// small is a short flood. Memory is not judged, since other tests use it too.
func small() config {
	return config{junk: 2000, pages: 50, patience: time.Minute, maxMemory: 1 << 40, maxDisk: 256 << 20}
}

func TestFloodRunsWithEachSetting(t *testing.T) {
	if testing.Short() {
		t.Skip("it is a measurement, if a small one")
	}
	for _, tt := range []struct {
		name   string
		change func(*config)
	}{
		{"served", func(*config) {}},
		{"over HTTP, large", func(c *config) { c.http, c.junk, c.bytes, c.rate = true, 300, 1<<20, 100 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := small()
			tt.change(&cfg)
			var out strings.Builder
			if err := run(t.Context(), cfg, &out); err != nil {
				t.Errorf("%v\n%s", err, &out)
			}
			last := regexp.MustCompile(`\nflood: junk listed 0 of \d+, real listed 70 of 70, memory \+-?\d+ MB, disk \d+ MB, \d+ requests/s\n$`)
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
	cfg.junk, cfg.maxDisk = 100, 1
	if err := run(t.Context(), cfg, io.Discard); !errors.Is(err, errBounds) {
		t.Errorf("a store of more than one byte: %v, want %v", err, errBounds)
	}
}
