package indexer

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
)

// serveRobots has a robots.txt seen and stored.
func serveRobots(r *rig, status int, text string, change ...func(*observation.Exchange)) {
	r.Helper()
	s := seen("/robots.txt", text, change...)
	s.Kind, s.Response.Status, s.Response.Header.ContentType = eligibility.RobotsFile, status, "text/plain"
	r.offer(s)
	r.flush()
}

// A robots.txt that only one visitor gets must neither list what the site disallows nor take out what
// it allows, before and after a restart.
func TestAnotherRobotsTxtIsObeyedOnceItIsConfirmed(t *testing.T) {
	const strict, lax = "User-agent: *\nDisallow: /a\nDisallow: /b", "User-agent: *\nDisallow: /b\nDisallow: /d"
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/b", "/c")
		serveRobots(r, 200, strict, from(netA))
		serveRobots(r, 200, lax, from(netA))
		r.sight("/", html("home", "/d"))
		r.sight("/d", html("new"))
		r.wantListed("/", "/c")
		r.restart()
		r.wantListed("/", "/c")
		time.Sleep(time.Minute)
		serveRobots(r, 200, lax, from(netB))
		r.wantListed("/", "/a", "/c")
		r.restart()
		r.wantListed("/", "/a", "/c")
	})
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

func TestLongRobotsTxtIsKept(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/last")
		serveRobots(r, 200, "User-agent: *\n"+strings.Join(numbered("Disallow: /some/folder/%d/\n", 15_000), "")+"Disallow: /last\n")
		r.wantListed("/", "/a")
		r.restart()
		r.wantListed("/", "/a")
		r.wantVerdict("/last", eligibility.Excluded, eligibility.Disallowed)
	})
}

func TestRobotsTxtThatTheOwnerGivesHolds(t *testing.T) {
	inBubble(t, Config{Robots: robots.Parse([]byte("User-agent: *\nDisallow: /a"))}, func(r *rig) {
		r.crawl("/a", "/b")
		for _, network := range []string{netA, netB} { // they would be enough to believe what is served
			serveRobots(r, 200, "User-agent: *\nDisallow: /b", from(network))
			time.Sleep(2 * time.Minute)
		}
		r.wantListed("/", "/b")
	})
}
