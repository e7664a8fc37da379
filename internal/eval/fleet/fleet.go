package main

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// fleet has all replicas, and the balancer in front of them.
type fleet struct {
	replicas []*replica
	next     atomic.Uint64
}

func startFleet(ctx context.Context, c *config) (*fleet, error) {
	f := new(fleet)
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	for range c.replicas {
		r := &replica{config: c, client: client}
		if err := r.start(ctx); err != nil {
			f.stop()
			return nil, err
		}
		f.replicas = append(f.replicas, r)
	}
	return f, nil
}

func (f *fleet) stop() {
	var group sync.WaitGroup
	defer group.Wait()
	for _, r := range f.replicas {
		group.Go(func() { _ = r.child.Stop() })
	}
}

// visit asks one replica after the other until one answers.
func (f *fleet) visit(ctx context.Context, path string) (a kit.Answer, err error) {
	n := int(f.next.Add(1) % uint64(len(f.replicas)))
	for _, r := range slices.Concat(f.replicas[n:], f.replicas[:n]) {
		if a, err = r.get(ctx, path); err == nil {
			return a, nil
		}
	}
	return a, err
}

// dropped returns how many observations the replicas that are up could not take.
func (f *fleet) dropped(ctx context.Context) (n uint64) {
	for _, r := range f.replicas {
		if s, err := r.stats(ctx); err == nil {
			n += s.Dropped
		}
	}
	return n
}

// settle waits until everything seen is stored, and every replica has had time to see the
// others' changes.
func (f *fleet) settle(ctx context.Context) error {
	for _, r := range f.replicas {
		for {
			s, err := r.stats(ctx)
			if err != nil {
				return err
			}
			if s.Queued == 0 {
				break
			}
			if err := kit.Sleep(ctx, time.Second); err != nil {
				return err
			}
		}
	}
	return kit.Sleep(ctx, 2*refreshEvery+20*time.Second)
}
