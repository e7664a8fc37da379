package explore

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/action"
)

// locations returns all locations of a frontier, in its order.
func locations(f *frontier) (all []string) {
	for it, ok := f.next(time.Now()); ok; it, ok = f.next(time.Now()) {
		all = append(all, it.Location)
	}
	return all
}

func TestEachLocationIsAskedForOnceAndEachShapeGetsItsTurn(t *testing.T) {
	f := newFrontier(1000, NewLedger(1000))
	for _, loc := range []string{"/p/1", "/p/2", "/p/3", "/a", "/b", "/a", "/p?page=2", "/p/4"} {
		f.add(item{Location: loc})
	}
	if got, want := locations(f), []string{"/p/1", "/a", "/p?page=2", "/p/2", "/b", "/p/3", "/p/4"}; !slices.Equal(got,
		want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func TestPagesThatShowNothingNewAreFollowedForAWhile(t *testing.T) {
	for _, tt := range []struct {
		name string
		link func(n int) string // from the n-th page
		want int                // pages requested, of 500
	}{
		{"one page leads to the next", func(n int) string { return fmt.Sprintf("/calendar/%d", n+1) }, 2*shapeBudget + 1},
		{"each page has a new name", func(n int) string { return fmt.Sprintf("/x%dy", n) }, 2*shapeBudget + 1},
		{"names repeat", func(n int) string { return fmt.Sprintf("/a/%d/b", n) }, shapeBudget + 1},
		{"segments repeat", func(n int) string {
			s := ""
			for i := range n + 1 {
				s += []string{"/a", "/b"}[i%2]
			}
			return s
		}, shapeBudget + 1},
		{"segments grow", func(n int) string {
			s := ""
			for i := range n + 1 {
				s += fmt.Sprintf("/%c", 'a'+i%26)
			}
			return s
		}, 34},
	} {
		f := newFrontier(500, NewLedger(500))
		f.add(item{Location: "/start"})
		n := 0
		for it, ok := f.next(time.Now()); ok; it, ok = f.next(time.Now()) {
			f.begin(it, text(fmt.Sprint("page ", n)))
			f.add(item{Location: tt.link(n), Plain: true})
			f.end()
			n++
		}
		if n < tt.want-2 || n > tt.want+2 {
			t.Errorf("%s: %d pages were asked for, want about %d", tt.name, n, tt.want)
		}
	}
}

func TestFewPagesWithTheSameParametersAreRequestedThatShowNothingNew(t *testing.T) {
	for _, tt := range []struct {
		name, link string
		new        bool
		want       int
	}{
		{"the same list, sorted", "/list?sort=%d", false, queryBudget}, {"on many paths", "/shoe-%d?tab=2", false,
			queryBudget},
		{"other lists", "/list?start=%d", true, 40},
	} {
		f := newFrontier(500, NewLedger(500))
		for n := range 40 {
			f.add(item{Location: fmt.Sprintf(tt.link, n), Unlikely: true})
		}
		f.add(item{Location: "/last"})
		n, same := 0, text("what there is")
		f.begin(item{}, same)
		for it, ok := f.next(time.Now()); ok; it, ok = f.next(time.Now()) {
			if it.Location == "/last" && n > 0 {
				t.Errorf("%s: a page without a query came after %d with one", tt.name, n)
			}
			if f.begin(it, same); tt.new {
				f.begin(it, text(fmt.Sprintf("story %c%c", 'a'+n%26, 'a'+n/26)))
			}
			if f.end(); it.Unlikely {
				n++
			}
		}
		if n != tt.want {
			t.Errorf("%s: %d pages were asked for, want %d", tt.name, n, tt.want)
		}
	}
}

func TestRefusedLocationIsTriedAgainAtTheEndAndNotForEver(t *testing.T) {
	f := newFrontier(100, NewLedger(100))
	for _, loc := range []string{"/broken", "/a", "/b"} {
		f.add(item{Location: loc})
	}
	var asked []string
	for it, ok := f.next(time.Now()); ok; it, ok = f.next(time.Now()) {
		if asked = append(asked, it.Location); it.Location == "/broken" {
			f.refused(it)
		}
	}
	if want := []string{"/broken", "/a", "/b", "/broken", "/broken"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}

func TestWordBelowAThingIsAskedForOnceItIsNoControl(t *testing.T) {
	titles := []string{"/news/11/rain", "/news/12/sun-again", "/news/13/snow", "/news/14/wind", "/news/15/hail"}
	for _, tt := range []struct {
		name    string
		links   []string
		visited string // a location below a thing that a visitor got
		want    []string
	}{
		{"the only one", []string{"/items/5/hide"}, "", nil},
		{"of several things", []string{"/items/5/hide", "/items/7/hide"}, "", nil},
		{"in another language", []string{"/kayit/5/sil"}, "", nil},
		{"a visitor got another one", []string{"/users/5/posts", "/users/5/ban"}, "/users/7/posts",
			[]string{"/users/5/posts"}},
		{"titles", titles, "", titles},
		{"few titles", titles[:4], "", nil},
		{"controls beside titles", append([]string{"/news/11/like", "/news/12/like", "/news/15/like"}, titles...), "",
			titles},
		{"several controls of one thing", []string{"/i/5/a", "/i/5/b", "/i/5/c", "/i/5/d", "/i/5/e", "/i/5/f"}, "", nil},
		{"after a date", []string{"/2024/05/hello", "/2024/06/hello"}, "", []string{"/2024/05/hello", "/2024/06/hello"}},
		{"a verb below several names", []string{"/users/ann/follow", "/users/bob/follow"}, "", nil},
		{"a verb below one name", []string{"/docs/git/merge"}, "", []string{"/docs/git/merge"}},
		{"below names with digits", []string{"/covid-19/symptoms", "/html5/forms"}, "",
			[]string{"/covid-19/symptoms", "/html5/forms"}},
		{"a verb below languages", []string{"/a/de/update", "/a/fr/update"}, "", []string{"/a/de/update", "/a/fr/update"}},
		{"a long title", []string{"/q/5/how-do-i-hide-a-file"}, "", []string{"/q/5/how-do-i-hide-a-file"}},
		{"a document", []string{"/docs/15/start.html"}, "", []string{"/docs/15/start.html"}},
	} {
		f := newFrontier(1000, NewLedger(1000))
		for _, loc := range tt.links {
			f.add(item{Location: loc})
		}
		got := locations(f)
		if b, is := action.Split(tt.visited); is {
			f.controls.got[b.Kind+"/"+b.Word] = true
		}
		f.release(false)
		got = append(got, locations(f)...)
		slices.Sort(got)
		if slices.Sort(tt.want); !slices.Equal(got, tt.want) {
			t.Errorf("%s: asked for %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestLinksDoNotWaitForTheEndOfASitemap has a site whose sitemap lists many pages, of which one links to what it lacks.
func TestLinksDoNotWaitForTheEndOfASitemap(t *testing.T) {
	f := newFrontier(1000, NewLedger(1000))
	for n := range 100 {
		f.add(item{Location: fmt.Sprintf("/p/%d", n), Free: true, Plain: true})
	}
	for range 3 {
		f.next(time.Now())
	}
	for n := range 6 {
		f.add(item{Location: fmt.Sprintf("/p/new-%d", n), Plain: true})
		f.add(item{Location: fmt.Sprintf("/p/%d", 100+n), Plain: true})
	}
	want := []string{"/p/new-0", "/p/100", "/p/new-1", "/p/101", "/p/new-2", "/p/102", "/p/3", "/p/new-3", "/p/103",
		"/p/4"}
	if got := locations(f); !slices.Equal(got[:len(want)], want) {
		t.Errorf("asked for %q, want %q", got[:len(want)], want)
	}
}
