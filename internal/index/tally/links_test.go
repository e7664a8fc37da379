package tally

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
)

// reading returns the observation of a page with links, that a request with a query got.
func reading(t *testing.T, page, query string, at time.Time, links ...string) *observation.Observation {
	t.Helper()
	origin, err := location.ParseOrigin("https://e.x")
	base.Check(t, err)
	norm, err := location.New(origin, location.Config{})
	base.Check(t, err)
	body := "<!doctype html><title>x</title><main>"
	for _, l := range links {
		body += `<a href="` + l + `">` + l + `</a> `
	}
	o := &observation.Observation{
		Kind: eligibility.Witness, Location: page, At: at, Named: observation.Named{Query: query},
		Response: &response.Response{Status: http.StatusOK, Body: []byte(body + "</main>"),
			Header: response.Header{ContentType: "text/html"}},
	}
	o.ReadHeader(norm)
	o.Read(norm, true, 0, nil, nil)
	return o
}

func TestLinksOfListedPages(t *testing.T) {
	now := time.Now()
	names := func(all []Target) (text string) {
		for _, t := range all {
			text += fmt.Sprintf("%s<%s:%d:%d ", t.Location, strings.Join(t.From, ","), t.Status, t.Followed)
		}
		return strings.TrimSpace(text)
	}
	none := func() string { return "" }
	for _, tt := range []struct {
		name   string
		do     func(l *Links)
		want   string
		broken int
	}{
		{"a link that repeats the request",
			func(l *Links) { l.Read(reading(t, "/a", "next=/made-up", now, "/made-up", "/b")) }, "/b</a:0:0", 0},
		{"what the site asked for before it read the page that links there", func(l *Links) {
			l.Answered("/b", 500, true, none)
			l.Answered("/made-up", 404, true, none)
			l.Read(reading(t, "/a", "", now, "/b"))
		}, "/b</a:500:0", 1},
		{"a link that was taken away after pages had left", func(l *Links) {
			l.Read(reading(t, "/a", "", now, "/b", "/c"))
			l.Answered("/b", 404, false, none)
			l.Left(now)
			l.Read(reading(t, "/a", "", now, "/c"))
		}, "/c</a:0:0", 0},
		{"a link that was taken away from a page for which there was no room", func(l *Links) {
			for n := range pagesKept {
				l.read[fmt.Sprint(n)] = outgoing{}
			}
			l.Read(reading(t, "/a", "", now, "/b", "/c"))
			l.Read(reading(t, "/a", "", now, "/c"))
		}, "/c</a:0:0", 0},
		{"an answer of 404", func(l *Links) {
			l.Read(reading(t, "/a", "", now, "/b"))
			l.Read(reading(t, "/listed", "", now, "/b", "/c"))
			l.Answered("/b", 404, false, none)
			l.Answered("/b", 404, false, none)
			l.Answered("/unknown", 404, false, none)
		}, "/b</a,/listed:404:2 /c</listed:0:0", 1},
		{"what the store knows", func(l *Links) {
			l.Read(reading(t, "/a", "", now, "/b", "/c"))
			l.Answered("/b", 503, false, none)
			l.Knew("/b", 200)
			l.Knew("/c", 410)
		}, "/b</a:503:1 /c</a:410:0", 2},
		{"it came back", func(l *Links) {
			l.Read(reading(t, "/a", "", now, "/b"))
			l.Answered("/b", 500, false, none)
			l.Answered("/b", 200, false, none)
		}, "/b</a:200:2", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := NewLinks(func(location string) bool { return location == "/listed" || location == "/a" })
			tt.do(l)
			all := l.Targets()
			slices.SortFunc(all, func(a, b Target) int { return strings.Compare(a.Location, b.Location) })
			if got := names(all); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			base.Equal(t, l.Broken(), tt.broken, "broken")
		})
	}
}

