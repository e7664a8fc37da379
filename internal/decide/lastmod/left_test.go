package lastmod

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
)

func TestDatesThatAreLeftOut(t *testing.T) {
	const now, at = moment.Time(10_000_000_000), moment.Time(7_200_000)
	liar, clock, build := Trust{Page: {Caught: true}}, Trust{Server: {Caught: true, Clock: true}},
		Trust{Server: {Build: Build{2, 2}}}
	for _, tt := range []struct {
		name  string
		d     Date
		trust Trust
		want  Doubt
	}{
		{"none", Date{}, Trust{}, NoDate},
		{"given by the server", Date{At: at, By: Server}, Trust{}, NoDoubt},
		{"given by the server, and the pages lie", Date{At: at, By: Server}, liar, NoDoubt},
		{"given by a page, and pages lie", Date{At: at, By: Page}, liar, Moved},
		{"given by a clock", Date{At: at, By: Server}, clock, Clocked},
		{"of a build", Date{At: at, By: Server}, build, Built},
		{"of a build, at the end of its hour", Date{At: at + 3_599_999, By: Server}, build, Built},
		{"an hour after a build", Date{At: at + 3_600_000, By: Server}, build, NoDoubt},
		{"in the hour of a build of another source", Date{At: at, By: Page}, build, NoDoubt},
		{"a change in a build, dated by it", Date{At: at, By: Server, Seen: true}, build, NoDoubt},
		{"a change, dated by a source that was caught since", Date{At: at, By: Page, Seen: true}, liar, NoDoubt},
		{"a new page", Date{At: at, By: Link}, clock, NoDoubt},
		{"in the future", Date{At: now + 1, Seen: true}, Trust{}, Ahead},
		{"a source that is none", Date{At: at, By: 200}, clock, NoDoubt},
	} {
		got := tt.d.Against(tt.trust, now)
		if shown := tt.d.LastMod(tt.trust, now); got != tt.want || (shown == tt.d.At) != (got == NoDoubt || tt.d.At == 0) {
			t.Errorf("%s: doubt %d and lastmod %d, want doubt %d", tt.name, got, shown, tt.want)
		}
	}
}

func TestChangeIsTakenBackAndRestored(t *testing.T) {
	var before Dates
	for at := moment.Time(1_000_000); at < 4_000_000; at += 1_000_000 {
		before, _ = before.Observe(Observation{At: at, Outcome: mark.Changed, Since: at}, Trust{})
	}
	after, _ := before.Observe(Observation{At: 9_000_000, Outcome: mark.Changed, Since: 9_000_000}, Trust{})
	d := after
	if d.Undo(); d.Date != before.Date || d.Changed != before.Changed || d.Count != before.Count {
		t.Errorf("taken back: %+v, before it was %+v", d, before)
	}
	if d.Redo(); d.Date != after.Date || d.Changed != after.Changed || d.Count != after.Count ||
		d.Earlier != after.Earlier {
		t.Errorf("restored: %+v, before it was %+v", d, after)
	}
	d.Undo()
	d.Return()
	if d.Redo(); d.Date != before.Date {
		t.Errorf("restored although the page shows its own content again: %+v", d)
	}
	if h := d.History(); !h.Undone.Equal(after.Changed.Time()) {
		t.Errorf("the change that was taken back was seen at %v, want %v", h.Undone, after.Changed.Time())
	}
	d, _ = d.Observe(Observation{At: 12_000_000, Outcome: mark.Changed, Since: 12_000_000}, Trust{})
	if !d.History().Undone.IsZero() {
		t.Errorf("after the next change it still says that one was taken back: %+v", d)
	}
}

// One after the other is taken back, until the date is the one that was given before all changes.
func TestChangesAreTakenBackOneByOne(t *testing.T) {
	given := Date{At: 500_000, By: Server}
	d := Dates{Date: given}
	for at := moment.Time(1_000_000); at < 4_000_000; at += 1_000_000 {
		d, _ = d.Observe(Observation{At: at, Before: at - 1000, Outcome: mark.Changed, Since: at}, Trust{})
	}
	for _, want := range []Date{{At: 2_000_000, Seen: true}, {At: 1_000_000, Seen: true}, given} {
		if d.Undo(); d.Date != want || d.Unchanged != 0 {
			t.Errorf("the date is %+v, unchanged until %d; want %+v, and nothing", d.Date, d.Unchanged, want)
		}
	}
}

