package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// linkedSite runs fn with a site whose root links to these paths and is listed.
// says are further header lines of the pages, by path.
func linkedSite(t *testing.T, opts servemap.Options, links []string, says map[string][]string, fn func(*testkit.Site)) {
	t.Helper()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		html := testkit.HTML("", r.RequestURI)
		if r.URL.Path == "/" {
			html = testkit.HTML("", "home", links...)
		}
		testkit.Reply(http.StatusOK, html, says[r.URL.Path]...)(w, r)
	})
	testkit.Run(t, testkit.Setup{Options: opts, Handler: h}, func(s *testkit.Site) {
		s.Visit("/")
		fn(s)
	})
}

func TestVisitorWhomAHeaderNamesIsNotAnonymous(t *testing.T) {
	names := strings.Fields("SM_USER SM_USERDN iv-user iv-groups OAM_REMOTE_USER Teleport-Jwt-Assertion X-Authorization X-SSL-Cert X-Client-Dn X-Client-Verify " +
		"REMOTE_USER X-UserId X-LoginName X-Account-Id X-MS-CLIENT-PRINCIPAL X-Authenticated-Groups-Claim X-Vouch-User X-Customer-Id SSL_CLIENT_S_DN X-Session-Token")
	var paths []string
	for i := range names {
		paths = append(paths, fmt.Sprintf("/page-%c", 'a'+i))
	}
	linkedSite(t, servemap.Options{}, paths, nil, func(s *testkit.Site) {
		for i, name := range names {
			s.Get(paths[i], name, "jane")
		}
		s.WantListed("/")
		if n := s.Stats().Ignored; n["identity-header"]+n["client-certificate"] != uint64(len(names)) {
			s.Errorf("ignored: %v", n)
		}
		s.Visit(paths...)
		s.WantListed(append(paths, "/")...)
	})
}

func TestAnonymousVisitors(t *testing.T) {
	for _, tt := range []struct {
		name      string
		headers   []string
		anonymous bool
	}{
		{"behind a proxy", []string{"User-Agent", "Mozilla/5.0", "X-Forwarded-For", "203.0.113.7", "X-Forwarded-Proto", "https", "Sec-Fetch-User", "?1",
			"CF-Visitor", `{"scheme":"https"}`, "X-Original-User-Agent", "Mozilla/5.0", "CloudFront-Viewer-Country", "DE",
			"X-Appengine-User-IP", "203.0.113.7", "X-Arr-SSL", "2048|256|CN=x", "X-SSL-Session_ID", "0a1b",
			"X-SSL-Client-Verify", "0", "iv-user", "Unauthenticated"}, true},
		{"with cookies that everybody gets", []string{"Cookie",
			"csrftoken=1; theme=dark; lang=de; cookieyes-consent=1; _ga=1; _ym_uid=2; _gorilla_csrf=3; __hstc=4; NEXT_LOCALE=de"}, true},
		{"with a session among them", []string{"Cookie", "csrftoken=1; theme=dark; sessionid=2"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			linkedSite(t, servemap.Options{}, []string{"/page"}, nil, func(s *testkit.Site) {
				s.Get("/page", tt.headers...)
				want := []string{"/"}
				if tt.anonymous {
					want = append(want, "/page")
				}
				s.WantListed(want...)
			})
		})
	}
}

func TestHintNamesTheCookiesThatMostVisitorsHave(t *testing.T) {
	linkedSite(t, servemap.Options{}, []string{"/page"}, nil, func(s *testkit.Site) {
		for i := range 120 {
			s.Get("/page", "Cookie", fmt.Sprintf("shop_id=secret%d; visit_%08x=1; theme=dark", i, 1+i*33_554_431))
		}
		s.WantHints("Most had: shop_id, visit_*.")
		told := strings.Join(s.Stats().Hints, "\n") + s.Logged.String()
		for _, never := range []string{"secret", "theme", "visit_0"} {
			if strings.Contains(told, never) {
				s.Errorf("the hint or the log says %q", never)
			}
		}
		if body := s.Get("/sitemap-1.xml").Body + s.Get("/sitemap.xml").Body; strings.Contains(body, "shop_id") {
			s.Errorf("strangers are told of the cookie:\n%s", body)
		}
	})
}

