package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/memstore"
)

// visited is a site on a socket, whose root links to all of its pages.
type visited struct {
	*testing.T
	site *servemap.Site
	url  string
	log  *visitedLog
}

// visitedLog is a log that may be read while it is written.
type visitedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *visitedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *visitedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// visit starts a site whose root links to these paths. answer, if not nil, may
// set headers, or answer itself and return true.
func visit(t *testing.T, opts servemap.Options, links []string, answer func(http.ResponseWriter, *http.Request) bool) *visited {
	t.Helper()
	v := &visited{T: t, log: new(visitedLog)}
	opts.Logger = slog.New(slog.NewTextHandler(v.log, nil))
	site, err := servemap.New("https://example.com", new(memstore.Store), &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close(context.Background()) })
	srv := httptest.NewServer(site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer != nil && answer(w, r) {
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<html><title>%[1]s</title><main><p>what is at %[1]s", r.RequestURI)
		if r.URL.Path == "/" {
			for _, link := range links {
				fmt.Fprintf(w, `<a href="%s">x</a>`, link)
			}
		}
	})))
	t.Cleanup(srv.Close)
	v.site, v.url = site, srv.URL
	v.get("/")
	v.flush()
	v.get("/") // in full, now that it is listed
	v.flush()
	return v
}

// get asks for a path with header lines, as a name and a value each.
func (v *visited) get(path string, lines ...string) string {
	v.Helper()
	req, err := http.NewRequest(http.MethodGet, v.url+path, nil)
	if err != nil {
		v.Fatal(err)
	}
	for i := 0; i < len(lines); i += 2 {
		req.Header[lines[i]] = append(req.Header[lines[i]], lines[i+1]) // as it is spelled
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		v.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		v.Fatal(err)
	}
	return string(body)
}

func (v *visited) flush() {
	v.Helper()
	if err := v.site.Flush(v.Context()); err != nil {
		v.Fatal(err)
	}
}

var visitedLoc = regexp.MustCompile(`<(?:image:)?loc>([^<]*)</`)

