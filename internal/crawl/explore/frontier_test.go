package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// locations returns all locations of a frontier, in its order.
func locations(f *frontier) (all []string) {
	for it, ok := f.next(); ok; it, ok = f.next() {
		all = append(all, it.Location)
	}
	return all
}

func TestEachLocationIsAskedForOnceInTheOrderItWasFound(t *testing.T) {
	f := newFrontier(100)
	for _, loc := range []string{"/b", "/a", "/b", "/c"} {
		f.add(item{Location: loc})
	}
	if got := locations(f); !slices.Equal(got, []string{"/b", "/a", "/c"}) {
		t.Errorf("asked for %q", got)
	}
}

func TestPagesWithoutEndAreNotFollowed(t *testing.T) {
	for _, tt := range []struct {
		name string
		link func(n int) string // from the n-th page
		want int                // pages requested, of 500
	}{
		{"one page leads to the next of its shape", func(n int) string { return fmt.Sprintf("/calendar/%d", n+1) }, longestChain/chainStep + 1},
		{"each page is deeper", func(n int) string { return fmt.Sprintf("/%c/x%d", 'a'+n%26, n/26) + string(rune('a'+n%7)) }, 21},
		{"segments repeat", func(n int) string {
			s := ""
			for i := range n + 1 {
				s += []string{"/a", "/b"}[i%2]
			}
			return s
		}, 4},
		{"segments grow", func(n int) string {
			s := ""
			for i := range n + 1 {
				s += fmt.Sprintf("/%c", 'a'+i%26)
			}
			return s
		}, mostSegments + 1},
	} {
		f := newFrontier(500)
		f.add(item{Location: "/start"})
		n := 0
		for it, ok := f.next(); ok; it, ok = f.next() {
			found := f.page(it)
			found.Location = tt.link(n)
			f.add(found)
			f.grew(found)
			n++
		}
		if n < tt.want-1 || n > tt.want+1 {
			t.Errorf("%s: %d pages were asked for, want about %d", tt.name, n, tt.want)
		}
	}
}

func TestShapeThatHadItsShareComesLast(t *testing.T) {
	f := newFrontier(8000)
	for i := range 3000 {
		f.add(item{Location: fmt.Sprintf("/shop/%d", i)})
	}
	for i := range 100 {
		f.add(item{Location: fmt.Sprintf("/blog/%d", i)})
	}
	got := locations(f)
	if len(got) != 3100 || got[1999] != "/shop/1999" || got[2000] != "/blog/0" || got[3099] != "/shop/2999" {
		t.Errorf("%d are asked for; after the share comes %s, at the end %s", len(got), got[2000], got[len(got)-1])
	}
}

func TestShapeThatShowsOneContentEnds(t *testing.T) {
	f := newFrontier(500)
	for i := range 100 {
		f.add(item{Location: fmt.Sprintf("/x/%d", i)})
	}
	n := 0
	for it, ok := f.next(); ok; it, ok = f.next() {
		f.shows(it, 7)
		n++
	}
	if n != sameContent {
		t.Errorf("%d pages with the same content were asked for, want %d", n, sameContent)
	}
	if why := f.add(item{Location: "/x/1000"}); why != "same-content" {
		t.Errorf("a further page of the shape is skipped for %q", why)
	}
}

