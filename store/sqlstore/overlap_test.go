package sqlstore

import (
	"context"
	"database/sql"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap/store"
)

var overlapFor = flag.Duration("overlap", time.Second, "how long TestOverlap has servers write the same pages")

const (
	overlapServers = 4
	overlapPages   = 2000
)

// TestOverlap has four servers count visits to the same pages, in big batches
// whose keys are in no order. None may fail, no visit may be lost, and the
// database may not see a deadlock, even one that is tried again and survived.
func TestOverlap(t *testing.T) {
	watch := database(t)
	name := schema(t, watch)
	table := name + ".servemap"
	before := deadlocks(t, watch)
	var counted [overlapServers][overlapPages]uint64
	updates := make([]int, overlapServers)
	deadline := time.Now().Add(*overlapFor)
	t.Run("servers", func(t *testing.T) { // their connections end with it
		var end sync.WaitGroup
		for server := range overlapServers {
			st := openTable(t, dial(t, withSetting(address(), "application_name="+name)), table)
			end.Go(func() {
				for random := rand.New(rand.NewPCG(1, uint64(server))); time.Now().Before(deadline); updates[server]++ {
					pages := random.Perm(overlapPages)[:1+random.IntN(store.MaxKeys)]
					if err := countVisits(st, pages); err != nil {
						t.Errorf("Update: %v", err)
						return
					}
					for _, page := range pages {
						counted[server][page]++
					}
				}
			})
		}
		end.Wait()
	})
	if err := eventually(func() error { return sessionsEnded(watch, name) }); err != nil {
		t.Fatal(err)
	}
	st := openTable(t, watch, table)
	for page := range overlapPages {
		want := uint64(0)
		for server := range overlapServers {
			want += counted[server][page]
		}
		if got := get(t, st, pageKey(page)); readCount([]byte(got)) != want {
			t.Fatalf("page %d has %d visits, want %d", page, readCount([]byte(got)), want)
		}
	}
	if n := deadlocks(t, watch) - before; n != 0 {
		t.Errorf("the database saw %d deadlocks", n)
	}
	t.Logf("%v updates in %v", updates, *overlapFor)
}

// sessionsEnded returns an error while sessions of that name are left.
func sessionsEnded(db *sql.DB, name string) error {
	var n int
	err := db.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE application_name = $1`, name).Scan(&n)
	if err == nil && n > 0 {
		err = fmt.Errorf("%d sessions have not ended", n)
	}
	return err
}

func pageKey(page int) string { return fmt.Sprintf("page|%d", page) }

func countVisits(st store.Store, pages []int) error {
	keys := make([]string, len(pages))
	for i, page := range pages {
		keys[i] = pageKey(page)
	}
	return st.Update(context.Background(), keys, func(values [][]byte) error {
		for i, value := range values {
			values[i] = binary.BigEndian.AppendUint64(nil, readCount(value)+1)
		}
		return nil
	})
}

func readCount(value []byte) uint64 {
	if value == nil || len(value) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(value)
}