func TestHeadersForOneKindOfCacheForbidListing(t *testing.T) {
	says := map[string][]string{}
	links := []string{"/later"}
	for path, line := range map[string][2]string{
		"/cdn": {"CDN-Cache-Control", "no-store"}, "/cdn-private": {"CDN-Cache-Control", "max-age=60, private"}, "/one-cdn": {"Cloudflare-CDN-Cache-Control", "no-store"},
		"/surrogate": {"Surrogate-Control", `no-store, content="ESI/1.0"`}, "/edge": {"Edge-Control", "no-store"}, "/pragma": {"Pragma", "no-store"},
		"/pragma-no-cache": {"Pragma", "no-cache"}, "/public": {"CDN-Cache-Control", "max-age=60"}, "/surrogate-age": {"Surrogate-Control", "max-age=60"},
	} {
		says[path] = append([]string{"Cache-Control", "public, max-age=60"}, line[:]...)
		links = append(links, path)
	}
	linkedSite(t, servemap.Options{}, links, says, func(s *testkit.Site) {
		s.Visit(links...)
		s.WantListed("/", "/later", "/pragma-no-cache", "/public", "/surrogate-age")
		s.WantVerdict("/cdn", "excluded", "no-store")
		s.WantVerdict("/cdn-private", "excluded", "private")
		s.WantVerdict("/pragma", "excluded", "no-store")

		says["/later"] = []string{"CDN-Cache-Control", "private"}
		s.Visit("/later")
		s.WantListed("/", "/pragma-no-cache", "/public", "/surrogate-age")
		s.WantVerdict("/later", "excluded", "private")
	})
}

func TestLinkedLocationsThatAreNoPages(t *testing.T) {
	const uuid = "/list?page=3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	pages := []string{"/", "/list?page=2", "/list?page=last", "/manual/delete.html", "/year=2026/a", "/%EF%BC%A0jane"}
	long := []string{"/list?page=100234577", "/list?page=some%20search"}
	links := slices.Concat(pages[1:], long, []string{uuid, "/logout.php", "/user/LogOff.aspx", "/cart.html", "/shop/jsessionid=0A1B",
		"/u/jane%EF%BC%A0example.org", "/u/jane@example%E3%80%82org"})
	linkedSite(t, servemap.Options{}, links, nil, func(s *testkit.Site) {
		s.Visit(links...)
		s.WantListed(pages...)
		s.WantVerdict("/logout.php", "held", "action-word")
	})
	linkedSite(t, servemap.Options{Query: []string{"page"}}, links, nil, func(s *testkit.Site) {
		s.Visit(links...)
		s.WantListed(append(pages, long...)...)
		s.WantVerdict(uuid, "held", "capability") // one link may be a visitor's own
	})
}

func TestImagesThatAreNotPublicAreLeftOut(t *testing.T) {
	public := []string{"https://cdn.example.net/1.png", "/logo@2x.png", "https://cdn.example.net/lib@1.2.3/2.png?w=80"}
	var images strings.Builder
	for _, src := range append(public, "https://cdn.example.net/3.png?hdnts=exp=1~hmac=a", "https://cdn.example.net/token=exp=1~hmac=a/4.png",
		"https://res.cloudinary.com/demo/image/upload/s--mountain--/5.png", "https://scontent.example.net/6.png?oh=00_a&amp;oe=6571", "https://cdn.example.net/7.png?st=a&amp;e=1",
		"https://cdn.example.net/8.png?Expires=1", "http://127.1/9.png", "http://0x7f.1/10.png", "http://nas.home.arpa/11.png", "http://nas.localdomain/12.png", "http://images.private/13.png",
		"http://images.default.svc/14.png", "http://abcdefghijklmnop.onion/15.png", `\\nas.local\16.png`, "/avatars/jane@example.org/17.png", "/avatars/jane%40example.org.png",
		"/avatars/jane＠example.org/18.png", "http://１２７.0.0.1/19.png") {
		fmt.Fprintf(&images, `<img src="%s" width="640" height="480">`, src)
	}
	html := "<html><title>images</title><main><p>some images" + images.String() + "</main>"
	setup := testkit.Setup{
		Options: servemap.Options{Extensions: servemap.Extensions{Images: true}},
		Handler: testkit.Paths{"/": testkit.Page("home", "/page"), "/page": testkit.Reply(http.StatusOK, html)},
	}
	testkit.Run(t, setup, func(s *testkit.Site) {
		s.Visit("/")
		for range 3 {
			s.Visit("/page")
		}
		s.WantListed("/", "/page")
		var got []string
		for _, m := range regexp.MustCompile(`<image:loc>([^<]*)</`).FindAllStringSubmatch(s.Get("/sitemap.xml").Body, -1) {
			got = append(got, strings.TrimPrefix(m[1], testkit.Origin))
		}
		slices.Sort(got)
		if slices.Sort(public); !slices.Equal(got, public) {
			s.Errorf("the images are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(public, "\n"))
		}
	})
}
