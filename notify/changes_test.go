package notify

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestChangeIsDueAfterItsHold(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	for _, row := range []struct {
		name   string
		change int     // when it was last changed, in minutes after noon
		told   int     // when it was last sent
		before waiting // what was known of it
		due    bool
		waits  bool
		found  bool // it is due, and the owner does not wait for it
	}{
		{"just changed", 0, -9999, waiting{}, false, true, false},
		{"shortly before its hold ends", -4, -9999, waiting{}, false, true, false},
		{"at the end of its hold", -5, -9999, waiting{}, true, true, false},
		{"changed again, held from the first change", -1, -9999, waiting{at: at(-6), due: at(-1)}, true, true, false},
		{"sent within the hour", -10, -59, waiting{}, false, true, false},
		{"sent an hour ago", -10, -60, waiting{}, true, true, false},
		{"sent since", -10, -9, waiting{at: at(-10), due: at(-5)}, false, false, false},
		{"looked at, and not to be sent", -10, -9999, waiting{at: at(-10), due: at(-5), never: true}, false, false, false},
		{"changed since it was looked at", -5, -9999, waiting{at: at(-10), due: at(-5), never: true}, true, true, false},
		{"to be looked at later", -90, -9999, waiting{at: at(-90), due: at(1)}, false, true, false},
		{"changed before the first start", -600, -9999, waiting{}, false, false, false},
		{"only found", -10, -9999, waiting{}, true, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := change{url: "https://example.com/", hash: 1, at: at(row.change), found: row.found}
			n := Notifier{settings: settings{hold: 5 * time.Minute}, running: running{
				sent: sentPages{1: moment.Of(at(row.told))}, waits: map[hash]waiting{2: {at: at(-30), due: at(-25)}}}}
			n.st.Floor = at(-300)
			if n.st.Cursor = n.st.Floor; row.before != (waiting{}) {
				n.waits[1] = row.before
			}
			due := n.choose([]change{c}, noon)
			if len(due) == 1 != row.due || n.st.Pending == 1 != (row.waits && !row.found) {
				t.Errorf("due: %v, and %d wait; want %v, %v", due, n.st.Pending, row.due, row.waits && !row.found)
			}
			want := at(-2)
			if row.waits && c.at.Before(want) {
				want = c.at
			}
			if !n.st.Cursor.Equal(want) {
				t.Errorf("the cursor is %v, want %v", n.st.Cursor, want)
			}
			if _, kept := n.waits[2]; kept {
				t.Error("a page that waits no more is remembered")
			}
		})
	}
}

// several are changes of n pages, some time apart. A star in the URL stands for a number, two stars
// for a word.
func several(n int, path string, from time.Time, apart time.Duration) (changes []change) {
	for i := range n {
		word := string([]byte{byte('a' + i/26), byte('a' + i%26)})
		url := "https://example.com" + strings.Replace(strings.Replace(path, "**", word, 1), "*", strconv.Itoa(i+2), 1)
		changes = append(changes, change{url: url, hash: hashOf(url), at: from.Add(time.Duration(i) * apart)})
	}
	return changes
}

func TestArticleGoesBeforeManyPagesOfAnotherKind(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, many := range []string{
		"/item-*", "/news?page=*", "/tags/**", "/tags/**/all", "/2026/*/news/", "/*", "/search?q=**", "/search?**=1",
		"/blog/*", "/blog/tags/**",
	} {
		changes := slices.Concat(several(50, many, noon, time.Second), several(1, "/blog/article", noon.Add(time.Hour), 0),
			several(2, "/about/**", noon.Add(2*time.Hour), time.Second))
		n, got := new(Notifier), []string(nil)
		changes = n.choose(changes, noon.Add(3*time.Hour))
		for _, c := range changes {
			got = append(got, strings.TrimPrefix(c.url, "https://example.com"))
		}
		if want := []string{"/blog/article", "/about/aa", "/about/ab"}; !slices.Equal(got[:3], want) ||
			changes[3].at != noon {
			t.Errorf("beside %s the first are %q, want %q, and then the oldest", many, got[:4], want)
		}
	}
}

