package messages

import (
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
)

// unix returns the time of a number of Unix seconds, the zero Time for 0.
func unix(sec int64) time.Time { return moment.Seconds(sec).Time() }

func TestLastModExplainsTheDateOfAPage(t *testing.T) {
	var clock, moves, build lastmod.Trust
	clock[lastmod.Server] = lastmod.Distrust{Caught: true, Clock: true}
	moves[lastmod.Page].Caught = true
	build[lastmod.Server].Build.Last = 1 // the first two hours of 1970
	byServer, byPage := lastmod.Date{At: moment.Seconds(500), By: lastmod.Server},
		lastmod.Date{At: moment.Seconds(500), By: lastmod.Page}
	last := func(server, page int64) (h lastmod.History) {
		h.Given[lastmod.Server], h.Given[lastmod.Page] = unix(server), unix(page)
		return h
	}
	holds := func(h lastmod.History, since int64, more int, until ...int64) lastmod.History {
		h.Held, h.More = unix(since), more
		for _, at := range until {
			h.Until = unix(at)
		}
		return h
	}
	other := lastmod.History{Differed: unix(1500)}
	const differs = "another text was seen at 1 Jan 1970, 00:25:00 UTC, but no change that counts: what is new in it was"
	undone := lastmod.History{Undone: unix(1200)}
	const takenBack = "seen at 1 Jan 1970, 00:20:00 UTC was taken back, since other pages soon showed the same"
	const moved, maybe = ", but nothing that counts changed with it", "It counts as a change"
	tests := []struct {
		name  string
		d     lastmod.Date
		h     lastmod.History
		trust lastmod.Trust
		want  []string
		not   string
	}{
		{"seen", lastmod.Date{At: moment.Seconds(800), Seen: true}, lastmod.History{}, lastmod.Trust{},
			[]string{"between 1 Jan 1970, 00:10:00 UTC and 1 Jan 1970, 00:13:20 UTC", "when the change was first seen"},
			"now gives"},
		{"seen in the second of the visit before", lastmod.Date{At: moment.Seconds(800), Seen: true},
			lastmod.History{Unchanged: unix(800), Changed: unix(800)}, lastmod.Trust{},
			[]string{"The content changed at 1 Jan 1970, 00:13:20 UTC. The"}, "between"},
		{"exact", lastmod.Date{At: moment.Seconds(700), By: lastmod.Server, Seen: true}, lastmod.History{}, lastmod.Trust{},
			[]string{"between", "time that Last-Modified gives"}, "now gives"},
		{"exact, and the source is not believed by now", lastmod.Date{At: moment.Seconds(700), By: lastmod.Server,
			Seen: true}, lastmod.History{}, clock, []string{"time that Last-Modified gives"}, "now gives"},
		{"given by the server", byServer, lastmod.History{}, lastmod.Trust{},
			[]string{"No change was seen from the first visit at 1 Jan 1970, 00:05:00 UTC to that at 1 Jan 1970, 00:30:00 UTC",
				"Last-Modified gives"},
			"now gives"},
		{"new", lastmod.Date{At: moment.Seconds(300), By: lastmod.Link}, lastmod.History{}, lastmod.Trust{},
			[]string{"new", "the time of the first visit."}, "now gives"},
		{"new, and seen some time after its link", lastmod.Date{At: moment.Seconds(200), By: lastmod.Link}, lastmod.History{},
			lastmod.Trust{}, []string{"new", "the visit that first showed a link to it."}, "now gives"},
		{"nothing known", lastmod.Date{}, lastmod.History{}, lastmod.Trust{},
			[]string{"no lastmod: no change was seen from the first visit at 1 Jan 1970, 00:05:00 UTC to that at 1 Jan 1970, 00:30"},
			"now gives"},
		{"seen once", lastmod.Date{}, lastmod.History{LastSeen: unix(300)}, lastmod.Trust{},
			[]string{"no lastmod: it was seen only at 1 Jan 1970, 00:05:00 UTC, and only a later visit can"}, "no change was"},
		{"another text that does not count", lastmod.Date{}, other, lastmod.Trust{}, []string{"no lastmod: " + differs},
			"no change was"},
		{"another text that does not count, and given by the server", byServer, other, lastmod.Trust{},
			[]string{"A" + differs[1:], "Last-Modified gives."}, "o change was"},
		{"another text that does not count, after a change", lastmod.Date{At: moment.Seconds(800), Seen: true}, other,
			lastmod.Trust{}, []string{"The lastmod is when the change was first seen. A" + differs[1:]}, "o change was"},
		{"taken back", lastmod.Date{}, undone, lastmod.Trust{}, []string{"There is no lastmod: the change " + takenBack},
			"no change"},
		{"taken back, and given by the server", byServer, undone, lastmod.Trust{},
			[]string{"The change " + takenBack, "Last-Modified gives."}, "o change was"},
		{"taken back after another change", lastmod.Date{At: moment.Seconds(800), Seen: true}, undone, lastmod.Trust{},
			[]string{"The lastmod is when the change was first seen. A later change " + takenBack}, "o change was"},
		{"changed by a clock that was ahead", lastmod.Date{At: moment.Seconds(5000), Seen: true}, lastmod.History{},
			lastmod.Trust{}, []string{"no lastmod", "lies in the future"}, "now gives"},
		{"a clock for a source", byServer, lastmod.History{}, clock, []string{"no lastmod",
			"Last-Modified is not believed, because it moves with the clock"}, "now gives"},
		{"a source that lies", byPage, lastmod.History{}, moves, []string{"no lastmod",
			"the page itself is not believed for a month, because it moved on pages that had not changed"}, "now gives"},
		{"a clock that was caught before", lastmod.Date{}, last(500, 0), clock,
			[]string{"no lastmod", "Last-Modified is not believed, because it moves with the clock"}, "now gives"},
		{"a build", byServer, lastmod.History{}, build, []string{"no lastmod",
			"Last-Modified gives 1 Jan 1970, 00:08:20 UTC, " +
				"and most of its dates on this site lie between 1 Jan 1970, 00:00 and 02:00 UTC, as a build writes them"}, "now gives"},
		{"a build, and the server gives another by now", byServer, last(900, 0), build, []string{"no lastmod",
			"Last-Modified gave 1 Jan 1970, 00:08:20 UTC for that content"}, "Last-Modified gives 1 Jan 1970, 00:08:20"},
		{"young", lastmod.Date{}, last(500, 0), lastmod.Trust{}, []string{"no lastmod",
			"which is used once a visit finds it an hour old"}, "now gives"},
		{"given by the server, and still", byServer, last(500, 0), lastmod.Trust{}, []string{"Last-Modified gives."},
			"now gives"},
		{"the server gives another by now", byServer, last(900, 0), lastmod.Trust{},
			[]string{"No change was seen", "that Last-Modified gave for that content. It now gives 1 Jan 1970, 00:15:00 UTC" +
				moved}, "Last-Modified gives."},
		{"the page gives another by now", byPage, last(0, 900), lastmod.Trust{},
			[]string{"the page itself gave for that content. It now gives 1 Jan 1970, 00:15:00 UTC", moved}, maybe},
		{"another by now, and something is held", byServer, holds(last(900, 0), 900, 16), lastmod.Trust{},
			[]string{moved, "Something new was seen at 1 Jan 1970, 00:15:00 UTC", maybe,
				"once 16 more visits, each a minute later or more, show it too, unless"}, "Last-Modified gives."},
		{"it must last as well", byServer, holds(last(500, 0), 900, 2, 1900), lastmod.Trust{},
			[]string{"once 2 more visits, the last of them after 1 Jan 1970, 00:31:40 UTC, show it too, unless"}, "now gives"},
		{"it must only last", byServer, holds(last(500, 0), 900, 1, 1900), lastmod.Trust{},
			[]string{"once a visit after 1 Jan 1970, 00:31:40 UTC shows it too, unless"}, "now gives"},
		{"another text is held", byServer, holds(other, 1500, 1), lastmod.Trust{}, []string{
			"No change that counts was seen before 1 Jan 1970, 00:25:00 UTC. The", "Something new was seen at"}, "nother text"},
		{"another text is held, after a change", lastmod.Date{At: moment.Seconds(800), Seen: true}, holds(other, 1500, 1),
			lastmod.Trust{}, []string{"first seen. Something new was seen at"}, "nother text"},
		{"something is held, for an observation more", byServer, holds(last(500, 0), 900, 1), lastmod.Trust{},
			[]string{"Last-Modified gives.", "once a visit a minute later or more shows it too, unless"}, "now gives"},
		{"nothing but what is held", lastmod.Date{}, holds(lastmod.History{}, 900, 2), lastmod.Trust{}, []string{
			"There is no lastmod yet: something new was first seen at 1 Jan 1970, 00:15:00 UTC, and that time is the lastmod " +
				"once 2 more visits, each a minute later or more, show it too, unless several other pages get it as well.",
		}, "no change that"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.h.LastSeen.IsZero() {
				tt.h.LastSeen = unix(1800)
			}
			if tt.h.FirstSeen = unix(300); tt.h.Changed.IsZero() {
				tt.h.Unchanged, tt.h.Changed = unix(600), unix(800)
			}
			got := LastMod(tt.d, tt.h, tt.trust, moment.Seconds(2000))
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q, want %q in it", got, want)
				}
			}
			if strings.Contains(got, tt.not) {
				t.Errorf("%q, want no %q in it", got, tt.not)
			}
			if none := tt.d.LastMod(tt.trust, moment.Seconds(2000)) == 0; none != strings.Contains(got, "There is no lastmod") {
				t.Errorf("%q of a page whose lastmod is %d", got, tt.d.LastMod(tt.trust, moment.Seconds(2000)))
			}
		})
	}
	if got := LastMod(lastmod.Date{}, lastmod.History{}, lastmod.Trust{}, moment.Seconds(2000)); got != "" {
		t.Errorf("%q of a page that was not seen", got)
	}
}

func TestWordOfAPageThatHardlyChangedIsCalledAGuess(t *testing.T) {
	for _, tt := range []struct {
		f       rate.Freq
		changes uint64
		want    string
	}{
		{rate.Unknown, 0, "once it was seen to change, or to rest for half a day."},
		{rate.Yearly, 2, ""},
		{rate.Daily, 1, "called daily for one change alone: that is the best estimate, until more are seen."},
		{rate.Yearly, 0, "called yearly because most such pages are: that is the best estimate, until a change is seen."},
		{rate.Daily, 0, "called daily for texts that came and went again, which are no change."},
	} {
		if got := Freq(tt.f, tt.changes); !strings.HasSuffix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%v after %d changes: %q, want %q", tt.f, tt.changes, got, tt.want)
		}
	}
}
