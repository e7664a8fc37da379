package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/badgerstore"
)

// server is a server on loopback, bare until it is given another handler.
type server struct {
	http.Server
	url     string
	handler atomic.Pointer[http.Handler]
}

func listen(bare http.Handler) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{url: "http://" + listener.Addr().String()}
	s.handler.Store(&bare)
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*s.handler.Load()).ServeHTTP(w, r) })
	go func() { _ = s.Serve(listener) }() // until it is closed
	return s, nil
}

// serve measures how soon the sitemap is served after a start, and what memory the site takes, as its owner would run it.
func serve(cfg config) (err error) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<!doctype html><title>x</title>"))
	})
	s, err := listen(mux)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, _, err := get(s.url + "/"); err != nil {
		return err
	}
	debug.FreeOSMemory()
	bare := anonymous()

	began := time.Now()
	st, err := badgerstore.Open(filepath.Join(cfg.dir, "store"), &badgerstore.Options{Reserve: 1 << 20})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	opened := time.Since(began)
	site, err := servemap.New(origin, st, nil)
	if err != nil {
		return err
	}
	defer closeSoon(site)
	wrapped := site.Wrap(mux)
	s.handler.Store(&wrapped)
	for _, name := range []string{"/sitemap.xml", "/sitemap-1.xml"} {
		status, size, err := get(s.url + name)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s: status %d", name, status)
		}
		if err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes of gzip, %.0f ms after the store began to be opened (which took %.0f ms)\n",
			name, size, ms(time.Since(began)), ms(opened))
	}
	if err := usage(cfg, bare); err != nil {
		return err
	}
	if cfg.hold > 0 {
		fmt.Printf("serving %s/sitemap.xml for %v\n", s.url, cfg.hold)
		time.Sleep(cfg.hold)
	}
	return nil
}

// closeSoon closes the site without the pass over all records for which closing it waits, which has nothing to tell here.
func closeSoon(site *servemap.Site) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = site.Close(ctx)
}

// usage prints what memory and disk are taken once the site was left alone for a while.
func usage(cfg config, bare int64) error {
	peak := watch(time.Now().Add(cfg.rest))
	fmt.Printf("anonymous memory: %.1f MB bare; above it %.1f MB after %v, at its peak %.1f MB\n", mb(bare), mb(anonymous()-bare), cfg.rest, mb(peak-bare))
	debug.FreeOSMemory()
	fmt.Printf("anonymous memory above the bare server's after a collection: %.1f MB\n", mb(anonymous()-bare))
	disk, err := diskBytes(cfg.dir)
	if err != nil {
		return err
	}
	fmt.Printf("disk: %.0f MB, %.0f bytes a page\n", mb(disk), float64(disk)/float64(cfg.pages))
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func mb(n int64) float64 { return float64(n) / (1 << 20) }
