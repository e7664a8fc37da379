package leak_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit"
)

// foreign is in the name of every host that is not the site's.
const foreign = "evilqzkxw"

// ownHosts are hosts under which visitors may ask for the site: the origin's, and those that a
// proxy on the same machine sends. foreignHosts are all others. Some look like the origin's.
var (
	ownHosts = []string{"example.com", "example.com", "EXAMPLE.com", "example.com:443", "example.com:80", "example.com.", "Example.COM.:443",
		"127.0.0.1:8080", "10.1.2.3", "[::1]:8080", "[2001:db8::7]", "localhost", "localhost:3000", "web", "app-1:80"}
	foreignHosts = []string{foreign + ".example", foreign + ".example:443", "WWW." + foreign + ".EXAMPLE.", "example.com." + foreign + ".example",
		foreign + ".example.com", "example.com:8443", "example.com.:81", "www.example.com", "example.org", "xn--" + foreign + "-9ua.example",
		"[2001:db8::7]." + foreign + ".example", "127.0.0.1." + foreign + ".example", "example.com," + foreign + ".example",
		foreign + ".example,example.com",
		"example.com@" + foreign + ".example", foreign + ".example:99999",
		"example.com:443:80", "..", "a..b", "example.com%00." + foreign, "-." + foreign + ".example"}
)

// hostRequest is one request, as bytes, and what the test expects of it.
type hostRequest struct {
	text  string
	path  string
	own   bool // it asks for the site under one of its own hosts, in a form that counts
	plain bool // the page does not mention its host
}

// hostRequests returns n requests, each for another page.
func hostRequests(n int, r *rand.Rand) (all []hostRequest) {
	for i := range n {
		k := hostRequest{path: fmt.Sprintf("/h/page-%05d", i), plain: i%3 > 0}
		host, own := anyHost(r)
		target, other := k.path, ""
		switch r.IntN(10) {
		case 0, 1, 2:
			var named string
			named, own = anyHost(r)
			target = pick(r, "http://", "https://", "HTTP://") + named + k.path
		case 3:
			own, target = false, pick(r, "http://user:pw@", "https://"+foreign+"@")+host+k.path
		case 4:
			own, target = false, pick(r, "//"+host+k.path, host, "*", "ftp://"+host+k.path, "/"+k.path, "http:"+k.path,
				k.path+"#"+foreign, k.path+"/../"+host, k.path+"?u="+host)
		}
		if r.IntN(20) == 0 {
			h, _ := anyHost(r)
			own, other = false, "Host: "+h+"\r\n"
		}
		k.own = own
		k.text = fmt.Sprintf("GET %s %s\r\nHost: %s\r\n%s%s\r\n", target, pick(r, "HTTP/1.1", "HTTP/1.1", "HTTP/1.0"), host, other, forwarded(r))
		all = append(all, k)
	}
	return all
}

func anyHost(r *rand.Rand) (host string, own bool) {
	if r.IntN(2) == 0 {
		return pick(r, ownHosts...), true
	}
	return pick(r, foreignHosts...), false
}

// forwarded returns any number of headers that name hosts.
func forwarded(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		host, _ := anyHost(r)
		value := pick(r, host, host, foreign+".example", foreign+".example, "+host)
		name := pick(r, "X-Forwarded-Host", "X-Forwarded-Host", "X-Forwarded-Server", "X-Host", "X-Original-Host", "X-Http-Host-Override",
			"X-Original-Url", "X-Rewrite-Url", "X-Forwarded-Prefix", "X-Forwarded-Proto", "X-Forwarded-Port", "Forwarded", "Referer", "Origin", "Via")
		switch name {
		case "Forwarded":
			value = fmt.Sprintf(`for=192.0.2.1;host="%s";proto=%s`, value, pick(r, "http", "https", foreign))
		case "X-Original-Url", "X-Rewrite-Url", "Referer", "Origin":
			value = "https://" + value + "/h/page-00001"
		case "X-Forwarded-Proto":
			value = pick(r, "http", "https", "ftp", foreign)
		case "X-Forwarded-Port":
			value = pick(r, "80", "8443", foreign)
		case "X-Forwarded-Prefix":
			value = "/" + value
		}
		fmt.Fprintf(&b, "%s: %s\r\n", anyCase(r, name), value)
	}
	return b.String()
}

