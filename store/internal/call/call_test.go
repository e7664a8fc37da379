package call

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

// A call that takes the lock again and again must not keep others out.
func TestLockIsGivenToThoseWhoWaitInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Lock
		var order []int
		gone, leave := context.WithCancel(t.Context())
		if err := l.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			ctx := t.Context()
			if i == 2 {
				ctx = gone
			}
			go func() {
				if l.Take(ctx) == nil {
					order = append(order, i)
					l.Release()
				}
			}()
			synctest.Wait()
		}
		leave()
		synctest.Wait()
		l.Release()
		if err := l.Take(t.Context()); err != nil { // comes last
			t.Fatal(err)
		}
		if want := []int{0, 1, 3, 4}; !slices.Equal(order, want) {
			t.Errorf("the lock went to %v, want %v", order, want)
		}
		l.Release()
	})
}
