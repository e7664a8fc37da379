package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

// sampleReport has 52 faults of two kinds and one piece of advice, found in another order.
func sampleReport() *Report {
	r := &Report{URL: "https://example.com", Options: "-crawl -seed 7", Site: "https://example.com",
		Time: time.Unix(1_800_000_000, 0).UTC(), Sample: Sample{Listed: 1169, Asked: 20, Read: 16, Seed: 7,
			Choice: "by chance"},
		Files: []File{{URL: "https://example.com/sitemap.xml", Form: "sitemap", Entries: 1169, Bytes: 1000}}}
	r.Add("unnamed", At{Where: "https://example.com/sitemap.xml"}, "is found by a line")
	for i := range 51 {
		r.Add("redirect", At{Where: fmt.Sprintf("https://example.com/%d", i)}, "redirects (301) to %s",
			"https://example.com/<script>alert(1)</script>")
	}
	r.Add("xml", At{Where: "https://example.com/sitemap.xml", Line: 3}, "%s", strings.Repeat("a", 1<<20))
	return r
}

var bare = Style{Paint: func(_, text string) string { return text }, Escape: func(text string) string { return text }}

func TestReportsSayTheSameInAllForms(t *testing.T) {
	r := sampleReport()
	for _, tt := range []struct {
		name  string
		write func(b *strings.Builder) error
		want  []string
	}{
		{"text", func(b *strings.Builder) error { return r.Text(b, false, bare) }, []string{
			"20 of 1,169 listed pages were asked for, chosen by chance: 16 answered with a page, 4 with a redirect, " +
				"an error or nothing. What is", "\nThe sitemap or the site cannot be read\n\n", "fault   1 error in the XML\n",
			"fault   51 pages redirect\n", "/2 redirects (301)", "and 48 more; -all names them", "\nMissing pages and dead links\n\n",
			"advice  1 sitemap is not named", "1,169 pages listed, 20 checked: 52 faults of 2 kinds, 1 piece of advice\n"}},
		{"text with all", func(b *strings.Builder) error { return r.Text(b, true, bare) },
			[]string{"/2 redirects (301)", "/3 redirects (301)"}},
		{"Markdown", func(b *strings.Builder) error { return r.Markdown(b, false) },
			[]string{"**1,169 pages listed, 20 checked: 52 faults of 2 kinds", "## The sitemap or the site cannot be read",
				"### 51 pages redirect (fault)",
				"- and 1 more", "## Missing pages and dead links", "### 1 sitemap is not named"}},
		{"CSV", func(b *strings.Builder) error { return r.CSV(b) },
			[]string{"level,kind,where,file,line,text,remedy,to\n", "fault,redirect,https://example.com/3,"}},
		{"HTML", func(b *strings.Builder) error { return r.HTML(b, false) },
			[]string{"li:nth-child(7))), .where > li, tr, .tiles, .card > p { break-inside: avoid; }",
				"<h1>52 faults of 2 kinds</h1>", "<p class=\"lead\">The sitemap of https://example.com lists",
				"<h2 class=\"part\">The sitemap or the site", "51 pages redirect</h3>", "&lt;script&gt;", "/49</a>",
				"and 1 more</li>", "<h2 class=\"part\">Missing pages", "servemap check https://example.com -crawl -seed 7</p>"}},
		{"JSON", func(b *strings.Builder) error { return r.JSON(b) },
			[]string{`{"level":"fault","kind":"redirect","where":"https://example.com/3"`, `{"level":"summary"`, `"faults":52`}},
	} {
		var b strings.Builder
		base.Check(t, tt.write(&b))
		text, from := b.String(), 0
		for _, want := range tt.want {
			at := strings.Index(text[from:], want)
			if at < 0 {
				t.Errorf("%s does not say %q in its place: %s", tt.name, want, text)
				break
			}
			from += at
		}
		if len(text) > 40_000 || strings.Contains(text, "<script>") && tt.name == "HTML" {
			t.Errorf("%s has %d bytes, or a script", tt.name, len(text))
		}
	}
	var b strings.Builder
	base.Check(t, r.JSON(&b))
	for line := range strings.Lines(b.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line is no JSON: %s", line)
		}
	}
}

