package pages

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/testkit/base"
)

// now is when the pages of the tests are read.
var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// answerOf reads an answer as a server wrote it.
func answerOf(t *testing.T, name string) Answer {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "answers", name+".http"))
	base.Check(t, err)
	head, body, _ := bytes.Cut(text, []byte("\n\n"))
	resp, err := http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(head), strings.NewReader("\n\n"),
		bytes.NewReader(body))), nil)
	base.Check(t, err)
	return Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}
}

func TestEachAnswerIsJudged(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("testdata", "answers.tsv"))
	base.Check(t, err)
	for line := range strings.Lines(string(table)) {
		if line[0] == '#' {
			continue
		}
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		t.Run(row[0], func(t *testing.T) {
			p := &Page{Entry: listing.Entry{Loc: "https://example.com/chair"}, Answer: answerOf(t, row[0])}
			r := &report.Report{}
			Judge(p, now)
			Compare([]*Page{p}, nil, r, now)
			switch {
			case row[1] == "-" && len(r.Groups) > 0, row[1] != "-" && (len(r.Groups) != 1 || r.Groups[0].Kind != row[1]):
				t.Errorf("found %+v, want %s alone", r.Groups, row[1])
			case row[1] != "-" && !strings.Contains(r.Groups[0].Findings[0].Text, row[2]):
				t.Errorf("it says %q, want %q", r.Groups[0].Findings[0].Text, row[2])
			}
		})
	}
}

// dated returns a page with a lastmod, that says when it changed, and a Last-Modified.
func dated(loc, lastmod, own, sent string) *Page {
	body := "<!doctype html><title>A</title><main><p>A text about " + loc
	if own != "" {
		body = `<!doctype html><title>A</title><meta property="article:modified_time" content="` + own +
			`"><main><p>A text about ` + loc
	}
	h := http.Header{"Content-Type": {"text/html"}}
	if sent != "" {
		at, _ := time.Parse(time.DateOnly, sent)
		h.Set("Last-Modified", at.Format(http.TimeFormat))
	}
	d, _ := listing.ParseDate(lastmod)
	return &Page{Entry: listing.Entry{Loc: "https://example.com" + loc, Date: d},
		Answer: Answer{Status: 200, Header: h, Body: []byte(body)}}
}

// found judges pages, and returns the kinds of what is found.
func found(all ...*Page) string {
	for _, p := range all {
		Judge(p, now)
	}
	r := &report.Report{}
	Compare(all, nil, r, now)
	kinds := []string{}
	for _, g := range r.Groups {
		kinds = append(kinds, g.Kind)
	}
	return strings.Join(kinds, " ")
}

