package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/decide/rate"
)

func TestOursBeatsTheLiterature(t *testing.T) {
	if testing.Short() {
		t.Skip("it is a measurement, if a small one")
	}
	const pages = 100
	for _, v := range []visitors{{name: "bursts", bursty: true}, {name: "noise", noise: 0.01}} {
		t.Run(v.name, func(t *testing.T) {
			table := &table{name: v.name}
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
			for _, part := range []string{"# " + v.name + ": 100 pages", "ours: the right word for ", "published: "} {
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
	got, err := replayFile(file, 600, false, 1)
	if err != nil || got.name != "site" || len(got.scores) != 1 {
		t.Fatalf("%+v, %v, want one page", got, err)
	}
	if s := got.scores[0]; s.labels[oursAt].freq != rate.Daily || !s.truth.exact(rate.Daily) {
		t.Errorf("%+v, want daily", s)
	}
}
