package explore

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/testkit/base"
)

// text returns what a page shows.
func text(blocks ...string) (t html.Text) {
	for _, b := range blocks {
		t.Blocks = append(t.Blocks, html.Block{Text: b, Main: true})
	}
	return t
}

func TestShapeOfAnAddress(t *testing.T) {
	l := NewLedger(1000)
	for _, tt := range []struct {
		location string
		query    bool
		want     string
	}{
		{"/", false, "/*"}, {"/about", false, "/*"}, {"/2026", false, "/#"}, {"/docs/", false, "/*"},
		{"/docs/index.html", false, "/*"},
		{"/products/17", false, "/products/#"}, {"/products/17.html", false, "/products/#"},
		{"/products/a-shoe", false, "/products/*"},
		{"/products/page/2", false, "/products/page/#"}, {"/products/kitchen/page/2", false, "/products/page/#"},
		{"/products?page=2", false, "/products?page"}, {"/products/kitchen?page=2", false, "/products?page"},
		{"/calendar/2026/05", false, "/calendar/#"}, {"/calendar/2026-05-17", false, "/calendar/#"},
		{"/n/1/2/3/4", false, "/n/#"},
		{"/2026/05/17/a-title", false, "/#/*"}, {"/shop-7/red/blue", false, "/shop-#/*"},
		{"/?p=5", false, "?p"}, {"/?p=5", true, "??p"}, {"/list?sort=up", true, "?/list?sort"},
		{"/list?f7=1&f8=2", true, "?/list?f#&f#"},
	} {
		base.Equal(t, l.shape(tt.location, tt.query), tt.want, "%s has the shape", tt.location)
	}
	for i := range 200 {
		l.shape("/user-"+strings.Repeat("x", i)+"/posts", false)
	}
	if got := l.shape("/another-user/posts", false); got != "/*/*" || l.shape("/products/a-shoe", false) != "/products/*" {
		t.Errorf("beside many folders, another one has the shape %q", got)
	}
}

func TestNameOfALocationIsNewOnce(t *testing.T) {
	l := NewLedger(1000)
	for _, tt := range []struct {
		location string
		is       bool
	}{
		{"/", true},
		{"/shoes/red", true}, {"/shoes/size-9", true}, {"/shoes/red/size-9", false}, {"/shoes/size-9/red", false},
		{"/shoes/blue+red", false},
		{"/shoes/red/index.html", false}, {"/hats/index.html", true},
		{"/n/1", true}, {"/n/2", true}, {"/n/2/1", false}, {"/n/2/99", false}, {"/m/1.html", true}, {"/m/2.html", true},
		{"/list?page=2", true}, {"/list?page=3", true}, {"/news?page=2", true},
		{"/day/2026-11-22", true}, {"/day/2026-11-23", true}, {"/day/2027-11-22", true}, {"/day/2027-11-23", false},
		{"/day?m=5&y=2026", true}, {"/day?m=6&y=2026", false}, {"/day?m=6&y=2027", true},
		{"/2026/05/a-title", true}, {"/2026/06/a-title-17", true}, {"/2026/06", false},
	} {
		base.Equal(t, l.isNew(tt.location), tt.is, "the name of %s is new", tt.location)
	}
}

func TestWhatAPageShowsIsNewOnce(t *testing.T) {
	l := NewLedger(1000)
	for _, tt := range []struct {
		name, location string
		text           html.Text
		is             bool
	}{
		{"nothing", "/a", html.Text{}, false},
		{"a text", "/b", text("What the house is for"), true},
		{"the same text", "/c", text("what the HOUSE is for"), false},
		{"another one below it", "/d", text("what the house is for", "and when it is open"), true},
		{"the same in another order", "/e", text("and when it is open", "what the house is for"), false},
		{"other numbers", "/f/17", text("and when it is open: 17"), false},
		{"the words of its own location", "/shoes/bl%C3%BCe", text("what the blüe shoes house is for"), false},
		{"outside the main text", "/g", html.Text{Blocks: []html.Block{{Text: "another menu"}}}, false},
	} {
		base.Equal(t, l.shows(tt.location, tt.text), tt.is, "%s is new", tt.name)
	}
}

func TestNoMoreTextsAreRememberedThanSaid(t *testing.T) {
	l := NewLedger(1)
	l.most = 50
	for i := range 3 * l.most {
		l.isNew("/page-" + strconv.Itoa(i) + "-of-many")
	}
	if len(l.texts) > l.most {
		t.Errorf("%d texts and names, want at most %d", len(l.texts), l.most)
	}
}

func TestBudgetOfAShape(t *testing.T) {
	leads := func(to ...*item) func(l *Ledger) {
		return func(l *Ledger) { l.spend(&item{Shape: "/#"}, to) }
	}
	alike, old := &item{Shape: "/#"}, &item{Shape: "/#", Old: true}
	post, tag := &item{Shape: "/posts/*"}, &item{Shape: "/tags/*", Old: true}
	for _, tt := range []struct {
		name   string
		answer func(l *Ledger)
		want   int // how many such answers it takes to spend the budget, 0 for none
	}{
		{"a page that leads to the next", leads(alike), 40},
		{"a page that leads to many like it", leads(slices.Repeat([]*item{alike}, 9)...), 200},
		{"a page that leads to an old name", leads(old), 20},
		{"a page that leads to many old names", leads(slices.Repeat([]*item{old}, 30)...), 20},
		{"a list of other pages, with a next page", leads(append(slices.Repeat([]*item{post}, 9), old)...), 200},
		{"a page that leads to old names of another shape", leads(tag, tag), 200},
		{"a page that leads nowhere", leads(), 0},
		{"a date that leads nowhere", func(l *Ledger) { l.spend(&item{Shape: "/#", Old: true}, nil) }, 200},
		{"a page that shows something new", func(l *Ledger) { l.earn("/#") }, 0},
		{"one in three shows something new", func(l *Ledger) {
			l.earn("/#")
			leads(old)(l)
			leads(old)(l)
		}, 19},
	} {
		l, n := NewLedger(1000), 0
		for ; n < 1000 && !l.isSpent("/#"); n++ {
			tt.answer(l)
		}
		base.Equal(t, n%1000, tt.want, "%s: answers until it is spent", tt.name)
	}
	l := NewLedger(1000)
	for n := range int(queryBudget) {
		if l.isSpent("?/*?sort=") {
			t.Errorf("a parameter that is not allowed: spent after %v answers", n)
		}
		l.spend(&item{Shape: "?/*?sort=", Unlikely: true}, nil)
	}
	if !l.isSpent("?/*?sort=") || l.isSpent("/*") {
		t.Error("one shape spends the budget of another")
	}
}
