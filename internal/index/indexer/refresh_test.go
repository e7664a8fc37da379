package indexer

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/schema/pagerecord"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

const refreshEvery = 15 * time.Second

// told is how long it takes until the files of the other processes show what one process
// has stored: until they poll, and render.
const told = refreshEvery + 2*time.Second

// inFleet runs fn in a bubble of virtual time, with two indexers that share a
// store.
func inFleet(t *testing.T, fn func(a, b *rig)) {
	t.Helper()
	inFleetThat(t, refreshEvery, fn)
}

// inFleetThat is inFleet with indexers that poll so often.
func inFleetThat(t *testing.T, every time.Duration, fn func(a, b *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		st := new(memstore.Store)
		a := newRig(t, st, Config{RefreshEvery: every})
		b := newRig(t, st, Config{RefreshEvery: every})
		defer func() { a.stop(); b.stop() }()
		fn(a, b)
	})
}

// A process that goes on filling the shards that it knew at its start asks for all later ones at each new page.
func TestProcessLearnsWhichShardsOthersHaveBegun(t *testing.T) {
	rules, err := eligibility.NewRules([]eligibility.Rule{{Pattern: "/a", Section: "a"}})
	base.Check(t, err)
	synctest.Test(t, func(t *testing.T) {
		st, cfg := new(memstore.Store), Config{RefreshEvery: refreshEvery, MaxURLs: 2}
		cfg.Settings.Rules = rules
		one, other := newRig(t, st, cfg), newRig(t, st, cfg)
		defer func() { one.stop(); other.stop() }()
		one.crawl("/a1", "/b1", "/a2", "/b2", "/a3")
		other.wait(told)
		got, want := other.indexer.site.Layout, map[int]string{1: "", 2: "a", 3: "", 4: "a"}
		base.Equal(t, got.Filling, len(want), "the last shard is")
		if !maps.Equal(got.Sections, want) {
			t.Errorf("the sections of the shards are %v, want %v", got.Sections, want)
		}
	})
}

func TestProcessesServeWhatOneOfThemSaw(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(a, b *rig)
	}{
		{"a doubt of a process that starts anew", func(a, b *rig) {
			a.crawl("/a")
			time.Sleep(told)
			a.answer("/a", http.StatusNotFound)
			a.stop()
			a.start()
			time.Sleep(pagerecord.ConfirmAfter + told)
			b.wantShown("/")
			b.wantVerdict("/a", eligibility.Gone, eligibility.NotFound)
		}},
		{"a doubt that another process ends and has anew", func(a, b *rig) {
			a.crawl("/a")
			a.answer("/a", http.StatusNotFound)
			a.wait(5 * time.Second)
			time.Sleep(15 * time.Second)
			b.sight("/a", html("a, otherwise"))
			time.Sleep(30 * time.Second)
			// a has been in doubt for 52 seconds, and last asked for the changes of the others 2 seconds ago
			b.answer("/a", http.StatusNotFound)
			time.Sleep(10 * time.Second)
			a.wantVerdict("/a", eligibility.Listed, eligibility.ByLink)
			time.Sleep(pagerecord.ConfirmAfter)
			a.wantVerdict("/a", eligibility.Gone, eligibility.NotFound)
		}},
		{"robots.txt", func(a, b *rig) {
			a.crawl("/a")
			time.Sleep(told)
			b.wantShown("/", "/a")
			serveRobots(a, 200, "User-agent: *\nDisallow: /a\n")
			time.Sleep(told)
			b.wantShown("/")
			if b.files.Allows("/a") {
				b.Error("what another process saw disallowed is allowed")
			}
		}},
		{"robots.txt, of which one process sees another text before it knows", func(a, b *rig) {
			a.crawl("/a")
			serveRobots(a, 200, "User-agent: *\nDisallow: /a\n")
			serveRobots(b, 404, "")
			time.Sleep(told)
			if a.files.Allows("/a") || b.files.Allows("/a") {
				b.Error("one observation that shows another robots.txt was enough")
			}
		}},
		{"a source of dates that was caught", func(a, b *rig) {
			old := time.Now().Add(-1000 * time.Hour)
			a.sight("/", html("home", "/a", "/b"))
			a.sight("/a", html("a"), lastModified(old))
			b.sight("/b", html("b"), lastModified(old))
			time.Sleep(told)
			b.wantLastMod("/b", old.Unix())
			for i := range 4 {
				time.Sleep(time.Minute)
				a.sight("/a", html("a"), lastModified(old.Add(time.Duration(i+1)*time.Hour)))
			}
			time.Sleep(told)
			b.wantLastMod("/b", 0)
		}},
		{"a waiting location that was dropped", func(a, b *rig) {
			b.sight("/", html("home", "/a"))
			b.sight("/a", "<meta name=robots content=noindex>")
			b.sight("/", html("home again", "/a")) // from here on b knows that this link needs nothing more
			a.check(a.indexer.call(a.Context(), func(ctx context.Context) error {
				return a.indexer.review.drop(ctx, []string{a.indexer.site.Keys.Wait(a.indexer.site.Secret.Name("/a").Hash)})
			}))
			b.wantVerdict("/a", eligibility.Unknown, eligibility.None)
			time.Sleep(told)
			b.sight("/", html("home once more", "/a"))
			b.sight("/a", html("a"))
			b.wantListed("/", "/a")
		}},
		{"a page that was gone twice before that was stored", func(a, b *rig) {
			a.crawl("/a")
			time.Sleep(told)
			var seen []*observation.Observation
			for range 2 {
				seen = append(seen, answered("/a", http.StatusGone))
				time.Sleep(time.Millisecond)
			}
			a.offer(seen...)
			a.flush()
			a.wantShown("/")
			time.Sleep(told)
			b.sight("/a", html("a is here again"))
			time.Sleep(told)
			b.wantShown("/", "/a")
			a.wantShown("/", "/a")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { inFleet(t, tt.do) })
	}
}

// laterRecord is a record that a later version of the program wrote.
func laterRecord() []byte {
	b := []byte{2, 8, 1}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}
