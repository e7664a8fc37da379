package storetest

import (
	"fmt"
	"runtime"
	"sync"
)

// recorder is a tester that only records failures.
type recorder struct {
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// record tries a rule and returns what it found wrong. A panic in the rule or in the store counts
// too.
func record(r rule, p pair) []string {
	var rec recorder
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				rec.Errorf("panic: %v", v)
			}
		}()
		r.try(&rec, p)
	}()
	<-done
	return rec.failures
}
