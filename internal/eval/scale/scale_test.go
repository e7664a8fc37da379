package main

import (
	"testing"
)

func TestEveryStepWorksOnASmallSite(t *testing.T) {
	cfg := config{pages: 250, dir: t.TempDir()}
	for _, step := range []string{"fill", "change", "serve", "inspect"} {
		cfg.step = step
		if err := run(t.Context(), cfg); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
}

func TestPagesHaveDistinctLocations(t *testing.T) {
	seen := map[string]int{}
	for i := range 20_000 {
		if other, twice := seen[location(i)]; twice {
			t.Fatalf("pages %d and %d are both at %s", other, i, location(i))
		}
		seen[location(i)] = i
	}
	first, again := string(body(7, 0, 100)), string(body(7, 0, 100))
	if first != again || first == string(body(8, 0, 100)) || first == string(body(7, 1, 100)) {
		t.Error("a body is not that of its page and version")
	}
	changed := 0
	for i := range 1000 {
		if version(i, 1) != version(i, 0) {
			changed++
		}
	}
	if changed != 100 {
		t.Errorf("%d of 1000 pages change at an observation, want a tenth", changed)
	}
}
