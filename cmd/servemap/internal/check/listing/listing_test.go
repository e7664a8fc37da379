package listing

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/testkit/base"
)

// now is when the files of the tests are read.
var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// judge reads a file as one of https://example.com, whose robots.txt disallows /private/.
func judge(t testing.TB, at, contentType string, body []byte) (*report.Report, report.File, *Judge) {
	t.Helper()
	u, err := url.Parse(at)
	base.Check(t, err)
	r := &report.Report{}
	j := NewJudge(Site{
		Scheme: "https", Host: u.Host, Folder: "/", Now: now,
		Allows: func(path string) bool { return !strings.HasPrefix(path, "/private/") },
	}, r)
	f, _ := j.File(Answer{URL: u, Body: body, ContentType: contentType})
	j.Languages()
	j.Dates(at)
	r.Finish()
	return r, f, j
}

// typeOf returns the Content-Type that a file of that name should have.
func typeOf(name string) string {
	switch filepath.Ext(name) {
	case ".gz":
		return "application/gzip"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/xml"
}

// rows returns the rows of a table in testdata.
func rows(t *testing.T, name string) (all [][]string) {
	t.Helper()
	table, err := os.ReadFile(filepath.Join("testdata", name))
	base.Check(t, err)
	for line := range strings.Lines(string(table)) {
		if line[0] != '#' {
			all = append(all, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return all
}

// TestEachFaultIsFound reads files that have one fault each.
func TestEachFaultIsFound(t *testing.T) {
	kinds := map[string]bool{}
	for _, row := range rows(t, "faults.tsv") {
		name, kind, says := row[0], row[1], row[2]
		kinds[name] = true
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join("testdata", "faults", name))
			base.Check(t, err)
			typ := typeOf(name)
			if len(row) > 3 {
				typ = strings.Trim(row[3], "-")
			}
			r, _, _ := judge(t, "https://example.com/"+name, typ, body)
			if len(r.Groups) != 1 || r.Groups[0].Kind != kind {
				t.Fatalf("found %+v, want %s alone", r.Groups, kind)
			}
			if !slices.ContainsFunc(r.Groups[0].Findings, func(f report.Finding) bool { return strings.Contains(f.Text, says) }) {
				t.Errorf("it says %+v, want %q", r.Groups[0].Findings, says)
			}
		})
	}
	if len(kinds) < 90 {
		t.Errorf("there are %d faults", len(kinds))
	}
}

// TestGoodFilesHaveNoFault reads files as many tools write them.
func TestGoodFilesHaveNoFault(t *testing.T) {
	files, err := os.ReadDir(filepath.Join("testdata", "good"))
	base.Check(t, err)
	if len(files) < 19 {
		t.Errorf("there are %d files", len(files))
	}
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join("testdata", "good", file.Name()))
			base.Check(t, err)
			r, f, j := judge(t, "https://example.com/"+file.Name(), typeOf(file.Name()), body)
			if len(r.Groups) > 0 || f.Entries == 0 || f.Form != Index && len(j.Pages) != f.Entries {
				t.Errorf("found %+v in %+v", r.Groups, f)
			}
		})
	}
}

// BenchmarkFilesOfStrangers reads files that would take hours if what is declared or open were searched anew for each
// element. Each has 2 MB, so they should not differ by more than some ten times.
func BenchmarkFilesOfStrangers(b *testing.B) {
	fill := func(of func(i int) string) string {
		var text strings.Builder
		for i := 0; text.Len() < 2<<20; i++ {
			text.WriteString(of(i))
		}
		return text.String()
	}
	same := func(text string) string { return fill(func(int) string { return text }) }
	for _, bb := range []struct{ name, text string }{
		{"namespaces", "<urlset" + fill(func(i int) string { return fmt.Sprintf(` xmlns:n%d="a"`, i) }) + ">" + same("<n0:a/>")},
		{"attributes", "<urlset" + fill(func(i int) string { return fmt.Sprintf(` a:a%d=""`, i) }) + ">"},
		{"attributes that are there twice", "<urlset><!--" + same(" ") + "-->" + same(`<a b="" b=""/>`)},
		{"beginnings of roots", same("<urlset")},
		{"entries", "<urlset>" + same("<url><loc>https://example.com/</loc></url>")},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			for b.Loop() {
				judge(b, "https://example.com/sitemap.xml", "application/xml", []byte(bb.text))
			}
		})
	}
}

// FuzzFile reads files of strangers.
func FuzzFile(f *testing.F) {
	for _, name := range []string{"google-video.xml", "hugo-multilingual.xml", "rss.xml", "text.txt", "rails-sitemap-generator.xml.gz"} {
		body, err := os.ReadFile(filepath.Join("testdata", "good", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, file, j := judge(t, "https://example.com/sitemap.xml", "application/xml", body)
		if len(j.Pages) > file.Entries || file.Entries < 0 {
			t.Fatalf("%d pages in %+v", len(j.Pages), file)
		}
		for _, g := range r.Groups {
			for _, found := range g.Findings {
				if len(found.Text) > 2000 || len(found.Where) > 400 {
					t.Fatalf("a finding of %d bytes", len(found.Text))
				}
			}
		}
	})
}