func TestHourOfMostDatesIsABuild(t *testing.T) {
	hours := func(pages ...int) (m map[int64]int) { // one number for each hour from 100 on
		m = map[int64]int{}
		for i, n := range pages {
			m[100+int64(i)] = n
		}
		return m
	}
	many := map[int64]int{}
	for i := range int64(1000) {
		many[i*3+1] = 1
	}
	for _, tt := range []struct {
		name  string
		files []map[int64]int // pages by hour
		want  Build
	}{
		{"nothing dated", []map[int64]int{{}}, Build{}},
		{"two pages", []map[int64]int{hours(2)}, Build{}},
		{"three pages", []map[int64]int{hours(3)}, Build{100, 100}},
		{"half of them", []map[int64]int{hours(3, 0, 1, 0, 1, 0, 1)}, Build{}},
		{"most of them", []map[int64]int{hours(4, 0, 1, 0, 1, 0, 1)}, Build{100, 100}},
		{"over the end of an hour", []map[int64]int{hours(0, 3, 3, 0, 5)}, Build{101, 102}},
		{"spread over three hours", []map[int64]int{hours(3, 3, 3)}, Build{100, 101}},
		{"two builds of one size", []map[int64]int{hours(5, 0, 0, 5)}, Build{}},
		{"in two files", []map[int64]int{hours(5, 0, 0, 1), hours(5, 0, 0, 0, 1)}, Build{100, 100}},
		{"most of one file only", []map[int64]int{hours(5), {200: 1, 300: 1, 400: 1, 500: 1, 600: 1}}, Build{}},
		{"among more hours than are kept of a file", []map[int64]int{many, {7: 1001}}, Build{7, 7}},
	} {
		for _, s := range givers {
			var files []Summary
			for _, pages := range tt.files {
				var g Gatherer
				for hour, n := range pages {
					for range n {
						g.Add(Date{At: moment.Seconds(hour*3600 + 7), By: s})
						g.Add(Date{At: moment.Seconds(hour*3600 + 7), By: s, Seen: true}) // does not count
					}
				}
				files = append(files, g.Summarise())
			}
			known := Trust{Page: {Caught: true, Build: Build{1, 1}}}
			got := Judge(files, known)
			if got[s].Build != tt.want || !got[Page].Caught {
				t.Errorf("%s, source %v: %+v, want %v", tt.name, s, got, tt.want)
			}
		}
	}
}

func TestSourceIsCaughtAndForgiven(t *testing.T) {
	type lie struct {
		page  uint64
		clock bool
		days  int // since the one before
	}
	const d = 24 * time.Hour
	for _, tt := range []struct {
		name string
		lies []lie
		rest int // days without a lie thereafter
		want Distrust
	}{
		{"nothing known", nil, 0, Distrust{}},
		{"moves with the clock", []lie{{1, true, 0}}, 0, Distrust{Caught: true, Clock: true}},
		{"lies on a page", []lie{{1, false, 0}}, 0, Distrust{}},
		{"lies on a page twice", []lie{{1, false, 0}, {1, false, 0}}, 0, Distrust{}},
		{"lies on a page thrice", []lie{{1, false, 0}, {1, false, 0}, {1, false, 0}}, 0, Distrust{Caught: true}},
		{"lies on two pages", []lie{{1, false, 0}, {2, false, 0}}, 0, Distrust{Caught: true}},
		{"lies on two pages, with a month between", []lie{{1, false, 0}, {2, false, 30}}, 0, Distrust{}},
		{"lies, and then moves with the clock", []lie{{1, false, 0}, {2, false, 1}, {3, true, 1}}, 0,
			Distrust{Caught: true, Clock: true}},
		{"rests for nearly a month", []lie{{1, true, 0}}, 29, Distrust{Caught: true, Clock: true}},
		{"rests for a month", []lie{{1, true, 0}}, 30, Distrust{}},
		{"lies under a clock ten years ahead", []lie{{1, true, 3650}, {1, true, -3650}}, 29,
			Distrust{Caught: true, Clock: true}},
		{"lies under a clock ten years ahead, and rests for a month", []lie{{1, true, 3650}, {1, true, -3650}}, 30,
			Distrust{}},
		{"goes on, and rests for nearly a month", []lie{{1, true, 0}, {1, false, 20}}, 29,
			Distrust{Caught: true, Clock: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rs Reputations
			now := start
			for _, l := range tt.lies {
				now = now.Add(time.Duration(l.days) * d)
				rs.Forgive(now)
				if lie := (Lie{Page, l.clock}); rs.Concerns(lie, now) {
					rs.Lied(lie, l.page, now)
				}
			}
			now = now.Add(time.Duration(tt.rest) * d)
			rs.Forgive(now)
			if got := rs.Trust(); got[Page] != tt.want || got[Server] != (Distrust{}) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}
