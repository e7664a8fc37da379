package caddy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/badgerstore"
)

const reloads = 20

// load makes Caddy run with a configuration. n makes it a different one each time.
func load(t testing.TB, addr, data, public string, n int) {
	t.Helper()
	run(t, fmt.Sprintf(`http://%s {
	header X-Configuration %d
	encode
	servemap https://example.com %s
	root %s
	file_server
	handle_errors {
		respond "no such page" {err.status_code}
	}
}
`, addr, n, data, public))
}

// run makes Caddy run with these sites.
func run(t testing.TB, sites string) {
	t.Helper()
	const global = "{\n\tadmin off\n\tpersist_config off\n\tlog {\n\t\tlevel ERROR\n\t}\n}\n"
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(global+sites), nil)
	base.Check(t, err)
	base.Check(t, caddyserver.Load(config, true))
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

// free returns an address on which nothing listens.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	base.Check(t, err)
	defer l.Close()
	return l.Addr().String()
}

// shop makes a folder with the pages of a shop.
func shop(t testing.TB) (public string) {
	t.Helper()
	public = t.TempDir()
	for name, body := range map[string]string{
		"index.html":  `<!doctype html><title>Shop</title><p>Look at our <a href="/teapot.html">teapot</a>.</p>`,
		"teapot.html": `<!doctype html><title>Teapot</title><p>This is the teapot.</p>`,
	} {
		base.Check(t, os.WriteFile(filepath.Join(public, name), []byte(body), 0o600))
	}
	return public
}

// The site survives reloads under load: every answer is right, and one store stays open.
func TestSiteSurvivesReloadsUnderLoad(t *testing.T) {
	data, public, addr := filepath.Join(t.TempDir(), "data"), shop(t), free(t)
	load(t, addr, data, public, 0)
	before, key := theSite(t, data)

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
				case err != nil: // a reload may cut a new connection, also without servemap
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

	if after, _ := theSite(t, data); after != before {
		t.Error("a reload opened the site again")
	}
	base.Check(t, before.Flush(context.Background()))
	_, sitemap, err := get(addr, "/sitemap.xml")
	if err != nil || strings.Count(sitemap, "<loc>") != 2 {
		t.Errorf("%v, the sitemap is %s", err, sitemap)
	}
	// The site sees that a page is gone, although Caddy makes the error page.
	base.Check(t, os.Remove(filepath.Join(public, "teapot.html")))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for status := 0; status != http.StatusNotFound; { // its next observation is due some seconds after the first
		if _, body, err := get(addr, "/teapot.html"); err == nil && body != "no such page" {
			t.Fatalf("the page that is gone answers %q", body)
		}
		base.Check(t, before.Flush(ctx))
		e, err := before.Explain(ctx, "/teapot.html")
		base.Check(t, err)
		status = e.Status
	}

	base.Check(t, caddyserver.Stop())
	if n, open := open.References(key); open {
		t.Errorf("%d configurations use the site after the end", n)
	}
	st, err := badgerstore.Open(data, nil) // it waits if another has the folder
	base.Check(t, err)
	if err := st.Health(); err != nil {
		t.Error("the folder was not let go:", err)
	}
	st.Close()
}

// theSite returns the open site with a folder, which exactly one configuration must use, and its key.
func theSite(t *testing.T, data string) (s *site, key any) {
	t.Helper()
	open.Range(func(k, v any) bool {
		if strings.HasPrefix(k.(string), fmt.Sprintf("%q ", data)) {
			s, key = v.(*site), k
		}
		return true
	})
	if n, _ := open.References(key); s == nil || n != 1 {
		t.Fatalf("%d configurations use %v", n, s)
	}
	return s, key
}

// The lines of the block do what they say, and a reload with others takes them.
func TestLinesOfTheBlock(t *testing.T) {
	data, public, addr := filepath.Join(t.TempDir(), "data"), shop(t), free(t)
	defer caddyserver.Stop()
	with := func(lines string) {
		t.Helper()
		run(t, fmt.Sprintf("http://%s {\n\tservemap http://%[1]s %s {\n%s\n}\n\troot %s\n\tfile_server\n}\n", addr, data,
			lines, public))
	}
	listed := func(want ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for {
			s, _ := theSite(t, data)
			_ = s.Flush(ctx) // fails while the site before has the folder
			_, sitemap, err := get(addr, "/sitemap.xml")
			base.Check(t, errors.Join(err, ctx.Err()))
			n := 0
			for _, path := range want {
				n += strings.Count(sitemap, "<loc>http://"+addr+path+"</loc>")
			}
			if n == len(want) && strings.Count(sitemap, "<loc>") == n {
				return
			}
			runtime.Gosched()
		}
	}
	with("explore\nrobots\ninspector /inspect/ secret\nnever *.pdf$")
	listed("/", "/teapot.html")
	for _, tt := range []struct {
		name, path, password string
		code                 int
		want                 string
	}{
		{"robots.txt", "/robots.txt", "", 200, "Sitemap: http://" + addr + "/sitemap.xml"},
		{"a page that is not there", "/nothing.html", "", 404, ""},
		{"the inspector for its owner", "/inspect/", "secret", 200, "2 pages in the sitemap"},
		{"a page, and the line that keeps it out", "/inspect/page?u=/teapot.html", "secret", 200, "never /teapot.html$"},
		{"the inspector for a stranger", "/inspect/", "", 401, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequest(http.MethodGet, "http://"+addr+tt.path, nil)
			base.Check(t, err)
			if tt.password != "" {
				r.SetBasicAuth("admin", tt.password)
			}
			if resp, body := base.Do(t, http.DefaultClient, r); resp.StatusCode != tt.code || !strings.Contains(body, tt.want) {
				t.Errorf("%s %s", resp.Status, body)
			}
		})
	}
	with("never /teapot")
	listed("/")
	with("section pots /teapot")
	listed("/sitemap-1.xml", "/sitemap-pots.xml")
}

