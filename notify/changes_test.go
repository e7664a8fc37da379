package notify

import (
	"slices"
	"testing"
	"time"

	"github.com/servemap/servemap"
)

func TestChangeIsDueAfterItsHold(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	for _, row := range []struct {
		name   string
		change int // when it was last changed, in minutes after noon
		first  int // when its first change was seen
		told   int // when it was last sent
		due    bool
	}{
		{"just changed", 0, 0, -9999, false},
		{"shortly before its hold ends", -4, -4, -9999, false},
		{"at the end of its hold", -5, -5, -9999, true},
		{"changed again, held from the first change", -1, -6, -9999, true},
		{"sent within the hour", -10, -10, -59, false},
		{"sent an hour ago", -10, -10, -60, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := change{url: "https://example.com/", hash: hash{1}, at: at(row.change), told: at(row.told)}
			n := &Notifier{limits: limits{hold: 5 * time.Minute}, queue: queue{first: map[hash]time.Time{{1}: at(row.first), {2}: at(-30)}}}
			if got := n.due([]change{c}, noon); len(got) == 1 != row.due {
				t.Errorf("due: %v, want %v", got, row.due)
			}
			if !n.cursor.Equal(c.at) {
				t.Errorf("the cursor is %v, past the change at %v", n.cursor, c.at)
			}
			if _, kept := n.first[hash{2}]; kept {
				t.Error("a page that waits no more is remembered")
			}
		})
	}
}

func TestRushIsTooManyChangesForTheSite(t *testing.T) {
	for _, row := range []struct {
		changed, listed int
		want            bool
	}{
		{0, 0, false}, {100, 0, false}, {101, 0, true}, {100, 150, false}, {101, 150, true},
		{250, 1000, false}, {251, 1000, true}, {300, 1000, true}, {300, 100_000, false},
	} {
		if got := (&rush{changed: row.changed}).is(row.listed); got != row.want {
			t.Errorf("%d of %d pages: %v, want %v", row.changed, row.listed, got, row.want)
		}
	}
}

func TestOnlyPagesThatWereListedMayBeTold(t *testing.T) {
	gone := []servemap.Reason{servemap.ReasonGone, servemap.ReasonNotFound, servemap.ReasonMoved}
	for _, reason := range []servemap.Reason{
		servemap.ReasonNoEvidence, servemap.ReasonNotSeen, servemap.ReasonRiskyWord, servemap.ReasonActionWord, servemap.ReasonCapability,
		servemap.ReasonDuplicate, servemap.ReasonSoftNotFound, servemap.ReasonGrowth, servemap.ReasonHeadNotSeen, servemap.ReasonEncoding,
		servemap.ReasonRuleNever, servemap.ReasonDisallowed, servemap.ReasonForgotten, servemap.ReasonNoIndex, servemap.ReasonPrivate,
		servemap.ReasonNoStore, servemap.ReasonCanonicalElsewhere, servemap.ReasonCanonicalConflict, servemap.ReasonQueryNotCanonical,
		servemap.ReasonGone, servemap.ReasonNotFound, servemap.ReasonDenied, servemap.ReasonLoginRedirect, servemap.ReasonMoved,
		servemap.ReasonUnseen, servemap.ReasonNone,
	} {
		for _, left := range []servemap.Reason{"", servemap.ReasonGone, servemap.ReasonNoIndex, reason} {
			want := slices.Contains(gone, reason) && slices.Contains(gone, left)
			if got := mayTell(servemap.Explanation{Reason: reason}, change{removed: true, reason: left}); got != want {
				t.Errorf("a page that left for %q and is out for %q: %v, want %v", left, reason, got, want)
			}
		}
	}
	for status, want := range map[int]bool{200: true, 304: true, 302: false, 401: false, 403: false, 404: false, 410: false, 503: false} {
		listed := servemap.Explanation{Verdict: servemap.VerdictListed, Reason: servemap.ReasonLink, Status: status}
		if mayTell(listed, change{}) != want || mayTell(listed, change{removed: true}) {
			t.Errorf("a listed page that answered %d last: %v, want %v, and never if this process has taken it out", status, !want, want)
		}
	}
}
