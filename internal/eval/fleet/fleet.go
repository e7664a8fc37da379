package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/memstore"
)

// fleet is all replicas, and the balancer before them.
type fleet struct {
	replicas []*replica
	next     atomic.Uint64
}

func startFleet(c *config) (*fleet, error) {
	f := new(fleet)
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	for range c.replicas {
		r := &replica{config: c, client: client}
		f.replicas = append(f.replicas, r)
		if err := r.start(); err != nil {
			f.stop()
			return nil, err
		}
	}
	return f, nil
}

func (f *fleet) stop() {
	var group sync.WaitGroup
	defer group.Wait()
	for _, r := range f.replicas {
		group.Go(func() { r.end(false) })
	}
}

// visit asks one replica after the other until one answers.
func (f *fleet) visit(ctx context.Context, path string) (status int, err error) {
	n := int(f.next.Add(1) % uint64(len(f.replicas)))
	err = errors.New("no replica is up")
	for _, r := range slices.Concat(f.replicas[n:], f.replicas[:n]) {
		if r.at() == "" {
			continue
		}
		if status, _, _, err = r.get(ctx, path); err == nil {
			return status, nil
		}
	}
	return 0, err
}

// stats returns what a replica counts.
func (r *replica) stats(ctx context.Context) (s servemap.Stats, err error) {
	_, _, body, err := r.get(ctx, statsPath)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(body, &s)
}

// dropped returns how many sightings the replicas that are up could not take.
func (f *fleet) dropped(ctx context.Context) (n uint64) {
	for _, r := range f.replicas {
		if s, err := r.stats(ctx); err == nil {
			n += s.Dropped
		}
	}
	return n
}

// settle returns when all that was seen is stored, and every replica has had the time to see what the others did.
func (f *fleet) settle(ctx context.Context, c *config) error {
	for _, r := range f.replicas {
		for {
			s, err := r.stats(ctx)
			if err != nil {
				return err
			}
			if s.Queued == 0 {
				break
			}
			if err := wait(ctx, time.Second); err != nil {
				return err
			}
		}
	}
	return wait(ctx, 2*c.refresh+20*time.Second)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// alone is the one process that sees everything: this one.
type alone struct {
	site    *servemap.Site
	handler http.Handler
}

func newAlone(c *config) (*alone, error) {
	learned, err := servemap.New(origin, new(memstore.Store), &servemap.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	s := site{c.pages, c.epoch, c.lasts}
	return &alone{learned, learned.Wrap(s.handler())}, nil
}

func (a *alone) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_ = a.site.Close(ctx)
}

func (a *alone) get(ctx context.Context, path string) (status int, tag string, body []byte, err error) {
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, origin+path, nil))
	return w.Code, w.Header().Get("Etag"), w.Body.Bytes(), nil
}
