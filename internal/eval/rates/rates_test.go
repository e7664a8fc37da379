package main

import (
	"compress/gzip"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/rate"
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

func TestClass(t *testing.T) {
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
		"poisson":     len(slices.Collect(poisson(r, 0, window, mean))),
		"fixed":       len(slices.Collect(fixed(r, window, mean))),
		"weibull":     len(slices.Collect(weibullHalf(r, window, mean))),
		"looks":       len(slices.Collect(visitors{}.times(r, window, mean))),
		"burst looks": len(slices.Collect(visitors{burst: true}.times(r, window, mean))),
	} {
		if got := window / float64(n); math.Abs(got/mean-1) > 0.1 {
			t.Errorf("%s: mean gap %.3f days, want 1", name, got/day)
		}
	}
}

func TestLabelsOfTheLiterature(t *testing.T) {
	var e estimators
	for i := range int64(11) { // three changes in ten looks a day apart
		e.saw(start+i*int64(day), i%3 == 0)
	}
	l := e.labels()
	if l[0].freq != rate.Weekly || l[1].freq != rate.Weekly {
		t.Errorf("naive %v, cho %v, want weekly of both", l[0].freq, l[1].freq)
	}
}

func TestOursBeatsTheLiteratureOnBursts(t *testing.T) {
	table := simulate(150, 5, 0, visitors{burst: true}, 0.5)
	c := table.counts[all]
	if c[0].pages != 150 || c[2].exact <= c[1].exact || c[2].exact <= c[0].exact {
		t.Errorf("of %d pages exact: naive %d, cho %d, ours %d", c[0].pages, c[0].exact, c[1].exact, c[2].exact)
	}
	var out strings.Builder
	table.print(&out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "ours: exact 0.") {
		t.Errorf("last line %q", last)
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

func TestParseHistories(t *testing.T) {
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

func TestReplay(t *testing.T) {
	dir := t.TempDir()
	if _, err := replay(dir, 1, visitors{}, 0.5); err == nil {
		t.Error("no error for an empty folder")
	}
	f, err := os.Create(filepath.Join(dir, "site.tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	z.Write([]byte("page\tunix\tmain\n"))
	for i := range 600 {
		z.Write([]byte("daily\t" + strconv.Itoa(1_500_000_000+i*int(day)) + "\t" + strconv.Itoa(i) + "\n"))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	table, err := replay(dir, 1, visitors{}, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	if c := table.counts["site"]; c == nil || c[2].pages != 1 || c[2].exact != 1 {
		t.Errorf("counts %+v, want one page named exactly", c)
	}
}
