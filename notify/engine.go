package notify

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
)

// engine is what the notifier knows of an endpoint.
type engine struct {
	Endpoint
	Fails int // posts in a row that ended in this verdict
}

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
	verdictPending = verdict{"pending-key", 2 * time.Minute, time.Hour, slog.LevelInfo, "the engine has not checked the new key yet", ""}
	verdictRefused = verdict{"key-refused", time.Hour, longest, slog.LevelError, "the engine refuses the key",
		"everybody must get the key file with status 200 and no other content: see that nothing else answers in its place, such as a bot shield or a cache"}
	verdictBurned = verdict{"key-refused", longest, longest, slog.LevelError, "the engine refuses the key",
		"the engine holds an old refusal: give another {Key}, or verify the site in the engine's webmaster tools"}
	verdictThrottled = verdict{"throttled", 10 * time.Minute, longest, slog.LevelWarn, "the engine asks for fewer posts", ""}
	verdictDown      = verdict{"down", time.Minute, time.Hour, slog.LevelWarn, "the engine cannot be reached, or has trouble of its own", ""}
	verdictInvalid   = verdict{"paused", time.Hour, longest, slog.LevelError, "the engine refuses a page", adviceCode}
	verdictPaused    = verdict{"paused", longest, longest, slog.LevelError, "the engine refuses the pages", adviceCode}
)

const adviceCode = "the code and the error code say what the engine objects to"

// answer is the answer to a post.
type answer struct {
	code       int // 0 if nothing came
	errorCode  string
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
	case a.code == http.StatusForbidden && a.errorCode == "SiteVerificationNotCompleted":
		return verdictPending
	case a.code == http.StatusForbidden && a.errorCode == "UserForbiddedToAccessSite": // the spelling is the engine's
		return verdictBurned
	case a.code == http.StatusForbidden:
		return verdictRefused
	case a.code == http.StatusRequestTimeout, a.code == http.StatusTooEarly, a.code/100 != 4:
		return verdictDown // no answer, a redirect, or trouble that passes
	}
	return verdictPaused
}

// judge returns the new state of an engine after an answer. Each further failure of one kind
// doubles the wait.
func judge(e engine, a answer, now time.Time) engine {
	v := a.verdict()
	if e.Verdict != v.name {
		e.Fails = 0
	}
	e.Verdict, e.Advice, e.Code, e.ErrorCode, e.LastTried = v.name, messages.Say(v.advice), a.code, a.errorCode, now
	if a.accepted() {
		e.LastAccepted, e.NextTry, e.Fails = now, time.Time{}, 0
		return e
	}
	e.NextTry = now.Add(max(a.retryAfter, min(v.first<<min(e.Fails, 16), v.most)))
	e.Fails++
	return e
}

// choose returns the endpoint to use now, "" if all must wait. While an endpoint waits, the
// next one may be used if this one refuses the key or is down. If an engine asks for fewer
// posts, the notifier obeys and does not switch.
func choose(endpoints []string, engines map[string]engine, now time.Time) string {
	for _, url := range endpoints {
		e := engines[url]
		if !now.Before(e.NextTry) {
			return url
		}
		if e.Verdict != verdictRefused.name && e.Verdict != verdictDown.name {
			return ""
		}
	}
	return ""
}

var wordOnly = regexp.MustCompile(`^[A-Za-z]{1,40}$`)

// errorCode returns the code in the body of an answer, "" if there is none. An engine's
// text is a stranger's, so errorCode accepts only a plain word, and never the key.
func errorCode(body []byte, key string) string {
	var said struct{ ErrorCode string }
	if json.Unmarshal(body, &said) != nil || !wordOnly.MatchString(said.ErrorCode) || said.ErrorCode == key {
		return ""
	}
	return said.ErrorCode
}

// retryAfter reads the header Retry-After, in seconds or as a date. It returns at most a
// day, and 0 for any other value.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(at.Sub(now), longest))
	}
	return 0
}