func TestStateOfAFrontierIsReadAsItWasWritten(t *testing.T) {
	f := newFrontier(500)
	for i := range 10 {
		f.add(item{Location: fmt.Sprintf("/x/%d", i), Depth: i})
	}
	f.next()
	g := newFrontier(500)
	if err := g.load(f.save()); err != nil {
		t.Fatal(err)
	}
	g.add(item{Location: "/x/0"}) // already requested
	if got := locations(g); !slices.Equal(got, []string{"/x/1", "/x/2", "/x/3", "/x/4", "/x/5", "/x/6", "/x/7", "/x/8", "/x/9"}) {
		t.Errorf("asked for %q", got)
	}
	if b := g.save(); b != nil {
		t.Errorf("a frontier in which nothing waits is saved as %s", b)
	}
	for _, bad := range []string{"x", `{"Version":9}`} {
		if err := newFrontier(1).load([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a state", bad)
		}
	}
}

func TestShapeKeepsWordsAndHidesNumbers(t *testing.T) {
	for location, want := range map[string]string{
		"/": "/", "/a/12/b-3": "/a/0/b-0", "/l?page=2": "/l?page", "/l?page=2&q=x": "/l?page?q", "/2026-11-22": "/0-0-0",
	} {
		if got := shapeOf(location); got != want {
			t.Errorf("%s has the shape %s, want %s", location, got, want)
		}
	}
}

func TestArchiveOfPostsIsFollowedFurtherThanACalendar(t *testing.T) {
	f := newFrontier(5000)
	f.add(item{Location: "/list"})
	posts := 0
	for it, ok := f.next(); ok; it, ok = f.next() {
		var n int
		if _, err := fmt.Sscanf(it.Location, "/page/%d", &n); err != nil && it.Location != "/list" {
			posts++
			continue
		}
		found := f.page(it)
		if n < 200 {
			found.Location = fmt.Sprintf("/page/%d", n+1)
			f.add(found)
		}
		found.Location = "/post/" + strings.Repeat("i", n+1)
		f.add(found)
		f.grew(found)
	}
	if posts != 201 {
		t.Errorf("%d posts of an archive of 201 pages are asked for", posts)
	}
}

func TestRefusedLocationIsTriedAgainAtTheEndAndNotForEver(t *testing.T) {
	f := newFrontier(100)
	for _, loc := range []string{"/broken", "/a", "/b"} {
		f.add(item{Location: loc})
	}
	var asked []string
	for it, ok := f.next(); ok; it, ok = f.next() {
		if asked = append(asked, it.Location); it.Location == "/broken" {
			f.refused(it)
		}
	}
	if want := []string{"/broken", "/a", "/b", "/broken", "/broken"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}

func TestLinksThatMayActAreNotAskedFor(t *testing.T) {
	for _, tt := range []struct {
		location, href string
		want           bool
	}{
		{"/posts/5/delete", "", true},
		{"/delete.html", "", true},
		{"/a", "/a?delete", true},
		{"/posts.php", "/posts.php?action=delete&id=3", true},
		{"/index.php", "index.php?do=logout", true},
		{"/deletePost/5", "", true},
		{"/delete_item/5", "", true},
		{"/%64elete/5", "", true},
		{"/DELETE/5", "", true},
		{"/user/log-out", "", true},
		{"/user/log_out", "", true},
		{"/signOut", "", true},
		{"/how-to-delete-a-file", "", true}, // a page, but nobody can be sure
		{"/cart/add/5", "", true},
		{"/add-to-cart", "", true},
		{"/posts/5/edit", "", true},
		{"/edit.php", "", true},
		{"/vote-up", "", true},
		{"/posts/5", "/posts/5?vote=up", true},
		{"/newsletter/confirm", "", true},
		{"/list?page=remove", "", true},

		{"/deleteuser/5", "", true},
		{"/userdelete.php", "", true},
		{"/table/users/drop", "", true},
		{"/orders/5/refund", "", true},
		{"/l%C3%B6schen/5", "", true},
		{"/supprimer/5", "", true},

		{"/basket", "", true}, // a word that keeps a page from being listed
		{"/shop/basket.html", "", true},

		{"/", "/", false},
		{"/about", "/about", false},
		{"/blog/2026/a-product-update-for-all", "", false},
		{"/blog/how-we-moved-to-a-new-house", "", false},
		{"/docs/installation", "", false},
		{"/docs/getting-started", "", false},
		{"/list?page=2", "/list?page=2", false},
		{"/list", "/list#delete", false},
		{"/undeleted", "", false},
		{"/editors", "", false},
		{"/orders-of-magnitude", "", false},
	} {
		if got := acting(tt.location, tt.href); got != tt.want {
			t.Errorf("%s as %q: may act is %v", tt.location, tt.href, got)
		}
	}
}
