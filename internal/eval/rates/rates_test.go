package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
		"burst looks": len(slices.Collect(visitors{bursty: true}.times(r, window, mean))),
	} {
		if got := window / float64(n); math.Abs(got/mean-1) > 0.1 {
			t.Errorf("%s: mean gap %.3f days, want 1", name, got/day)
		}
	}
}

func TestLabelsOfTheLiterature(t *testing.T) {
	var e estimators
	for i := range int64(11) { // three changes in ten looks a day apart
		e.saw(sight{at: start + i*int64(day), changed: i%3 == 0})
	}
	labels := e.labels()
	for i, l := range labels[:oursAt] {
		if l.freq != rate.Weekly {
			t.Errorf("%s: %v, want weekly", names[i], l.freq)
		}
	}
	if got, want := e.likeliest(), day/-math.Log(0.7); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("likeliest time between changes %.0f s, want %.0f, as at regular looks it has a closed form", got, want)
	}
}

func TestOursBeatsTheLiterature(t *testing.T) {
	const pages = 60
	for _, tt := range []struct {
		name string
		v    visitors
	}{
		{"bursts", visitors{bursty: true}},
		{"noise", visitors{noise: 0.01}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table := newTable()
			table.simulate(pages, 5, tt.v)
			c := table.all
			for i := range oursAt {
				if c[i].pages != pages || c[oursAt].exact <= c[i].exact {
					t.Errorf("of %d pages exact: %s %d, ours %d", c[i].pages, names[i], c[i].exact, c[oursAt].exact)
				}
			}
			var out strings.Builder
			table.print(&out)
			for _, part := range []string{"by visits per change", "by the right word", "by kind", "reliability", "range of the mean", "if always is said"} {
				if !strings.Contains(out.String(), part) {
					t.Errorf("nothing %s in:\n%s", part, &out)
				}
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if last := lines[len(lines)-1]; !regexp.MustCompile(`^ours: exact [01]\.\d\d within1 [01]\.\d\d rmse \d\.\d\d$`).MatchString(last) {
				t.Errorf("last line %q", last)
			}
		})
	}
}

func TestDatesTellMore(t *testing.T) {
	right := func(given float64) int {
		table := newTable()
		table.simulate(60, 2, visitors{noise: 0.02, given: given})
		return table.all[oursAt].exact
	}
	if without, with := right(0), right(1); with <= without {
		t.Errorf("%d pages exact with dates, %d without", with, without)
	}
}

func TestDatesAreOfTheChange(t *testing.T) {
	changes := slices.Values([]float64{0.5 * day, 3 * day, 4 * day, 29 * day})
	for _, dated := range []bool{false, true} {
		r := rand.New(rand.NewPCG(3, 3))
		last, seen := int64(0), 0
		n, _ := visitors{noise: 0.5}.look(r, 30*day, changes, false, dated, func(s sight) {
			if s.since > 0 && !(last < s.since && s.since <= s.at && s.changed) {
				t.Errorf("change at %d, found at %d after a look at %d", s.since, s.at, last)
			}
			if dated && s.changed != (s.since > 0) || !dated && s.since > 0 {
				t.Errorf("dated %t: %+v", dated, s)
			}
			last = s.at
			seen++
		})
		if n != seen || n < 2 {
			t.Errorf("%d looks counted, %d made", n, seen)
		}
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		name         string
		pages, seeds int
		share        float64
		ok           bool
	}{
		{"defaults", 3000, 1, 0, true},
		{"no pages", 0, 1, 0, false},
		{"no seeds", 1, 0, 0, false},
		{"share above all", 1, 1, 1.01, false},
		{"share not a number", 1, 1, math.NaN(), false},
	} {
		if err := inRange(tt.pages, tt.seeds, 0, tt.share); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
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
	file := filepath.Join(t.TempDir(), "site.tsv.gz")
	if err := newTable().replayFile(file, 600, 1, visitors{}); err == nil {
		t.Error("no error for a file that is not there")
	}
	text := "page\tunix\tmain\n"
	for i := range 600 {
		text += fmt.Sprintf("daily\t%d\t%d\n", 1_500_000_000+i*int(day), i)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	table := newTable()
	if err := table.replayFile(file, 600, 1, visitors{}); err != nil {
		t.Fatal(err)
	}
	if c := table.byKind["site"]; c == nil || c[oursAt].pages != 1 || c[oursAt].exact != 1 {
		t.Errorf("counts %+v, want one page named exactly", c)
	}
}
