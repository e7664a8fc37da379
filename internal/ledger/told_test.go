package ledger

import (
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/part"
)

func TestTold(t *testing.T) {
	var clock, moves, mended, build part.Trust
	clock[part.Server] = part.Doubts{All: true, Clock: true}
	moves[part.Page].All = true
	mended[part.Server].UpTo = 1000
	build[part.Server].Stamps = part.Stamps{{From: 400, To: 600}}
	given := func(server, page int64) (e part.Entry) {
		e.Given[part.Server], e.Given[part.Page] = server, page
		return e
	}
	young := given(500, 0)
	young.Young = young.Young.With(part.Server)
	last := func(server, page int64) (h History) {
		h.Given[part.Server], h.Given[part.Page] = fromSeconds(server), fromSeconds(page)
		return h
	}
	holds := func(h History, since int64, more int) History {
		h.Held, h.More = fromSeconds(since), more
		return h
	}
	const moved, maybe = "by now: nothing that counts has changed with it", "may be a change"
	tests := []struct {
		name  string
		e     part.Entry
		h     History
		trust part.Trust
		want  []string
		not   string
	}{
		{"seen", part.Entry{Changed: 800}, History{}, part.Trust{}, []string{"between the looks at 1970-01-01T00:10:00Z and 1970-01-01T00:13:20Z", "the look that first showed it"}, "by now"},
		{"exact", part.Entry{Changed: 800, Exact: 700, ExactBy: part.Server}, History{}, part.Trust{}, []string{"between the looks", "time that Last-Modified gives"}, "by now"},
		{"exact, but the source is not believed", part.Entry{Changed: 800, Exact: 700, ExactBy: part.Server}, History{}, clock, []string{"the look that first showed it"}, "by now"},
		{"given by the server", given(500, 0), History{}, part.Trust{}, []string{"No change was seen since the first look at 1970-01-01T00:05:00Z", "Last-Modified gives"}, "by now"},
		{"given by the page", given(0, 500), History{}, part.Trust{}, []string{"No change was seen", "the page itself gives"}, "by now"},
		{"new", part.Entry{Fresh: 500}, History{}, part.Trust{}, []string{"new"}, "by now"},
		{"nothing known", part.Entry{}, History{}, part.Trust{}, []string{"no lastmod: no change was seen since the first look at 1970-01-01T00:05:00Z."}, "by now"},
		{"volatile", part.Entry{Changed: 800, Volatile: true}, History{}, part.Trust{}, []string{"no lastmod", "another one at every look"}, "by now"},
		{"changed by a clock that was ahead", part.Entry{Changed: 5000}, History{}, part.Trust{}, []string{"no lastmod", "the clock is behind"}, "by now"},
		{"a clock for a source", given(500, 0), History{}, clock, []string{"no lastmod", "Last-Modified is not believed, since it moves with the clock"}, "by now"},
		{"a source that lies", given(0, 500), History{}, moves, []string{"no lastmod", "the page itself is not believed, since it moved on pages that had not changed"}, "by now"},
		{"a source that lied", given(500, 0), History{}, mended, []string{"no lastmod", "was not believed at the time"}, "by now"},
		{"a build", given(500, 0), History{}, build, []string{"no lastmod", "a build that most pages share"}, "by now"},
		{"young", young, History{}, part.Trust{}, []string{"no lastmod", "has found an hour old, which it waits for"}, "by now"},
		{"given by the server, and still", given(500, 0), last(500, 0), part.Trust{}, []string{"Last-Modified gives."}, "by now"},
		{"the server gives another by now", given(500, 0), last(900, 0), part.Trust{}, []string{"No change was seen", "that Last-Modified gave with that content, and not 1970-01-01T00:15:00Z, which it gives " + moved}, "Last-Modified gives."},
		{"the page gives another by now", given(0, 500), last(0, 900), part.Trust{}, []string{"the page itself gave with that content, and not 1970-01-01T00:15:00Z", moved}, maybe},
		{"another that moved is not the one in use", given(500, 0), last(500, 900), part.Trust{}, []string{"that Last-Modified gives."}, "by now"},
		{"another by now, and something is held", given(500, 0), holds(last(900, 0), 900, 16), part.Trust{}, []string{moved, "What the look at 1970-01-01T00:15:00Z first showed", maybe, "once 16 more looks show the same."}, "Last-Modified gives."},
		{"something is held, for a look more", given(500, 0), holds(last(500, 0), 900, 1), part.Trust{}, []string{"Last-Modified gives.", "once one more look shows the same."}, "by now"},
		{"exact, and another by now", part.Entry{Changed: 800, Exact: 700, ExactBy: part.Server}, last(900, 0), part.Trust{}, []string{"the time that Last-Modified gave with that content, and not 1970-01-01T00:15:00Z, which it gives by now."}, maybe},
		{"seen, and something is held", part.Entry{Changed: 800}, holds(History{}, 900, 2), part.Trust{}, []string{"the look that first showed it.", maybe, "2 more looks"}, "by now"},
		{"new, and something is held", part.Entry{Fresh: 500}, holds(History{}, 900, 2), part.Trust{}, []string{"The page is new", maybe}, "by now"},
		{"nothing known, and something is held", part.Entry{}, holds(History{}, 900, 2), part.Trust{}, []string{"no lastmod: no change was seen", maybe}, "by now"},
		{"moved before it was old enough", given(0, 0), last(900, 0), part.Trust{}, []string{"no lastmod", "Last-Modified gives 1970-01-01T00:15:00Z by now, with which nothing that counts has changed"}, maybe},
		{"another one at every look, and something is held", part.Entry{Changed: 800, Volatile: true}, holds(History{}, 900, 2), part.Trust{}, []string{"another one at every look."}, maybe},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Page{FirstSeen: time.Unix(300, 0), Listing: tt.e, History: tt.h}
			p.Unchanged = time.Unix(600, 0)
			got := p.Told(tt.trust, time.Unix(2000, 0))
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q, want %q in it", got, want)
				}
			}
			if strings.Contains(got, tt.not) {
				t.Errorf("%q, want no %q in it", got, tt.not)
			}
			if none := tt.e.LastMod(tt.trust, 2000) == 0; none != strings.Contains(got, "There is no lastmod") {
				t.Errorf("%q of a page whose lastmod is %d", got, tt.e.LastMod(tt.trust, 2000))
			}
		})
	}
	if got := (Page{}).Told(part.Trust{}, time.Unix(2000, 0)); got != "" {
		t.Errorf("%q of a page that was not seen", got)
	}
}

