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
	Verdict      string // as in [Status], "" before the first post
	Code         int    // of the last answer, 0 if there was none
	ErrorCode    string // of the last answer
	Fails        int    // posts in a row that ended in this verdict
	Since        time.Time
	Until        time.Time // no post before this time
	LastTried    time.Time
	LastAccepted time.Time
	Unverified   time.Time // since when it has answered only 202
}

// The verdicts on an engine.
const (
	verdictOK         = "ok"
	verdictUnverified = "unverified"
	verdictPending    = "pending-key"
	verdictRefused    = "key-refused"
	verdictThrottled  = "throttled"
	verdictDown       = "down"
	verdictPaused     = "paused"
)

// answer is the answer to a post.
type answer struct {
	code       int // 0 if nothing came
	errorCode  string
	retryAfter time.Duration // 0 if it is not given
}

// accepted reports whether the engine took the pages of the last post.
func (e engine) accepted() bool { return e.Code/100 == 2 }

// judge returns the new state of an engine after an answer.
func judge(e engine, a answer, now time.Time) engine {
	e.Code, e.ErrorCode, e.LastTried = a.code, a.errorCode, now
	switch {
	case e.accepted():
		e = e.accept(now)
	case a.code == http.StatusUnprocessableEntity: // at least one of the pages is invalid
		e = e.fail(verdictPaused, now, time.Hour, longest)
	case a.code == http.StatusTooManyRequests:
		e = e.fail(verdictThrottled, now, 10*time.Minute, longest)
		e.Until = latest(e.Until, now.Add(min(a.retryAfter, longest)))
	case a.code == http.StatusForbidden && a.errorCode == "SiteVerificationNotCompleted":
		e = e.fail(verdictPending, now, 2*time.Minute, time.Hour)
	case a.code == http.StatusForbidden && a.errorCode == oldRefusal:
		e = e.fail(verdictRefused, now, longest, longest)
	case a.code == http.StatusForbidden:
		e = e.fail(verdictRefused, now, time.Hour, longest)
	case a.code/100 == 4:
		e = e.fail(verdictPaused, now, longest, longest)
	default: // no answer, a redirect, or trouble of the engine's own
		e = e.fail(verdictDown, now, time.Minute, time.Hour)
	}
	return e
}

func (e engine) accept(now time.Time) engine {
	e.LastAccepted, e.Fails, e.Since, e.Until = now, 0, time.Time{}, time.Time{}
	e.Verdict = verdictOK
	switch {
	case e.Code != http.StatusAccepted:
		e.Unverified = time.Time{}
	case e.Unverified.IsZero():
		e.Unverified = now
	case now.Sub(e.Unverified) >= 24*time.Hour:
		e.Verdict = verdictUnverified
	}
	return e
}

// fail notes a failure. Each further one doubles the wait.
func (e engine) fail(verdict string, now time.Time, first, most time.Duration) engine {
	if e.Verdict != verdict {
		e.Verdict, e.Fails, e.Since = verdict, 0, now
	}
	e.Until = now.Add(min(first<<min(e.Fails, 16), most))
	e.Fails++
	return e
}

// yields reports whether the next endpoint may be used while this one waits. If an engine
// asks for fewer posts, the notifier obeys and does not switch.
func (e engine) yields(now time.Time) bool {
	return e.Verdict == verdictRefused || e.Verdict == verdictDown && now.Sub(e.Since) >= time.Hour
}

// choose returns the endpoint to use now, "" if all must wait.
func choose(endpoints []string, engines map[string]engine, now time.Time) string {
	for _, url := range endpoints {
		e := engines[url]
		if !now.Before(e.Until) {
			return url
		}
		if !e.yields(now) {
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

// verdicts say of each verdict other than verdictOK what it means, at which level that is
// logged, and what the owner can do, "" if nothing.
var verdicts = map[string]struct {
	level        slog.Level
	says, advice string
}{
	verdictUnverified: {slog.LevelWarn, "the engine takes the pages, and has not checked the key for a day", "see that the engine can fetch the key file"},
	verdictPending:    {slog.LevelInfo, "the engine has not checked the new key yet", ""},
	verdictRefused: {slog.LevelError, "the engine refuses the key", "everybody must get the key file with status 200 and no other content: " +
		"see that nothing else answers in its place, such as a bot shield or a cache"},
	verdictThrottled: {slog.LevelWarn, "the engine asks for fewer posts", ""},
	verdictDown:      {slog.LevelWarn, "the engine cannot be reached, or has trouble of its own", ""},
	verdictPaused:    {slog.LevelError, "the engine refuses the pages", "the code and the error code say what the engine objects to"},
}

// oldRefusal is the error code of an engine that does not check the key again. The spelling
// is the engine's.
const oldRefusal = "UserForbiddedToAccessSite"

// advice says what the owner can do, "" if nothing.
func (e engine) advice() string {
	if e.Verdict == verdictRefused && e.ErrorCode == oldRefusal {
		return messages.Say("the engine holds an old refusal: give another {Key}, or verify the site in the engine's webmaster tools")
	}
	return verdicts[e.Verdict].advice
}
