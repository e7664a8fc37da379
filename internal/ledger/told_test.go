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
	tests := []struct {
		name  string
		e     part.Entry
		trust part.Trust
		want  []string
	}{
		{"seen", part.Entry{Changed: 800}, part.Trust{}, []string{"between the looks at 1970-01-01T00:10:00Z and 1970-01-01T00:13:20Z", "the look that first showed it"}},
		{"exact", part.Entry{Changed: 800, Exact: 700, ExactBy: part.Server}, part.Trust{}, []string{"between the looks", "time that Last-Modified gives"}},
		{"exact, but the source is not believed", part.Entry{Changed: 800, Exact: 700, ExactBy: part.Server}, clock, []string{"the look that first showed it"}},
		{"given by the server", given(500, 0), part.Trust{}, []string{"No change was seen since the first look at 1970-01-01T00:05:00Z", "Last-Modified gives"}},
		{"given by the page", given(0, 500), part.Trust{}, []string{"No change was seen", "the page itself gives"}},
		{"new", part.Entry{Fresh: 500}, part.Trust{}, []string{"new"}},
		{"nothing known", part.Entry{}, part.Trust{}, []string{"no lastmod: no change was seen since the first look at 1970-01-01T00:05:00Z."}},
		{"volatile", part.Entry{Changed: 800, Volatile: true}, part.Trust{}, []string{"no lastmod", "another one at every look"}},
		{"changed by a clock that was ahead", part.Entry{Changed: 5000}, part.Trust{}, []string{"no lastmod", "the clock is behind"}},
		{"a clock for a source", given(500, 0), clock, []string{"no lastmod", "Last-Modified is not believed, since it moves with the clock"}},
		{"a source that lies", given(0, 500), moves, []string{"no lastmod", "the page itself is not believed, since it moved on pages that had not changed"}},
		{"a source that lied", given(500, 0), mended, []string{"no lastmod", "was not believed at the time"}},
		{"a build", given(500, 0), build, []string{"no lastmod", "a build that most pages share"}},
		{"young", young, part.Trust{}, []string{"no lastmod", "not an hour old"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Page{FirstSeen: time.Unix(300, 0), Listing: tt.e, History: History{Unchanged: time.Unix(600, 0)}}
			got := p.Told(tt.trust, time.Unix(2000, 0))
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q, want %q in it", got, want)
				}
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
