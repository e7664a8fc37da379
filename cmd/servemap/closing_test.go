package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestSummaryOfACrawlSaysWhatWasAnswered(t *testing.T) {
	words.Use(words.Flags) // as run does
	at := func(path string) string { return "https://example.com" + path }
	broken := []inspect.Link{{URL: at("/gone"), Reason: "not-seen", Status: 404, From: []string{at("/a"), at("/")}}}
	groups := []inspect.Group{
		{Verdict: "listed", Reason: "link", Pages: 9, Care: messages.Fine},
		// three of them with a query that is skipped
		{Verdict: "waiting", Reason: "not-seen", Pages: 12, Care: messages.Wait},
		{Verdict: "excluded", Reason: "disallowed", Pages: 2, Care: messages.Intended},
		{Verdict: "excluded", Reason: eligibility.QueryNotCanonical.String(), Pages: 2, Care: messages.Intended},
	}
	named := map[string][]inspect.Link{"not-seen": {
		broken[0], {URL: at("/staff"), Status: 403}, {URL: at("/old"), Status: 302, To: at("/new")},
		{URL: at("/me"), Status: 302, To: at("/login")}, {URL: at("/a.pdf"), Status: 200},
	}}
	done := servemap.Exploration{Waiting: 4, Skipped: map[string]int{"disallowed": 2, "file": 7, "query": 5, "host": 1},
		Links: map[string][]string{"query": {at("/article.php?id=2"), at("/article.php?id=1")}}}
	var b strings.Builder
	plain := report.Style{Paint: func(_, text string) string { return text },
		Escape: func(text string) string { return text }}
	c := closing{listed: 1169, to: "sitemap.xml", broken: broken,
		from: func(string) ([]string, int) { return []string{at("/")}, 131 }}
	c.leave(done, groups, named)
	if err := c.write(&b, plain); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n1,169 listed · 1 broken link · 15 left out → sitemap.xml\n",
		"  https://example.com/gone  404, linked from https://example.com/ and 130 more\n",
		"1  address is on another host than the site's. A sitemap is for one host. If this one is yours too, crawl it",
		"4  pages were not asked for, as the limit of requests was reached.",
		"2  pages are disallowed by the site's robots.txt.", "1  page is refused (403). If it is public",
		"1  page sends visitors to log in",
		"1  link leads to a file that is not HTML. Only pages of HTML are listed. List PDFs and other files in a sitemap of your own, " +
			"such as /files.xml, and name it in robots.txt too.",
		"1  page redirects (302). Link to the address where it leads.",
		"2  pages have parameters of their own, and name no URL",
		"3  linked addresses have a parameter that -query does not name, or one without a value.",
		"- https://example.com/article.php?id=1\n        - https://example.com/article.php?id=2\n        and 1 more\n",
		"- https://example.com/old → https://example.com/new, linked from https://example.com/ and 130 more\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it does not say %q: %s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "visitor has got") || strings.Contains(b.String(), "did not get it") {
		t.Errorf("it says of what was crawled, or told by its cause, that nobody got it: %s", b.String())
	}
}

func TestSummaryOfACrawlSpeaksOfNoMissingBegin(t *testing.T) {
	for _, listed := range []int{0, 1} {
		c := closing{listed: listed, hints: []string{messages.NoPageYet.String(), "Another hint."}}
		c.leave(servemap.Exploration{}, nil, nil)
		if len(c.hints) != 1 {
			t.Errorf("with %d listed the hints are %q", listed, c.hints)
		}
	}
}

