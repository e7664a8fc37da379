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

// robotsTxt has a robots.txt seen and stored.
func robotsTxt(r *rig, status int, text string, change ...func(*observation.Exchange)) {
	r.Helper()
	s := seen("/robots.txt", text, change...)
	s.Kind, s.Response.Status, s.Response.Header.ContentType = eligibility.RobotsFile, status, "text/plain"
	r.offer(s)
	r.flush()
}

// A robots.txt that only one visitor gets must neither list what the site disallows nor
// take out what it allows.
func TestAnotherRobotsTxtNeedsASecondNetworkOrAnotherDay(t *testing.T) {
	const strict, lax, other = "User-agent: *\nDisallow: /a\nDisallow: /b", "User-agent: *\nDisallow: /b", "User-agent: *\nDisallow: /c"
	a, b, nobody := from(netA), from(netB), func(*observation.Exchange) {}
	later := func(first, second func(*observation.Exchange), after time.Duration) func(*rig) {
		return func(r *rig) {
			robotsTxt(r, 200, lax, first)
			time.Sleep(after)
			robotsTxt(r, 200, lax, second)
		}
	}
	before, after := []string{"/", "/c"}, []string{"/", "/a", "/c"}
	for _, tt := range []struct {
		name   string
		do     func(*rig)
		listed []string
	}{
		{"another text takes nothing out", func(r *rig) { robotsTxt(r, 200, other, a) }, before},
		{"and lists nothing anew", func(r *rig) {
			robotsTxt(r, 200, "User-agent: *\nDisallow: /d", a)
			r.sight("/", html("home", "/d"))
			r.sight("/d", html("new"))
		}, before},
		{"less does not list", func(r *rig) { robotsTxt(r, 200, lax, a) }, before},
		{"what held comes back", func(r *rig) {
			robotsTxt(r, 200, other, a)
			robotsTxt(r, 200, strict, b)
		}, before},
		{"two that differ", func(r *rig) {
			robotsTxt(r, 404, "", a)
			time.Sleep(24 * time.Hour)
			robotsTxt(r, 200, lax, b)
		}, before},
		{"another network within the minute", later(a, b, 50*time.Second), before},
		{"another network a minute later", later(a, b, time.Minute), after},
		{"the same network soon", later(a, a, 23*time.Hour), before},
		{"the same network a day later", later(a, a, 24*time.Hour), after},
		{"unknown networks soon", later(nobody, nobody, 23*time.Hour), before},
		{"one of a known and one of an unknown network", later(a, nobody, 23*time.Hour), before},
		{"unknown networks a day later", later(nobody, nobody, 24*time.Hour), after},
		{"what held was seen in between", func(r *rig) {
			robotsTxt(r, 200, lax, a)
			time.Sleep(time.Minute)
			robotsTxt(r, 200, strict, b)
			robotsTxt(r, 200, lax, b)
			time.Sleep(23 * time.Hour)
			robotsTxt(r, 200, lax, b)
		}, before},
		{"another network, and a restart in between", func(r *rig) {
			robotsTxt(r, 200, lax, a)
			r.restart()
			time.Sleep(time.Minute)
			robotsTxt(r, 200, lax, b)
		}, after},
		{"the same network soon, and a restart in between", func(r *rig) {
			robotsTxt(r, 200, lax, a)
			r.restart()
			time.Sleep(time.Minute)
			robotsTxt(r, 200, lax, a)
		}, before},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.crawl("/a", "/b", "/c")
			robotsTxt(r, 200, strict, a)
			tt.do(r)
			r.wantListed(tt.listed...)
			r.restart()
			r.wantListed(tt.listed...)
		})
	}
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
			robotsTxt(r, 200, "User-agent: *\nDisallow: /a")
			for range 3 {
				time.Sleep(time.Minute)
				robotsTxt(r, 200, body, coded)
			}
			r.wantListed("/", "/b")
		})
	}
}

func TestLongRobotsTxtIsKept(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/last")
		robotsTxt(r, 200, "User-agent: *\n"+strings.Join(numbered("Disallow: /some/folder/%d/\n", 15_000), "")+"Disallow: /last\n")
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
			robotsTxt(r, 200, "User-agent: *\nDisallow: /b", from(network))
			time.Sleep(2 * time.Minute)
		}
		r.wantListed("/", "/b")
	})
}
