package notify

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
)

// verdict is what an answer means.
type verdict struct {
	name        string        // as in [Endpoint]
	first, most time.Duration // how long to wait after the first failure, and after many
	level       slog.Level    // of the line in the log
	says        string
	advice      string // what the owner can do, "" if nothing
}

var (
	verdictOK      = verdict{name: "ok"}
	verdictRefused = verdict{"key-refused", 2 * time.Minute, longest, slog.LevelWarn, "the engine refuses the key, as in the first minutes of a new one",
		"everybody must get the key file with status 200 and no other content: see that nothing else answers in its place, such as a bot shield or a cache. " +
			"If it does, and the engine refuses the key for days, give another {Key}, or verify the site in the engine's webmaster tools"}
	verdictThrottled = verdict{"throttled", 10 * time.Minute, longest, slog.LevelWarn, "the engine asks for fewer posts", ""}
	verdictLarge     = verdict{"throttled", time.Minute, longest, slog.LevelWarn, "the engine asks for fewer pages in a post", ""}
	verdictDown      = verdict{"down", time.Minute, time.Hour, slog.LevelWarn, "the engine cannot be reached, or has trouble of its own", ""}
	verdictInvalid   = verdict{"paused", time.Hour, longest, slog.LevelError, "the engine calls a page of a post invalid, so none of its pages is sent again", ""}
	verdictPaused    = verdict{"paused", longest, longest, slog.LevelError, "the engine refuses the pages", ""}
)

// answer is the answer to a post.
type answer struct {
	code       int           // 0 if nothing came
	retryAfter time.Duration // 0 if it is not given
}

func (a answer) accepted() bool { return a.code/100 == 2 }

func (a answer) verdict() verdict {
	switch {
	case a.accepted():
		return verdictOK
	case a.code == http.StatusUnprocessableEntity: // at least one of the pages is invalid
		return verdictInvalid
	case a.code == http.StatusTooManyRequests:
		return verdictThrottled
	case a.code == http.StatusRequestEntityTooLarge:
		return verdictLarge
	case a.code == http.StatusForbidden:
		return verdictRefused
	case a.code == http.StatusRequestTimeout, a.code == http.StatusTooEarly, a.code/100 != 4:
		return verdictDown // no answer, a redirect, or trouble that passes
	}
	return verdictPaused
}

// judge returns the new state of an endpoint after an answer. Each further failure of one kind doubles
// the wait.
func judge(e Endpoint, a answer, now time.Time) Endpoint {
	v := a.verdict()
	if e.Verdict != v.name {
		e.Fails = 0
	}
	e.Verdict, e.Advice, e.Code, e.LastTried = v.name, messages.Say(v.advice), a.code, now
	if a.accepted() {
		e.LastAccepted, e.NextTry = now, time.Time{}
		return e
	}
	e.NextTry = now.Add(max(a.retryAfter, min(v.first<<min(e.Fails, 16), v.most)))
	e.Fails++
	return e
}

// choose returns the endpoint to use now, "" if all must wait. While an endpoint waits, the next one may
// be used if this one refuses the key or is down. If an engine asks for fewer posts, the notifier obeys
// and does not switch.
func choose(endpoints []string, known map[string]Endpoint, now time.Time) string {
	for _, url := range endpoints {
		e := known[url]
		if !now.Before(e.NextTry) {
			return url
		}
		if e.Verdict != verdictRefused.name && e.Verdict != verdictDown.name {
			return ""
		}
	}
	return ""
}

// retryAfter reads the header Retry-After, in seconds or as a date. It returns at most a day, and 0 for
// any other value.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(at.Sub(now), longest))
	}
	return 0
}