func TestWhatDoesMostHarmComesFirst(t *testing.T) {
	r := &Report{}
	for _, kind := range []string{"changefreq", "dates-shared", "broken-link", "host", "noindex", "xml"} {
		r.Add(kind, At{Where: "https://example.com/" + kind}, "is wrong")
	}
	for form, write := range map[string]func(b *strings.Builder) error{
		"text": func(b *strings.Builder) error { return r.Text(b, false, bare) },
		"html": func(b *strings.Builder) error { return r.HTML(b, false) },
		"md":   func(b *strings.Builder) error { return r.Markdown(b, false) },
		"csv":  func(b *strings.Builder) error { return r.CSV(b) },
		"json": func(b *strings.Builder) error { return r.Document(b) }, "lines": func(b *strings.Builder) error { return r.JSON(b) },
	} {
		var b strings.Builder
		base.Check(t, write(&b))
		at := 0
		for _, kind := range []string{"xml", "noindex", "host", "broken-link", "dates-shared", "changefreq"} {
			next := strings.Index(b.String(), "example.com/"+kind)
			if next <= at {
				t.Errorf("%s: %s stands at %d, and what does more harm at %d", form, kind, next, at)
			}
			at = next
		}
	}
}

func TestAReportBeginsWithWhatMattersMost(t *testing.T) {
	const lists = "The sitemap of https://example.com lists "
	for _, tt := range []struct {
		name string
		Sample
		files int
		kinds string // that were found
		want  string
	}{
		{"a healthy site", Sample{Listed: 61, Asked: 61, Read: 61}, 1, "", lists +
			"61 pages, all of which were checked. Nothing is wrong " +
			"with what was checked."},
		{"one page", Sample{Listed: 1, Asked: 1, Read: 1}, 1, "", lists +
			"1 page, which was checked. Nothing is wrong with what was checked."},
		{"a small fault", Sample{Listed: 61, Asked: 20, Read: 20}, 1, "twice priority", lists +
			"61 pages, of which 20 were checked. What is " +
			"wrong does little harm: 1 duplicate URL: https://example.com/. List each page once."},
		{"what engines ignore", Sample{Listed: 61, Asked: 20, Read: 20}, 1, "changefreq", lists +
			"61 pages, of which 20 were checked. No fault " +
			"was found. What would help most: 1 changefreq is none of the protocol's words: https://example.com/. Leave it out, as engines ignore it, " +
			"or write always, hourly, daily, weekly, monthly, yearly or never, in lower case."},
		{"a broken site", Sample{Listed: 65, Asked: 65, Read: 63}, 1, "changefreq broken-link error error", lists +
			"65 pages, all of which were " +
			"checked. What matters most: 2 pages are answered with an error. Mend them, or do not list them."},
		{"a fault beside worse advice", Sample{Listed: 65, Asked: 65, Read: 65}, 1, "private private hreflang", lists +
			"65 pages, all of which " +
			"were checked. What matters most: 1 link to another language is wrong: https://example.com/. Mend the link, which engines ignore as it is."},
		{"more of a harm", Sample{Listed: 65, Asked: 65, Read: 65}, 1,
			"robots-blocks-file unreadable unreadable error error error", lists + "65 pages, " +
				"all of which were checked. What matters most: 2 files cannot be read. Have the server answer 200 with each file, or name them no longer."},
		{"what hits all of a harm", Sample{Listed: 65, Asked: 65, Read: 65}, 1, "blocked unreadable unreadable", lists +
			"65 pages, all of which " +
			"were checked. What matters most: the site is disallowed by robots.txt. Remove that line if the site is to be found: search engines fetch " +
			"nothing that it disallows."},
		{"no sitemap", Sample{}, 0, "missing no-sitemap",
			"No sitemap of https://example.com was read. What matters most: the site has " +
				"no sitemap. Serve one, and name it in robots.txt."},
		{"a wall", Sample{}, 0, "wall-file wall-file", "No sitemap of https://example.com was read. What matters most: 2 files are kept " +
			"from the checker by a bot wall. Allow the User-Agent servemap-check in the wall's rules, and see that it lets " +
			"search engines through."},
		{"a site of scripts", Sample{Listed: 61, Asked: 61, Read: 61}, 1, "slow scripts", lists +
			"61 pages, all of which were checked. No " +
			"fault was found. What would help most: 1 page says nothing without scripts: https://example.com/. Render the text on the server: most AI " +
			"crawlers run no scripts, and search engines run them later."},
		{"a site that robots.txt disallows", Sample{Listed: 61}, 1, "blocked", lists +
			"61 pages, none of which could be checked. What " +
			"matters most: the site is disallowed by robots.txt. Remove that line if the site is to be found: search engines fetch " +
			"nothing that it disallows."},
		{"a file that breaks off", Sample{}, 1, "xml", lists +
			"0 pages that can be read. What matters most: 1 error in the XML: " +
			"https://example.com/. Mend the program that writes the file: at an error a parser stops, and reads none of the file, or none of the rest."},
	} {
		r := &Report{Site: "https://example.com", Sample: tt.Sample, Files: make([]File, 1)}
		if tt.files > 0 {
			r.Files[0].Form = "sitemap"
		}
		for kind := range strings.FieldsSeq(tt.kinds) {
			r.Add(kind, At{Where: "https://example.com/"}, "is so")
		}
		if got := r.Lead(); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestTheSampleIsDescribed(t *testing.T) {
	for _, tt := range []struct {
		Sample
		want string
	}{
		{Sample{}, "No listed page was found."},
		{Sample{Listed: 1, Asked: 1, Read: 1}, "The one listed page was asked for: 1 answered with a page."},
		{Sample{Listed: 3, Asked: 3, Read: 3}, "All 3 listed pages were asked for: 3 answered with a page."},
		{Sample{Listed: 3, Asked: 2, Read: 2, Disallowed: 1},
			"2 of 3 listed pages were asked for: 2 answered with a page. Not asked for: 1 that robots.txt disallows."},
		{Sample{Listed: 83, Asked: 77, Read: 59, Walled: 2, Disallowed: 1, Unfit: 4, Elsewhere: 1},
			"77 of 83 listed pages were asked for: 59 answered with a page, " +
				"16 with a redirect, an error or nothing, 2 with a bot wall. So 75 were checked: a bot wall or a 429 says nothing " +
				"of a page. Not asked for: 1 that robots.txt disallows, 4 whose " +
				"address is wrong or not of this site, 1 on another host."},
		{Sample{Listed: 2, Asked: 2, Walled: 2}, "All 2 listed pages were asked for: 2 answered with a bot wall. So none was checked: " +
			"a bot wall or a 429 says nothing of a page."},
	} {
		r := &Report{Sample: tt.Sample}
		for range tt.Walled {
			r.Add("wall", At{Where: "https://example.com/"}, "is so")
		}
		if got := r.Asked(); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.Sample, got, tt.want)
		}
	}
}

