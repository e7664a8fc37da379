package indexer

import (
	"strings"
	"testing"
	"time"
)

// ranking is a site with one page that all others link to and that is visited often.
func (r *rig) ranking(popular string, weeks int) {
	all := numbered("/p%d", 10)
	for range weeks {
		r.sight("/", html("home", all...))
		for _, location := range all {
			r.sight(location, html("page "+location, popular))
		}
		for range 50 {
			time.Sleep(time.Hour)
			r.sight(popular, html("page "+popular, popular))
		}
		time.Sleep(5 * 24 * time.Hour)
	}
}

func TestPrioritiesAreRanks(t *testing.T) {
	inBubble(t, Config{InferPriority: true, KeepFor: 64 * 24 * time.Hour}, func(r *rig) {
		r.ranking("/p0", 3)
		first, tag := r.file()
		popular, other := r.entry("/p0").Priority, r.entry("/p7").Priority
		if popular < 9 || other == 0 || other >= popular {
			t.Errorf("the page that all link to has %d tenths, another one %d", popular, other)
		}
		if n := strings.Count(first, "<priority>"); n != 11 {
			t.Errorf("%d of 11 pages have a priority:\n%s", n, first)
		}
		for i := range 30 { // within a day
			time.Sleep(10 * time.Minute)
			r.sight("/p7", html("page /p7", "/p0"))
			if _, now := r.file(); now != tag {
				t.Fatalf("visit %d changed the file", i)
			}
		}
		r.ranking("/p7", 6)
		if now := r.entry("/p7").Priority; now < 9 {
			t.Errorf("a page that all have come to link to has %d tenths, and had %d", now, other)
		}
		r.cfg.InferPriority = false
		r.restart()
		if body, _ := r.file(); strings.Contains(body, "<priority>") {
			t.Errorf("when they are switched off it is\n%s", body)
		}
	})
}

// Ranks are not stored. A process that restarts every day ranks the pages at its start.
func TestPrioritiesComeWithTheFirstRanks(t *testing.T) {
	inBubble(t, Config{InferPriority: true, KeepFor: 64 * 24 * time.Hour}, func(r *rig) {
		r.sight("/", html("home", "/a", "/b"))
		r.sight("/a", html("a", "/b"))
		r.sight("/b", html("b"))
		time.Sleep(12 * time.Hour)
		r.restart()
		if a, b := r.entry("/a").Priority, r.entry("/b").Priority; a == 0 || b <= a {
			t.Errorf("after a restart /a has %d tenths, and /b, to which more pages lead, %d", a, b)
		}
	})
}

// A link costs one write for each page that counts apart, not one for each visit.
func TestCountedLinksAreNotWrittenAgain(t *testing.T) {
	inBubble(t, Config{InferPriority: true}, func(r *rig) {
		all := numbered("/p%d", 100)
		r.sight("/", html("home", all...))
		for _, location := range all {
			r.sight(location, html("page "+location, "/p0"))
		}
		full := r.page("/p0").Inbound
		if full.Pages() < 32 {
			t.Errorf("the links of 100 pages count as %.0f", full.Pages())
		}
		for _, location := range all {
			r.sight(location, html("page "+location+" changed", "/p0"))
		}
		if now := r.page("/p0").Inbound; now != full {
			t.Errorf("the same links count as %.0f, and did as %.0f", now.Pages(), full.Pages())
		}
	})
}
