package listing

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/testkit/base"
)

// now is when the files of the tests are read.
var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// judge reads files of https://example.com, whose robots.txt disallows /private/, and returns how many entries they
// have.
func judge(t testing.TB, files ...Answer) (*report.Report, *Judge, int) {
	t.Helper()
	r, entries := &report.Report{}, 0
	j := NewJudge(Site{
		Scheme: "https", Host: "example.com", Folder: "/", Now: now,
		Disallows: robots.Parse([]byte("User-agent: *\nDisallow: /private/")).Disallows,
	}, r)
	for _, a := range files {
		f, _ := j.File(a)
		entries += f.Entries
	}
	j.Strays()
	j.Languages(nil)
	j.Dates(files[0].URL.String())
	return r, j, entries
}

// file returns a file of that name, with the Content-Type that it should have.
func file(name string, body []byte) Answer {
	return Answer{URL: &url.URL{Scheme: "https", Host: "example.com", Path: "/" + name}, Body: body,
		ContentType: typeOf(name)}
}

// stored returns a file of testdata.
func stored(t testing.TB, dir, name string) Answer {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", dir, name))
	base.Check(t, err)
	return file(name, body)
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
			a := stored(t, "faults", name)
			if len(row) > 3 {
				a.ContentType = strings.Trim(row[3], "-")
			}
			r, _, _ := judge(t, a)
			if len(r.Groups) != 1 || r.Groups[0].Kind != kind {
				t.Fatalf("found %+v, want %s alone", r.Groups, kind)
			}
			if !slices.ContainsFunc(r.Groups[0].Findings,
				func(f report.Finding) bool { return strings.Contains(f.Place()+" "+f.Text, says) }) {
				t.Errorf("it says %+v, want %q", r.Groups[0].Findings, says)
			}
			for _, f := range r.Groups[0].Findings {
				if strings.HasSuffix(strings.TrimSpace(f.Text), ":") {
					t.Errorf("it says %q, which names nothing at its end", f.Text)
				}
			}
		})
	}
	if len(kinds) < 90 {
		t.Errorf("there are %d faults", len(kinds))
	}
}

// TestGoodFilesHaveNoFault reads files as many tools write them.
func TestGoodFilesHaveNoFault(t *testing.T) {
	named := []string{}
	for _, row := range rows(t, "good.tsv") {
		named = append(named, strings.Fields(row[0])...)
		t.Run(row[0], func(t *testing.T) {
			files := []Answer{}
			for name := range strings.FieldsSeq(row[0]) {
				files = append(files, stored(t, "good", name))
			}
			r, j, entries := judge(t, files...)
			if len(r.Groups) > 0 || entries == 0 || len(j.Pages) != entries && len(j.Pages) > 0 {
				t.Errorf("found %+v", r.Groups)
			}
		})
	}
	files, err := os.ReadDir(filepath.Join("testdata", "good"))
	base.Check(t, err)
	if len(files) != len(named) {
		t.Errorf("%d of %d files are named", len(named), len(files))
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
		{"namespaces", "<urlset" + fill(func(i int) string { return fmt.Sprintf(` xmlns:n%d="a"`, i) }) + ">" +
			same("<n0:a/>")},
		{"attributes", "<urlset" + fill(func(i int) string { return fmt.Sprintf(` a:a%d=""`, i) }) + ">"},
		{"attributes that are there twice", "<urlset><!--" + same(" ") + "-->" + same(`<a b="" b=""/>`)},
		{"beginnings of roots", same("<urlset")},
		{"entries", "<urlset>" + same("<url><loc>https://example.com/</loc></url>")},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			for b.Loop() {
				judge(b, file("sitemap.xml", []byte(bb.text)))
			}
		})
	}
}

