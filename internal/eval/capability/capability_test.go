package main

import (
	"math/rand/v2"
	"testing"
)

func TestRequiredSharesAreFound(t *testing.T) {
	const n = 20000
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			if found := share(k, rand.New(rand.NewPCG(7, uint64(i))), n); found < k.required {
				t.Errorf("%.3f%% of %d tokens like %q found, want %.3f%%", 100*found, n, k.draw(rand.New(rand.NewPCG(7, 7))), 100*k.required)
			}
		})
	}
}
