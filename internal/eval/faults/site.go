package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
)

// siteFlag as the first argument makes the program the site.
const siteFlag = "-site"

// status is what a site tells of itself.
type status struct {
	Health     string // of the store, "" if it works
	Aside      int    // folders moved aside
	Notes      []string
	Goroutines int
	Heap       uint64
	Anonymous  uint64 // memory that no file stands behind, 0 where that is not known
	Stats      servemap.Stats
}

// process is the site as a program: the site itself, and an address at which the one who breaks it gives orders.
type process struct {
	dir     string
	options badgerstore.Options
	store   *badgerstore.Store
	moody   *moody // around the store, nil for none
	site    *servemap.Site
	handler atomic.Pointer[http.Handler]
	fates   *fates

	mu      sync.Mutex
	eaten   []*os.File
	churned map[string]uint32 // checksums of what churn wrote
}

// serveSite is the whole program of a site, and returns its exit status.
func serveSite(args []string) int {
	set := flag.NewFlagSet("site", flag.ContinueOnError)
	dir := set.String("dir", "", "folder of the store")
	state := set.String("state", "{}", "fates of the pages, as JSON")
	reserve := set.Int64("reserve", 0, "bytes to be left free")
	moods := set.Bool("moods", false, "the store misbehaves when it is told to")
	if err := set.Parse(args); err != nil {
		return 2
	}
	p := &process{churned: map[string]uint32{}, fates: &fates{Of: map[string]fate{}}}
	if err := json.Unmarshal([]byte(*state), p.fates); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if *moods {
		p.moody = new(moody)
	}
	if err := p.run(*dir, *reserve); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		return 3
	}
	return 0
}

func (p *process) run(dir string, reserve int64) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	p.dir, p.options = dir, badgerstore.Options{Reserve: reserve, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	if err := p.open(); err != nil {
		return err
	}
	public, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	orders, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*p.handler.Load()).ServeHTTP(w, r) })}
	go func() { _ = server.Serve(public) }()
	go func() { _ = http.Serve(orders, p.orders()) }()
	fmt.Println("serves", public.Addr(), orders.Addr())
	go p.tellHealth(ctx)
	<-ctx.Done()
	return p.end(server)
}

// open opens the store and the site on it, and puts them in front of the pages.
func (p *process) open() (err error) {
	if p.store, err = badgerstore.Open(p.dir, &p.options); err != nil {
		return err
	}
	var st store.Store = p.store
	if p.moody != nil {
		p.moody.Store, st = p.store, p.moody
	}
	p.site, err = servemap.New(origin, st, &servemap.Options{Limits: servemap.Limits{RenderEvery: 200 * time.Millisecond}, Logger: p.options.Logger})
	if err != nil {
		return err
	}
	h := p.site.Wrap(p.fates)
	p.handler.Store(&h)
	return nil
}

// tellHealth says once that the store works.
func (p *process) tellHealth(ctx context.Context) {
	for p.store.Health() != nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Millisecond):
		}
	}
	fmt.Println("works")
}

// restart closes the site and the store while visitors come, and opens them anew.
func (p *process) restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var bare http.Handler = p.fates
	err := p.site.Close(ctx)
	p.handler.Store(&bare) // the closed site is left to who is still in it
	return errors.Join(err, p.store.Close(), p.open())
}

// end shuts down in the order that the README tells. What fails is told and is no failure of the site: the folder may be gone.
func (p *process) end(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := server.Shutdown(ctx)
	fmt.Fprintln(os.Stderr, "closing:", errors.Join(p.site.Close(ctx), p.store.Close()))
	return err
}

// orders is what the one who breaks the site can ask of it.
func (p *process) orders() http.Handler {
	mux := http.NewServeMux()
	order := func(path string, do func(*http.Request) error) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if err := do(r); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	mux.HandleFunc("/status", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(p.status()) })
	order("/flush", func(r *http.Request) error { return p.site.Flush(r.Context()) })
	order("/forget", func(r *http.Request) error { return p.site.Forget(r.Context(), r.FormValue("path")) })
	order("/fate", func(r *http.Request) error {
		p.fates.set(r.FormValue("path"), fate(r.FormValue("to")))
		return nil
	})
	order("/grow", func(r *http.Request) error {
		n, err := strconv.Atoi(r.FormValue("sections"))
		p.fates.grow(n)
		return err
	})
	var churning sync.Mutex
	order("/churn", func(r *http.Request) error {
		churning.Lock()
		defer churning.Unlock()
		n, _ := strconv.Atoi(r.FormValue("writes"))
		return p.churn(r.Context(), n)
	})
	order("/verify", func(r *http.Request) error {
		churning.Lock()
		defer churning.Unlock()
		return p.verify(r.Context())
	})
	order("/eat", func(r *http.Request) error {
		left, _ := strconv.Atoi(r.FormValue("left"))
		return p.eat(left)
	})
	order("/spit", func(*http.Request) error { p.spit(); return nil })
	order("/mood", func(r *http.Request) error {
		n, err := strconv.Atoi(r.FormValue("be"))
		p.moody.become(mood(n))
		return err
	})
	order("/collect", func(*http.Request) error { debug.FreeOSMemory(); return nil })
	order("/restart", func(r *http.Request) error { return p.restart(r.Context()) })
	order("/step", func(r *http.Request) error { return stepClock(r.FormValue("by")) })
	return mux
}

func (p *process) status() status {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s := status{
		Aside: len(p.store.MovedAside()), Notes: p.store.Notes(), Goroutines: runtime.NumGoroutine(), Heap: m.HeapAlloc, Anonymous: anonymous(), Stats: p.site.Stats(),
	}
	if err := p.store.Health(); err != nil {
		s.Health = err.Error()
	}
	return s
}

// anonymous reads what Linux tells of the process.
func anonymous() (bytes uint64) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if n, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			_, _ = fmt.Sscan(n, &bytes)
		}
	}
	return bytes << 10
}

// churn writes big records of somebody else into the same store, so that Badger changes and merges its files.
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
			delete(p.churned, key) // written or not
			return err
		}
		p.churned[key] = crc32.ChecksumIEEE(value)
	}
	return nil
}

// verify compares what churn wrote with what the store has.
func (p *process) verify(ctx context.Context) error {
	for key, want := range p.churned {
		var got uint32
		err := p.store.View(ctx, []string{key}, func(values [][]byte) error {
			got = crc32.ChecksumIEEE(values[0])
			return nil
		})
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("record %s is not what was written", key)
		}
	}
	return nil
}

// eat uses up the process's file descriptors until so many are left, about as fast as a server can accept connections.
func (p *process) eat(left int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		time.Sleep(20 * time.Microsecond)
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		p.eaten = append(p.eaten, f)
	}
	for range min(left, len(p.eaten)) {
		last := len(p.eaten) - 1
		_ = p.eaten[last].Close()
		p.eaten = p.eaten[:last]
	}
	return nil
}

func (p *process) spit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.eaten {
		_ = f.Close()
	}
	p.eaten = nil
}