// echo is a page that builds its links and its canonical from whatever host the request names, as
// many programs do.
func echo(rw http.ResponseWriter, r *http.Request) {
	host := r.Host
	if h := r.Header.Get("X-Forwarded-Host"); h != "" {
		host = h
	}
	head := fmt.Sprintf(`<base href="//%s/"><link rel=canonical href="http://%[1]s%s">`, host, r.URL.Path)
	testkit.Reply(http.StatusOK, testkit.HTML(head, "echo of "+host+" "+r.URL.Path, "http://"+host+"/elsewhere", "//"+foreign+".example/", r.URL.Path+"/below"))(rw, r)
}

// Ten thousand requests name hosts wherever a request can. They must not lead to any location off
// the origin.
func TestHostsThatRequestsNameAreNotBelieved(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 2_000
	}
	all := hostRequests(n, rand.New(rand.NewPCG(4, 0)))
	s := setup{router: "ServeMux", proto: "HTTP/1.1", templates: []string{"/{$}", "/h/{page}", "/index/{n}"}, pages: testkit.Paths{}}
	var home []string
	for i := 0; i < n; i += 1000 {
		var links []string
		for _, k := range all[i : i+1000] {
			links = append(links, k.path)
			if !k.plain {
				s.pages[k.path] = echo
			}
		}
		index := fmt.Sprintf("/index/%d", i)
		home = append(home, index)
		s.pages[index] = testkit.Page(index, links...)
	}
	s.pages["/"] = testkit.Page("home", home...)
	w := open(t, s)
	w.visit(0, append([]string{"/"}, home...)...)
	w.settle()

	served := make([]bool, n)
	for i, k := range all {
		if served[i] = inProcess(w, k) == http.StatusOK; i%roomFor == 0 {
			w.settle()
		}
	}
	w.settle()

	secret, listed, wanted, answered := newFinder(foreign), w.LastMods(), 0, 0
	for i, k := range all {
		if served[i] {
			answered++
		}
		switch {
		case !k.own:
			secret.add(k.path)
			if _, is := listed[k.path]; is {
				t.Errorf("%s is listed after %q", k.path, k.text)
			}
		case k.plain && served[i]: // net/http cannot read some
			wanted++
			if _, is := listed[k.path]; !is {
				t.Errorf("%s is not listed after %q: %+v", k.path, k.text, w.Explained(k.path))
			}
		}
	}
	t.Logf("%d requests, %d answered with 200; %d locations listed, %d of them wanted", n, answered, len(listed), wanted)
	if wanted < n/10 || answered < n/2 {
		t.Error("too few requests got through to say anything")
	}
	for _, l := range w.sweep(secret, newFinder()) {
		t.Errorf("%s: found %s, %s", l.where, l.of, l.form)
	}
}

// inProcess hands a request to the site, and returns the status of the answer. It uses no server,
// since that would refuse some requests.
func inProcess(w *world, k hostRequest) int {
	req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(k.text)))
	if err != nil {
		return 0
	}
	req.RemoteAddr = "10.9.9.9:1234" // a nearby proxy, whose own hosts count
	rec := httptest.NewRecorder()
	w.srv.Config.Handler.ServeHTTP(rec, req)
	return rec.Code
}

// Each location in the sitemap is on the origin if read as a URL, whatever it looks like.
func TestSitemapHasOnlyURLsOfTheOrigin(t *testing.T) {
	rows := []*row{{name: "odd", route: "/odd/{slug}", linked: true, want: "listed: link",
		canaries: []string{"@evil.example", "a:b", "x=http:", "%40x", "a%20b", "(c)", "%E2%82%AC", "a+b", "!$&'*,"}}}
	s := newScene(t, setup{router: "mux", proto: "HTTP/2.0", rounds: 2}, rows)
	s.visitAll()
	s.checkAll(t, rows[0])
	for loc := range s.listing {
		u, err := url.Parse(testkit.Origin + loc)
		if err != nil || u.Scheme != "https" || u.Host != "example.com" || u.User != nil {
			t.Errorf("%s: %v, %+v", loc, err, u)
		}
	}
}
