package ledger

import (
	"bytes"
	"fmt"
	"testing"
)

func TestFurnitureIsKnownAfterARestart(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		menu := "<p>The menu of the site, which is on every page of it and is no news of any of them.</p>"
		links := numbered("/p%d", 12)
		r.sight("/", html(menu, links...))
		for i, location := range links {
			r.sight(location, html(fmt.Sprintf("%s<p>What page %d has to say, and no other page of the site does.</p>", menu, i)))
		}
		r.flush()
		before := r.ledger.furniture.AppendBinary(nil)
		if len(before) < 100 {
			t.Fatalf("the furniture of 13 pages takes %d bytes", len(before))
		}
		r.restart()
		if after := r.ledger.furniture.AppendBinary(nil); !bytes.Equal(after, before) {
			t.Errorf("%d bytes of furniture are %d others after a restart", len(before), len(after))
		}
	})
}

func TestDamagedFurnitureIsLearnedAnew(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		r.flush()
		r.put(r.ledger.site.Keys.Furniture(), []byte("damaged"))
		r.restart()
		r.sight("/a", html("a"))
		r.wantListed("/", "/a")
	})
}
