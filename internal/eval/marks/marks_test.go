package marks

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
)

var later = flag.String("visits", "", "when each page is visited again after a fetch, such as 1h,24h")

// TestHistories replays the files that the command line names. It prints, and judges nothing.
func TestHistories(t *testing.T) {
	if flag.NArg() == 0 {
		t.Skip("no files of histories are given")
	}
	var after []time.Duration
	for s := range strings.FieldsFuncSeq(*later, func(r rune) bool { return r == ',' }) {
		d, err := time.ParseDuration(s)
		base.Check(t, err)
		after = append(after, d)
	}
	for _, name := range flag.Args() {
		var r report
		base.Check(t, kit.ReadFile(name, func(lines io.Reader) error {
			return replay(t, func(each func(*fetch) error) error { return read(lines, each) }, after, &r)
		}))
		printTable(os.Stdout, filepath.Base(name), r)
	}
}

const paragraph = "<p>This paragraph of the page %s says the same at each of the observations that anybody makes of " +
	"it.</p>"

// body is a page with a token that visitors do not see.
func body(name, text string, n int) string {
	return fmt.Sprintf(`<html><head><meta name=token content=%d></head><body><main>`+paragraph+`%s</main></body></html>`,
		n, name, text)
}

// twoPages is a history of two pages, of which the first changes at the sixth fetch.
func twoPages(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	for n := range 8 {
		for _, name := range []string{"a", "b"} {
			f := fetch{Site: "site", Page: name, Unix: int64(1_700_000_000 + n*43200), Truth: truthSame, HTML: body(name, "", n)}
			switch {
			case n == 0:
				f.Truth = truthFirst
			case name == "a" && n >= 5:
				f.HTML = body(name, "<p>And now it says something that it has never said before.</p>", n)
				if n == 5 {
					f.Truth = truthChange
				}
			}
			line, err := json.Marshal(f)
			base.Check(t, err)
			b.Write(append(line, '\n'))
		}
	}
	return b.String()
}

// fromText reads a history from a text.
func fromText(in string) history {
	return func(each func(*fetch) error) error { return read(strings.NewReader(in), each) }
}

func TestReplayCountsWhatEachDetectorFinds(t *testing.T) {
	var r report
	base.Check(t, replay(t, fromText(twoPages(t)), nil, &r))
	all := r
	text, ours := all[0], all[len(baselines)]
	if text.found != 1 || text.wrong != 0 || text.asked != 16 {
		t.Errorf("by the text there are %d changes found, %d false, of %d asked; want 1, 0, 16", text.found, text.wrong,
			text.asked)
	}
	if ours.f1() != 1 || ours.lastMod() != 1 || ours.pages != 2 || ours.fetches != 16 {
		t.Errorf("ours: %+v, want no mistake in 16 fetches of 2 pages", ours)
	}
	var out strings.Builder
	printTable(&out, "both pages", r)
	if !strings.Contains(out.String(), "the mark alone                1.000   1.000      1      0       0") {
		t.Errorf("printed:\n%s", out.String())
	}
}

func TestReplayNamesTheLineThatItCannotRead(t *testing.T) {
	for in, want := range map[string]string{
		`{"site":"s","page":"p","unix":1,"truth":"maybe","html":""}`: `line 1: truth "maybe"`,
		`{"site":`: "line 1: unexpected EOF",
	} {
		var r report
		if err := replay(t, fromText(in), nil, &r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", in, err, want)
		}
	}
}

// A change dated to a fetch with unknown truth is neither right nor wrong, and counts as
// the last change from then on.
func TestFetchesWithUnknownTruthAreNeitherRightNorWrong(t *testing.T) {
	p := newPage(1)
	var sum tally
	for _, f := range []fetch{{Unix: 10, Truth: truthFirst}, {Unix: 20, Truth: truthUnclear},
		{Unix: 30, Truth: truthSame}} {
		p.note(&f)
	}
	p.publish(0, 20, &sum)
	p.count(0, &sum)
	if sum.exact != 1 || sum.found+sum.wrong+sum.missed != 0 {
		t.Errorf("%+v, want one exact date and nothing scored", sum)
	}
}

func TestADateBetweenTwoFetchesStandsForTheLaterOne(t *testing.T) {
	p := newPage(1)
	for _, unix := range []int64{10, 20, 30} {
		p.note(&fetch{Unix: unix, Truth: truthSame})
	}
	for date, want := range map[int64]int64{0: 0, 5: 0, 10: 0, 11: 20, 20: 20, 25: 30, 31: 0} {
		base.Equal(t, p.fetchOf(date), want, "the date %d stands for", date)
	}
}
