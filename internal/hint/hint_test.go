package hint

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
)

// say makes up the words of a hint.
func say(h Hint) string { return fmt.Sprintf("Hint %d.", h) }

func logged() (*Hints, *bytes.Buffer) {
	var log bytes.Buffer
	return New(slog.New(slog.NewTextHandler(&log, nil)), say), &log
}

func TestAHintIsLoggedOnce(t *testing.T) {
	h, log := logged()
	for range 3 {
		h.Give(Host, "origin", "https://example.com")
	}
	got := log.String()
	if strings.Count(got, say(Host)) != 1 || strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "origin=https://example.com") {
		t.Errorf("the log says %q, want the hint once, with its attribute", got)
	}
	if texts := h.Texts(); !slices.Equal(texts, []string{say(Host)}) {
		t.Errorf("texts = %q, want that of the hint alone", texts)
	}
}

func TestAHintWithAFurtherSentence(t *testing.T) {
	h, log := logged()
	for _, more := range []string{"Most have: p, cat.", "Most have: title."} {
		h.Tell(Query, more)
	}
	want := say(Query) + " Most have: p, cat."
	if texts := h.Texts(); !slices.Equal(texts, []string{want}) {
		t.Errorf("texts = %q, want that of the first time", texts)
	}
	if got := log.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, want) {
		t.Errorf("the log says %q", got)
	}
	h.Tell(end, "Nothing.")
}

func TestGivenInOrder(t *testing.T) {
	h, _ := logged()
	if got := h.Given(); len(got) != 0 {
		t.Errorf("given = %v before any was", got)
	}
	for hint := end - 1; hint > 0; hint-- {
		h.Give(hint)
	}
	want := []Hint{Host, WWW, Prefix, Failing, Authorization, Identity, Cookies, Private, Folder, Slash, Empty, NotHTML, Encoding, Robots, Entry, NoIndex, NoFollow,
		Canonical, ClientApp, DeadEnd, Query, Tokens, Proxy, Growth, Few, Withdrawals, Refused, AnonymousPanics, ClientIPPanics}
	if got := h.Given(); !slices.Equal(got, want) {
		t.Errorf("given = %v, want %v", got, want)
	}
}

func TestWhatIsNoHintIsNotGiven(t *testing.T) {
	h, log := logged()
	for _, hint := range []Hint{0, end, 32, 33, 255} {
		h.Give(hint)
	}
	if given := h.Given(); len(given) != 0 || log.Len() != 0 {
		t.Errorf("given = %v, log %q", given, log)
	}
}

func TestNilHints(t *testing.T) {
	var h *Hints
	h.Give(Host, "origin", "https://example.com")
	h.Tell(Query, "Most have: p.")
	if h.Given() != nil || h.Texts() != nil {
		t.Errorf("nil has %v", h.Texts())
	}
}

func TestConcurrentGivers(t *testing.T) {
	h, log := logged()
	var givers sync.WaitGroup
	for range 8 {
		givers.Go(func() {
			for hint := range end {
				h.Give(hint)
				h.Texts()
			}
		})
	}
	givers.Wait()
	if n := strings.Count(log.String(), "level=WARN"); n != int(end)-1 || len(h.Given()) != n {
		t.Errorf("%d logged and %d given, want each of %d once", n, len(h.Given()), end-1)
	}
}