func TestListedPagesThatLinkToAPage(t *testing.T) {
	now, listed := time.Now(), map[string]bool{"/a": true, "/b": true, "/listed": true}
	l := NewLinks(func(location string) bool { return listed[location] })
	l.Read(reading(t, "/a", "", now, "/listed", "/b", "/reset/8f14e45fceea167a5a36dedd4bea2543"))
	l.Read(reading(t, "/b", "next=/made-up", now, "/listed", "/made-up"))
	for _, tt := range []struct {
		name, location string
		do             func()
		want           string
	}{
		{"two pages", "/listed", func() {}, "/a /b"},
		{"none", "/a", func() {}, ""},
		{"a link that repeats the request", "/made-up", func() {}, ""},
		{"what looks like a secret", "/reset/8f14e45fceea167a5a36dedd4bea2543", func() {}, ""},
		{"pages that must be read again", "/listed", func() { l.Left(now) }, "/a /b"},
		{"a page that was read again without the link", "/listed", func() { l.Read(reading(t, "/a", "", now, "/b")) }, "/b"},
		{"a link that it had, to where the visitor came from", "/listed",
			func() { l.Read(reading(t, "/b", "from=/listed", now, "/listed")) }, "/b"},
		{"a link that it had to a page that is not listed, which the request names", "/c", func() {
			l.Read(reading(t, "/b", "", now, "/c", "/listed"))
			l.Read(reading(t, "/b", "from=/c", now, "/c", "/listed"))
		}, "/b"},
		{"a page that has left", "/listed", func() { listed["/b"] = false }, ""},
		{"pages that have left make room", "/b", func() {
			for n := range pagesKept {
				l.read[fmt.Sprint(n)] = outgoing{}
			}
			l.Left(now.Add(rereadEvery))
			l.Read(reading(t, "/listed", "", now, "/b"))
		}, "/a /listed"},
		{"there is room for some links only", "/listed", func() {
			l.kept = linksKept
			l.Read(reading(t, "/listed", "", now, "/listed", "/b"))
			l.Read(reading(t, "/a", "", now, "/listed"))
		}, "/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.do()
			base.Equal(t, strings.Join(l.From(tt.location), " "), tt.want, "from")
			if got, want := l.Count([]string{tt.location}, 0)[0].Pages, len(strings.Fields(tt.want)); got != want {
				t.Errorf("counted %d, want %d", got, want)
			}
		})
	}
}

// The owner must not read "0" of a page that a menu links to, as every visitor so far came from there.
func TestCountOfLinksIsCalledWholeOnlyWhereItIs(t *testing.T) {
	now := time.Now()
	l := NewLinks(func(location string) bool { return !strings.Contains(location, "unlisted") })
	count := func() (all string) {
		for _, c := range l.Count([]string{"/a", "/b"}, 3) {
			all += fmt.Sprint(c.Pages, " ", c.Whole, ", ")
		}
		return all
	}
	for _, tt := range []struct {
		name string
		do   func()
		want string
	}{
		{"one of three pages was read", func() { l.Read(reading(t, "/", "", now, "/b", "/b/")) }, "0 false, 1 false, "},
		{"one that the request names", func() { l.Read(reading(t, "/b", "from=/a", now, "/a")) }, "1 false, 1 false, "},
		{"and all of them", func() { l.Read(reading(t, "/a", "", now, "/unlisted")) }, "1 true, 1 true, "},
		{"there was no room", func() {
			l.kept = linksKept
			l.Read(reading(t, "/", "", now, "/b", "/b/", "/c"))
		}, "1 false, 0 false, "},
	} {
		tt.do()
		base.Equal(t, count(), tt.want, "%s", tt.name)
	}
}

func TestLinksAreBounded(t *testing.T) {
	l, now := NewLinks(func(location string) bool { return strings.HasPrefix(location, "/page") }), time.Now()
	l.Read(reading(t, "/page-0", "", now, "/broken"))
	l.Answered("/broken", 404, false, nil)
	for n := range 100 {
		var links []string
		for i := range 50 {
			links = append(links, fmt.Sprintf("/topic-%d/item-%d", n, i))
		}
		l.Read(reading(t, fmt.Sprintf("/page-%d", n+1), "", now.Add(time.Duration(n)*time.Second), links...))
	}
	all := l.Targets()
	if len(all) > targetsKept || all[0].Location != "/broken" || !slices.ContainsFunc(all,
		func(t Target) bool { return t.Location == "/topic-99/item-0" }) {
		t.Errorf("%d targets, the first %+v; want at most %d, what is broken, and what is new", len(all), all[0], targetsKept)
	}
}
