package explore

import (
	"testing"
	"time"
)

func TestPaceFollowsTheSite(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	answers := func(p *pace, n int, elapsed time.Duration) {
		for range n {
			p.saw(now, elapsed, 200, "")
		}
	}
	for _, tt := range []struct {
		name    string
		do      func(p *pace)
		allowed int
		pause   time.Duration
	}{
		{"at first", func(*pace) {}, 4, 0},
		{"steady", func(p *pace) { answers(p, 100, 30*time.Millisecond) }, 4, 0},
		{"slower but quick", func(p *pace) { answers(p, 20, time.Millisecond); answers(p, 50, 10*time.Millisecond) }, 4, 0},
		{"much slower", func(p *pace) {
			answers(p, 20, 20*time.Millisecond)
			answers(p, 500, 100*time.Millisecond)
		}, 1, 100 * time.Millisecond},
		{"recovered", func(p *pace) {
			answers(p, 20, 20*time.Millisecond)
			answers(p, 100, 100*time.Millisecond)
			answers(p, 500, 20*time.Millisecond)
			p.until = now
		}, 4, 0},
		{"refused", func(p *pace) { p.saw(now, 0, 503, "") }, 1, time.Second},
		{"refused three times", func(p *pace) { p.saw(now, 0, 503, ""); p.saw(now, 0, 429, ""); p.saw(now, 0, 503, "") }, 1, 4 * time.Second},
		{"the proxy does not reach the site", func(p *pace) { p.saw(now, 0, 502, "") }, 1, time.Second},
		{"told when to come back", func(p *pace) { p.saw(now, 0, 429, "30") }, 1, 30 * time.Second},
		{"told to come back tomorrow", func(p *pace) { p.saw(now, 0, 429, "86400") }, 1, time.Minute},
		{"a date for an answer", func(p *pace) { p.saw(now, 0, 429, "Sun, 22 Nov 2026 00:00:00 GMT") }, 1, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p pace
			tt.do(&p)
			pause := p.pause(now)
			if p.allowed(4) != tt.allowed || (pause-tt.pause).Abs() > tt.pause/50 {
				t.Errorf("%d at once after %v, want %d after %v", p.allowed(4), pause, tt.allowed, tt.pause)
			}
		})
	}
}
