package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
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

// TestEachDamageChangesAFile checks that each damage changes a file.
func TestEachDamageChangesAFile(t *testing.T) {
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.sst")
			before := bytes.Repeat([]byte("record "), 4000)
			base.Check(t, os.WriteFile(file, before, 0o600))
			base.Check(t, d.do(file, rand.New(rand.NewPCG(1, 2))))
			if after, err := os.ReadFile(file); err == nil && bytes.Equal(after, before) {
				t.Error("the file is what it was")
			}
		})
	}
}
