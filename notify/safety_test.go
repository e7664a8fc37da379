package notify

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

func newAt(t testing.TB, origin string, opts *Options) (*Notifier, error) {
	t.Helper()
	st := new(memstore.Store)
	site, err := servemap.New(origin, st, nil)
	base.Check(t, err)
	t.Cleanup(func() { site.Close(context.Background()) })
	return New(site, st, opts)
}

func TestNewNamesTheSettingThatItRefuses(t *testing.T) {
	const public = "https://example.com"
	for _, row := range []struct {
		name, origin string
		opts         *Options
		want         string // in the error, "" for none
	}{
		{"the defaults", public, nil, ""},
		{"http", "http://example.com", nil, ""},
		{"a folder", "https://example.co.uk/blog", nil, ""},
		{"localhost", "https://localhost", nil, "no public name"},
		{"an address", "https://10.0.0.1", nil, "no public name"},
		{"a single label", "https://app", nil, "no public name"},
		{"a port", "https://example.com:8443", nil, "has a port"},
		{"a private origin and an engine on this machine", "http://localhost:8080",
			&Options{Endpoint: "http://127.0.0.1:1/indexnow"}, ""},
		{"an engine over http", public, &Options{Endpoint: "http://api.indexnow.org/indexnow"}, "must begin with https"},
		{"an engine with a password", public, &Options{Endpoint: "https://user:geheim@api.indexnow.org/"}, "without user"},
		{"an engine with a query", public, &Options{Endpoint: "https://api.indexnow.org/?key=geheim"}, "without user"},
		{"no URL", public, &Options{Endpoint: "bing"}, "must be a URL"},
		{"nobody", public, &Options{GoogleOnly: true}, "nobody would be told"},
		{"Google alone", public, &Options{GoogleOnly: true, Google: &Google{Client: http.DefaultClient,
			Property: "sc-domain:example.com"}}, ""},
		{"Google without a client", public, &Options{Google: &Google{}}, "Google.Client is nil"},
		{"a short key", public, &Options{Key: "geheim"}, "8 to 128"},
		{"a key that leads elsewhere", public, &Options{Key: "../../geheim/a"}, "8 to 128"},
		{"a hold without a unit", public, &Options{Hold: 5}, "at least 1s"},
		{"too much a day", public, &Options{MaxPerDay: 20_001}, "from 1 to 20000"},
	} {
		t.Run(row.name, func(t *testing.T) {
			n, err := newAt(t, row.origin, row.opts)
			if row.want == "" {
				if err != nil || n == nil {
					t.Errorf("%v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.HasPrefix(err.Error(), "notify: ") ||
				strings.Contains(err.Error(), "geheim") {
				t.Errorf("the error is %v, want one with %q", err, row.want)
			}
		})
	}
	if _, err := New(nil, new(memstore.Store), nil); err == nil {
		t.Error("a nil site is taken")
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, code := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			var elsewhere atomic.Int64
			other := base.Serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
			engine := base.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/indexnow" {
					elsewhere.Add(1)
				}
				http.Redirect(w, r, []string{other, "/here"}[code%2], code)
			})
			n, err := newAt(t, "http://localhost:1", &Options{Endpoint: engine + "/indexnow", Key: testKey})
			base.Check(t, err)
			n.st.Key = testKey
			a, err := n.tell(t.Context(), []change{{url: "https://example.com/"}})
			if err != nil || a.code != code || elsewhere.Load() != 0 {
				t.Errorf("%+v, %v, after %d requests elsewhere", a, err, elsewhere.Load())
			}
		})
	}
}

// TestRunEndsWithTheContext ends it during a post, which is repeated later.
func TestRunEndsWithTheContext(t *testing.T) {
	run(t, 3, Options{}, func(r *runningSite) {
		hangs := make(chan bool)
		r.notifier.client.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
			close(hangs)
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		r.changes("/1")
		<-hangs
		begun := time.Now()
		r.stop()
		if took := time.Since(begun); took > time.Second {
			t.Errorf("Run took %v to end", took)
		}
		r.launch(r.build(Options{}))
		time.Sleep(leaseFor - time.Minute)
		r.wantPosts()
		time.Sleep(2 * time.Minute)
		r.wantPosts("/1")
	})
}

