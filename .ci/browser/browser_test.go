// Package browser looks at servemap's pages as people do: in a browser, narrow and wide,
// light and dark. It has a module of its own, so that the library needs none of its
// dependencies. SCREENSHOTS names a folder that keeps what it saw.
package browser

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

//go:embed axe/axe.min.js.gz
var axePacked []byte

// ask hands a handler a request from an address.
func ask(h http.Handler, addr, path string, lines ...string) {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host, r.RemoteAddr = strings.TrimPrefix(origin, "https://"), addr+":4711"
	for i := 0; i < len(lines); i += 2 {
		r.Header.Add(lines[i], lines[i+1])
	}
	h.ServeHTTP(httptest.NewRecorder(), r)
}

// settings are those of the site.
func settings(t *testing.T) *servemap.Options {
	ranges := t.TempDir()
	for _, engine := range []string{"Googlebot", "GPTBot"} {
		base.Check(t, os.WriteFile(filepath.Join(ranges, engine+".json"),
			[]byte(`{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}`), 0o600))
	}
	return &servemap.Options{Crawlers: true, CrawlerRanges: ranges}
}

// serve serves the inspector of a site below /inspect/, once the site had some visits, and
// returns its address.
func serve(t *testing.T, st store.Store, pages http.Handler, visit func(http.Handler)) string {
	t.Helper()
	site, err := servemap.New(origin, st, settings(t))
	base.Check(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := site.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	visit(site.Wrap(pages))
	base.Check(t, site.Flush(t.Context()))
	mux := http.NewServeMux()
	mux.Handle("/inspect/", site.Inspector(func(*http.Request) bool { return true }))
	server := httptest.NewServer(site.Wrap(mux))
	t.Cleanup(server.Close)
	return server.URL + "/inspect/"
}

// refused visits forty articles with a session cookie. Such visitors count as logged in, so the
// site learns none of these pages.
func refused(h http.Handler) {
	for n := range 40 {
		ask(h, "203.0.113.9", fmt.Sprintf("/articles/%d", n), "Cookie", "session=someone")
	}
}

// views are the pages that the tests open, by name.
var views = []struct{ name, path string }{
	{"overview", ""},
	{"page", "page?u=/news"},
	{"page-article", "page?u=/about"},
	{"page-long", "page?u=/articles/" + long},
	{"page-held", "page?u=/account/orders"},
	{"page-unknown", "page?u=/nothing/here"},
	{"page-hostile", "page?u=/%22%3E%3Cscript%3Ealert(1)%3C/script%3E"},
	{"pages", "pages"},
	{"pages-none", "pages?q=/nothing/*"},
	{"search", "pages?q=harbour"},
	{"changes", "changes"},
	{"files", "files"},
	{"crawlers", "crawlers"},
	{"links", "links"},
	{"names", "pages?reason=not-seen"},
	{"pages-sorted", "pages?sort=changes&q=/articles/*"},
	{"pages-waiting", "pages?reason=waiting"},
	{"pages-excluded", "pages?reason=excluded"},
	{"problem", "page?u=https://elsewhere.example/"},
	{"problem-long", "page?u=/" + strings.Repeat("%2522", 40)},
}

func TestThePagesInABrowser(t *testing.T) {
	st, pages := lived(t, 90)
	at := serve(t, st, pages, pages.today)
	ctx := browse(t)
	// The style sheet sets no colour by width, so one width for each scheme is enough.
	for width, scheme := range map[int64]string{390: "dark", 1280: "light"} {
		set(t, ctx, width, scheme)
		for _, v := range views {
			t.Run(fmt.Sprintf("%s %d %s", v.name, width, scheme),
				func(t *testing.T) { look(t, ctx, at+v.path, fmt.Sprintf("%s-%d-%s", v.name, width, scheme)) })
		}
	}
	st, pages = lived(t, 3)
	young := serve(t, st, pages, pages.today)
	for width, scheme := range map[int64]string{390: "light", 1280: "dark"} {
		set(t, ctx, width, scheme)
		for _, name := range []string{"", "pages", "changes", "files", "crawlers", "page?u=/news"} {
			t.Run(fmt.Sprintf("young %s %d", name, width), func(t *testing.T) {
				look(t, ctx, young+name, fmt.Sprintf("young-%s-%d", strings.NewReplacer("?", "-", "=", "-", "/", "").Replace(name),
					width))
			})
		}
	}
	empty := serve(t, new(memstore.Store), http.NotFoundHandler(), refused)
	for _, width := range []int64{390, 1280} {
		set(t, ctx, width, "light")
		for _, name := range []string{"", "pages", "changes", "files", "crawlers"} {
			t.Run(fmt.Sprintf("empty %s %d", name, width),
				func(t *testing.T) { look(t, ctx, empty+name, fmt.Sprintf("empty-%s-%d", name, width)) })
		}
	}
}

// browse starts a browser, which ends with the test.
func browse(t *testing.T) context.Context {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), 5*time.Minute)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(func() { cancel(); end() })
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("a browser is needed, such as Debian's package chromium: %v", err)
	}
	err := chromedp.Listen(ctx, func(ev any) {
		if e, ok := ev.(*log.EventEntryAdded); ok && e.Entry.Source == log.EntrySourceSecurity {
			t.Errorf("the browser reports of %s: %s", e.Entry.URL, e.Entry.Text) // as where the policy forbids something
		}
	})
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	base.Check(t, err)
	return ctx
}

