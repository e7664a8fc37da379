package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// onlyReads is a store that can be kept from writing, as a database can that is
// read-only: an Update that changes nothing works. It can be exchanged for an empty
// one.
type onlyReads struct {
	mu      sync.Mutex
	st      store.Store
	refusal error // of Sync, and of Update if it is no refusal of Sync alone
	updates bool  // works all the same
}

func (s *onlyReads) refuse(err error, updates bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal, s.updates = err, updates
}

// exchange puts an empty store in the place of the one that was there.
func (s *onlyReads) exchange() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st = new(memstore.Store)
}

func (s *onlyReads) get() (st store.Store, update, sync error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.updates {
		return s.st, nil, s.refusal
	}
	return s.st, s.refusal, s.refusal
}

func (s *onlyReads) View(ctx context.Context, keys []string, fn func([][]byte) error) error {
	st, _, _ := s.get()
	return st.View(ctx, keys, fn)
}

func (s *onlyReads) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	st, _, _ := s.get()
	return st.Scan(ctx, prefix, after)
}

func (s *onlyReads) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	st, refusal, _ := s.get()
	return st.Update(ctx, keys, func(values [][]byte) error {
		before := make([][]byte, len(values))
		for i, v := range values {
			before[i] = bytes.Clone(v)
		}
		err := fn(values)
		if err == nil && !slices.EqualFunc(before, values, bytes.Equal) {
			return refusal
		}
		return err
	})
}

func (s *onlyReads) Sync(ctx context.Context) error {
	st, _, refusal := s.get()
	if refusal != nil {
		return refusal
	}
	return st.Sync(ctx)
}

// TestOnlyAWriteSaysThatTheStoreWorksAgain has a store fail a call of the owner, and
// then be asked for nothing but reads.
func TestOnlyAWriteSaysThatTheStoreWorksAgain(t *testing.T) {
	for _, tt := range []struct {
		name    string
		refusal error
		logged  int
	}{
		{"a store that logs nothing itself", errors.New("the disk cannot be written"), 1},
		{"one that does", fmt.Errorf("%w: the disk cannot be written", store.ErrUnavailable), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := &onlyReads{st: new(memstore.Store)}
			inBubble(t, Config{Store: st}, func(r *rig) {
				r.sight("/", html("home", "/a"))
				r.sight("/a", html("a"))
				time.Sleep(time.Hour)
				st.refuse(tt.refusal, false)
				for range 60 {
					if err := r.ledger.Forget(r.Context(), "/a"); !errors.Is(err, tt.refusal) {
						t.Fatalf("Forget: %v, want the store's refusal", err)
					}
					for range 5 {
						time.Sleep(time.Second)
						if r.ledger.Stats().Problem == nil {
							t.Fatal("Stats tell of no problem although nothing can be written")
						}
					}
				}
				st.refuse(nil, false)
				time.Sleep(5 * time.Second)
				if err := r.ledger.Stats().Problem; err != nil {
					t.Errorf("Stats still tell of a problem: %v", err)
				}
				if got := strings.Count(r.log.String(), "the store cannot be used"); got != tt.logged {
					t.Errorf("the log tells of it %d times in five minutes, want %d:\n%s", got, tt.logged, r.log)
				}
			})
		})
	}
}

// TestAStoreThatComesBackEmptyGetsASecret has a store fail a sync, and then be
// another one, as a folder that was removed is. What waits there is keyed with the
// site's secret, so it must be in it.
func TestAStoreThatComesBackEmptyGetsASecret(t *testing.T) {
	st := &onlyReads{st: new(memstore.Store)}
	inBubble(t, Config{Store: st}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		time.Sleep(time.Hour)
		st.refuse(fmt.Errorf("%w: its folder was removed", store.ErrUnavailable), true)
		r.ledger.Offer(seen("/a", html("a")))
		time.Sleep(5*time.Second + 500*time.Millisecond) // between two attempts
		if r.ledger.Stats().Problem == nil {
			t.Fatal("Stats tell of no problem")
		}
		st.exchange()
		st.refuse(nil, false)
		time.Sleep(5 * time.Second)
		r.sight("/", html("home", "/a"))
		err := r.st.View(r.Context(), []string{"https://example.com|site"}, func(values [][]byte) error {
			if values[0] == nil {
				t.Error("the store that came back has no secret")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		r.sight("/a", html("a"))
		r.wantListed("/", "/a")
	})
}
