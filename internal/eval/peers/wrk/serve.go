package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/memstore"
)

// pageBytes is about what a page has.
const pageBytes = 10 << 10

// serve serves the pages on a port of this machine until ctx ends. It prints
// the URL first.
func serve(ctx context.Context, observed bool, pages int) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	h := http.Handler(newPages(pages))
	if observed {
		site, err := servemap.New("https://example.com", new(memstore.Store), &servemap.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		defer func() {
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			_ = site.Close(closing)
		}()
		h = site.Wrap(h)
	}
	srv := &http.Server{Handler: h}
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	fmt.Printf("http://%s\n", listener.Addr())
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// pages is a site whose front page links to all others.
type pages map[string][]byte

func newPages(n int) pages {
	p := pages{}
	for i := range n {
		p[pathOf(i)] = html(i, n)
	}
	return p
}

// pathOf returns the path of the page with this number; 0 is the front page.
func pathOf(i int) string {
	if i == 0 {
		return "/"
	}
	return "/page/" + strconv.Itoa(i)
}

func html(i, n int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>Page %d</title></head><body><main><h1>Page %d of %d</h1>", i, i, n)
	for link := 1; i == 0 && link < n; link++ {
		fmt.Fprintf(&b, `<a href="%s">%d</a> `, pathOf(link), link)
	}
	for word := i; b.Len() < pageBytes; word++ {
		fmt.Fprintf(&b, "<p>Paragraph %d of page %d says something of its own.</p>", word, i)
	}
	b.WriteString("</main></body></html>")
	return []byte(b.String())
}

func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, ok := p[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(page)))
	_, _ = w.Write(page) // the client may be gone
}
