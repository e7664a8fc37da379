package files

import (
	"errors"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/moment"
)

func TestPageLeavesWhenItExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		at := func(d time.Duration) book.Entry { return book.Entry{Until: moment.Of(time.Now().Add(d)).Second()} }
		s.list(book.Entry{}, "/a")
		s.list(at(-time.Second), "/before")
		s.list(at(90*time.Minute), "/last")
		s.list(at(48*time.Hour), "/other") // the first of part 2
		s.list(book.Entry{Until: math.MaxInt64}, "/z")
		s.run()
		synctest.Wait()
		s.want("sitemap-1.xml", "/a", "/last")
		s.want("sitemap-2.xml", "/other", "/z")
		if s.files.Lists("/before") || s.files.Listed() != 4 {
			t.Errorf("of 4 pages %d are listed", s.files.Listed())
		}

		time.Sleep(10 * time.Second)
		s.files.Changed() // the store was looked at, and nothing has changed
		time.Sleep(90*time.Minute - 11*time.Second)
		s.want("sitemap-1.xml", "/a", "/last")
		old := s.get("sitemap.xml").Body.String()
		time.Sleep(time.Second)
		synctest.Wait()
		s.want("sitemap-1.xml", "/a")
		s.want("sitemap-2.xml", "/other", "/z")
		if s.files.Lists("/last") || s.files.Listed() != 3 {
			t.Errorf("of 3 pages %d are listed", s.files.Listed())
		}
		if s.get("sitemap.xml").Body.String() == old {
			t.Error("the index does not say that part 1 became new")
		}

		// Another page leaves part 2 first, which is then made by the cut.
		s.files.Withdraw("/z", time.Now())
		time.Sleep(48*time.Hour - 90*time.Minute)
		synctest.Wait()
		s.want("sitemap.xml", "/a") // part 2 lists nothing more
		if w := s.get("sitemap-2.xml"); w.Code != http.StatusNotFound {
			t.Errorf("status %d for a part that lists nothing", w.Code)
		}
	})
}

func TestExpiredPageLeavesOnceTheStoreAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(book.Entry{}, "/a")
		s.list(book.Entry{Until: moment.Of(time.Now().Add(time.Hour)).Second()}, "/b")
		s.run()
		synctest.Wait()
		broken := errors.New("it does not answer")
		s.st.err.Store(&broken)
		time.Sleep(2 * time.Hour)
		s.want("sitemap.xml", "/a", "/b")
		s.st.err.Store(nil)
		time.Sleep(2 * time.Minute)
		s.want("sitemap.xml", "/a")
	})
}