func TestKeyFileIsServedAtItsNameOnly(t *testing.T) {
	n, err := newAt(t, "https://example.com/blog", &Options{Key: testKey})
	base.Check(t, err)
	h := n.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for _, row := range []struct {
		method, path string
		code         int
		body         string
	}{
		{"GET", "/blog/" + testKey + ".txt", 200, testKey},
		{"GET", "/" + testKey + ".txt", 200, testKey}, // a proxy has removed the folder
		{"HEAD", "/blog/" + testKey + ".txt", 200, ""},
		{"GET", "/blog/" + testKey + ".txt?a=b", 200, testKey},
		{"POST", "/blog/" + testKey + ".txt", 418, ""},
		{"GET", "/blog/" + testKey + ".txt/", 418, ""},
		{"GET", "/blog/" + testKey, 418, ""},
		{"GET", "/other/" + testKey + ".txt", 418, ""},
		{"GET", "/blog/blog/" + testKey + ".txt", 418, ""},
		{"GET", "/blog/" + strings.ToLower(testKey) + ".txt", 418, ""},
		{"GET", "/.txt", 418, ""},
		{"GET", "/KEY.txt", 418, ""},
		{"GET", "/", 418, ""},
	} {
		w := base.Ask(h, row.method, row.path)
		if w.Code != row.code || w.Body.String() != row.body {
			t.Errorf("%s %s: %d, %q; want %d, %q", row.method, row.path, w.Code, w.Body, row.code, row.body)
		}
		if w.Code != http.StatusOK {
			continue
		}
		for name, want := range map[string]string{
			"Content-Type": "text/plain; charset=utf-8", "Content-Length": fmt.Sprint(len(testKey)),
			"Cache-Control": "max-age=300, no-transform", "X-Robots-Tag": "noindex", "Set-Cookie": "",
		} {
			base.Equal(t, w.Header().Get(name), want, "%s %s: %s is", row.method, row.path, name)
		}
	}
}

func TestOtherRequestsCostNothing(t *testing.T) {
	n, err := newAt(t, "https://example.com", &Options{Key: testKey})
	base.Check(t, err)
	h, w, r := n.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})), httptest.NewRecorder(),
		httptest.NewRequest("GET", "/a.txt", nil)
	if allocs := testing.AllocsPerRun(100, func() { h.ServeHTTP(w, r) }); allocs != 0 {
		t.Errorf("a request costs %v allocations", allocs)
	}
}

func TestKeyIsMadeOnceAndShownNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunningSite(t, 3, testkit.Setup{})
		build := func() *Notifier {
			n, err := New(r.Site.Site, r.Store, &Options{Transport: r.engine, Logger: r.Logged.Logger()})
			base.Check(t, err)
			return n
		}
		r.launch(build())
		time.Sleep(time.Second)
		for _, answer := range []func() (*http.Response, error){reply(403, `{"errorCode":"InvalidKey"}`), reply(400, "")} {
			r.engine.next(answer)
			r.changes("/1")
			time.Sleep(6 * time.Hour)
		}
		r.stop()
		time.Sleep(48 * time.Hour)
		r.launch(build())
		r.changes("/1")
		time.Sleep(time.Hour)
		posts := r.engine.all()
		key := posts[0].Key
		if !validKey.MatchString(key) || len(key) < 20 {
			t.Errorf("the key is %q", key)
		}
		for _, p := range posts {
			base.Equal(t, p.Key, key, "the key after a restart")
		}
		said := r.Logged.String() + fmt.Sprintf("%+v", r.status())
		for i := range len(key) - 8 {
			if strings.Contains(said, key[i:i+8]) {
				t.Fatalf("a part of the key %s is in the log or the status:\n%s", key, said)
			}
		}
	})
}
