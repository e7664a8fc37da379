package main

import (
	"testing"
)

func TestEveryStepWorksOnSmallSites(t *testing.T) {
	if testing.Short() {
		t.Skip("it is a measurement, if a small one")
	}
	for _, tt := range []struct {
		sites int
		steps []string
	}{{0, []string{"fill", "change", "serve", "inspect"}}, {3, []string{"fill", "serve"}}} {
		cfg := config{pages: 250, sites: tt.sites, dir: t.TempDir()}
		for _, step := range tt.steps {
			cfg.step = step
			if err := run(t.Context(), cfg); err != nil {
				t.Fatalf("%d sites, %s: %v", tt.sites, step, err)
			}
		}
	}
}
