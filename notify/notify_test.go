package notify

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestChangeIsPostedAfterItsHold(t *testing.T) {
	run(t, 5, Options{}, func(r *runningSite) {
		time.Sleep(10 * time.Minute)
		r.wantPosts()
		r.changes("/1")
		changed := time.Now()
		time.Sleep(4 * time.Minute)
		r.wantPosts()
		time.Sleep(2 * time.Minute)
		posts := r.engine.all()
		r.wantPosts("/1")
		p := posts[0]
		if want := `{"host":"example.com","key":"` + testKey + `","urlList":["https://example.com/1"]}`; p.body != want {
			t.Errorf("the body is %s, want %s", p.body, want)
		}
		if p.kind != "application/json; charset=utf-8" || p.endpoint != DefaultEndpoint {
			t.Errorf("it went to %s as %s", p.endpoint, p.kind)
		}
		if after := p.at.Sub(changed); after < 5*time.Minute || after > 5*time.Minute+31*time.Second {
			t.Errorf("it was sent after %v, want the hold", after)
		}
		time.Sleep(24 * time.Hour)
		r.wantPosts()
	})
}

// The status says why pages wait, and until when.
func TestStatusSaysWhatPagesWaitFor(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opts   Options
		begin  func(r *runningSite)
		waits  string
		within time.Duration // the first of them may be sent
	}{
		{"nothing waits", Options{}, func(*runningSite) {}, "", 0},
		{"the hold", Options{Hold: 3 * time.Minute}, func(r *runningSite) { r.changes("/1") },
			"sent 3 minutes after its first change",
			2 * time.Minute},
		{"an hour since it was sent", Options{}, func(r *runningSite) {
			r.changes("/1")
			time.Sleep(6 * time.Minute)
			r.pages.answer("/1", testkit.Reply(http.StatusGone, "gone"))
			r.Visit("/1")
			time.Sleep(6 * time.Minute)
		}, "an hour after it was sent before", 54 * time.Minute},
		{"a refusal", Options{}, func(r *runningSite) {
			r.engine.next(reply(429, "", "Retry-After", "3600"))
			r.changes("/1")
			time.Sleep(6 * time.Minute)
		}, "did not take the last post", 70 * time.Minute},
		{"the limit of a day", Options{MaxPerDay: 2}, func(r *runningSite) {
			r.changes("/0", "/1", "/2")
			time.Sleep(7 * time.Minute)
		}, "2 pages of a day", 22 * time.Hour},
		{"a notifier that was killed", Options{}, func(r *runningSite) {
			r.changes("/1")
			r.stop()
			k, err := keys.New(testkit.Origin)
			base.Check(r, err)
			base.Check(r, r.Store.Update(r.Context(), []string{k.Notify("state")}, func(values [][]byte) error {
				st, err := readState(values[0], time.Now())
				st.Owner, st.Until = "a process that is no more", time.Now().Add(leaseFor)
				values[0], _ = json.Marshal(st)
				return err
			}))
			r.start(Options{})
			time.Sleep(time.Minute)
		}, "was ended in the midst of it", 4 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(t, 3, tt.opts, func(r *runningSite) {
				tt.begin(r)
				time.Sleep(time.Minute) // what a pass has found is stored by the next
				s := r.status()
				if !strings.Contains(r.inspector(""), "of what changes") {
					t.Error("the overview does not say that engines are told")
				}
				next := time.Until(s.NextSend)
				if !strings.Contains(s.Waits, tt.waits) || (s.Waits == "") != (tt.waits == "") ||
					s.NextSend.IsZero() != (tt.waits == "") ||
					tt.waits != "" && (next <= 0 || next > tt.within) {
					t.Errorf("%d wait: %q, the next in %v; want %q, in less than %v", s.Pending, s.Waits, next, tt.waits, tt.within)
				}
			})
		})
	}
}

func TestFolderNamesItsKeyFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages := newSite(0)
		pages.change("/blog/a")
		pages.answer("/blog/", func(w http.ResponseWriter, r *http.Request) { testkit.Page("home", "/blog/a", "/c")(w, r) })
		r := &runningSite{pages: pages, engine: &engineFake{}}
		r.Site = testkit.Start(t, testkit.Setup{Origin: "https://example.com/blog", Handler: pages})
		r.Visit("/blog/", "/blog/a")
		time.Sleep(time.Second)
		r.start(Options{})
		time.Sleep(2 * time.Hour)
		r.changes("/blog/a")
		time.Sleep(10 * time.Minute)
		if posts := r.engine.all(); len(posts) != 1 || posts[0].KeyLocation != "https://example.com/blog/"+testKey+".txt" ||
			posts[0].Host != "example.com" {
			t.Errorf("the posts are %+v", posts)
		}
		r.wantPosts("/blog/a")
	})
}