// FuzzFile reads files of strangers.
func FuzzFile(f *testing.F) {
	for _, name := range []string{"google-video.xml", "npm-sitemap.xml", "rss.xml", "text.txt",
		"rails-sitemap-generator.xml.gz"} {
		f.Add(stored(f, "good", name).Body)
	}
	f.Add([]byte(strings.Repeat("\x93", 5000))) // which %q writes in four letters each
	f.Fuzz(func(t *testing.T, body []byte) {
		r, j, entries := judge(t, file("sitemap.xml", body))
		if len(j.Pages) > entries {
			t.Fatalf("%d pages of %d entries", len(j.Pages), entries)
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

func TestWhatStandsInAWrongNamespaceIsJudgedToo(t *testing.T) {
	r, _, _ := judge(t, file("sitemap.xml",
		[]byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="http://www.google.com/schemas/sitemap-images/1.1">`+
			`<url><loc>https://example.com/a</loc><i:image><i:loc>/a.jpg</i:loc></i:image></url></urlset>`)))
	if !r.Has("namespace") || !r.Has("image") {
		t.Errorf("it says %+v", r.Groups)
	}
}

func TestFewPagesOfTheSiteAreNotToldToHaveNoDates(t *testing.T) {
	for _, loc := range []string{"http://localhost:18200/", "https://example.com/a"} {
		entries := strings.Repeat("<url><loc>"+loc+"</loc></url>", 2*fewDates)
		r, j, _ := judge(t, file("sitemap.xml", []byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+
			entries+"</urlset>")))
		if slices.ContainsFunc(r.Groups, func(g report.Group) bool { return g.Kind == "dates-none" }) {
			t.Errorf("of %d pages it says %+v", len(j.Pages), r.Groups)
		}
	}
}

func TestDatesOfEachFileAreJudged(t *testing.T) {
	const build, request = "2026-11-28T09:00:00Z", "2026-11-29T12:00:00Z"
	edited := func(i int) string { return fmt.Sprintf("2026-0%d-%02dT09:00:00Z", 1+i%9, 1+i%28) }
	for _, tt := range []struct {
		name  string
		parts []string // each gives 20 pages this date, "" their own, and of now the first three of the others
		again string   // what it gives in place of the time of the request once it is asked for again
		want  string
	}{
		{"true dates", []string{"", ""}, "", ""},
		{"one of a build", []string{build, "", ""}, "", "dates-shared part-0: 20 of its 20"},
		{"two of a build each, long ago", []string{"2026-10-02T09:00:00Z", "2026-10-02T09:30:00Z", "", ""}, "",
			"dates-shared part-0: 20 of its 20, dates-shared part-1: 20 of its 20"},
		{"all of a build", []string{build, build}, "", "dates-shared index: 40 of its 40"},
		{"all of a build by its day", []string{"2026-10-02", "2026-10-02"}, "", "dates-shared index: 40 of its 40"},
		{"files by day", []string{"2026-11-27", "2026-11-28", "2026-11-29"}, "", ""},
		{"two files of one day", []string{"2026-11-29", "2026-11-29", "", "", ""}, "", ""},
		{"an import long ago", []string{"2019-05-02T09:00:00Z", "", ""}, "", ""},
		{"one of a build, one of the request, one of edits", []string{build, request, ""}, "2026-11-29T12:00:10Z",
			"dates-shared part-0: 20 of its 20, dates-now part-1: 20 of its 20"},
		{"what was edited just now", []string{"some", ""}, request, ""},
		{"what was edited just now, and then again", []string{"some", ""}, "2026-11-29T12:00:03Z", ""},
		{"some of the request", []string{"some", ""}, "2026-11-29T12:00:09Z", "dates-now part-0: 3 of its 20"},
	} {
		r := &report.Report{}
		j := NewJudge(Site{Scheme: "https", Host: "example.com", Folder: "/", Now: now}, r)
		for n, date := range tt.parts {
			some := date == "some"
			text := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
			for i := range 20 {
				switch {
				case some && i < 3:
					date = request
				case some:
					date = ""
				}
				text += fmt.Sprintf("<url><loc>https://example.com/%d/%d</loc><lastmod>%s</lastmod></url>", n, i,
					cmp.Or(date, edited(7*n+i)))
			}
			text += "</urlset>"
			a := file(fmt.Sprint("part-", n), []byte(text))
			j.File(a)
			again := NewJudge(j.Site, &report.Report{})
			again.File(file(a.URL.Path[1:], []byte(strings.ReplaceAll(text, request, cmp.Or(tt.again, request)))))
			for _, name := range j.Fresh() {
				if name == a.URL.String() {
					j.Again(name, again.Pages, 10*time.Second)
				}
			}
		}
		j.Dates("https://example.com/index")
		var got []string
		for _, g := range r.Groups {
			for _, f := range g.Findings {
				says, _, _ := strings.Cut(strings.TrimPrefix(f.Text, "gives "), " pages")
				got = append(got, g.Kind+" "+strings.TrimPrefix(f.Where, "https://example.com/")+": "+says)
			}
		}
		base.Equal(t, strings.Join(got, ", "), tt.want, "%s", tt.name)
	}
}

func TestAddressesThatAreNotOnTheSite(t *testing.T) {
	const here, www, other = "https://example.com", "https://www.example.com", "https://other.example"
	for name, tt := range map[string]struct {
		form string
		of   map[string]int // how many addresses are on a site
		want string         // the kinds of findings, and how many there are
	}{
		"all on www":                   {"url", map[string]int{www: 12}, "wrong-site 1"},
		"the only one on www":          {"url", map[string]int{www: 1}, "wrong-site 1"},
		"all parts on www":             {"sitemap", map[string]int{www: 2}, "wrong-site 1"},
		"nearly all on www":            {"url", map[string]int{www: 9, here: 1}, "wrong-site 1"},
		"most on www":                  {"url", map[string]int{www: 8, here: 1}, "host 8"},
		"all twice, here and on www":   {"url", map[string]int{www: 12, here: 12}, "host 12"},
		"nearly all on another site":   {"url", map[string]int{other: 20, here: 2}, "host 20"},
		"parts on another site":        {"sitemap", map[string]int{other: 2}, "host 2"},
		"all by http":                  {"url", map[string]int{"http://example.com": 12}, "scheme 12"},
		"one by http, the rest on www": {"url", map[string]int{"http://example.com": 1, www: 20}, "scheme 1 wrong-site 1"},
	} {
		set := map[string]string{"url": "urlset", "sitemap": "sitemapindex"}[tt.form]
		text := "<" + set + ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
		for site, n := range tt.of {
			for i := range n {
				text += fmt.Sprintf("<%s><loc>%s/%d</loc></%[1]s>", tt.form, site, i)
			}
		}
		r, _, _ := judge(t, file("sitemap.xml", []byte(text+"</"+set+">")))
		var got []string
		for _, g := range r.Groups {
			if g.Level == "fault" {
				got = append(got, fmt.Sprint(g.Kind, " ", g.Count))
			}
		}
		slices.Sort(got)
		base.Equal(t, strings.Join(got, " "), tt.want, "%s", name)
	}
	all := file("sitemap.xml", []byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>`+www+
		`/a</loc></url></urlset>`))
	for want, files := range map[string][]Answer{"has 1 of 1 addresses on": {all},
		"is one of the files that have 2 of 2 addresses on": {all, file("more.txt", []byte(www+"/b"))}} {
		r, _, _ := judge(t, files...)
		if says := r.Groups[0].Findings[0].Text; !strings.HasPrefix(says, want) {
			t.Errorf("it says %q, want %q", says, want)
		}
	}
}
