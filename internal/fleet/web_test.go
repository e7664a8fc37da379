// Package fleet_test has several sites share a store, and compares what they serve
// with each other and with one site that saw everything.
package fleet_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store"
)

const origin = "https://example.com"

// newSite returns a site over st that is closed with the test.
func newSite(t *testing.T, st store.Store, opts *servemap.Options) *servemap.Site {
	t.Helper()
	site, err := servemap.New(origin, st, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := site.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return site
}

func flush(t *testing.T, site *servemap.Site) {
	t.Helper()
	if err := site.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// page is a handler that answers with HTML of a text and links.
func page(text string, links ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var b strings.Builder
		fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>%s</title></head><body><main><p>%s at %s</p>", text, text, r.URL.Path)
		for _, l := range links {
			fmt.Fprintf(&b, `<a href="%s">link</a>`, l)
		}
		b.WriteString("</main></body></html>")
		_, _ = io.WriteString(w, b.String())
	}
}

// web is a running server with a client for it.
type web struct {
	testing.TB
	client *http.Client
	base   string
}

func serve(t *testing.T, h http.Handler) *web {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return &web{t, srv.Client(), srv.URL}
}

// visit gets a path as an anonymous visitor does.
func (w *web) visit(path string) (*http.Response, string) {
	w.Helper()
	resp, err := w.client.Get(w.base + path)
	if err != nil {
		w.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.Fatal(err)
	}
	return resp, string(body)
}
