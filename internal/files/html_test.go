package files

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/tree"
)

func TestViewsAreKeptWithinBounds(t *testing.T) {
	var v views
	served, now := new(snapshot), time.Now()
	folder := func(name string, n int) tree.Query { return tree.Query{In: fmt.Sprintf("/%s-%d/", name, n)} }
	kept := func(q tree.Query) bool { return v.get(q).of == served }
	none := viewed{nil, served, now}
	for n := range viewsMost {
		v.keep(folder("none", n), none)
	}
	if !kept(folder("none", 0)) || kept(folder("none", viewsMost-1)) || len(v.made) != viewsMost/2 {
		t.Errorf("of %d views that do not exist %d are remembered, want the first %d", viewsMost, len(v.made), viewsMost/2)
	}
	for n := range viewsMost / 2 {
		v.put(folder("view", n), []byte("<p>a view"), served, now)
	}
	if !kept(folder("view", 0)) || !kept(folder("view", viewsMost/2-1)) || !kept(folder("none", 0)) {
		t.Errorf("the views that exist find no room: %d are kept", len(v.made))
	}
	v.put(folder("view", viewsMost), []byte("<p>one more"), served, now)
	if len(v.made) != 1 || !kept(folder("view", viewsMost)) {
		t.Errorf("%d views are kept after one too many, want that one", len(v.made))
	}
	long := tree.Query{In: "/" + strings.Repeat("a", keys.MaxLocation)}
	v.keep(long, none)
	if v.put(long, []byte("<p>long"), served, now); kept(long) {
		t.Error("a view is kept under a name that is longer than any location")
	}
}