func TestChangesArePostedInBatches(t *testing.T) {
	// the engine finds the first too large
	for batch, want := range map[int][]int{10: {10, 5, 5, 5, 5, 5}, 100: {25, 12, 12, 1}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRunningSite(t, 25, testkit.Setup{})
			n := r.build(Options{})
			n.batch = batch
			r.engine.answers = append(r.engine.answers, reply(413, ""))
			r.launch(n)
			time.Sleep(time.Second)
			r.changes(r.pages.paths()...)
			time.Sleep(30 * time.Minute)
			var sizes []int
			for _, p := range r.engine.all() {
				sizes = append(sizes, len(p.URLs))
			}
			if !slices.Equal(sizes, want) {
				t.Errorf("the batches had %v pages, want %v", sizes, want)
			}
			if got := r.status(); got.SentToday != 25 || got.Pending != 0 {
				t.Errorf("the status is %+v", got)
			}
		})
	}
}

// inspector returns a view of the site's inspector.
func (r *runningSite) inspector(view string) string {
	everybody := func(*http.Request) bool { return true }
	return base.Ask(r.Site.Site.Inspector(everybody), http.MethodGet, "/inspect/"+view).Body.String()
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestFirstStartSendsOnlyWhatWasLearnedSinceNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages := newSite(100)
		r := &runningSite{pages: pages, engine: &engineFake{}}
		r.Site = testkit.Start(t, testkit.Setup{Handler: pages})
		r.Visit(append([]string{"/"}, pages.paths()...)...)
		n := r.build(Options{})
		time.Sleep(2 * time.Hour)
		r.changes("/3") // before Run begins
		r.launch(n)
		time.Sleep(24 * time.Hour)
		r.wantPosts("/3")
		r.changes("/7")
		time.Sleep(time.Hour)
		r.wantPosts("/7")
	})
}

// TestOnlyPagesThatWereListedMayBeTold has all reasons.
func TestPagesAreChosenWhenTheyAreSent(t *testing.T) {
	base.OneByOne(t)
	for _, row := range []struct {
		name string
		then func(r *runningSite)
		sent bool
	}{
		{"still listed", func(r *runningSite) {}, true},
		{"noindex", func(r *runningSite) {
			r.pages.answer("/1", testkit.Reply(200, testkit.HTML(`<meta name="robots" content="noindex">`, "a text")))
		}, false},
		{"gone", func(r *runningSite) { r.pages.answer("/1", testkit.Reply(410, "")) }, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			run(t, 5, Options{Hold: 4 * time.Hour}, func(r *runningSite) {
				r.changes("/1")
				time.Sleep(time.Hour)
				row.then(r)
				for range 5 {
					r.Visit("/1")
					time.Sleep(30 * time.Minute)
				}
				r.wantPosts()
				time.Sleep(6 * time.Hour)
				if row.sent {
					r.wantPosts("/1")
				} else {
					r.wantPosts()
				}
				time.Sleep(24 * time.Hour) // the page leaves if it is refused again a day later
				r.Visit("/1")
				time.Sleep(time.Hour)
				r.wantPosts()
				s := r.status()
				base.Equal(t, s.Pending, 0, "pages wait for ever")
			})
		})
	}
}

