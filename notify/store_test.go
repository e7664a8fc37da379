package notify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

var errStore = errors.New("the disk is full")

func TestEachUpdateThatFailsLosesNoChange(t *testing.T) {
	for _, after := range []bool{false, true} {
		for at := range 8 {
			t.Run(fmt.Sprintf("%d after=%v", at, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					st := base.NewStore()
					r := newRunningSite(t, 5, testkit.Setup{Store: st})
					n := r.build(Options{})
					n.batch = 2
					r.launch(n)
					r.changes("/0", "/1", "/2")
					time.Sleep(4*time.Minute + 20*time.Second)
					updates := 0
					st.OnUpdateOf("|notify|state", func(ctx context.Context, keys []string, fn func([][]byte) error) (err error) {
						if updates++; updates != at+1 {
							return st.Store.Update(ctx, keys, fn)
						}
						if after {
							err = st.Store.Update(ctx, keys, fn)
						}
						return errors.Join(err, errStore)
					})
					time.Sleep(3 * time.Minute)
					r.stop() // as if it were killed: what it stores at the end is lost
					st.Mend()
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
		for _, path := range p.paths() {
			times[path] = append(times[path], p.at)
		}
	}
	base.EqualLists(r, slices.Sorted(maps.Keys(times)), paths, "sent were")
	for path, at := range times {
		if len(at) > 2 || len(at) == 2 && at[1].Sub(at[0]) < leaseFor {
			r.Errorf("%s was sent at %v", path, at)
		}
	}
}

// TestFleetSendsOnce has clocks that differ. Those that wait say so, and it is no trouble.
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
		r.Logged.Want(t, 2, "make one notifier with the options of both")
		r.Logged.Want(t, 0, "level=WARN")
		var want []string
		for i := range 12 {
			path := fmt.Sprintf("/%d", i)
			want = append(want, path)
			r.changes(path)
			time.Sleep(3 * time.Minute)
			if i == 6 {
				stops[0]()
			}
		}
		time.Sleep(10 * time.Minute)
		base.EqualLists(t, r.sent(), want, "sent")
	})
}

func TestWhoEndsCleanlyHandsOver(t *testing.T) {
	run(t, 2, Options{}, func(r *runningSite) {
		r.stop()
		r.start(Options{})
		r.changes("/0")
		time.Sleep(5*time.Minute + 40*time.Second)
		r.wantPosts("/0")
		r.Logged.Want(t, 0, "this notifier waits")
	})
}

func TestPagesThatWereSentAreBoundedAndForgotten(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	// too old, right, of a wrong clock
	s := sentPages{1: moment.Of(now.Add(-time.Hour)), 2: moment.Of(now.Add(-time.Minute)),
		3: moment.Of(now.AddDate(1, 0, 0))}
	if again := readSent(s.record(now.Add(-30*time.Minute), now)); len(again) != 1 || len(s) != 1 || again[2] != s[2] {
		t.Errorf("%v is stored of %v", again, s)
	}
	if again := readSent([]byte("damaged")); len(again) != 0 {
		t.Errorf("a damaged record is read as %v", again)
	}
	for _, perPost := range []int{1, batchPages, 100_000} {
		s := sentPages{}
		for i := range 100_000 {
			s[hash(1<<20+i)] = moment.Of(now.Add(time.Duration(i/perPost) * time.Millisecond))
		}
		last := hash(1<<20 + 99_999)
		b := s.record(now.Add(-time.Hour), now.Add(time.Hour))
		again, least := readSent(b), map[int]int{1: 2500, batchPages: 15_000}[perPost]
		if len(b) > store.MaxValue || len(again) < least || least > 0 && again[last] != s[last] {
			t.Errorf("in posts of %d: %d pages in %d bytes", perPost, len(again), len(b))
		}
	}
}

func TestStateThatCannotBeReadIsAFirstStart(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	far := now.AddDate(4, 0, 0)
	for _, row := range []struct {
		name, stored string
		damaged      bool
	}{
		{"none", "", false},
		{"damaged", `{"Floor":`, true},
		{"of a wrong clock", `{"Until":"` + far.Format(time.RFC3339) + `","Floor":"` + far.Format(time.RFC3339) +
			`","Cursor":"` + far.Format(time.RFC3339) + `","endpoints":[{"next_try":"` + far.Format(time.RFC3339) + `"}]}`,
			false},
	} {
		t.Run(row.name, func(t *testing.T) {
			var stored []byte
			if row.stored != "" {
				stored = []byte(row.stored)
			}
			st, err := readState(stored, now)
			if (err != nil) != row.damaged || !st.Floor.IsZero() || !st.Cursor.IsZero() || !st.Until.IsZero() ||
				len(st.Endpoints) > 0 && !st.Endpoints[0].NextTry.IsZero() {
				t.Errorf("it is read as %+v, %v", st, err)
			}
		})
	}
}