// wantLocs checks all locations and images in the sitemap.
func (v *visited) wantLocs(want ...string) {
	v.Helper()
	v.flush()
	var got []string
	for _, m := range visitedLoc.FindAllStringSubmatch(v.get("/sitemap.xml"), -1) {
		got = append(got, strings.TrimPrefix(m[1], "https://example.com"))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		v.Errorf("the sitemap has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// wantReason checks why a page is not listed.
func (v *visited) wantReason(path string, verdict servemap.Verdict, reason servemap.Reason) {
	v.Helper()
	x, err := v.site.Explain(v.Context(), path)
	if err != nil {
		v.Fatal(err)
	}
	if x.Verdict != verdict || x.Reason != reason {
		v.Errorf("%s is %s because of %s, want %s because of %s", path, x.Verdict, x.Reason, verdict, reason)
	}
}

// numbered returns as many paths as there are names.
func numbered(names []string) (paths []string) {
	for i := range names {
		paths = append(paths, fmt.Sprintf("/page-%c%c", 'a'+i/26, 'a'+i%26))
	}
	return paths
}

func TestAPageOfAVisitorWhomAHeaderNamesIsNotListed(t *testing.T) {
	names := strings.Fields("SM_USER SM_USERDN iv-user iv-groups OAM_REMOTE_USER Teleport-Jwt-Assertion X-Authorization X-SSL-Cert X-Client-Dn X-Client-Verify " +
		"REMOTE_USER X-UserId X-LoginName X-Account-Id X-MS-CLIENT-PRINCIPAL X-Authenticated-Groups-Claim X-Vouch-User X-Customer-Id SSL_CLIENT_S_DN X-Session-Token")
	paths := numbered(names)
	v := visit(t, servemap.Options{}, paths, nil)
	for i, name := range names {
		v.get(paths[i], name, "jane")
	}
	v.wantLocs("/")
	if n := v.site.Stats().Ignored; n["identity-header"]+n["client-certificate"] != uint64(len(names)) {
		t.Errorf("ignored: %v", n)
	}
	for i := range names {
		v.get(paths[i])
	}
	v.wantLocs(append(paths, "/")...)
}

func TestAPageOfAVisitorBehindAProxyIsListed(t *testing.T) {
	v := visit(t, servemap.Options{}, []string{"/page"}, nil)
	v.get("/page", "User-Agent", "Mozilla/5.0", "X-Forwarded-For", "203.0.113.7", "X-Forwarded-Proto", "https", "Sec-Fetch-User", "?1", "CF-Visitor", `{"scheme":"https"}`,
		"X-Original-User-Agent", "Mozilla/5.0", "CloudFront-Viewer-Country", "DE", "X-Appengine-User-IP", "203.0.113.7", "X-Arr-SSL", "2048|256|CN=x", "X-SSL-Session_ID", "0a1b",
		"X-SSL-Client-Verify", "0", "iv-user", "Unauthenticated")
	v.wantLocs("/", "/page")
}

func TestAPageOfAVisitorWithCookiesThatEverybodyGetsIsListed(t *testing.T) {
	v := visit(t, servemap.Options{}, []string{"/benign", "/session"}, nil)
	v.get("/benign", "Cookie", "csrftoken=1; theme=dark; lang=de; cookieyes-consent=1; _ga=1; _ym_uid=2; _gorilla_csrf=3; __hstc=4; NEXT_LOCALE=de")
	v.get("/session", "Cookie", "csrftoken=1; theme=dark; sessionid=2")
	v.wantLocs("/", "/benign")
}

func TestTheHintNamesTheCookiesThatMostVisitorsHave(t *testing.T) {
	v := visit(t, servemap.Options{}, []string{"/page"}, nil)
	for i := range 120 {
		v.get("/page", "Cookie", fmt.Sprintf("shop_id=secret%d; visit_%08x=1; theme=dark", i, 1+i*33_554_431))
	}
	if err := v.site.Close(t.Context()); err != nil { // the log is written by then
		t.Fatal(err)
	}
	const want = "Most had: shop_id, visit_*."
	hints := strings.Join(v.site.Stats().Hints, "\n")
	if !strings.Contains(hints, want) || strings.Count(v.log.String(), want) != 1 {
		t.Errorf("the hints are %q, the log %s", hints, v.log)
	}
	for _, never := range []string{"secret", "theme", "visit_0"} {
		if strings.Contains(hints+v.log.String(), never) {
			t.Errorf("the hint or the log says %q", never)
		}
	}
	if body := v.get("/sitemap-1.xml") + v.get("/sitemap.xml"); strings.Contains(body, "shop_id") {
		t.Errorf("strangers are told of the cookie:\n%s", body)
	}
}

func TestHeadersForOneKindOfCacheForbidListing(t *testing.T) {
	says := map[string][2]string{
		"/cdn": {"CDN-Cache-Control", "no-store"}, "/cdn-private": {"CDN-Cache-Control", "max-age=60, private"}, "/one-cdn": {"Cloudflare-CDN-Cache-Control", "no-store"},
		"/surrogate": {"Surrogate-Control", `no-store, content="ESI/1.0"`}, "/edge": {"Edge-Control", "no-store"}, "/pragma": {"Pragma", "no-store"},
		"/pragma-no-cache": {"Pragma", "no-cache"}, "/public": {"CDN-Cache-Control", "max-age=60"}, "/surrogate-age": {"Surrogate-Control", "max-age=60"},
	}
	var mu sync.Mutex
	links := []string{"/later"}
	for path := range says {
		links = append(links, path)
	}
	v := visit(t, servemap.Options{}, links, func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if h, ok := says[r.URL.Path]; ok {
			w.Header().Set("Cache-Control", "public, max-age=60")
			w.Header().Set(h[0], h[1])
		}
		return false
	})
	for _, path := range links {
		v.get(path)
	}
	v.wantLocs("/", "/later", "/pragma-no-cache", "/public", "/surrogate-age")
	v.wantReason("/cdn", "excluded", "no-store")
	v.wantReason("/cdn-private", "excluded", "private")
	v.wantReason("/pragma", "excluded", "no-store")

	mu.Lock()
	says["/later"] = [2]string{"CDN-Cache-Control", "private"}
	mu.Unlock()
	v.get("/later") // its second look, now that it is listed
	v.wantLocs("/", "/pragma-no-cache", "/public", "/surrogate-age")
	v.wantReason("/later", "excluded", "private")
}

func TestLinkedLocationsThatAreNoPages(t *testing.T) {
	listed := []string{"/list?page=2", "/list?page=last", "/manual/delete.html", "/year=2026/a", "/%EF%BC%A0jane"}
	var all []string
	all = append(all, listed...)
	all = append(all, "/logout.php", "/user/LogOff.aspx", "/cart.html", "/shop/jsessionid=0A1B", "/u/jane%EF%BC%A0example.org", "/u/jane@example%E3%80%82org",
		"/list?page=100234577", "/list?page=some%20search", "/list?page=3f2504e0-4f89-41d3-9a0c-0305e82c3301")
	v := visit(t, servemap.Options{}, all, nil)
	for _, path := range all {
		v.get(path)
	}
	v.wantLocs(append(listed, "/")...)
	v.wantReason("/logout.php", "held", "action-word")

	owner := visit(t, servemap.Options{Query: []string{"page"}}, all, nil)
	for _, path := range all {
		owner.get(path)
	}
	owner.wantLocs(append(listed, "/", "/list?page=100234577", "/list?page=some%20search")...)
	owner.wantReason("/list?page=3f2504e0-4f89-41d3-9a0c-0305e82c3301", "held", "capability") // one link may be a visitor's own
}

func TestImagesThatAreNotForEverybodyAreLeftOut(t *testing.T) {
	public := []string{"https://cdn.example.net/1.png", "/logo@2x.png", "https://cdn.example.net/lib@1.2.3/2.png?w=80"}
	var b strings.Builder
	for _, src := range append(public, "https://cdn.example.net/3.png?hdnts=exp=1~hmac=a", "https://cdn.example.net/token=exp=1~hmac=a/4.png",
		"https://res.cloudinary.com/demo/image/upload/s--mountain--/5.png", "https://scontent.example.net/6.png?oh=00_a&amp;oe=6571", "https://cdn.example.net/7.png?st=a&amp;e=1",
		"https://cdn.example.net/8.png?Expires=1", "http://127.1/9.png", "http://0x7f.1/10.png", "http://nas.home.arpa/11.png", "http://nas.localdomain/12.png", "http://images.private/13.png",
		"http://images.default.svc/14.png", "http://abcdefghijklmnop.onion/15.png", `\\nas.local\16.png`, "/avatars/jane@example.org/17.png", "/avatars/jane%40example.org.png",
		"/avatars/jane＠example.org/18.png", "http://１２７.0.0.1/19.png") {
		fmt.Fprintf(&b, `<img src="%s" width="640" height="480">`, src)
	}
	v := visit(t, servemap.Options{Extensions: servemap.Extensions{Images: true}}, []string{"/page"}, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/page" {
			return false
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<html><title>images</title><main><p>some images%s</main>", b.String())
		return true
	})
	for range 3 {
		v.get("/page")
		v.flush()
	}
	v.wantLocs(append(public, "/", "/page")...)
}
