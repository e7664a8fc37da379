package files

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/internal/testkit/base"
)

// threeParts is a shelf with an index of three shards, whose pages were listed at intervals.
func threeParts(t *testing.T) *shelf {
	s := newShelf(t)
	for i := range 7 {
		s.list(changedAt(time.Now().Unix()-int64(i)), fmt.Sprintf("/%d", i))
		time.Sleep(time.Minute)
	}
	s.render()
	return s
}

// restart opens the files again, a day later. Each shard takes some time to read.
func (s *shelf) restart(each time.Duration) {
	time.Sleep(24 * time.Hour)
	s.again()
	s.delay.Store(int64(each))
	s.run()
}

// expire waits until an hour after a page has expired.
func (s *shelf) expire(n int, location string) {
	s.write(func(tx txn.Records) {
		s.at(time.Now()).Set(tx, n, location, shards.Entry{Until: moment.Of(time.Now().Add(time.Hour))})
	})
	time.Sleep(2 * time.Hour)
}

// all returns what is served of three parts and their index.
func (s *shelf) all() (all string) {
	for _, name := range []string{"sitemap.xml", "sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"} {
		w := s.get(name)
		all += fmt.Sprint(name, w.Code, w.Header(), w.Body, "\n")
	}
	return all
}

func TestFilesAreTheSameAfterARestartAndInAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := threeParts(t)
		s.unlist("/4")
		time.Sleep(time.Hour)
		s.render()
		before := s.all()
		other := New(s.files.cfg)
		other.Follow(Policy{})
		s.restart(time.Second)
		began := time.Now()
		if after := s.all(); after != before {
			t.Errorf("after the restart the files are\n%s\nand were\n%s", after, before)
		}
		if took := time.Since(began); took == 0 || took > 4*time.Second {
			t.Errorf("the first request waited for %v, want as long as it takes to read three shards", took)
		}
		if s.files = other; s.files.Render(t.Context()) != nil || s.all() != before {
			t.Errorf("another process serves\n%s\nand not\n%s", s.all(), before)
		}
	})
}

// Neither the tag nor the date that a client has stands for the new file.
func TestChangedFileIsNo304(t *testing.T) {
	for name, change := range map[string]func(*shelf){
		"a page leaves":    func(s *shelf) { s.unlist("/4") },
		"another rule":     func(s *shelf) { s.files.cfg.Rules = barring("/4"); s.restart(0) },
		"a page expires":   func(s *shelf) { s.expire(2, "/4") },
		"a date goes back": func(s *shelf) { s.write(func(tx txn.Records) { s.layout.Set(tx, 2, "/4", changedAt(1000)) }) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := threeParts(t)
				old := s.get("sitemap-2.xml")
				since := time.Now().UTC().Format(http.TimeFormat)
				change(s)
				s.files.ChangedAll()
				s.render()
				for _, known := range []func(*http.Request){with("If-None-Match", old.Header().Get("Etag")),
					with("If-Modified-Since", since)} {
					if w := s.get("sitemap-2.xml", known); w.Code != http.StatusOK || w.Body.String() == old.Body.String() {
						t.Errorf("status %d and\n%s", w.Code, w.Body)
					}
				}
			})
		})
	}
}

// The files that a client has may not be those of the new start.
func TestRequestThatWaitedAfterAStartGetsA503(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := threeParts(t)
		tag := s.get("sitemap-2.xml").Header().Get("Etag")
		s.restart(time.Hour)
		began := time.Now()
		for _, name := range []string{"sitemap.xml", "sitemap-2.xml"} {
			if w := s.get(name, with("If-None-Match", tag)); w.Code != http.StatusServiceUnavailable ||
				w.Header().Get("Retry-After") == "" {
				t.Errorf("%s: %d %v", name, w.Code, w.Header())
			}
		}
		base.Equal(t, time.Since(began), 2*patience, "two requests waited for")
		time.Sleep(5 * time.Hour)
		if w := s.get("sitemap-2.xml", with("If-None-Match", tag)); w.Code != http.StatusNotModified {
			t.Errorf("once the files are made: %d", w.Code)
		}
	})
}

