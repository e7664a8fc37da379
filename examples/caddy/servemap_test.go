package caddy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	caddyserver "github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	"github.com/servemap/servemap/store/badgerstore"
)

const reloads = 20

// load makes Caddy run with a configuration. n makes it a different one each time.
func load(t *testing.T, addr, data, public string, n int) {
	t.Helper()
	text := fmt.Sprintf(`{
	admin off
	persist_config off
	log {
		level ERROR
	}
}
http://%s {
	header X-Configuration %d
	encode
	servemap https://example.com %s
	root %s
	file_server
	handle_errors {
		respond "no such page" {err.status_code}
	}
}
`, addr, n, data, public)
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := caddyserver.Load(config, true); err != nil {
		t.Fatal(err)
	}
}

func get(addr, path string) (int, string, error) {
	resp, err := http.Get("http://" + addr + path)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// The site survives reloads under load: every answer is right, and one store stays open.
func TestReloadsUnderLoad(t *testing.T) {
	dir := t.TempDir()
	data, public := filepath.Join(dir, "data"), filepath.Join(dir, "public")
	if err := os.Mkdir(public, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"index.html":  `<!doctype html><title>Shop</title><p>Look at our <a href="/teapot.html">teapot</a>.</p>`,
		"teapot.html": `<!doctype html><title>Teapot</title><p>This is the teapot.</p>`,
	} {
		if err := os.WriteFile(filepath.Join(public, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	load(t, addr, data, public, 0)
	key := data + " https://example.com"
	before := theSite(t, key)

	for _, path := range []string{"/", "/teapot.html"} {
		if code, body, err := get(addr, path); err != nil || code != http.StatusOK {
			t.Errorf("%s: %d %q %v", path, code, body, err)
		}
	}
	var stop atomic.Bool
	var answered atomic.Int64
	var visitors sync.WaitGroup
	for range 4 {
		visitors.Go(func() {
			for !stop.Load() {
				code, body, err := get(addr, "/teapot.html")
				switch {
				case err != nil: // Caddy's own listeners lose a connection at times, also without servemap
				case code != http.StatusOK || !strings.Contains(body, "This is the teapot."):
					t.Errorf("%d %q", code, body)
				default:
					answered.Add(1)
				}
			}
		})
	}
	for n := range reloads {
		for least := answered.Load() + 1; answered.Load() < least; { // each configuration serves
			runtime.Gosched()
		}
		load(t, addr, data, public, n+1)
	}
	stop.Store(true)
	visitors.Wait()
	t.Logf("%d requests were answered during %d reloads", answered.Load(), reloads)

	if after := theSite(t, key); after != before {
		t.Error("a reload opened the site again")
	}
	if err := before.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	_, sitemap, err := get(addr, "/sitemap.xml")
	if err != nil || strings.Count(sitemap, "<loc>") != 2 {
		t.Errorf("%v, the sitemap is %s", err, sitemap)
	}
	// The site sees that a page is gone, although Caddy makes the error page.
	if err := os.Remove(filepath.Join(public, "teapot.html")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for status := 0; status != http.StatusNotFound; { // its next look is due some seconds after the first
		if _, body, err := get(addr, "/teapot.html"); err == nil && body != "no such page" {
			t.Fatalf("the page that is gone answers %q", body)
		}
		if err := before.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		e, err := before.Explain(ctx, "/teapot.html")
		if err != nil {
			t.Fatal(err)
		}
		status = e.Status
	}

	if err := caddyserver.Stop(); err != nil {
		t.Fatal(err)
	}
	if n, open := open.References(key); open {
		t.Errorf("%d configurations use the site after the end", n)
	}
	st, err := badgerstore.Open(data, nil) // it waits if another has the folder
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Health(); err != nil {
		t.Error("the folder was not let go:", err)
	}
	st.Close()
}

// theSite returns the open site, which exactly one configuration must use.
func theSite(t *testing.T, key string) (s *site) {
	t.Helper()
	open.Range(func(k, v any) bool {
		if k == key {
			s = v.(*site)
		}
		return true
	})
	if n, _ := open.References(key); s == nil || n != 1 {
		t.Fatalf("%d configurations use %v", n, s)
	}
	return s
}
