package faults

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
)

// siteArg as the first argument makes the program the site.
const siteArg = "-site"

// status is a site's report about itself.
type status struct {
	Health     string // of the store, "" if it works
	Aside      int    // folders moved aside
	Goroutines int
	Usage      kit.Usage
	Stats      servemap.Stats
}

// foreign reports whether the store takes its folder for one of another version.
func (s status) foreign() bool { return strings.Contains(s.Health, "another version") }

// process is the site as a program: the site itself, and an address where it takes orders.
type process struct {
	dir    string
	log    *slog.Logger
	store  *badgerstore.Store
	moods  bool   // the store misbehaves when it is told to
	moody  *moody // that store
	site   *servemap.Site
	server *kit.Server
	pages  *fates
}

// serveSite is the whole program of a site, and returns its exit status.
func serveSite(args []string) int {
	p := &process{pages: newFates(0), log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	set := flag.NewFlagSet("site", flag.ContinueOnError)
	set.StringVar(&p.dir, "dir", "", "folder of the store")
	state := set.String("state", "{}", "fates of the pages, as JSON")
	set.BoolVar(&p.moods, "moods", false, "the store misbehaves when it is told to")
	if err := set.Parse(args); err != nil {
		return 2
	}
	err := json.Unmarshal([]byte(*state), p.pages)
	if err == nil {
		err = p.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		return 3
	}
	return 0
}

func (p *process) run() (err error) {
	if p.server, err = kit.Listen(p.pages); err != nil {
		return err
	}
	if err := p.open(); err != nil {
		return err
	}
	orders, err := kit.Listen(p.orders())
	if err != nil {
		return err
	}
	fmt.Println(p.server.URL, orders.URL)
	kit.AwaitStop()
	return p.end()
}

// open opens the store and the site on it, and puts them in front of the pages.
func (p *process) open() (err error) {
	if p.store, err = badgerstore.Open(p.dir, &badgerstore.Options{Logger: p.log}); err != nil {
		return err
	}
	var st store.Store = p.store
	if p.moods {
		p.moody = newMoody(st)
		st = p.moody
	}
	if p.site, err = kit.NewSite(st, servemap.Options{Limits: servemap.Limits{RenderEvery: 200 * time.Millisecond,
		Looks: -1}, Logger: p.log}); err != nil {
		return err
	}
	p.server.Handle(p.site.Wrap(p.pages))
	return nil
}

// end shuts down in the order that the README says. It prints errors, but they are no
// failure of the site: the folder may be gone.
func (p *process) end() error {
	err := p.server.Close()
	fmt.Fprintln(os.Stderr, "closing:", errors.Join(kit.CloseSite(p.site, 10*time.Second), p.store.Close()))
	return err
}

// orders are the orders that the site obeys.
func (p *process) orders() http.Handler {
	mux := http.NewServeMux()
	order := func(path string, do func(*http.Request) error) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if err := do(r); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	count := func(r *http.Request, name string) int {
		n, _ := strconv.Atoi(r.FormValue(name)) // only this program writes it
		return n
	}
	mux.HandleFunc("/status", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(p.status()) })
	order("/flush", func(r *http.Request) error { return p.site.Flush(r.Context()) })
	order("/forget", func(r *http.Request) error { return p.site.Forget(r.Context(), r.FormValue("path")) })
	order("/fate", func(r *http.Request) error { p.pages.set(r.FormValue("path"), fate(r.FormValue("to"))); return nil })
	order("/churn", func(r *http.Request) error { return p.churn(r.Context(), count(r, "writes")) })
	order("/mood", func(r *http.Request) error { p.moody.become(mood(count(r, "be"))); return nil })
	order("/collect", func(*http.Request) error { debug.FreeOSMemory(); return nil })
	return mux
}

func (p *process) status() status {
	aside, _ := filepath.Glob(filepath.Join(p.dir, "badger.damaged-*"))
	s := status{
		Aside: len(aside), Goroutines: runtime.NumGoroutine(), Usage: kit.Measure(""), Stats: p.site.Stats(),
	}
	if err := p.store.Health(); err != nil {
		s.Health = err.Error()
	}
	return s
}

// churn writes big records into the same store under its own keys, so that Badger changes
// and merges its files.
func (p *process) churn(ctx context.Context, writes int) error {
	value := make([]byte, 60<<10)
	for range writes {
		for i := range value {
			value[i] = byte(rand.Uint32())
		}
		key := fmt.Sprintf("zz%03d", rand.IntN(150))
		err := p.store.Update(ctx, []string{key}, func(values [][]byte) error {
			values[0] = value
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
