package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const paragraph = "<p>This paragraph of the page %s says the same at each of the looks that anybody has at it.</p>"

// body is a page with a token that nobody sees.
func body(name, text string, n int) string {
	return fmt.Sprintf(`<html><head><meta name=token content=%d></head><body><main>`+paragraph+`%s</main></body></html>`, n, name, text)
}

// history is one of two pages, of which the first changes at the fourth fetch.
func history(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	for n := range 6 {
		for _, name := range []string{"a", "b"} {
			f := fetch{Site: "site", Page: name, Unix: int64(1_700_000_000 + n*43200), Truth: truthSame, HTML: body(name, "", n)}
			switch {
			case n == 0:
				f.Truth = truthFirst
			case name == "a" && n >= 3:
				f.HTML = body(name, "<p>And now it says something that it has never said before.</p>", n)
				if n == 3 {
					f.Truth = truthChange
				}
			}
			line, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
	}
	return b.String()
}

func TestReplay(t *testing.T) {
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(z, history(t)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{"plain": history(t), "zstd": packed.String()} {
		t.Run(name, func(t *testing.T) {
			var r report
			if err := replay(context.Background(), strings.NewReader(in), &r); err != nil {
				t.Fatal(err)
			}
			all := r.sum().All
			raw, ours := all[0], all[len(all)-1]
			if raw.Found != 1 || raw.False != 9 || raw.Asked != 12 {
				t.Errorf("by the bytes there are %d changes found, %d false, of %d asked; want 1, 9, 12", raw.Found, raw.False, raw.Asked)
			}
			if ours.F1 != 1 || ours.LastMod != 1 || ours.Pages != 2 || ours.Fetches != 12 || ours.Bytes == 0 {
				t.Errorf("ours: %+v, want no mistake in 12 fetches of 2 pages", ours)
			}
			var out strings.Builder
			r.print(&out)
			if !strings.HasSuffix(out.String(), "\nours: F1 1.00 lastmod 1.00\n") {
				t.Errorf("printed:\n%s", out.String())
			}
		})
	}
}

func TestReplayRefuses(t *testing.T) {
	for in, want := range map[string]string{
		`{"site":"s","page":"p","unix":1,"truth":"maybe","html":""}`: `line 1: truth "maybe"`,
		`{"site":`: "line 1: unexpected EOF",
	} {
		var r report
		if err := replay(context.Background(), strings.NewReader(in), &r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", in, err, want)
		}
	}
}

// A change dated to a fetch of which nobody knows is neither right nor wrong,
// and the last change from then on.
func TestUnclearFetches(t *testing.T) {
	p := newPage(1)
	var sum tally
	for _, f := range []fetch{{Unix: 10, Truth: truthFirst}, {Unix: 20, Truth: truthUnclear}, {Unix: 30, Truth: truthSame}} {
		p.note(&f)
	}
	p.publish(0, 20, &sum)
	p.count(0, &sum)
	if sum.Exact != 1 || sum.Found+sum.False+sum.Missed != 0 {
		t.Errorf("%+v, want one exact date and nothing scored", sum)
	}
}

func TestADateBetweenTwoFetchesStandsForTheLaterOne(t *testing.T) {
	p := newPage(1)
	for _, unix := range []int64{10, 20, 30} {
		p.note(&fetch{Unix: unix, Truth: truthSame})
	}
	for date, want := range map[int64]int64{0: 0, 5: 0, 10: 0, 11: 20, 20: 20, 25: 30, 31: 0} {
		if got := p.fetchOf(date); got != want {
			t.Errorf("the date %d stands for %d, want %d", date, got, want)
		}
	}
}