func TestTheHeadlineSaysHowMuchCouldBeChecked(t *testing.T) {
	for _, tt := range []struct {
		Sample
		kind                 string // that was found
		headline, care, text string
	}{
		{Sample{Listed: 40, Asked: 40, Read: 40}, "unnamed", "No fault found", "good",
			"40 pages listed, 40 checked: 0 faults, 1 piece of advice"},
		{Sample{Listed: 40, Asked: 40}, "busy", "Nothing could be checked", "wait",
			"40 pages listed, 0 checked: nothing could be checked, 40 pieces of advice"},
		{Sample{Listed: 40}, "unnamed", "Nothing could be checked", "wait",
			"40 pages listed, 0 checked: nothing could be checked, 1 piece of advice"},
		{Sample{}, "wall-file", "Nothing could be checked", "wait",
			"0 pages listed, 0 checked: nothing could be checked, 1 piece of advice"},
		{Sample{Listed: 40, Asked: 40, Read: 1}, "wall", "1 of 40 pages could be checked", "wait",
			"40 pages listed, 1 checked: 1 of 40 pages could be checked, 39 pieces of advice"},
		{Sample{Listed: 40, Asked: 40}, "error", "40 faults", "look", "40 pages listed, 40 checked: 40 faults"},
	} {
		r := &Report{Sample: tt.Sample}
		for range max(1, tt.Asked-tt.Sample.Read) {
			r.Add(tt.kind, At{Where: "https://example.com/a"}, "is so & so")
		}
		if r.Headline() != tt.headline || r.Care() != tt.care || r.Result() != tt.text {
			t.Errorf("%+v: %s (%s): %s", tt.Sample, r.Headline(), r.Care(), r.Result())
		}
		var page, mark strings.Builder
		base.Check(t, r.HTML(&page, false))
		base.Check(t, r.Markdown(&mark, false))
		if !strings.Contains(page.String(), ": "+tt.headline+"</title>") || !strings.Contains(mark.String(), "so &amp; so") {
			t.Errorf("%s\n%s", page.String(), mark.String())
		}
	}
}

