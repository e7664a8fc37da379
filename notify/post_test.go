package notify

import (
	"net/http"
	"testing"
	"time"
)

func TestAnswerDecidesTheVerdictAndTheNextPost(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	was := func(v verdict, fails int) Endpoint { return Endpoint{Verdict: v.name, NextTry: now, Fails: fails} }
	ok := was(verdictOK, 0)
	for _, row := range []struct {
		name    string
		before  Endpoint
		answer  answer
		verdict string
		wait    time.Duration
	}{
		{"200", Endpoint{}, answer{code: 200}, "ok", 0},
		{"203, as one engine answers", ok, answer{code: 203}, "ok", 0},
		{"success ends a backoff", was(verdictDown, 9), answer{code: 200}, "ok", 0},
		{"422", ok, answer{code: 422}, "paused", time.Hour},
		{"403, as with a new key", ok, answer{code: 403}, "key-refused", 2 * time.Minute},
		{"403, again", was(verdicts[403], 3), answer{code: 403}, "key-refused", 16 * time.Minute},
		{"403, for long", was(verdicts[403], 30), answer{code: 403}, "key-refused", 24 * time.Hour},
		{"400", ok, answer{code: 400}, "paused", time.Hour},
		{"401, again", was(verdicts[401], 1), answer{code: 401}, "paused", 2 * time.Hour},
		{"404, then 405", was(verdicts[404], 2), answer{code: 405}, "paused", 4 * time.Hour},
		{"451, for long", was(verdicts[451], 9), answer{code: 451}, "paused", 24 * time.Hour},
		{"418", ok, answer{code: 418}, "paused", time.Hour},
		{"429", ok, answer{code: 429}, "throttled", 10 * time.Minute},
		{"429, again", was(verdicts[429], 2), answer{code: 429}, "throttled", 40 * time.Minute},
		{"429, for long", was(verdicts[429], 50), answer{code: 429}, "throttled", 24 * time.Hour},
		{"429 with Retry-After", ok, answer{code: 429, retryAfter: time.Hour}, "throttled", time.Hour},
		{"429 with a short Retry-After", ok, answer{code: 429, retryAfter: time.Second}, "throttled", 10 * time.Minute},
		{"redirect", ok, answer{code: 302}, "down", time.Minute},
		{"503 with Retry-After", ok, answer{code: 503, retryAfter: time.Hour}, "down", time.Hour},
		{"403 with Retry-After", ok, answer{code: 403, retryAfter: 2 * time.Hour}, "key-refused", 2 * time.Hour},
		{"413, until the posts are small enough", ok, answer{code: 413}, "throttled", time.Minute},
		{"425", ok, answer{code: 425}, "down", time.Minute},
		{"408", ok, answer{code: 408}, "down", time.Minute},
		{"500", ok, answer{code: 500}, "down", time.Minute},
		{"503, again", was(verdictDown, 4), answer{code: 503}, "down", 16 * time.Minute},
		{"nothing, for long", was(verdictDown, 40), answer{}, "down", time.Hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := judge(row.before, row.answer, now)
			wait := max(0, e.NextTry.Sub(now))
			if e.Verdict != row.verdict || wait != row.wait {
				t.Errorf("verdict %q, wait %v; want %q, %v", e.Verdict, wait, row.verdict, row.wait)
			}
			if e.Code != row.answer.code || !e.LastTried.Equal(now) || e.LastAccepted.Equal(now) != (row.answer.code/100 == 2) {
				t.Errorf("it was noted as %+v", e)
			}
			if passes := e.Verdict == "ok" || e.Verdict == "down" || e.Code == 413; passes != (e.Advice == "") {
				t.Errorf("the advice is %q", e.Advice)
			}
		})
	}
}

func TestRetryAfterIsReadWithinBounds(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                               0,
		"3600":                           time.Hour,
		"-1":                             0,
		"1e9":                            0,
		"999999999":                      24 * time.Hour,
		"99999999999999999999":           0,
		"Sun, 22 Nov 2026 13:30:00 GMT":  90 * time.Minute,
		"Sun, 22 Nov 2026 11:00:00 GMT":  0,
		"Sun, 22 Nov 2036 11:00:00 GMT":  24 * time.Hour,
		"soon":                           0,
		"60; url=https://evil.example/a": 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q is %v, want %v", value, got, want)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add("60", 403)
	f.Add("Sun, 22 Nov 2026 13:30:00 GMT", 429)
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, after string, code int) {
		for fails := range 3 {
			e := judge(Endpoint{Verdict: verdicts[429].name, Fails: fails * 10},
				answer{code: code, retryAfter: retryAfter(after, now)}, now)
			if wait := e.NextTry.Sub(now); wait > longest || code == http.StatusTooManyRequests && wait < 10*time.Minute {
				t.Errorf("%d, %q: wait %v", code, after, wait)
			}
		}
	})
}
