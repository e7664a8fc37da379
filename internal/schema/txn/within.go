package txn

import (
	"context"
	"iter"
)

// Within returns what fn returns, or the error of ctx if that ends first, whatever fn waits for. fn
// must not write to anything that its caller reads.
func Within[T any](ctx context.Context, fn func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := fn()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// readAhead is how many items are read in advance, so that not every item needs a switch of
// goroutines.
const readAhead = 64

// EachWithin yields what seq yields, or the error of ctx if that ends first, whatever seq waits
// for. seq must not change what it has yielded.
func EachWithin[T any](ctx context.Context, seq func(context.Context) iter.Seq2[T, error]) iter.Seq2[T, error] {
	type item struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		reading, stop := context.WithCancel(ctx)
		items, ended := make(chan item, readAhead), make(chan struct{})
		go func() {
			defer close(ended)
			for value, err := range seq(reading) {
				select {
				case items <- item{value, err}:
				case <-reading.Done():
					return
				}
			}
			close(items)
		}()
		defer func() { // seq has ended when this returns, unless it hangs
			stop()
			select {
			case <-ended:
			case <-ctx.Done():
			}
		}()
		for {
			select {
			case i, more := <-items:
				if !more || !yield(i.value, i.err) {
					return
				}
			case <-ctx.Done():
				var none T
				yield(none, ctx.Err())
				return
			}
		}
	}
}
