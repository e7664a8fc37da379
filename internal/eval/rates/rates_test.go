package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/decide/rate"
)

func TestKindsShareAllPages(t *testing.T) {
	sum := 0
	for _, k := range kinds {
		sum += k.share
	}
	if sum != 100 {
		t.Errorf("shares sum to %d %%", sum)
	}
}

func TestClassNamesTheLabelOfAMean(t *testing.T) {
	for _, tt := range []struct {
		name string
		mean float64
		want rate.Freq
	}{
		{"minutes", 10 * minute, rate.Hourly},
		{"below 4.9 hours", 4.89 * hour, rate.Hourly},
		{"above 4.9 hours", 4.91 * hour, rate.Daily},
		{"above 2.65 days", 2.66 * day, rate.Weekly},
		{"above 14.6 days", 14.7 * day, rate.Monthly},
		{"above 105 days", 106 * day, rate.Yearly},
		{"a century", 100 * year, rate.Yearly},
	} {
		if got := class(tt.mean); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestProcessesKeepTheirMean(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const window, mean = 20_000 * day, day
	for name, n := range map[string]int{
		"poisson":            len(slices.Collect(poisson(r, 0, window, mean))),
		"fixed":              len(slices.Collect(fixed(r, window, mean))),
		"weibull":            len(slices.Collect(weibullHalf(r, window, mean))),
		"apart":              len(slices.Collect(visitors{}.times(r, window, mean))),
		"burst observations": len(slices.Collect(visitors{bursty: true}.times(r, window, mean))),
	} {
		if got := window / float64(n); math.Abs(got/mean-1) > 0.1 {
			t.Errorf("%s: mean gap %.3f days, want 1", name, got/day)
		}
	}
}

func TestLiteratureLabelsPagesByTheirMean(t *testing.T) {
	var e estimators
	for i := range int64(11) { // three changes in ten observations a day apart
		e.saw(sight{start + i*int64(day), i%3 == 0})
	}
	labels := e.labels()
	for i, l := range labels[:oursAt] {
		if l.freq != rate.Weekly {
			t.Errorf("%s: %v, want weekly", names[i], l.freq)
		}
	}
	if got, want := e.likeliest(), day/-math.Log(0.7); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("likeliest time between changes %.0f s, want %.0f, as at regular observations it has a closed form", got, want)
	}
}

func TestOursBeatsTheLiterature(t *testing.T) {
	const pages = 100
	for _, v := range []visitors{{name: "bursts", bursty: true}, {name: "noise", noise: 0.01}} {
		t.Run(v.name, func(t *testing.T) {
			table := newTable(v.name)
			table.simulate(pages, 5, v)
			var exact [len(names)]int
			for _, s := range table.scores {
				for i, l := range s.labels {
					if s.truth.exact(l.freq) {
						exact[i]++
					}
				}
			}
			for i := range oursAt {
				if exact[oursAt] <= exact[i] || len(table.scores) != pages {
					t.Errorf("of %d pages exact: %s %d, ours %d", len(table.scores), names[i], exact[i], exact[oursAt])
				}
			}
			var out strings.Builder
			table.print(&out)
			for _, part := range []string{"# " + v.name + ": 100 pages", "right: never", "stopper", "of about the probability said", "range of the time"} {
				if !strings.Contains(out.String(), part) {
					t.Errorf("nothing %s in:\n%s", part, &out)
				}
			}
		})
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
	if n := a.changesBefore(a.split()); n != 1 {
		t.Errorf("%d changes of page a to learn from, want 1", n)
	}
	for _, bad := range []string{"page\nx\n", "page\na\tb\tc\n", "page\na\t1\n"} {
		if _, err := parseHistories(strings.NewReader(bad)); err == nil {
			t.Errorf("%q gave no error", bad)
		}
	}
}

func FuzzParseHistories(f *testing.F) {
	f.Add(lines)
	f.Fuzz(func(t *testing.T, s string) {
		pages, err := parseHistories(strings.NewReader(s))
		if err != nil {
			return
		}
		for _, h := range pages {
			if len(h.changes) == 0 || !slices.IsSorted(h.changes) {
				t.Fatalf("page %q changed at %v", h.page, h.changes)
			}
		}
	})
}

func TestDistinctPagesCountOnce(t *testing.T) {
	page := func(name string, every int64) *history {
		h := &history{page: name, end: 100 * every}
		for i := range int64(100) {
			h.changes = append(h.changes, i*every)
		}
		return h
	}
	pages := func() []*history { return []*history{page("a", 90_000), page("b", 90_000), page("c", 100_000)} }
	if n := len(sample(pages(), 600, false, 1)); n != 3 {
		t.Errorf("%d pages, want all 3", n)
	}
	if n := len(sample(pages(), 600, true, 1)); n != 2 {
		t.Errorf("%d distinct pages, want 2", n)
	}
}

func TestReplayReadsAFileOfHistories(t *testing.T) {
	file := filepath.Join(t.TempDir(), "site.tsv.gz")
	if _, err := replayFile(file, 600, false, 1); err == nil {
		t.Error("no error for a file that is not there")
	}
	text := "page\tunix\tmain\n"
	for i := range 600 {
		text += fmt.Sprintf("daily\t%d\t%d\n", 1_500_000_000+i*int(day), i)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := replayFile(file, 600, false, 1)
	if err != nil || table.name != "site" || len(table.scores) != 1 {
		t.Fatalf("%+v, %v, want one page", table, err)
	}
	if s := table.scores[0]; s.labels[oursAt].freq != rate.Daily || !s.truth.exact(rate.Daily) {
		t.Errorf("%+v, want daily", s)
	}
	all := newTable("all")
	all.merge(table)
	if all.visits != table.visits || all.scores[0].kind != "site" {
		t.Errorf("merged: %+v", all)
	}
}
