package hint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func logged() (*Hints, *bytes.Buffer) {
	var log bytes.Buffer
	return New(slog.New(slog.NewTextHandler(&log, nil))), &log
}

func TestEveryHintSaysWhatToDo(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "hint.go", nil, 0)
	base.Check(t, err)
	var constants []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is {
			constants = append(constants, spec.Names[0].Name)
		}
		return true
	})
	paragraphs, seen := strings.Split(hintsFile, "\n\n"), map[string]bool{}
	for hint := Host; hint < end; hint++ {
		text := hint.String()
		cause, todo, ok := strings.Cut(text, ". ")
		if !ok || cause == "" || !strings.HasSuffix(todo, ".") || seen[text] {
			t.Errorf("hint %d says %q, want words of its own: a sentence with the cause, and then what to do", hint, text)
		}
		seen[text] = true
		if name := strings.Fields(paragraphs[hint-1])[0]; name != constants[hint] {
			t.Errorf("hint %s has the words of %s", constants[hint], name)
		}
	}
}

func TestHintIsToldAndLoggedOnceWithItsFirstSentence(t *testing.T) {
	h, log := logged()
	for _, more := range []string{"41 were seen.", "42 were seen."} {
		h.Tell(Few, more, "origin", "https://example.com")
	}
	if want := []string{Few.String() + " 41 were seen."}; !slices.Equal(h.Texts(), want) {
		t.Errorf("texts = %q, want %q", h.Texts(), want)
	}
	got := log.String()
	if strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "41 were seen.") || !strings.Contains(got, "origin=https://example.com") {
		t.Errorf("the log says %q, want the hint once, with its attribute", got)
	}
}

func TestHintsAreGivenInOrder(t *testing.T) {
	h, _ := logged()
	for _, hint := range []Hint{Refused, Host, Proxy} {
		h.Give(hint)
	}
	if got := h.Given(); !slices.Equal(got, []Hint{Host, Proxy, Refused}) {
		t.Errorf("given = %v", got)
	}
}

func TestNilHintsHaveNone(t *testing.T) {
	var h *Hints
	if h.Give(Host); h.Given() != nil || h.Texts() != nil {
		t.Errorf("nil has %v", h.Texts())
	}
}

func TestConcurrentGiversGiveEachHintOnce(t *testing.T) {
	h, log := logged()
	var givers sync.WaitGroup
	for range 8 {
		givers.Go(func() {
			for hint := Host; hint < end; hint++ {
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
