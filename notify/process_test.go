package notify

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/sqlstore"
)

// Environment variables that turn the test binary into a process of a fleet.
const (
	childOrigin   = "NOTIFY_TEST_ORIGIN"
	childDatabase = "NOTIFY_TEST_DATABASE"
)

func TestMain(m *testing.M) {
	if origin := os.Getenv(childOrigin); origin != "" {
		if err := serveChild(origin, os.Getenv(childDatabase)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// childLease is short, so that a test need not wait for long.
const childLease = 3 * time.Second

// serveChild serves a site and tells the engine at its origin of changes. It prints its
// address and its name in the lease, and ends with its standard input.
func serveChild(origin, database string) error {
	db, err := sql.Open("pgx", database)
	if err != nil {
		return err
	}
	st, err := sqlstore.Open(db, nil)
	if err != nil {
		return err
	}
	site, err := servemap.New(origin, st, &servemap.Options{Limits: servemap.Limits{RenderEvery: 50 * time.Millisecond, RefreshEvery: 200 * time.Millisecond}})
	if err != nil {
		return err
	}
	n, err := New(site, st, &Options{Endpoints: []string{origin + "/indexnow"}, Hold: time.Second})
	if err != nil {
		return err
	}
	n.lease = childLease
	mux := http.NewServeMux()
	for i := range 100 { // each has a route, and so is listed once it is visited
		path := fmt.Sprintf("/%d", i)
		mux.HandleFunc(path, testkit.Page("the page "+path))
	}
	server := httptest.NewServer(n.Wrap(site.Wrap(mux)))
	go n.Run(context.Background())
	fmt.Println(server.URL, n.owner)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// fleet is an engine, and processes on one database that tell it of changes.
type fleet struct {
	testing.TB
	database string
	store    store.Store
	engine   *httptest.Server // also the address of the site, as a balancer is

	mu   sync.Mutex
	told map[string]int // how often, by path
	to   *httputil.ReverseProxy
}

type child struct {
	cmd   *exec.Cmd
	url   string
	owner string // its name in the lease
}

func newFleet(t *testing.T) *fleet {
	f := &fleet{TB: t, database: newSchema(t), told: map[string]int{}}
	f.engine = httptest.NewServer(f)
	t.Cleanup(f.engine.Close)
	db, err := sql.Open("pgx", f.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if f.store, err = sqlstore.Open(db, nil); err != nil {
		t.Fatal(err)
	}
	return f
}

// newSchema returns the address of an empty schema of a database.
func newSchema(t *testing.T) string {
	t.Helper()
	address := cmp.Or(os.Getenv("DATABASE_URL"), "postgres://postgres@127.0.0.1:5432/test")
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	schema := "servemap_notify_" + strings.ToLower(rand.Text()[:16])
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("PostgreSQL does not answer: %v", err)
		}
		t.Skipf("PostgreSQL does not answer; start one, or name it in DATABASE_URL: %v", err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec("DROP SCHEMA " + schema + " CASCADE"); err != nil {
			t.Error(err)
		}
		db.Close()
	})
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	return address + separator + "search_path=" + schema
}

func (f *fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	to := f.to
	f.mu.Unlock()
	if r.Method == http.MethodGet {
		to.ServeHTTP(w, r)
		return
	}
	var m message
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		f.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, u := range m.URLs {
		f.told[strings.TrimPrefix(u, f.engine.URL)]++
	}
}

// start starts a process.
func (f *fleet) start() *child {
	f.Helper()
	c := &child{cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), childOrigin+"="+f.engine.URL, childDatabase+"="+f.database)
	c.cmd.Stderr = os.Stderr
	_, err := c.cmd.StdinPipe()
	if err != nil {
		f.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { f.kill(c) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		f.Fatal(err)
	}
	c.url, c.owner, _ = strings.Cut(strings.TrimSpace(line), " ")
	f.goTo(c)
	f.awaitTrue("a process leads", func(st state) bool { return st.Owner != "" }) // what changed before the first start is not sent
	return c
}

// goTo has a process answer the requests to the site's public address.
func (f *fleet) goTo(c *child) {
	u, err := url.Parse(c.url)
	if err != nil {
		f.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.to = httputil.NewSingleHostReverseProxy(u)
}

// kill ends a process as kill -9 does.
func (f *fleet) kill(c *child) {
	_ = c.cmd.Process.Kill() // it may have ended
	_ = c.cmd.Wait()
}

// visit makes pages known through a process.
func (f *fleet) visit(c *child, from, to int) {
	f.Helper()
	for i := from; i < to; i++ {
		resp, err := http.Get(fmt.Sprintf("%s/%d", c.url, i))
		if err != nil {
			f.Fatal(err)
		}
		resp.Body.Close()
	}
}

// await waits until the engine was told of so many pages, and the outcome is stored.
func (f *fleet) await(pages int) {
	f.Helper()
	f.awaitTrue(fmt.Sprintf("%d pages are sent", pages), func(st state) bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.told) == pages && st.Sent >= pages && st.Intent.IsZero()
	})
}

func (f *fleet) awaitTrue(what string, is func(state) bool) {
	f.Helper()
	for begun := time.Now(); !is(f.state()); time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			f.Fatalf("not within a minute: %s; the state is %+v", what, f.state())
		}
	}
}

// state returns what the processes have stored.
func (f *fleet) state() (st state) {
	f.Helper()
	err := f.store.View(f.Context(), []string{keys.Keys(f.engine.URL + "|").Notify("state")}, func(values [][]byte) (err error) {
		st, err = readState(values[0], time.Now())
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return st
}

func TestProcessesOnOneDatabaseSendOnceAlsoIfOneIsKilled(t *testing.T) {
	f := newFleet(t)
	one, two := f.start(), f.start()
	f.visit(one, 0, 10)
	f.visit(two, 10, 20)
	f.await(20)
	leader, other := one, two
	if f.state().Owner == two.owner {
		leader, other = two, one
	}
	f.kill(leader)
	killed := time.Now()
	f.goTo(other)
	f.visit(other, 20, 30)
	f.await(30)
	t.Logf("the other process sends %v after the kill", time.Since(killed).Round(100*time.Millisecond))
	f.visit(f.start(), 30, 40)
	f.visit(other, 40, 50)
	f.await(50)
	f.mu.Lock()
	defer f.mu.Unlock()
	for path, times := range f.told {
		if times != 1 {
			t.Errorf("%s was sent %d times", path, times)
		}
	}
}
