package files

import (
	"fmt"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/publish/tree"
)

func TestViewsAreKeptWithinBounds(t *testing.T) {
	var v views
	served, now := new(snapshot), time.Now()
	folder := func(n int) tree.Query { return tree.Query{In: fmt.Sprintf("/view-%d/", n)} }
	kept := func(n int) bool { return v.get(folder(n)).of == served }
	for n := range viewsMost {
		v.put(folder(n), []byte("<p>a view"), served, now)
	}
	if !kept(0) || !kept(viewsMost-1) || len(v.made) != viewsMost {
		t.Errorf("of %d views %d are kept", viewsMost, len(v.made))
	}
	v.put(folder(viewsMost), []byte("<p>one more"), served, now)
	if len(v.made) != 1 || !kept(viewsMost) {
		t.Errorf("%d views are kept after one too many, want that one", len(v.made))
	}
}