// Nothing is known of a part behind the last one, and nothing is said of it.
func TestStoreThatFailsChangesNoFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(shards.Entry{}, "/a")
		s.render()
		s.fail("list|")
		s.files.ChangedAll()
		if err := s.files.Render(t.Context()); !errors.Is(err, errBroken) {
			t.Errorf("Render returned %v", err)
		}
		s.want("sitemap.xml", "/a")
		s.again()
		s.run()
		if w := s.get("sitemap.xml"); w.Code != http.StatusServiceUnavailable {
			t.Errorf("after a restart: %d", w.Code)
		}
	})
}

// What a shard lists is in its entries: a record of it that is gone empties no file.
func TestFileStaysWhenTheRecordOfItsShardIsGone(t *testing.T) {
	for name, stored := range map[string][]byte{"missing": nil, "damaged": []byte("x")} {
		for n := 1; n <= 3; n++ {
			t.Run(fmt.Sprintf("%d %s", n, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := threeParts(t)
					s.write(func(tx txn.Records) { tx.Put(s.layout.Keys.Shard(n), stored) })
					s.restart(time.Second / 10)
					s.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml", "/sitemap-3.xml")
					s.want("sitemap-2.xml", "/3", "/4", "/5")
					s.unlist("/4")
					time.Sleep(time.Hour)
					s.want("sitemap-2.xml", "/3", "/5")
				})
			})
		}
	}
}

// A page that has left comes back by no failure: neither of its shard, nor of a restart. One shard that cannot be read
// keeps back no other file.
func TestPageThatHasLeftStaysOutWhileShardsCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := threeParts(t)
		s.unlist("/1")
		s.render()
		s.fail(s.layout.Keys.List(1, ""))
		s.files.ChangedAll()
		if err := s.files.Render(t.Context()); !errors.Is(err, errBroken) {
			t.Errorf("Render returned %v", err)
		}
		s.want("sitemap-1.xml", "/0", "/2")
		s.restart(time.Second)
		s.wantUnread("sitemap-1.xml")
		s.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml", "/sitemap-3.xml")
		s.want("sitemap-2.xml", "/3", "/4", "/5")
		s.mend()
		time.Sleep(time.Hour)
		s.want("sitemap-1.xml", "/0", "/2")
	})
}

// The index tells crawlers which parts to fetch again.
func TestIndexSaysWhenAPartLastChanged(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*shelf)
		want   time.Duration // after the change; -1 for no date
	}{
		{"nothing changes", func(*shelf) {}, -3 * time.Hour},
		{"a page gets another date", func(s *shelf) {
			s.write(func(tx txn.Records) { s.at(time.Now()).Set(tx, 2, "/4", changedAt(1700000000)) })
		}, 0},
		{"a page with an old date joins it", func(s *shelf) { s.list(changedAt(1000), "/old") }, 0},
		{"a page leaves", func(s *shelf) { s.unlist("/4") }, 0},
		{"a page expires an hour later", func(s *shelf) {
			s.expire(2, "/4")
		}, time.Hour},
		{"by the clock of another process, which is some seconds ahead", func(s *shelf) {
			s.write(func(tx txn.Records) { s.at(time.Now().Add(5*time.Second)).Remove(tx, 2, "/4") })
		}, 5 * time.Second},
		{"by a clock that was years ahead", func(s *shelf) {
			s.write(func(tx txn.Records) { s.at(time.Now().AddDate(5, 0, 0)).Remove(tx, 2, "/4") })
		}, -1},
		{"at the next change after that", func(s *shelf) {
			s.write(func(tx txn.Records) { s.at(time.Now().AddDate(5, 0, 0)).Remove(tx, 2, "/4") })
			s.list(shards.Entry{}, "/6")
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf(t)
				s.list(shards.Entry{}, "/1", "/2", "/3", "/4", "/5")
				time.Sleep(3 * time.Hour)
				now := time.Now()
				tt.change(s)
				s.files.ChangedAll()
				s.render()
				want := ""
				if tt.want != -1 {
					want = now.Add(tt.want).UTC().Format(time.RFC3339)
				}
				if got := entries(t, s.get("sitemap.xml").Body.Bytes())[1].LastMod; got != want {
					t.Errorf("the index says %q of the second part, want %q", got, want)
				}
			})
		})
	}
}
