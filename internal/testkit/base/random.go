package base

import (
	"sync/atomic"
	"testing"
	"testing/cryptotest"
)

// fixed tells whether a test has fixed the random numbers of this process.
var fixed atomic.Bool

// FixRandom makes what crypto/rand returns the same in each run of a test, so that a site has the same secret in each.
// t and its parents must not be parallel, and nothing of the test may use TLS, which can need a random number after
// the test's end.
func FixRandom(t testing.TB) {
	if t, ok := t.(*testing.T); ok && fixed.CompareAndSwap(false, true) {
		t.Cleanup(func() { fixed.Store(false) })
		cryptotest.SetGlobalRandom(t, 1)
	}
}