func TestOnlyWholeAddressesAreLinked(t *testing.T) {
	for where, linked := range map[string]bool{"https://example.com/@a?b=c@d": true, "HTTP://example.com": true,
		"/a":                  false,
		"ftp://example.com/a": false, "https://bob:secret@example.com/": false, "https://example.com/?PHPSESSID=1": false,
		"https://example.com/?reset_token=secret": false, "https://example.com/?to=secret%40example.com": false,
		"https://example.com/" + strings.Repeat("a", longest): false, "javascript:alert(1)": false, "https://example.com/a b": false} {
		r := &Report{URL: "https://example.com"}
		r.Add("loc", At{Where: where}, "is beside %s", where)
		for _, write := range []func(io.Writer, bool) error{r.HTML, r.Markdown,
			func(w io.Writer, _ bool) error { return r.CSV(w) },
			func(w io.Writer, _ bool) error { return r.JSON(w) }} {
			var page strings.Builder
			base.Check(t, write(&page, false))
			if got := strings.Contains(page.String(), "<a class=\"address\""); got && !linked ||
				strings.Contains(page.String(), "secret") {
				t.Errorf("%s: it is linked, or its password is shown: %s", where, page.String())
			}
		}
		var page strings.Builder
		base.Check(t, r.HTML(&page, false))
		if strings.Contains(page.String(), "<a class=\"address\"") != linked {
			t.Errorf("%s is linked: %v: %s", where, !linked, page.String())
		}
	}
}

func TestTitleThatNeedsNoCountHasNone(t *testing.T) {
	r := &Report{}
	r.Add("dates-shared", At{Where: "https://example.com/sitemap.xml"}, "gives all pages one lastmod")
	r.Add("twice", At{Where: "https://example.com/a"}, "is listed again")
	var page strings.Builder
	base.Check(t, r.HTML(&page, false))
	for _, want := range []string{`<td class="num big"></td><th scope="row"><a href="#dates-shared">The pages of a sitemap share`,
		`<td class="num big">1</td><th scope="row"><a href="#twice">`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("without %s: %s", want, page.String())
		}
	}
}

func TestTextNamesTenFilesOfMany(t *testing.T) {
	for n, all := range map[int]string{11: "", 12: "10 of 12 files; -all names all"} {
		r := &Report{}
		for i := range n {
			r.Files = append(r.Files, File{URL: fmt.Sprintf("https://example.com/%d.xml", i), Form: "sitemap"})
		}
		var text, mark strings.Builder
		base.Check(t, r.Text(&text, false, bare))
		base.Check(t, r.Markdown(&mark, false))
		if says := text.String(); strings.Contains(says, "/10.xml") != (all == "") || !strings.Contains(says, all) ||
			!strings.Contains(mark.String(), "/10.xml") {
			t.Errorf("of %d files: %s", n, says)
		}
	}
}

func TestHideKeepsTwoAddressesApart(t *testing.T) {
	for query, want := range map[string]string{
		"key=Zx81kkQpL09aa7Bv3nTq": "key=Zx81…", "code=9f8a7c6d5e4f3a2b1c0d": "code=9f8a…", "access_token=abcdefgh": "access_token=…",
		"api_key=abc": "api_key=…", "password=abc": "password=…", "search_keyword=chair": "search_keyword=chair",
		"secretary=1": "secretary=1", "signature_dish=soup": "signature_dish=soup", "tokens=3": "tokens=3",
		"to=a@example.com": "to=…", "title=a-long-novel-of-many-words": "title=a-long-novel-of-many-words",
	} {
		if got := Hide("https://example.com/x?" + query); got != "https://example.com/x?"+want {
			t.Errorf("%s: %s", query, got)
		}
	}
}
