package main

import (
	"os"
	"testing"
)

// TestMain makes the test binary start the site, as the program does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == siteArg {
		os.Exit(serveSite(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// TestKilledSitesLoseNothing kills a few sites, so that the program itself is known to work.
func TestKilledSitesLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills real processes, which takes seconds; .ci/faults does it at length")
	}
	line, err := kill(t.Context(), &config{kills: 3, seed: 1, work: t.TempDir()})
	if err != nil {
		t.Errorf("%s: %v", line, err)
	}
}
