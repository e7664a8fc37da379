package explore

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/reader"
)

const day = 24 * time.Hour

// pagesOf yields pages with one mean between changes, last observed at ago before now.
func pagesOf(now time.Time, mean, ago time.Duration, locations ...string) iter.Seq2[reader.Known, error] {
	return func(yield func(reader.Known, error) bool) {
		for _, loc := range locations {
			p := reader.Known{Location: loc, Rule: true, History: reader.History{Mean: mean}}
			if p.LastSeen = moment.Of(now.Add(-ago)); !yield(p, nil) {
				return
			}
		}
	}
}

func TestPagesWorthARequestAreChosen(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for _, tt := range []struct {
		name      string
		mean, ago time.Duration
		want      bool
	}{
		{"changes daily, half a day ago", day, 13 * time.Hour, true},
		{"changes daily, six hours ago", day, 6 * time.Hour, false},
		{"changes each minute, six hours ago", time.Minute, 6 * time.Hour, false},
		{"changes each minute, half a day ago", time.Minute, 13 * time.Hour, true},
		{"changes weekly, half a day ago", 7 * day, 13 * time.Hour, false},
		{"changes weekly, two days ago", 7 * day, 2 * day, true},
		{"no change was seen, two days ago", 0, 2 * day, false},
		{"changes once in ten years, 31 days ago", 3650 * day, 31 * day, true},
	} {
		got, err := choose(pagesOf(now, tt.mean, tt.ago, "/a"), now, 30*day, 60)
		if err != nil || (len(got) == 1) != tt.want {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
}

func TestPagesMostWorthARequestComeFirst(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	pages := func(yield func(reader.Known, error) bool) {
		for i := range 20 {
			pagesOf(now, time.Duration(20+i)*day, 10*day, fmt.Sprintf("/%02d", i))(yield)
		}
		pagesOf(now, 1000*day, 31*day, "/old")(yield)
		pagesOf(now, 1000*day, 90*day, "/older")(yield)
	}
	got, err := choose(pages, now, 30*day, 3)
	if want := []string{"/older", "/00", "/01"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("chose %q, %v, want %q", got, err, want)
	}
}

func TestNothingIsChosenWhereThePagesCannotBeRead(t *testing.T) {
	broken := errors.New("broken")
	if got, err := choose(func(yield func(reader.Known, error) bool) { yield(reader.Known{}, broken) }, time.Now(), day,
		1); err != broken || got != nil {
		t.Errorf("chose %q, the error is %v", got, err)
	}
}

func TestRevisitsKeepToTheDaysBudget(t *testing.T) {
	for _, tt := range []struct {
		name         string
		perDay       int
		slice        time.Duration
		pages, links int
	}{
		{"one a day", 1, time.Hour, 1, 0},
		{"what the command gives", 20_000, time.Hour, 758, 75},
		{"a large site", 1_000_000, time.Hour, 37_879, 3787},
	} {
		if pages, links := budget(tt.perDay, tt.slice); pages != tt.pages || links != tt.links {
			t.Errorf("%s: %d pages and %d links, want %d and %d", tt.name, pages, links, tt.pages, tt.links)
		}
	}
}

func TestPaceRunsMoreAtOnceWhileAnswersTakeNoLonger(t *testing.T) {
	for _, tt := range []struct {
		name  string
		takes func(atOnce int) time.Duration
		want  func(atOnce int) bool
	}{
		{"a site that does not mind", func(int) time.Duration { return 20 * time.Millisecond },
			func(n int) bool { return n == 16 }},
		{"a site that answers one at a time", func(n int) time.Duration { return time.Duration(n) * 50 * time.Millisecond },
			func(n int) bool { return n <= 3 }},
	} {
		var p pace
		for range 600 {
			p.saw(time.Now(), answer{status: 200, elapsed: tt.takes(p.allowed(16))})
		}
		if n := p.allowed(16); !tt.want(n) {
			t.Errorf("%s: %d at once", tt.name, n)
		}
	}
}

func TestPaceFollowsTheSite(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	answers := func(p *pace, n int, elapsed time.Duration) {
		for range n {
			p.saw(now, answer{status: 200, elapsed: elapsed})
		}
	}
	refuses := func(p *pace, n, status int) { // as many as make it the site that refuses, and so many in all after that
		for range mostRefused - 1 + n {
			p.saw(now, answer{status: status})
		}
	}
	for _, tt := range []struct {
		name    string
		do      func(p *pace)
		allowed int
		pause   time.Duration
	}{
		{"at first", func(*pace) {}, 1, 0},
		{"quick", func(p *pace) { answers(p, 100, 30*time.Millisecond) }, 4, 0},
		{"slow", func(p *pace) { answers(p, 500, time.Second) }, 1, time.Second},
		{"quick again", func(p *pace) {
			answers(p, 100, time.Second)
			answers(p, 500, 20*time.Millisecond)
			p.until = now
		}, 4, 0},
		{"refused one page", func(p *pace) {
			answers(p, 100, 30*time.Millisecond)
			p.saw(now, answer{status: 503, header: http.Header{"Retry-After": {"30"}}})
		}, 1, 0},
		{"refused one page, and not the next", func(p *pace) {
			answers(p, 100, 30*time.Millisecond)
			p.saw(now, answer{status: 503, header: http.Header{"Retry-After": {"30"}}})
			answers(p, 1, 30*time.Millisecond)
		}, 4, 0},
		{"refused many pages, and answered in between", func(p *pace) {
			for range firstAnswers - 1 {
				p.saw(now, answer{status: 503})
				answers(p, 1, 30*time.Millisecond)
			}
		}, 1, 0},
		{"refused", func(p *pace) { refuses(p, 1, 503) }, 1, time.Second},
		{"asked too often", func(p *pace) { p.saw(now, answer{status: 429}) }, 1, time.Second},
		{"refused three times, each after the pause before", func(p *pace) {
			refuses(p, 1, 503)
			p.saw(p.until, answer{status: 429})
			p.saw(p.until, answer{status: 503})
		}, 1, 7 * time.Second},
		{"refused to three that ran at once", func(p *pace) {
			refuses(p, 3, 503)
			p.saw(now, answer{status: 429})
		}, 1, time.Second},
		{"one slow page", func(p *pace) {
			answers(p, 100, 30*time.Millisecond)
			answers(p, 1, 25*time.Second)
		}, 4, 0},
		{"the site is not there", func(p *pace) { refuses(p, 1, 0) }, 1, time.Second},
		{"the proxy does not reach the site", func(p *pace) { refuses(p, 1, 502) }, 1, time.Second},
		{"told when to come back", func(p *pace) {
			p.saw(now, answer{status: 429, header: http.Header{"Retry-After": {"30"}}})
		}, 1, 30 * time.Second},
		{"told to come back tomorrow", func(
			p *pace) {
			p.saw(now, answer{status: 429, header: http.Header{"Retry-After": {"86400"}}})
		}, 1, time.Minute},
		{"told the time to come back", func(p *pace) {
			p.saw(now, answer{status: 429, header: http.Header{"Retry-After": {"Fri, 15 Jan 2027 08:00:20 GMT"}}})
		}, 1, 20 * time.Second},
		{"told a time that is over", func(p *pace) {
			p.saw(now, answer{status: 429, header: http.Header{"Retry-After": {"Sun, 22 Nov 2026 00:00:00 GMT"}}})
		}, 1, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p pace
			tt.do(&p)
			pause := p.pause(now)
			if p.allowed(4) != tt.allowed || (pause-tt.pause).Abs() > tt.pause/50 {
				t.Errorf("%d at once after %v, want %d after %v", p.allowed(4), pause, tt.allowed, tt.pause)
			}
		})
	}
}