func set(t *testing.T, ctx context.Context, width int64, scheme string) {
	t.Helper()
	base.Check(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, 844)))
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
}

// look opens a page, checks what can be measured of it, and keeps a picture of it.
func look(t *testing.T, ctx context.Context, url, name string) {
	base.Check(t, chromedp.Do(ctx, chromedp.Navigate(url)))
	check(t, ctx, name)
}

// check checks the page that is open.
func check(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	keep(t, ctx, name)
	if over := eval[float64](t, ctx, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
		t.Errorf("the page is %v pixels wider than the window", over)
	}
	if n := eval[float64](t, ctx, `document.scripts.length`); n > 1 {
		t.Errorf("%v scripts", n)
	}
	if n := eval[float64](t, ctx, `document.querySelectorAll("h1").length`); n != 1 {
		t.Errorf("%v headings of the first level", n)
	}
	eval[any](t, ctx, axe(t)+"; 0")
	faults, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](
		`axe.run().then(r => r.violations.map(v => v.impact + " " + v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0] || n.all[0] || n.none[0] || {}).message).join(" | ")))`,
		chromedp.EvalAwaitPromise))
	base.Check(t, err)
	for _, fault := range faults {
		t.Error(fault)
	}
}

func eval[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	base.Check(t, err)
	return v
}

func axe(t *testing.T) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(axePacked))
	base.Check(t, err)
	script, err := io.ReadAll(r)
	base.Check(t, err)
	return string(script)
}

// keep writes a picture of the whole page, if a folder for it is given.
func keep(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	folder := os.Getenv("SCREENSHOTS")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}

// An owner without a mouse asks why a page is missing, goes on from there, fetches a page, copies a rule, forgets the
// page, and undoes that.
func TestTheWayByKeyboard(t *testing.T) {
	st, pages := lived(t, 9)
	at := serve(t, st, pages, pages.today)
	ctx := browse(t)
	set(t, ctx, 1280, "light")
	base.Check(t, chromedp.Do(ctx, chromedp.Navigate(at)))
	press := func(keys string) {
		t.Helper()
		base.Check(t, chromedp.Do(ctx, chromedp.KeyEvent(keys)))
	}
	// reach presses Tab until what has the focus is so.
	reach := func(what string) {
		t.Helper()
		for range 60 {
			press(kb.Tab)
			if eval[bool](t, ctx, `document.activeElement.matches(`+strconv.Quote(what)+`)`) {
				if eval[string](t, ctx, `getComputedStyle(document.activeElement).outlineStyle`) == "none" {
					t.Errorf("nobody sees that %s has the focus", what)
				}
				return
			}
		}
		t.Fatalf("Tab does not reach %s", what)
	}
	follow := func(keys, title string) {
		t.Helper()
		press(keys)
		if err := chromedp.Do(ctx, chromedp.WaitReady("//h1[text()="+strconv.Quote(title)+"]")); err != nil {
			t.Fatalf("%s: %v", title, err)
		}
	}
	reach(".skip")
	reach("#q")
	press("/search")
	follow(kb.Enter, "/search")
	reach("nav a[href=changes]")
	follow(kb.Enter, "Changes")
	reach(`th a.path[href$="news"]`)
	follow(kb.Enter, "/news")
	reach("form[action=try] button")
	follow(kb.Enter, "It would be listed")
	check(t, ctx, "try-1280-light")
	reach("a.button[href^=page]")
	follow(kb.Enter, "/news")
	reach("pre.copy + button")
	press(kb.Enter)
	if err := chromedp.Do(ctx, chromedp.WaitReady("//button[text()='Copied']")); err != nil {
		t.Fatalf("the rule is not copied: %v", err)
	}
	reach("#forget-s")
	press(kb.Enter)
	reach("button.danger")
	press(kb.Enter)
	if err := chromedp.Do(ctx, chromedp.WaitReady("//button[@name='undo']")); err != nil {
		t.Fatalf("the page cannot be had back: %v", err)
	}
	reach("button[name=undo]")
	press(kb.Enter)
	if err := chromedp.Do(ctx, chromedp.WaitReady("//p[contains(., 'Waiting')]")); err != nil {
		t.Fatalf("it does not wait for a visit: %v", err)
	}
}
