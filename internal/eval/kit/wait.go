// Package kit is shared by what is below internal/eval: the site that is measured, pages, sitemaps, child processes,
// data files, and the measuring of memory, disk and CPU. It must never judge a figure: who measures does that.
package kit

import (
	"fmt"
	"time"
)

// Until asks every few milliseconds whether a condition holds, and returns how
// long that took. After limit it returns an error that names the condition.
func Until(limit time.Duration, condition string, holds func() bool) (time.Duration, error) {
	begun := time.Now()
	for !holds() {
		if time.Since(begun) > limit {
			return limit, fmt.Errorf("after %v still not: %s", limit, condition)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(begun), nil
}

// Every calls do at once, then every d from a goroutine, until stop is called. stop calls
// do once more. Each call gets its number, from 0.
func Every(d time.Duration, do func(n int)) (stop func()) {
	stopped, ended := make(chan struct{}), make(chan struct{})
	do(0)
	go func() {
		defer close(ended)
		tick := time.NewTicker(d)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-tick.C:
				do(n)
			case <-stopped:
				do(n)
				return
			}
		}
	}()
	return func() {
		close(stopped)
		<-ended
	}
}
