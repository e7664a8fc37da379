package messages

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEveryHintSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	seen := map[string]bool{}
	for hint := OtherOrigin; hint < hints; hint++ {
		text := hint.String()
		cause, todo, ok := strings.Cut(text, ". ")
		if !ok || cause == "" || !strings.HasSuffix(todo, ".") || seen[text] {
			t.Errorf("hint %d says %q, want words of its own: a sentence with the cause, and then what to do", hint, text)
		}
		seen[text] = true
	}
}

func TestHintsAreToldInOrderAndLoggedOnceWithTheirFirstSentence(t *testing.T) {
	var log bytes.Buffer
	h := NewHints(slog.New(slog.NewTextHandler(&log, nil)))
	for _, more := range []string{"41 were seen.", "42 were seen."} {
		h.Give(Few, more, "origin", "https://example.com")
	}
	h.Give(OtherOrigin, "")
	if want := []string{OtherOrigin.String(), Few.String() + " 41 were seen."}; !slices.Equal(h.Texts(), want) {
		t.Errorf("texts = %q, want %q", h.Texts(), want)
	}
	first, again := h.Hold(Cookies, "theme is one."), h.Hold(Cookies, "")
	told, holds := strings.Contains(log.String(), "theme"), Cookies.In(h.Texts()) && !Cut.In(h.Texts())
	if !first || again || told || !holds {
		t.Errorf("a hint that another line of the log tells: %q, %s", h.Texts(), log.String())
	}
	h.End(Few, Cookies)
	if want := []Hint{OtherOrigin}; !slices.Equal(h.Given(), want) || len(h.Texts()) != 1 {
		t.Errorf("once its cause has gone, %v hold, want %v", h.Given(), want)
	}
	h.Give(Few, "43 were seen.")
	if !slices.Equal(h.Given(), []Hint{OtherOrigin, Few}) {
		t.Errorf("once its cause is back, %v hold", h.Given())
	}
	h.End(Few)
	if n := strings.Count(log.String(), "This is over: "); n != 1 {
		t.Errorf("the log says %d times that one is over, want it once of what it has: %s", n, log.String())
	}
	if got := log.String(); strings.Count(got, "level=WARN") != 2 || !strings.Contains(got, "41 were seen.") ||
		!strings.Contains(got, "origin=https://example.com") {
		t.Errorf("the log says %q, want each hint once, with its attribute", got)
	}
}

func TestLogSaysAgainWhatHoldsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := NewHints(slog.New(slog.NewTextHandler(&log, nil)))
		for range 3 { // at once, which says nothing new, and an hour later
			h.Give(Forbidden, "")
			h.End(Forbidden)
			time.Sleep(40 * time.Minute)
		}
		told, over := strings.Count(log.String(), "level=WARN"), strings.Count(log.String(),
			`This is over: “A robots.txt, noindex`)
		if told != 2 || over != 2 {
			t.Errorf("told %d times, and over %d times: %s", told, over, log.String())
		}
	})
}

func TestNilHintsGiveNothing(t *testing.T) {
	var h *Hints
	h.End(Few)
	if h.Give(Few, ""); h.Given() != nil || h.Texts() != nil {
		t.Errorf("nil has %v", h.Texts())
	}
}
