package part

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// tags returns the entity tags of the files.
func tags(f *Files) (all [3]string) {
	for i, name := range []string{"sitemap.xml", "sitemap-1.xml", "sitemap-2.xml"} {
		w := httptest.NewRecorder()
		f.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+name, nil))
		all[i] = w.Header().Get("Etag")
	}
	return all
}

// A process that read a part before it changed, and stores after that what the
// file was, has the time start again at which it is as it is.
func TestProcessesAgreeOnTheTimesOfFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a", "/b", "/c", "/d")
		s.render()
		other := New(s.files.cfg)
		other.ChangedAll()
		if err := other.Render(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a, b := tags(s.files), tags(other); a != b {
			t.Fatalf("two processes serve %q and %q", a, b)
		}
		before := other.current().parts[2]
		time.Sleep(time.Minute)
		s.list(Entry{}, "/e")
		s.render()
		time.Sleep(time.Second)
		stale := *before
		other.note(t.Context(), s.files.cfg.Keys.file(2), &stale, nil, time.Now())
		time.Sleep(time.Second)
		other.Refresh(2)
		if err := other.Render(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a, b := tags(s.files), tags(other); a[2] != b[2] {
			t.Fatalf("two processes serve the part as %q and %q", a[2], b[2])
		}
		time.Sleep(time.Minute)
		s.files.Refresh()
		s.render()
		if a, b := tags(s.files), tags(other); a != b {
			t.Errorf("after both have looked what the other stored they serve %q and %q", a, b)
		}
		served := tags(s.files)
		s.files.Refresh()
		s.render()
		if again := tags(s.files); again != served {
			t.Errorf("nothing happened, and %q are served in place of %q", again, served)
		}
	})
}

// A process that is behind with the time of one part stores an index when another
// part changes. What it then reads of the store is its own.
func TestProcessesAgreeWhereOneStoredTheWrongIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a", "/b", "/c", "/d")
		s.render()
		other := New(s.files.cfg)
		other.ChangedAll()
		refresh := func(f *Files, parts ...int) {
			t.Helper()
			time.Sleep(time.Second)
			f.Refresh(parts...)
			if err := f.Render(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		refresh(other)
		before := other.current().parts[2]
		s.list(Entry{}, "/e")
		s.render()
		stale := *before
		other.note(t.Context(), s.files.cfg.Keys.file(2), &stale, nil, time.Now())
		refresh(other, 2)
		s.write(func(tx Tx) { s.book.Remove(tx, 1, "/a") })
		refresh(other, 1)
		refresh(s.files, 1)
		for range 2 {
			refresh(other)
			refresh(s.files)
		}
		if a, b := tags(s.files), tags(other); a != b {
			t.Errorf("two processes serve %q and %q", a, b)
		}
	})
}
