package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// perPart counts the stored entries of each part.
func (r *rig) perPart() map[string]int {
	in := map[string]int{}
	for key := range r.dump() {
		if rest, is := strings.CutPrefix(key, "https://example.com|list|"); is {
			in[rest[:6]]++
		}
	}
	return in
}

func TestPagesMoveWhenTheLimitOfAPartChanges(t *testing.T) {
	inBubble(t, Config{MaxURLs: 12}, func(r *rig) {
		want := append([]string{"/"}, numbered("/p%02d", 29)...)
		r.crawl(want[1:]...)
		for _, limit := range []int{5, 1, 30, 7} {
			r.cfg.MaxURLs = limit
			r.restart()
			r.flush() // what was moved
			r.wantListed(want...)
			for n, pages := range r.perPart() {
				if pages > limit {
					t.Errorf("with a limit of %d, part %s has %d pages", limit, n, pages)
				}
			}
			if n := len(r.pagesByPart()); n < 30/limit {
				t.Errorf("with a limit of %d there are %d parts", limit, n)
			}
			r.wantEvents(time.Now().Add(-time.Second)) // to move is not to change
		}
	})
}

// pagesByPart returns the pages of each part by their own records.
func (r *rig) pagesByPart() map[int][]string {
	in := map[int][]string{}
	for _, p := range r.pages() {
		in[p.Part] = append(in[p.Part], p.Location)
	}
	for n, locations := range in {
		if got := r.perPart()[fmt.Sprintf("%06d", n)]; got != len(locations) {
			r.Errorf("part %d lists %d pages, and %d say that they are in it", n, got, len(locations))
		}
	}
	return in
}
