package notify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// failing is a store in which updates of the notifier's records fail on demand.
type failing struct {
	store.Store
	mu    sync.Mutex
	n     int  // updates so far
	at    int  // the update that fails, from 1 on; 0 for none
	until int  // the last update that fails
	after bool // it fails after the update
}

var errStore = errors.New("the disk is full")

func (f *failing) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if !slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(k, "|notify|") }) {
		return f.Store.Update(ctx, keys, fn)
	}
	f.mu.Lock()
	f.n++
	fails, after := f.at > 0 && f.n >= f.at && f.n <= f.until, f.after
	f.mu.Unlock()
	if fails && !after {
		return errStore
	}
	if err := f.Store.Update(ctx, keys, fn); err != nil {
		return err
	}
	if fails {
		return errStore
	}
	return nil
}

// set makes the updates from number at to number until fail, counted from now.
func (f *failing) set(at, until int, after bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n, f.at, f.until, f.after = 0, at, until, after
}

func TestEachUpdateThatFailsLosesNoChange(t *testing.T) {
	for _, after := range []bool{false, true} {
		for at := range 8 {
			t.Run(fmt.Sprintf("%d after=%v", at, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					st := &failing{Store: new(memstore.Store)}
					r := newRunningSite(t, 5, testkit.Setup{Store: st})
					n := r.build(Options{})
					n.batch = 2
					r.launch(n)
					r.changes("/0", "/1", "/2")
					time.Sleep(4*time.Minute + 20*time.Second)
					st.set(2*at+1, 2*at+1, after)
					time.Sleep(3 * time.Minute)
					r.stop() // as if it were killed: what it stores at the end is lost
					st.set(0, 0, false)
					r.launch(r.build(Options{}))
					time.Sleep(time.Hour)
					r.wantOnceOrTwice("/0", "/1", "/2")
				})
			})
		}
	}
}

// wantOnceOrTwice checks that each page was sent once or twice, and not within 10 minutes.
func (r *runningSite) wantOnceOrTwice(paths ...string) {
	r.Helper()
	times := map[string][]time.Time{}
	for _, p := range r.engine.all() {
		for _, u := range p.URLs {
			path := strings.TrimPrefix(u, testkit.Origin)
			times[path] = append(times[path], p.at)
		}
	}
	if got := slices.Sorted(maps.Keys(times)); !slices.Equal(got, paths) {
		r.Errorf("sent were %v, want %v", got, paths)
	}
	for path, at := range times {
		if len(at) > 2 || len(at) == 2 && at[1].Sub(at[0]) < leaseFor {
			r.Errorf("%s was sent at %v", path, at)
		}
	}
}

func TestFleetSendsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunningSite(t, 20, testkit.Setup{})
		stops := map[int]func(){}
		for i, skew := range []time.Duration{-30 * time.Second, 0, 30 * time.Second} {
			n := r.build(Options{})
			n.now = func() time.Time { return time.Now().Add(skew) }
			r.launch(n)
			stops[i] = r.stop
		}
		time.Sleep(2 * time.Minute)
		var want []string
		for i := range 12 {
			path := fmt.Sprintf("/%d", i)
			want = append(want, testkit.Origin+path)
			r.changes(path)
			time.Sleep(3 * time.Minute)
			if i == 6 {
				stops[0]()
			}
		}
		time.Sleep(10 * time.Minute)
		var sent []string
		for _, p := range r.engine.all() {
			sent = append(sent, p.URLs...)
		}
		if !slices.Equal(sent, want) {
			t.Errorf("sent are %q, want %q", sent, want)
		}
	})
}

func TestLeaseHolderThatDiesIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &failing{Store: new(memstore.Store)}
		r := newRunningSite(t, 5, testkit.Setup{Store: st})
		r.start(Options{})
		st.set(1, 1<<30, false)
		r.stop() // it cannot give up its lease
		st.set(0, 0, false)
		died := time.Now()
		r.changes("/0")
		r.start(Options{Hold: time.Second})
		for len(r.engine.all()) == 0 && time.Since(died) < time.Hour {
			time.Sleep(time.Second)
		}
		if after := time.Since(died); after > 2*leaseFor || after < leaseFor/2 {
			t.Errorf("the next one sends after %v", after)
		}
	})
}

func TestPagesThatWereSentAreReadAsTheyWereWritten(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s := sentPages{}
	for i := range 10_000 {
		h, at := hashOf(fmt.Sprint(i)), now.Add(-time.Duration(i)*time.Second).UnixMilli()
		s[h] = sending{h, at, at}
	}
	shard := s.write(now.Add(-interval), now.Add(-time.Minute))
	back := readShard(shard, now)
	if h := hashOf("17"); len(shard) > store.MaxValue || len(back) != shardPages || back[h] != s[h] {
		t.Errorf("%d of %d bytes are read back, and of one %v", len(back), len(shard), back[h])
	}
	if back := readShard(s.write(now.Add(-time.Minute), now.Add(-30*time.Second)), now); len(back) != 60 {
		t.Errorf("%d are kept, want those of the last minute", len(back))
	}
	readShard([]byte("damaged"), now) // must not panic
}

// A page that was sent under a clock a year ahead is sent when it next changes.
func TestPageThatAWrongClockSentIsForgotten(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s := sentPages{}
	s.add([]change{{hash: hash{1}, at: now}}, 1, now.Add(skew))
	s.add([]change{{hash: hash{1, 1}, at: now.AddDate(1, 0, 0)}}, 1, now)
	s.add([]change{{hash: hash{1, 2}, at: now}}, 1, now.AddDate(1, 0, 0))
	if back := readShard(s.write(now.Add(-interval), now.Add(-time.Minute)), now); len(back) != 1 || !back.done(hash{1}, now) {
		t.Errorf("read back are %v, want only the first", back)
	}
}

func TestStateThatCannotBeReadBeginsNow(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	far := now.AddDate(4, 0, 0)
	for _, row := range []struct {
		name, stored string
		damaged      bool
	}{
		{"none", "", false},
		{"damaged", `{"Floor":`, true},
		{"of a wrong clock", `{"Until":"` + far.Format(time.RFC3339) + `","Floor":"` + far.Format(time.RFC3339) +
			`","Cursor":"` + far.Format(time.RFC3339) + `","Engines":{"e":{"next_try":"` + far.Format(time.RFC3339) + `"}}}`, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			var stored []byte
			if row.stored != "" {
				stored = []byte(row.stored)
			}
			st, err := readState(stored, now)
			if (err != nil) != row.damaged || !st.Floor.Equal(now) || !st.Cursor.Equal(now) || !st.Until.IsZero() || !st.Engines["e"].NextTry.IsZero() {
				t.Errorf("it is read as %+v, %v", st, err)
			}
		})
	}
}

func FuzzReadState(f *testing.F) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	f.Add([]byte(`{"Key":"abc","Floor":"2026-11-22T11:00:00Z","Engines":{"https://a.example":{"Fails":3}}}`), []byte("01234567890123456789"))
	f.Fuzz(func(t *testing.T, b, shard []byte) {
		st, _ := readState(b, now)
		if st.Floor.IsZero() || st.Engines == nil || st.Cursor.Before(st.Floor) || st.Until.After(now.Add(time.Hour)) {
			t.Errorf("it is read as %+v", st)
		}
		readShard(shard, now).write(now, now)
	})
}
