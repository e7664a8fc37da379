package notify

import (
	"slices"
	"strconv"
	"strings"
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
			c := change{url: "https://example.com/", hash: 1, at: at(row.change), told: at(row.told)}
			q := queue{read: noon, pages: map[hash]waiting{1: {at: at(row.first), due: at(row.first + 5)}, 2: {at: at(-30), due: at(-25)}}}
			q.follow([]change{c}, 5*time.Minute)
			if got := q.due([]change{c}, noon); len(got) == 1 != row.due || q.pending != 1 {
				t.Errorf("due: %v, want %v", got, row.due)
			}
			if !q.cursor.Equal(c.at) {
				t.Errorf("the cursor is %v, past the change at %v", q.cursor, c.at)
			}
			if _, kept := q.pages[2]; kept {
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

func TestMassChangeHoldsOnlyItsOwnGroup(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	join := func(all ...[]change) []change { return slices.Concat(all...) }
	article := several(1, "/article", noon.Add(-3*time.Minute), 0)
	for _, row := range []struct {
		name    string
		changes []change
		held    int
		group   string // of the mass change, "" for none
	}{
		{"none", nil, 0, ""},
		{"as many as may be", several(100, "/item-*", noon, time.Second), 0, ""},
		{"one more", several(101, "/item-*", noon, time.Second), 101, "/item-#"},
		{"the pages of a list, and an article", join(article, several(110, "/news?page=*", noon, time.Second)), 110, "/news?page"},
		{"words in a folder, and an article", join(article, several(110, "/tags/**", noon, time.Second)), 110, "/tags/"},
		{"words in folders below a folder", join(article, several(110, "/tags/**/all", noon, time.Second)), 110, "/tags/"},
		{"folders of numbers", join(article, several(110, "/2026/*/news/", noon, time.Second)), 110, "/#/#/news"},
		{"numbers beside an article in the same folder", join(article, several(110, "/*", noon, time.Second)), 110, "/#"},
		{"values that are words", join(article, several(110, "/search?q=**", noon, time.Second)), 110, "/search?q"},
		{"names of parameters that are words", join(article, several(110, "/search?**=1", noon, time.Second)), 110, "/search?"},
		{"two groups that are many only together", join(several(60, "/news?page=*", noon, 0), several(60, "/blog?page=*", noon, 0), article), 0, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			held, groups := massChange(row.changes, 100)
			if len(held) != row.held || strings.Join(groups, " ") != row.group {
				t.Errorf("%d are held, of %q; want %d of %q", len(held), groups, row.held, row.group)
			}
			if slices.ContainsFunc(held, func(c change) bool { return strings.HasSuffix(c.url, "/article") }) {
				t.Error("the article is held")
			}
		})
	}
}

func TestGroupsTakeTurns(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	changes := slices.Concat(several(50, "/news?page=*", noon, time.Second), several(1, "/article", noon.Add(time.Hour), 0), several(2, "/blog/**", noon.Add(2*time.Hour), time.Second))
	takeTurns(changes)
	var got []string
	for _, c := range changes[:5] {
		got = append(got, strings.TrimPrefix(c.url, "https://example.com"))
	}
	if want := []string{"/news?page=2", "/article", "/blog/aa", "/news?page=3", "/blog/ab"}; !slices.Equal(got, want) {
		t.Errorf("the first are %q, want %q", got, want)
	}
}

func TestOnlyPagesThatWereListedMayBeTold(t *testing.T) {
	gone := []servemap.Reason{servemap.ReasonGone, servemap.ReasonNotFound, servemap.ReasonMoved}
	for _, reason := range []servemap.Reason{
		servemap.ReasonNoEvidence, servemap.ReasonNotSeen, servemap.ReasonRiskyWord, servemap.ReasonActionWord, servemap.ReasonCapability,
		servemap.ReasonDuplicate, servemap.ReasonSoftNotFound, servemap.ReasonHeadNotSeen, servemap.ReasonEncoding,
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