func TestDatesAreComparedWithThePage(t *testing.T) {
	for _, tt := range []struct{ name, lastmod, own, sent, want string }{
		{"the same", "2026-11-01", "2026-11-01T10:00:00Z", "2026-11-01", ""},
		{"a time zone apart", "2026-11-01T23:30:00-05:00", "2026-11-01", "", ""},
		{"the page changed later", "2026-11-01", "2026-11-10T10:00:00Z", "", "date-old"},
		{"the page changed earlier", "2026-11-20", "2026-11-10", "", "date-early"},
		{"in that month", "2026-11", "2026-11-10", "", ""},
		{"the page prints the time of the request", "2026-11-01", "2026-11-28T12:00:00Z", "", ""},
		{"Last-Modified is earlier", "2026-11-20", "", "2026-10-01", "date-header"},
		{"Last-Modified is later", "2026-11-01", "", "2026-11-15", "date-header"},
		{"Last-Modified is that of the request", "2026-11-01", "", "2026-11-28", "date-header"},
		{"no lastmod", "", "2026-11-10", "2026-11-10", ""},
		{"of two dates the earlier, of the server", "2026-11-01", "2026-11-10", "2026-11-01", ""},
		{"of two dates the earlier, of the page", "2026-11-01", "2026-11-01", "2026-11-10", ""},
		{"of two dates the later, of the server", "2026-11-10", "2026-11-01", "2026-11-10", "date-early"},
		{"of two dates the later, of the page", "2026-11-10", "2026-11-10", "2026-11-01", "date-header"},
		{"before both dates", "2026-10-01", "2026-11-10", "2026-11-01", "date-old"},
		{"between both dates", "2026-11-05", "2026-11-10", "2026-11-01", "date-old"},
	} {
		if got := found(dated("/a", tt.lastmod, tt.own, tt.sent)); got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
	shared := []*Page{dated("/a", "2026-11-01", "2026-11-20", "2026-11-20"),
		dated("/b", "2026-10-01", "2026-11-20", "2026-11-20"), dated("/c", "2026-09-01", "2026-11-20", "2026-11-20")}
	if got := found(shared...); got != "" {
		t.Errorf("dates of a build: found %q", got)
	}
}

func TestPagesThatShowTheSameAreFound(t *testing.T) {
	a, b, c := dated("/a", "", "", ""), dated("/b", "", "", ""), dated("/c", "", "", "")
	a.Body = b.Body
	r := &report.Report{}
	if got := found(a, b, c); got != "same" {
		t.Errorf("found %q", got)
	}
	Compare([]*Page{a, b, c}, nil, r, now)
	if f := r.Groups[0].Findings; len(f) != 1 || f[0].Where != b.Entry.Loc ||
		f[0].Text != "shows the same text as "+a.Entry.Loc {
		t.Errorf("it says %+v", f)
	}
	r = &report.Report{}
	d := dated("/d", "", "", "")
	Judge(d, now)
	Compare([]*Page{d}, d, r, now)
	if !r.Has("nowhere") {
		t.Error("what the site answers everywhere is taken for a page")
	}
	const text = "<!doctype html><title>A</title><nav><a href=/>Home</a></nav><h1>Ask us</h1><p>We answer within a day."
	for _, tt := range []struct{ name, a, b, want string }{
		{"forms with other labels", "<form><label>Name<input name=a></label></form>",
			"<form><label>City<input name=a></label></form>", ""},
		{"forms with other fields", "<form><input placeholder=Name></form>", "<form><input placeholder=City></form>", ""},
		{"forms for other visitors", "<form>Name<input><input type=hidden name=csrf value=1></form>",
			"<form>Name<input><input type=hidden name=csrf value=2></form>", "same"},
		{"other pictures", "<img src=/1.png>", "<img src=/2.png>", ""},
		{"other menus", "<nav><a href=/a>A</a></nav>", "<nav><a href=/b>B</a></nav>", "same"},
	} {
		a, b := dated("/a", "", "", ""), dated("/b", "", "", "")
		a.Body, b.Body = []byte(text+tt.a), []byte(text+tt.b)
		if got := found(a, b); got != tt.want {
			t.Errorf("%s: found %q", tt.name, got)
		}
	}
	var albums []*Page
	for i := range 4 {
		p := dated("/"+strconv.Itoa(i), "", "", "")
		p.Body = []byte(text + "<div style='background:url(/" + strconv.Itoa(i) + ".jpg)'></div>")
		albums = append(albums, p)
	}
	if got := found(albums...); got != "same" {
		t.Errorf("of pages with other backgrounds it says %q", got)
	}
	for others, want := range map[int]string{8: "instead", 9: "same"} { // three of some
		var all []*Page
		for i := range 3 + others {
			p := dated("/"+strconv.Itoa(i), "", "", "")
			if all = append(all, p); i < 3 {
				p.Body = []byte(text)
			}
		}
		if got := found(all...); got != want {
			t.Errorf("of 3 beside %d it says %q, want %q", others, got, want)
		}
	}
	b, c = dated("/b", "", "", ""), dated("/c", "", "", "")
	b.Body, c.Body = []byte(text), []byte(strings.Replace(text, "A</title>", "B</title>", 1))
	if got := found(b, c); got != "" {
		t.Errorf("of pages with other titles it says %q", got)
	}
}

func TestDatesAreComparedWithWhatWasSeen(t *testing.T) {
	at := func(text string) time.Time { d, _ := listing.ParseDate(text); return d.At }
	for _, tt := range []struct{ name, lastmod, first, changed, last, want string }{
		{"unchanged since before", "2026-10-01", "2026-11-01", "", "2026-11-20", ""},
		{"the date moved, the page did not", "2026-11-10T08:00:00Z", "2026-11-01", "", "2026-11-20", "seen-moved"},
		{"the page changed then", "2026-11-10", "2026-11-01", "2026-11-10T09:00:00Z", "2026-11-20", ""},
		{"the page changed, the date did not", "2026-10-01", "2026-11-01", "2026-11-10T09:00:00Z", "2026-11-20",
			"seen-changed"},
		{"seen for a moment", "2026-11-10", "2026-11-20", "", "2026-11-20", ""},
		{"after the last look", "2026-11-25", "2026-11-01", "", "2026-11-20", ""},
	} {
		r := &report.Report{}
		d, _ := listing.ParseDate(tt.lastmod)
		seen := Seen{at(tt.first), at(tt.last), at(tt.changed)}
		told := Observed(listing.Entry{Loc: "https://example.com/a", Date: d}, seen, r)
		if told != (tt.first != tt.last) {
			t.Errorf("%s: it was compared: %v", tt.name, told)
		}
		if got := len(r.Groups); (tt.want != "") != (got == 1) || got == 1 && r.Groups[0].Kind != tt.want {
			t.Errorf("%s: found %+v, want %q", tt.name, r.Groups, tt.want)
		}
	}
}

func TestPagesThatLookPrivateAreFound(t *testing.T) {
	ordinary := []string{"/", "/a", "/blog/how-to-build-a-house-2024", "/p/x7k2m9q4w1", "/iphone-15-pro-256gb",
		"/watch?v=dQw4w9WgXcQ"}
	const php, own = "no-store, no-cache, must-revalidate", "private, no-store"
	for _, tt := range []struct {
		name, path, sent, others string
		more                     int // addresses of the same kind
		want                     string
		links                    []string // of all ordinary pages
	}{
		{"a share", "/share/9f8a7c6d5e4f3a2b1c0d9e8f7a6b5c4d", "", "", 0, "private https://example.com/share/9f8a…", nil},
		{"a share to which no page that was read links, of which there may be more", "/share/9f8a7c6d5e4f3a2b1c0d9e8f7a6b5c4d", "",
			"", 0, "private https://example.com/share/9f8a…", ordinary},
		{"a link to choose a password", "/password/reset/kJ8sQ2mZx71LpQ0vT3nR", "", "", 0,
			"secret https://example.com/password/reset/kJ8s…", nil},
		{"a link to choose a password, with its key as a parameter", "/reset-password?key=Zx81kkQpL09aa7Bv3nTq", "", "", 0,
			"secret https://example.com/reset-password?key=Zx81…", nil},
		{"a product to which a page links", "/products/3f2504e0-4f89-41d3-9a0c-0305e82c3301", "", "", 0, "",
			[]string{"/", "/products/3f2504e0-4f89-41d3-9a0c-0305e82c3301"}},
		{"a product beside one to which a page links", "/products/3f2504e0-4f89-41d3-9a0c-0305e82c3301", "", "", 0, "",
			append(ordinary, "/products/7c9e6679-7425-40de-944b-e07fc1f90ae7")},
		{"an article about a reset", "/how-to-reset-a-phone-3f9a2b7c8d1e", "", "", 0, "private https://example.com/how-…", ordinary},
		{"a token", "/reset?token=8c1a2b", "", "", 0, "secret https://example.com/reset?token=8c1a…", nil},
		{"a page of one visitor", "/orders/1", own, "", 0, "private https://example.com/orders/1", nil},
		{"where all pages are sent so", "/orders/1", own, own, 0, "", nil},
		{"a session of PHP", "/contact", php, "", 0, "", nil},
		{"where all pages are named so", "/p/9f8a7c6d5e4f3a2b1c0d9e8f7a6b5c4d", "", "", 9, "", nil},
		{"a session in the address, which is told", "/a?PHPSESSID=8c1a2b3c4d5e6f708192a3b4c5d6e7f8", "", "", 0, "", nil},
	} {
		var listed []listing.Entry
		var all []*Page
		add := func(path, sent string, links ...string) {
			e, body := listing.Entry{Loc: "https://example.com" + path}, "<p>"+path
			for _, to := range links {
				body += "<a href=" + to + ">on</a>"
			}
			p := &Page{Entry: e, Answer: Answer{Status: 200, Body: []byte(body),
				Header: http.Header{"Content-Type": {"text/html"}, "Cache-Control": {sent}}}}
			Judge(p, now)
			listed, all = append(listed, e), append(all, p)
		}
		add(tt.path, tt.sent)
		for _, path := range ordinary {
			add(path, tt.others, tt.links...)
		}
		for i := range tt.more {
			add(tt.path+strconv.Itoa(i), "")
		}
		r, got := &report.Report{}, ""
		LooksPrivate(listed, all, true, r)
		for _, g := range r.Groups {
			for _, f := range g.Findings {
				got += g.Kind + " " + f.Where
			}
		}
		if got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFilesThatNoSiteMeansForAnybodyAreSecrets(t *testing.T) {
	for _, tt := range []struct{ path, typ, body, want string }{
		{"/.env", "text/plain", "KEY=1", "secret"},
		{"/shop/.env.local", "text/plain", "KEY=1", "secret"},
		{"/.env.example", "text/plain", "KEY=", ""},
		{"/.git/config", "text/plain", "[core]", "secret"},
		{"/.svn/wc.db", "application/octet-stream", "SQLite", "secret"},
		{"/.htpasswd", "text/plain", "bob:x", "secret"},
		{"/.aws/credentials", "text/plain", "[default]", "secret"},
		{"/wp-config.php.bak", "text/plain", "<?php", "secret"},
		{"/wp-config.php", "text/html", "<p>Hello.", ""},
		{"/server.pem", "text/plain", "-----BEGIN RSA PRIVATE KEY-----\nMII", "secret"},
		{"/both.pem", "text/plain", "-----BEGIN CERTIFICATE-----\nMII\n-----BEGIN PRIVATE KEY-----\nMII", "secret"},
		{"/ca.pem", "text/plain", "-----BEGIN CERTIFICATE-----\nMII", ""},
		{"/apt/release.key", "text/plain", "-----BEGIN PGP PUBLIC KEY BLOCK-----\nx", ""},
		{"/talk.key", "application/octet-stream", "PK\x03\x04", ""},
		{"/keys.txt", "text/plain", "A file that begins with -----BEGIN PRIVATE KEY----- is for few.", ""},
		{"/tags/.net/index.xml", "application/xml", "<rss/>", ""},
		{"/tags/.git/index.xml", "application/rss+xml", "<rss/>", ""},
		{"/.well-known/security.txt", "text/plain", "Contact: x", ""},
		{"/chinook.sql", "text/plain", "create table a (b int);", "dump"},
		{"/backup.sql.gz", "application/gzip", "x", "dump"},
	} {
		p := &Page{Entry: listing.Entry{Loc: "https://example.com" + tt.path},
			Answer: Answer{Status: 200, Body: []byte(tt.body), Header: http.Header{"Content-Type": {tt.typ}}}}
		Judge(p, now)
		if kind, _ := p.Exposed(); kind != tt.want {
			t.Errorf("%s: %q, want %q", tt.path, kind, tt.want)
		}
	}
}