// walk makes the site have a list without end, and a stranger walk along it. head may have the DAY of a page, each its
// own.
func (r *runningSite) walk(pages int, head string) {
	r.Helper()
	r.pages.answer("/news", func(w http.ResponseWriter, req *http.Request) {
		n, _ := strconv.Atoi(req.URL.Query().Get("page"))
		head := strings.ReplaceAll(head, "DAY", time.Date(1990, 1, n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		testkit.Reply(200, testkit.HTML(head, fmt.Sprintf(`the news of list %d <a href="/news?page=%d">older</a>`, n, n+1)))(
			w, req)
	})
	r.pages.change("/news")
	for n := range pages {
		for _, path := range []string{"/", "/news", fmt.Sprintf("/news?page=%d", n+1)} {
			r.Get(path)
		}
		time.Sleep(time.Second / 3) // meanwhile they are learned
	}
	r.Settle()
}

// A stranger's requests must not keep what the owner changed from being sent, nor be told as changes.
func TestStrangerWhoWalksAlongAListHoldsNothingBack(t *testing.T) {
	base.OneByOne(t)
	for _, row := range []struct {
		name  string
		pages int
		head  string
	}{
		{"more than a post takes", batchPages + 100, ""},
		{"with old dates", 110, `<meta property="article:modified_time" content="DAYT00:00:00Z">`},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRunningSite(t, 5, testkit.Setup{Options: servemap.Options{Query: []string{"page"}}})
				r.start(Options{})
				r.changes("/1")
				r.walk(row.pages, row.head)
				r.changes("/2")
				time.Sleep(20 * time.Minute)
				sent := r.sent()
				for _, path := range []string{"/1", "/2"} {
					if !slices.Contains(sent, path) {
						t.Errorf("%s was not sent, only %q", path, sent)
					}
				}
				time.Sleep(6 * time.Hour)
				if s := r.status(); s.SentToday > 4 || s.Pending != 0 || s.Listed < row.pages {
					t.Errorf("the status is %+v", s)
				}
			})
		})
	}
}

func TestDayLimitTakesTheOldestAndLosesNothing(t *testing.T) {
	base.OneByOne(t)
	const days = 10
	run(t, 40, Options{MaxPerDay: 4}, func(r *runningSite) {
		var want []string
		for i := range 40 {
			path := fmt.Sprintf("/%d", 39-i)
			want = append(want, path)
			r.changes(path)
		}
		for day := range days {
			time.Sleep(24 * time.Hour)
			r.Visit("/0")
			sent, of := r.sent(), map[time.Time]int{}
			for _, p := range r.engine.all() {
				if of[p.at.Truncate(24*time.Hour)] += len(p.URLs); of[p.at.Truncate(24*time.Hour)] > 4 {
					t.Fatalf("too many were sent on %v", p.at)
				}
			}
			if day < 6 && (len(sent) < 4*(day+1) || !slices.Equal(sent, want[:len(sent)])) {
				t.Fatalf("on day %d, sent are %q", day, sent)
			}
		}
		if n := r.Logged.Count("longer ago than the site remembers"); n > 2 {
			t.Errorf("it was logged %d times:\n%s", n, r.Logged)
		}
		if !strings.Contains(r.Logged.String(), "the others wait\" waiting=") {
			t.Errorf("the log does not say how many wait:\n%s", r.Logged)
		}
		if n := len(r.engine.all()); n < days-2 {
			t.Errorf("after %d days there were only %d posts", days, n)
		}
	})
}

// A site with very many changes remembers fewer days than an engine may be down.
func TestWhatTheSiteStillRemembersIsSentAfterALongOutage(t *testing.T) {
	run(t, 5, Options{}, func(r *runningSite) {
		refusal := reply(503, "", "Retry-After", "86400")
		r.engine.next(refusal, refusal)
		r.changes("/1")
		time.Sleep(40 * time.Hour)
		k, err := keys.New(testkit.Origin)
		base.Check(r, err)
		begins := codec.Marshal(moment.Of(time.Now()))
		time.Sleep(12 * time.Minute)
		r.changes("/2")
		time.Sleep(5 * time.Hour)
		base.Check(r, r.Store.Update(r.Context(), []string{k.Changelog()}, func(values [][]byte) error {
			values[0] = begins
			return nil
		}))
		refused := len(r.engine.all())
		time.Sleep(24 * time.Hour)
		if posts := r.engine.all()[refused:]; len(posts) != 1 || !slices.Equal(posts[0].URLs,
			[]string{testkit.Origin + "/2"}) {
			t.Errorf("posts are %+v", posts)
		}
		r.Logged.Want(t, 1, "longer ago than the site remembers")
	})
}

func TestUnderReportOnlyNothingIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunningSite(t, 5, testkit.Setup{Options: servemap.Options{ReportOnly: true}})
		r.start(Options{})
		r.changes("/1")
		time.Sleep(time.Hour)
		r.wantPosts()
	})
}

