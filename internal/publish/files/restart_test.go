package files

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
)

// threeParts is a shelf with an index of three shards.
func threeParts(t *testing.T) *shelf {
	s := newShelf(t)
	for i := range 7 {
		s.list(changedAt(time.Now().Unix()-int64(i)), fmt.Sprintf("/%d", i))
	}
	s.render()
	return s
}

// restart opens the files again, a day later. Each shard takes some time to read.
func (s *shelf) restart(each time.Duration) {
	time.Sleep(24 * time.Hour)
	s.again()
	s.st.delay.Store(int64(each))
	s.run()
}

func TestRestartServesTheIndexAtOnceAndTheSameFilesSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := threeParts(t)
		get := func(name string) string {
			w := s.get(name)
			return fmt.Sprint(w.Code, w.Header(), w.Body)
		}
		before := map[string]string{}
		for _, name := range []string{"sitemap.xml", "sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"} {
			before[name] = get(name)
		}
		s.restart(time.Second)
		began := time.Now()
		if got := get("sitemap.xml"); got != before["sitemap.xml"] || time.Since(began) > 0 || s.files.Listed() != 7 {
			t.Errorf("after %v and with %d pages the index is\n%s\nand was\n%s", time.Since(began), s.files.Listed(), got, before["sitemap.xml"])
		}
		for name, want := range before {
			if got := get(name); got != want {
				t.Errorf("%s is\n%s\nand was\n%s", name, got, want)
			}
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the parts took %v", took)
		}
	})
}

func TestFileThatCannotBeMadeAfterARestartIsLeftForLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := threeParts(t)
		s.restart(time.Hour)
		began := time.Now()
		w := s.get("sitemap-2.xml")
		if took := time.Since(began); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || w.Header().Get("Etag") != "" || took != patience {
			t.Errorf("after %v: %d %v", took, w.Code, w.Header())
		}
		if w := s.get("sitemap.xml"); w.Code != http.StatusOK {
			t.Errorf("the index: %d", w.Code)
		}
	})
}

// Files whose dates earn another trust than before the restart do not wait for each other either. Without its record, a
// shard that cannot be read would seem to be empty: then nothing is served.
func TestShardThatCannotBeReadAfterARestartKeepsNoOtherFileBack(t *testing.T) {
	for _, lost := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := threeParts(t)
			s.st.fail(s.layout.Keys.List(1, ""))
			if lost {
				s.write(func(tx txn.Records) { tx.Put(s.layout.Keys.File(1), nil) })
			}
			s.stop()
			s.files = New(s.files.cfg)
			s.files.Follow(Policy{Trust: lastmod.Trust{lastmod.Page: {Caught: true}}})
			s.start(s.files.Run)
			want := map[string]int{"sitemap.xml": 200, "sitemap-1.xml": 503, "sitemap-3.xml": 200}
			if lost {
				want = map[string]int{"sitemap.xml": 503, "sitemap-1.xml": 503, "sitemap-3.xml": 503}
			}
			for name, code := range want {
				if w := s.get(name); w.Code != code {
					t.Errorf("record lost: %t, %s: %d, want %d", lost, name, w.Code, code)
				}
			}
			s.st.mend()
			time.Sleep(time.Minute)
			s.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml", "/sitemap-3.xml")
			s.want("sitemap-1.xml", "/0", "/1", "/2")
		})
	}
}

// The bytes that a client has may not be those of the new start.
func TestNo304AfterARestartBeforeTheShardIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := threeParts(t)
		tag := s.get("sitemap-2.xml").Header().Get("Etag")
		s.files.cfg.Rules = barring("/4")
		s.restart(time.Second)
		if w := s.get("sitemap-2.xml", with("If-None-Match", tag)); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "/4") {
			t.Errorf("status %d and\n%s", w.Code, w.Body)
		}
	})
}

// What a shard lists is in its entries: a record of it, or of its file, that is gone empties no file.
func TestFileStaysWhenARecordIsGone(t *testing.T) {
	for name, stored := range map[string][]byte{"missing": nil, "damaged": []byte("x")} {
		for of, key := range map[string]func(keys.Keys, int) string{"the file": keys.Keys.File, "the shard": keys.Keys.Shard} {
			t.Run(of+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := threeParts(t)
					s.write(func(tx txn.Records) { tx.Put(key(s.layout.Keys, 2), stored) })
					s.files.ChangedAll()
					if of == "the shard" { // made anew, the file has its record again
						s.render()
						s.want("sitemap-2.xml", "/3", "/4", "/5")
					}
					s.restart(time.Second / 10)
					s.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml", "/sitemap-3.xml")
					s.want("sitemap-2.xml", "/3", "/4", "/5")
					s.stop()
					s.write(func(tx txn.Records) { s.layout.Remove(tx, 2, "/4") })
					s.files.ChangedAll()
					s.render()
					s.want("sitemap-2.xml", "/3", "/5")
				})
			})
		}
	}
}

// A clock ahead may have dated a file. After a restart the file counts as changed now, and stays so.
func TestStoredTimeOfAFileLaterThanNowCountsAsNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := threeParts(t)
		ahead := s.files.served.Load().files[1].record
		ahead.Modified = ahead.Modified.Add(5 * 365 * 24 * time.Hour)
		s.write(func(tx txn.Records) { tx.Put(s.layout.Keys.File(1), ahead.encode()) })
		s.restart(time.Second)
		began := time.Now()
		s.want("sitemap-3.xml", "/6") // all are made
		now := s.files.List()
		for _, one := range now {
			if one.Modified.After(time.Now()) {
				t.Errorf("at %v the file is %+v", time.Now(), one)
			}
		}
		if now[1].Modified.Before(began) {
			t.Errorf("the first part is of %v, before the restart", now[1].Modified)
		}
		s.restart(time.Second)
		s.want("sitemap-3.xml", "/6")
		if again := s.files.List(); !slices.Equal(again, now) {
			t.Errorf("after another restart the files are\n%v\nand were\n%v", again, now)
		}
	})
}