// Of two sections with one pattern, the first one has the page: the same one after each start.
func TestSectionsKeepTheirOrder(t *testing.T) {
	h := &Handler{Settings: Settings{Sections: map[string][]string{}}}
	for c := 'a'; c <= 'z'; c++ {
		h.Sections[string(c)] = []string{"/"}
	}
	got := ""
	for _, r := range h.rules() {
		got += r.Section
	}
	base.Equal(t, got, "abcdefghijklmnopqrstuvwxyz", "the order")
}

// Behind something that has the origin's name, the site asks itself, by the handlers of its own server.
func TestInsideExploresWhereTheOriginLeadsElsewhere(t *testing.T) {
	data, public, addr := filepath.Join(t.TempDir(), "data"), shop(t), free(t)
	defer caddyserver.Stop()
	base.Check(t, os.WriteFile(filepath.Join(public, "index.html"),
		[]byte(`<title>Shop</title><p>Look at our <a href="teapot.html">teapot</a>.</p>`), 0o600))
	run(t, fmt.Sprintf(`http://%s, http://shop.invalid:%[2]s {
	handle_path /shop/* {
		servemap http://shop.invalid/shop %[3]s {
			inside
			stripped /shop
			max 10
		}
		root %[4]s
		file_server
	}
}
`, addr, addr[strings.LastIndex(addr, ":")+1:], data, public))
	s, _ := theSite(t, data)
	if s.exploring.Wait(); s.Stats().Listed != 2 {
		t.Errorf("%d pages are listed, want 2", s.Stats().Listed)
	}
}

// What only the library refuses is named as the Caddyfile does.
func TestWrongValuesAreNamedByTheirLine(t *testing.T) {
	text := "example.com {\n\tservemap https://example.com " + t.TempDir() + " {\nbenign a=b\n}\n}\n"
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte("{\n\tadmin off\n\tpersist_config off\n}\n"+text),
		nil)
	base.Check(t, err)
	if err := caddyserver.Load(config, true); err == nil || !strings.Contains(err.Error(),
		"servemap: `benign`: \"a=b\" is no name") {
		t.Error(err)
	}
}

func TestWrongLinesAreNamed(t *testing.T) {
	for _, tt := range []struct{ name, lines, want string }{
		{"an unknown line", "benin x", "servemap has no benin"},
		{"a number that is none", "max all", "max all: give a number"},
		{"a switch with a value", "explore now", "explore has a wrong number"},
		{"a list without one", "never", "never has a wrong number"},
		{"a section without a pattern", "section blog", "section has a wrong number"},
		{"a password that is not set", "inspector /inspect/ \"\"", "inspector has a wrong number of values, or an empty one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := "example.com {\n\tservemap https://example.com data {\n" + tt.lines + "\n}\n}\n"
			if _, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), nil); err == nil ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// The Caddyfile of the recipes keeps the host, and gives the program behind it the address
// of the peer whatever the visitor claims.
func TestProxyRecipeKeepsTheHostAndTheRealPeer(t *testing.T) {
	got := make(chan *http.Request, 1)
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got <- r }))
	defer behind.Close()
	text, err := os.ReadFile("../../examples/recipes/proxies/Caddyfile")
	base.Check(t, err)
	addr := free(t)
	run(t, strings.NewReplacer("example.com {", "http://"+addr+" {", "127.0.0.1:8080",
		behind.Listener.Addr().String()).Replace(string(text)))
	defer caddyserver.Stop()
	r, err := http.NewRequest(http.MethodGet, "http://"+addr+"/", nil)
	base.Check(t, err)
	r.Header.Set("X-Forwarded-For", "9.9.9.9")
	if resp, _ := base.Do(t, http.DefaultClient, r); resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	if r := <-got; r.Host != addr || r.Header.Get("X-Forwarded-For") != "127.0.0.1" {
		t.Errorf("the program gets the host %q and X-Forwarded-For %q", r.Host, r.Header.Values("X-Forwarded-For"))
	}
}