func TestSummaryOfACrawlTellsEachPageOnce(t *testing.T) {
	at := func(path string) string { return "https://example.com" + path }
	busy := inspect.Link{URL: at("/busy"), Reason: "no-page", Status: 503, From: []string{at("/")}}
	named := map[string][]inspect.Link{"no-page": {
		{URL: at("/")}, {URL: at("/a"), Status: 403}, {URL: at("/b"), Status: 403}, busy, {URL: at("/away"), Status: 302},
		{URL: at("/huge"), Status: 200},
	}, "not-seen": {{URL: at("/c"), Status: 403}, {URL: at("/p?lang=de&id=3")}}}
	groups := []inspect.Group{
		{Verdict: "waiting", Reason: "no-page", Pages: 6, Care: messages.Intended}, // with the entry, to which nothing links
		{Verdict: "waiting", Reason: "not-seen", Pages: 2, Care: messages.Wait},
	}
	walled := pages.Answer{Status: 403, Body: []byte("<title>Making sure you're not a bot!</title> within.website anubis")}
	got := map[string]*answered{
		at("/"): judged(at("/"), "", walled), at("/a"): judged(at("/a"), "", walled),
		at("/p?id=3&lang=de"): judged(at("/p?id=3&lang=de"), "", pages.Answer{Status: 200}),
		busy.URL:              judged(busy.URL, "", pages.Answer{Status: 503}),
		at("/away"): judged(at("/away"), "https://other.example/", pages.Answer{Status: 302,
			Header: http.Header{"Location": {"https://other.example/"}}}),
	}
	c := closing{broken: []inspect.Link{busy}, got: got}
	c.leave(servemap.Exploration{Skipped: map[string]int{"failed": 1, "off-site": 1, "large": 1},
		Links: map[string][]string{"large": {at("/huge")}}}, groups, named)
	rows := map[string]int{}
	for _, l := range c.left {
		rows[l.says()] += l.n
	}
	want := []leftOut{
		{n: 2, why: "pages are kept from the crawl by a bot wall (Anubis, 403)"},
		{n: 2, why: "pages are refused (403)"}, {n: 1, why: "link redirects to another host"},
		{n: 1, why: "page is larger than 16 MB"}, {n: 1, why: "with the parameters of an address that was asked for"},
	}
	for _, w := range want {
		for says, n := range rows {
			if strings.HasPrefix(says, w.why) && n == w.n {
				delete(rows, says)
			}
		}
	}
	if len(rows) > 0 || len(c.left) != len(want) || len(c.broken) != 1 {
		t.Errorf("%d rows, not told as they should be: %v; broken: %v", len(c.left), rows, c.broken)
	}
}

// TestCrawlThatIsCutTellsOnceWhatItDidNotAskFor has a site of which some pages are only in its sitemap.
func TestCrawlThatIsCutTellsOnceWhatItDidNotAskFor(t *testing.T) {
	site := siteOf(t, map[string]string{"/sitemap.xml": set("/1", "/2", "/3", "/4"),
		"/": aPage + "<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>"})
	_, says, errs := call(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"), "-max", "2")
	if n := strings.Count(says, "not asked for, as the limit"); n != 1 {
		t.Errorf("it says so %d times: %s%s", n, says, errs)
	}
	if strings.Contains(says, "no links that count") || strings.Contains(says, "no link that counts") {
		t.Errorf("it says what nobody knows yet: %s", says)
	}
}

// TestCrawlCountsEachPageWithAParameterOnce has a site of articles, of which a crawl tries some.
func TestCrawlCountsEachPageWithAParameterOnce(t *testing.T) {
	files, links := map[string]string{}, ""
	for n := range 12 {
		at := fmt.Sprintf("/article.php?id=%d", n)
		files[at] = fmt.Sprintf("<!doctype html><title>Article %d</title><main><p>It tells tale %d of many.</main>", n, n)
		links += "<a href=" + at + ">x</a>"
	}
	files["/"] = aPage + links
	says := must(t, "crawl", siteOf(t, files), "-out", filepath.Join(t.TempDir(), "sitemap.xml"))
	for _, want := range []string{" · 12 left out ", "Left out: 12 linked pages of /article.php with id.\n",
		"and 9 more; -all names them\n"} {
		if !strings.Contains(says, want) {
			t.Errorf("it does not say %q: %s", want, says)
		}
	}
}

// Large sites have ten languages: their addresses are kept where a crawl compares them, and not where check does.
func TestCrawlForCheckKeepsNoAddressesOfOtherLanguages(t *testing.T) {
	at := siteOf(t, map[string]string{"/": strings.Replace(aPage, "<title>",
		"<link rel=alternate hreflang=de href=/de><title>", 1)})
	for name, through := range map[string]http.RoundTripper{"crawl": nil, "check": http.DefaultTransport} {
		c := &crawl{through: through}
		site, err := c.find(t.Context(), at)
		base.Check(t, err)
		site.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, at+"/", nil))
		if a, heard := site.answers()[at+"/"]; !heard || (a != nil) != (name == "crawl") {
			t.Errorf("%s keeps %+v", name, a)
		}
	}
}