func TestRefusalDelaysTheNextPost(t *testing.T) {
	for _, row := range []struct {
		name    string
		answer  func() (*http.Response, error)
		least   time.Duration // until the next post
		most    time.Duration
		verdict string
		logs    string
	}{
		{"a refused key", reply(403, `{"errorCode":"KeyNotFound"}`), 2 * time.Minute, 3 * time.Minute, "key-refused",
			"key file"},
		{"Retry-After", reply(429, "", "Retry-After", "3600"), time.Hour, 70 * time.Minute, "throttled", "level=WARN"},
		{"no answer", func() (*http.Response, error) { return nil, fmt.Errorf("connection reset, key %s", "hidden") },
			time.Minute, 2 * time.Minute, "down", "connection reset"},
	} {
		t.Run(row.name, func(t *testing.T) {
			run(t, 3, Options{}, func(r *runningSite) {
				r.engine.next(row.answer)
				r.changes("/1")
				time.Sleep(6 * time.Minute)
				r.wantPosts("/1")
				s := r.status()
				if got := s.Endpoints[0].Verdict; got != row.verdict || s.Pending != 1 || s.SentToday != 0 {
					t.Errorf("the status is %+v", s)
				}
				if view := r.inspector("crawlers"); !strings.Contains(view, "No page was accepted today; 1 waits") {
					t.Errorf("the inspector shows %s", view)
				}
				r.Logged.Want(t, 0, "<nil>")
				if !strings.Contains(r.Logged.String(), row.logs) || r.Logged.Count("verdict="+row.verdict) != 1 {
					t.Errorf("the log is:\n%s", r.Logged)
				}
				r.stop() // the wait outlives a restart
				r.start(Options{})
				time.Sleep(row.least - 2*time.Minute)
				r.wantPosts()
				time.Sleep(row.most - row.least + 4*time.Minute)
				r.wantPosts("/1")
				time.Sleep(2 * time.Hour)
				r.wantPosts()
				base.Equal(t, r.status().Endpoints[0].Verdict, "ok", "the verdict stays")
			})
		})
	}
}

// The advice about the old one would stay in the inspector for ever.
func TestNewKeyAndNewEngineForgetTheOldRefusal(t *testing.T) {
	for name, opts := range map[string]Options{"key": {Key: "another-key"},
		"engine": {Endpoint: "https://www.bing.com/indexnow"}} {
		t.Run(name, func(t *testing.T) {
			run(t, 3, Options{}, func(r *runningSite) {
				r.engine.next(reply(400, ""))
				r.changes("/1")
				time.Sleep(10 * time.Minute)
				r.wantPosts("/1")
				r.stop()
				r.start(opts)
				time.Sleep(leaseFor + time.Minute)
				r.wantPosts("/1")
				if all := r.status().Endpoints; len(all) != 1 || all[0].URL != r.notifier.endpoint || all[0].Advice != "" ||
					all[0].Refused != 0 {
					t.Errorf("%+v", all)
				}
			})
		})
	}
}

// Numbers of a day, and of pages that wait, end with that day and with the owner's wish to send them.
func TestNumbersOfWhatIsSentEnd(t *testing.T) {
	run(t, 3, Options{Hold: time.Minute}, func(r *runningSite) {
		shows := func(want string) {
			if got := r.inspector("crawlers.json"); !strings.Contains(got, want) {
				t.Errorf("the inspector does not show %s: %s", want, got)
			}
		}
		r.changes("/1")
		time.Sleep(10 * time.Minute)
		shows(`"sent_today": 1`)
		r.engine.next(reply(http.StatusTooManyRequests, "", "Retry-After", "36000"))
		r.changes("/2")
		time.Sleep(10 * time.Minute)
		shows(`"pending": 1`)
		r.stop()
		time.Sleep(24 * time.Hour)
		shows(`"sent_today": 0`)
		r.start(Options{GoogleOnly: true, Google: startConsole().google()})
		time.Sleep(time.Hour)
		shows(`"pending": 0`)
	})
}

func TestPagesOfAnInvalidPostStopNoOther(t *testing.T) {
	run(t, 3, Options{}, func(r *runningSite) {
		r.engine.next(reply(422, ""))
		r.changes("/0", "/1")
		time.Sleep(30 * time.Minute)
		r.wantPosts("/0 /1")
		r.changes("/2")
		time.Sleep(24 * time.Hour)
		r.wantPosts("/2")
		if s := r.status(); s.SentToday != 0 && s.SentToday != 1 || s.Pending != 0 || s.Endpoints[0].Verdict != "ok" {
			t.Errorf("the status is %+v", s)
		}
	})
}
