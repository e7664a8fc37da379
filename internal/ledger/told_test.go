package ledger

import (
	"strings"
	"testing"
	"time"
)

// Somebody edits a file, whose Last-Modified moves, and asks why the lastmod did
// not.
func TestExplanationOfAnEditThatIsNoChangeYet(t *testing.T) {
	const text = "A farm above the village, where apples and pears are grown that nobody else has."
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // of the bubble
	old := start.Add(-30 * 24 * time.Hour)
	for _, tt := range []struct {
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
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
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
			got := r.page("/a").DatedBy(r.files.Trust(), time.Now())
			if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
				r.Errorf("%q, want %q in it, and no %q", got, tt.want, tt.not)
			}
		})
	}
}
