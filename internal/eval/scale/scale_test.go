package main

import (
	"testing"
)

func TestEveryStepWorksOnSmallSites(t *testing.T) {
	if testing.Short() {
		t.Skip("it is a measurement, if a small one")
	}
	large, many := t.TempDir(), t.TempDir()
	for _, tt := range []struct {
		name  string
		cfg   config
		steps []string
	}{
		{"one site", config{pages: 250, looks: 2, dir: large}, []string{"fill", "change", "serve", "inspect"}},
		{"three sites", config{pages: 250, sites: 3, dir: many}, []string{"fill", "serve"}},
	} {
		for _, step := range tt.steps {
			tt.cfg.step = step
			if err := run(t.Context(), tt.cfg); err != nil {
				t.Fatalf("%s, %s: %v", tt.name, step, err)
			}
		}
	}
}
