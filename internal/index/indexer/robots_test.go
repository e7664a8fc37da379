package indexer

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/testkit/base"
)

// serveRobots has a robots.txt seen and stored.
func serveRobots(r *rig, status int, text string, change ...func(*observation.Observation)) {
	r.Helper()
	s := seen("/robots.txt", text, change...)
	s.Kind, s.Response.Status, s.Response.Header.ContentType = eligibility.RobotsFile, status, "text/plain"
	r.offer(s)
	r.flush()
}

func TestRobotsTxtThatCannotBeReadChangesNothing(t *testing.T) {
	var zipped bytes.Buffer
	zw := gzip.NewWriter(&zipped)
	fmt.Fprint(zw, "User-agent: *\nDisallow: /b\n"+strings.Repeat("# comment\n", 1000))
	zw.Close()
	coded := header(func(h *response.Header) { h.ContentEncoding = "gzip" })
	for name, body := range map[string]string{"damaged": "\x1f\x8bnonsense", "cut off": zipped.String()[:zipped.Len()/2]} {
		runInBubble(t, name, Config{}, func(r *rig) {
			r.crawl("/a", "/b")
			serveRobots(r, 200, "User-agent: *\nDisallow: /a")
			for range 3 {
				time.Sleep(time.Minute)
				serveRobots(r, 200, body, coded)
			}
			r.wantListed("/", "/b")
		})
	}
}

// Two files that hardly compress do not fit into the store together. The new one still comes to hold,
// and what only it disallows is not newly listed before.
func TestLongRobotsTxtIsReplaced(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/b")
		serveRobots(r, 200, randomRobots("/a"))
		next := randomRobots("/b", "/new")
		serveRobots(r, 200, next)
		r.restart()
		r.sight("/", html("home again", "/new"))
		r.sight("/new", html("new"))
		r.wantListed("/", "/b")
		r.wait(25 * time.Hour)
		serveRobots(r, 200, next)
		r.wantListed("/", "/a")
		r.restart()
		r.wantListed("/", "/a")
	})
}

// randomRobots is a robots.txt of 400 KiB that disallows some locations, and no two are alike.
func randomRobots(locations ...string) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, l := range locations {
		fmt.Fprintf(&b, "Disallow: %s\n", l)
	}
	random := rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%-32s", locations))))
	for path := make([]byte, 300); b.Len() < 400<<10; {
		random.Read(path)
		fmt.Fprintf(&b, "Disallow: /x/%s\n", base64.RawURLEncoding.EncodeToString(path))
	}
	return b.String()
}

// While the stored robots.txt cannot be read, no page is listed: it may disallow any of them.
// In an outage, a server may answer 404 to all: once, that tells nothing of the lines that were there.
func TestLinesOfAMissingRobotsTxtAreUnknownAtFirst(t *testing.T) {
	runInBubble(t, "", Config{}, func(r *rig) {
		for i, want := range []string{"[]", "[]", "[https://example.com/sitemap.xml]", "unknown", "[]"} {
			switch i {
			case 2:
				serveRobots(r, 200, "Sitemap: https://example.com/sitemap.xml")
			default:
				serveRobots(r, 404, "")
			}
			got := "unknown"
			if lines := r.indexer.Sitemaps(); lines != nil {
				got = fmt.Sprint(lines)
			}
			base.Equal(r, got, want, "answer %d", i)
		}
	})
}

func TestDamagedRobotsTxtListsNothing(t *testing.T) {
	for name, change := range map[string]func(r *rig, key string){
		"damaged": func(r *rig, key string) { r.damage(key) },
		"lost":    func(r *rig, key string) { r.put(key, nil) },
	} {
		for _, piece := range []int{0, 3} {
			runInBubble(t, fmt.Sprintf("piece %d is %s", piece, name), Config{}, func(r *rig) {
				r.crawl("/a", "/b")
				serveRobots(r, 200, randomRobots("/a", "/waits"))
				r.sight("/", html("home again", "/a", "/b", "/waits"))
				r.sight("/waits", html("waits"))
				r.wantListed("/", "/b")
				change(r, r.indexer.site.Keys.Robots(piece))
				r.restart()
				for _, location := range []string{"/a", "/waits"} {
					r.sight(location, html(location+" is there still"))
					r.wantVerdict(location, eligibility.Excluded, eligibility.Disallowed)
				}
				r.wantListed("/", "/b")
				base.Equal(r, r.indexer.Stats().Damaged, 1, "records are counted as damaged")
				r.wantLogged("robots.txt is damaged", 1)
				serveRobots(r, 404, "")
				r.sight("/waits", html("waits no more"))
				r.wantListed("/", "/a", "/b", "/waits")
				r.restart()
				r.wantListed("/", "/a", "/b", "/waits")
				r.wantLogged("robots.txt is damaged", 1)
			})
		}
	}
}

func TestRobotsTxtThatTheOwnerGivesHolds(t *testing.T) {
	inBubble(t, Config{Robots: robots.Parse([]byte("User-agent: *\nDisallow: /a"))}, func(r *rig) {
		r.crawl("/a", "/b")
		for range 2 { // it would be enough to believe what is served
			serveRobots(r, 200, "User-agent: *\nDisallow: /b")
			time.Sleep(24 * time.Hour)
		}
		r.wantListed("/", "/b")
	})
}
