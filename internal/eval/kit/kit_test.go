package kit

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/servemap/servemap/internal/testkit/base"
)

// wrkOutput is the output of wrk after five seconds.
const wrkOutput = `Running 5s test @ http://127.0.0.1:41001
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.02ms    1.39ms  20.55ms   88.87%
  Latency Distribution
     50%  469.00us
     99%    6.25ms
  260917 requests in 5.01s, 2.57GB read
Requests/sec:  52115.13
Transfer/sec:    525.10MB
`

func TestParseWrkReadsRequestsAndFailures(t *testing.T) {
	for _, tt := range []struct {
		name, out string
		requests  int
		fails     bool
	}{
		{"all well", wrkOutput, 260917, false},
		{"answers that are no pages", wrkOutput + "  Non-2xx or 3xx responses: 12\n", 260917, true},
		{"broken connections", wrkOutput + "  Socket errors: connect 0, read 3, write 0, timeout 0\n", 260917, true},
		{"nothing", "unable to connect\n", 0, true},
	} {
		got, err := parseWrk(tt.out)
		if got.Requests != tt.requests || (err != nil) != tt.fails {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
		if want := (Loaded{260917, 52115.13, 6250 * time.Microsecond}); err == nil && got != want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, want)
		}
	}
}

func TestMedianIsTheMiddleValue(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}} {
		if got := Median(tt.values); got != tt.want {
			t.Errorf("median of %v is %v, want %v", tt.values, got, tt.want)
		}
	}
}

func TestReadLinesOfCompressedFiles(t *testing.T) {
	for name, compress := range map[string]func(io.Writer) io.WriteCloser{
		"plain": func(w io.Writer) io.WriteCloser { return nopCloser{w} },
		"gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w)
			base.Check(t, err)
			return z
		},
	} {
		var b bytes.Buffer
		w := compress(&b)
		if _, err := io.WriteString(w, "one\ntwo\n"); err != nil {
			t.Fatal(err)
		}
		base.Check(t, w.Close())
		file := filepath.Join(t.TempDir(), name)
		base.Check(t, os.WriteFile(file, b.Bytes(), 0o600))
		var lines []string
		err := ReadLines(file, func(line string) { lines = append(lines, line) })
		if err != nil || !slices.Equal(lines, []string{"one", "two"}) {
			t.Errorf("%s: lines %q, error %v", name, lines, err)
		}
	}
	if err := ReadLines(filepath.Join(t.TempDir(), "missing"), nil); err == nil {
		t.Error("no error for a missing file")
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestReadSitemapFollowsTheIndex(t *testing.T) {
	files := map[string]string{
		"/sitemap.xml":   `<sitemapindex><sitemap><loc>` + Origin + `/sitemap-1.xml</loc></sitemap><sitemap><loc>` + Origin + `/sitemap-2.xml</loc></sitemap></sitemapindex>`,
		"/sitemap-1.xml": `<urlset><url><loc>` + Origin + `/a?b&amp;c</loc><lastmod>2026-01-01T00:00:00Z</lastmod></url></urlset>`,
		"/sitemap-2.xml": `<urlset><url><loc>` + Origin + `/</loc><changefreq>daily</changefreq></url></urlset>`,
	}
	s, err := ReadSitemap(t.Context(), func(_ context.Context, path string) (Answer, error) {
		return Answer{200, path, []byte(files[path])}, nil
	})
	base.Check(t, err)
	if len(s.Pages) != 2 || s.Pages["/a?b&c"].LastMod != "2026-01-01T00:00:00Z" || s.Pages["/"].ChangeFreq != "daily" {
		t.Errorf("pages %v", s.Pages)
	}
	if s.Tags != "/sitemap.xml/sitemap-1.xml/sitemap-2.xml" {
		t.Errorf("the tags are %q", s.Tags)
	}
	for status, fails := range map[int]bool{503: false, 404: true} {
		s, err := ReadSitemap(t.Context(), func(context.Context, string) (Answer, error) { return Answer{Status: status}, nil })
		if len(s.Pages) > 0 || (err != nil) != fails {
			t.Errorf("status %d: %d pages, error %v", status, len(s.Pages), err)
		}
	}
}

func TestWordsAreDistinct(t *testing.T) {
	words := Words()
	slices.Sort(words)
	if n := len(slices.Compact(words)); n != 64 {
		t.Errorf("%d distinct words, want 64", n)
	}
}
