package base

import (
	"sync/atomic"
	"testing"
	"testing/cryptotest"
)

// fixed tells whether a test has fixed the random numbers of this process.
var fixed atomic.Bool

// FixRandom makes what crypto/rand returns the same in each run of a test. A site keeps 16 bits of
// each visitor's network, hashed with its random secret. Some secrets take two visitors for one, and
// then tests would fail that count them. t and its parents must not be parallel, and nothing of the
// test may use TLS, which can need a random number after the test's end.
func FixRandom(t testing.TB) {
	if t, ok := t.(*testing.T); ok && fixed.CompareAndSwap(false, true) {
		t.Cleanup(func() { fixed.Store(false) })
		cryptotest.SetGlobalRandom(t, 1)
	}
}