// Somebody edits a file, whose Last-Modified moves, and asks why the lastmod did
// not.
func TestToldOfAnEdit(t *testing.T) {
	const text = "A farm above the village, where apples and pears are grown that nobody else has."
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // of the bubble
	old := start.Add(-30 * 24 * time.Hour)
	tests := []struct {
		name, edit string
		looks      int // after the edit
		want, not  string
	}{
		{"none", "", 1, "that Last-Modified gives.", "by now"},
		{"words of age, which are left out", `<p>New: <a href=/b>what came new this week</a></p>`, 1,
			"that Last-Modified gave with that content, and not 2000-01-01T03:00:00Z, which it gives by now: nothing that counts has changed with it.", "may be a change"},
		{"a link, which is held", `<p><a href=/b>how the harvest was</a></p>`, 1,
			"What the look at 2000-01-01T03:00:04Z first showed, or no longer showed, may be a change: it is one, since then, once 16 more looks show the same.", "that Last-Modified gives."},
		{"a link, some looks later", `<p><a href=/b>how the harvest was</a></p>`, 16, "once one more look shows the same.", "that Last-Modified gives."},
		{"a link, when it is certain", `<p><a href=/b>how the harvest was</a></p>`, 17, "The content changed between the looks at 2000-01-01T00:00:02Z and 2000-01-01T03:00:04Z; the lastmod is the time that Last-Modified gives.", "may be a change"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, Config{}, func(r *rig) {
				r.sight("/", html("home", "/a"))
				r.sight("/a", "<body><p>"+text+"</p>"+"<p>It is open.</p>", lastModified(old))
				time.Sleep(3 * time.Hour)
				edited := old
				if tt.edit != "" {
					edited = start.Add(3 * time.Hour)
				}
				for range tt.looks {
					r.sight("/a", "<body><p>"+text+"</p>"+tt.edit+"<p>It is open.</p>", lastModified(edited))
				}
				got := r.page("/a").Told(r.files.Trust(), time.Now())
				if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
					t.Errorf("%q, want %q in it, and no %q", got, tt.want, tt.not)
				}
			})
		})
	}
}