func TestHalfOfADayIsSpreadOverIt(t *testing.T) {
	for _, row := range []struct{ perDay, hour, sent, want int }{
		{10_000, 0, 0, 5000}, {10_000, 12, 5000, 2500}, {10_000, 12, 8000, -500}, {4, 0, 0, 2}, {4, 1, 2, 1}, {4, 13, 3, 1},
		{1, 0, 0, 1}, {20, 23, 18, 2}, {20, 23, 20, 0},
	} {
		n := Notifier{settings: settings{perDay: row.perDay},
			now: func() time.Time { return time.Date(2026, 11, 22, row.hour, 0, 0, 0, time.UTC) }}
		n.st.SentToday = row.sent
		if got := n.allowed(); got != row.want {
			t.Errorf("%d of %d sent at %d o'clock: %d are allowed, want %d", row.sent, row.perDay, row.hour, got, row.want)
		}
	}
}

func TestFoundPageIsNewsOnlyByItsDate(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(hours int) time.Time { return now.Add(-time.Duration(hours) * time.Hour) }
	for _, row := range []struct {
		name   string
		change change
		date   time.Time
		start  int // the notifier first ran so many hours ago
		news   bool
		never  bool // if it is no news, it is not looked at again
	}{
		{"changed, with an old date", change{at: ago(1)}, ago(9999), 999, true, false},
		{"found, with a date of this week", change{at: ago(1), found: true}, ago(6 * 24), 999, true, false},
		{"found, with a date before this week", change{at: ago(1), found: true}, ago(8 * 24), 999, false, false},
		{"found, with a date before the first start", change{at: ago(1), found: true}, ago(6 * 24), 48, false, false},
		{"found, without a date, which may follow", change{at: ago(1), found: true}, time.Time{}, 999, false, false},
		{"found, without a date for hours", change{at: ago(2), found: true}, time.Time{}, 999, false, true},
		{"changed hours ago", change{at: ago(2)}, time.Time{}, 999, true, false},
	} {
		listed := servemap.Explanation{Verdict: servemap.VerdictListed, Page: servemap.Page{LastModified: row.date}}
		base.Equal(t, isNews(listed, row.change, ago(row.start), now), row.news, "%s: it is news", row.name)
		base.Equal(t, lookLater(listed, row.change, now),
			waiting{at: row.change.at, due: now.Add(time.Hour), never: row.never},
			"%s: it waits", row.name)
	}
}

func TestOnlyPagesThatWereListedMayBeTold(t *testing.T) {
	for _, reason := range []servemap.Reason{
		servemap.ReasonNoEvidence, servemap.ReasonNotSeen, servemap.ReasonNoPage, servemap.ReasonActionWord,
		servemap.ReasonCapability,
		servemap.ReasonDuplicate, servemap.ReasonSoftNotFound, servemap.ReasonHeadNotSeen, servemap.ReasonEmpty,
		servemap.ReasonEncoding,
		servemap.ReasonRuleNever, servemap.ReasonDisallowed, servemap.ReasonForgotten, servemap.ReasonNoIndex,
		servemap.ReasonPrivate,
		servemap.ReasonNoStore, servemap.ReasonCanonicalElsewhere, servemap.ReasonCanonicalConflict,
		servemap.ReasonQueryNotCanonical,
		servemap.ReasonGone, servemap.ReasonNotFound, servemap.ReasonDenied, servemap.ReasonLoginRedirect,
		servemap.ReasonMoved,
		servemap.ReasonUnseen, servemap.ReasonNone,
	} {
		for _, left := range []servemap.Reason{"", servemap.ReasonGone, servemap.ReasonNoIndex, reason} {
			want := slices.Contains(gone, reason) && slices.Contains(gone, left)
			base.Equal(t, mayTell(servemap.Explanation{Reason: reason}, change{removed: true, reason: left}), want,
				"a page that left for %q and is out for %q", left, reason)
		}
	}
	for status, want := range map[int]bool{200: true, 304: true, 302: false, 401: false, 403: false, 404: false,
		410: false, 503: false} {
		listed := servemap.Explanation{Verdict: servemap.VerdictListed, Reason: servemap.ReasonLink, Status: status}
		if mayTell(listed, change{}) != want || mayTell(listed, change{removed: true}) {
			t.Errorf("a listed page that answered %d last: %v, want %v, and never if this process has taken it out", status,
				!want, want)
		}
	}
}
