package main

import (
	"testing"
)

func TestEveryStepWorksOnASmallSite(t *testing.T) {
	if testing.Short() {
		t.Skip("it is a measurement, if a small one")
	}
	cfg := config{pages: 250, dir: t.TempDir()}
	for _, step := range []string{"fill", "change", "serve", "inspect"} {
		cfg.step = step
		if err := run(t.Context(), cfg); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
}
