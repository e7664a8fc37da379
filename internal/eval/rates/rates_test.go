package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/testkit/base"
)

// Pages of all rates have nearly all a word after a month, and it is right for more of them than any other way's.
func TestServemapsWordIsRightForMost(t *testing.T) {
	if testing.Short() {
		t.Skip("it is a measurement, if a small one")
	}
	r := rand.New(rand.NewPCG(5, 5))
	lives := visitors{20 * minute, 30 * day, 0}.meet(simulate(200, r), 200, r)
	const month = 2 // span
	all := func(lo, hi rate.Freq) bool { return true }
	ours := count(lives, 0, month, all)
	if ours.pages != 200 || ours.word < 190 || ours.near < 0.95*ours.word {
		t.Errorf("%+v", ours)
	}
	for i, w := range ways[1:] {
		if got := count(lives, i+1, month, all); got.right >= ours.right {
			t.Errorf("%s is right for %.0f pages, servemap for %.0f", w.name, got.right, ours.right)
		}
	}
	var out strings.Builder
	results{lives}.print(&out, "simulated")
	for _, part := range []string{"# simulated: 1, with 200 pages", "servemap", "flips a page and month",
		"hourly            the last gap"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("nothing %q in:\n%s", part, &out)
		}
	}
}

const lines = "page\tunix\tmain\n" +
	"a\t100\taa\n" +
	"a\t200\tbb\n" +
	"a\t300\tgone\n" +
	"a\t400\tbb\n" +
	"a\t500\tcc\n" +
	"b\t50\taa\n" +
	"b\t60\tgone\n" +
	"c\t70\tgone\n"

func TestParseHistoriesReadsTheChangesOfEachPage(t *testing.T) {
	pages, err := parseHistories(strings.NewReader(lines))
	if err != nil || len(pages) != 2 {
		t.Fatalf("%d pages, %v, want 2", len(pages), err)
	}
	a, b := pages[0], pages[1]
	if !slices.Equal(a.changes, []int64{100, 200, 500}) || a.end != 500 {
		t.Errorf("page a changed at %v, known until %d", a.changes, a.end)
	}
	if !slices.Equal(b.changes, []int64{50}) || b.end != 60 {
		t.Errorf("page b changed at %v, known until %d", b.changes, b.end)
	}
	if n := a.changesIn(101, 501); n != 2 {
		t.Errorf("%d changes of page a after its beginning, want 2", n)
	}
	for _, bad := range []string{"page\nx\n", "page\na\tb\tc\n", "page\na\t1\n"} {
		if _, err := parseHistories(strings.NewReader(bad)); err == nil {
			t.Errorf("%q gave no error", bad)
		}
	}
}

// A page that did not change in the time that judges it may have any word that is at least as slow.
func TestLifeIsJudgedByWhatThePageDidNext(t *testing.T) {
	file := filepath.Join(t.TempDir(), "site.tsv.gz")
	if _, err := readHistories(file); err == nil {
		t.Error("no error for a file that is not there")
	}
	text := "page\tunix\tmain\n"
	for i := range 600 {
		text += fmt.Sprintf("daily\t%d\t%d\n", start+i*int(day), i)
	}
	base.Check(t, os.WriteFile(file, []byte(text+fmt.Sprintf("once\t%d\t1\n", start)), 0o600))
	pages, err := readHistories(file)
	if err != nil || len(pages) != 2 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for i, want := range [][2]rate.Freq{{rate.Daily, rate.Daily}, {rate.Monthly, rate.Yearly}} {
		l := visitors{hour, hour, 0}.live(pages[i], rand.New(rand.NewPCG(1, 1)))
		if got := [2]rate.Freq{l.lo[2], l.hi[2]}; got != want || !l.judged[3] {
			t.Errorf("%v is right, want %v", got, want)
		}
		base.Equal(t, l.words[2][0], want[1], "the word")
	}
}
