// Package hint names known causes that prevent learning a whole site. It is for an owner whose
// program runs and lists nothing. It takes a hint each time somebody finds its cause, logs it once,
// and keeps it for anybody who asks. It must never tell what is not public.
package hint

import (
	_ "embed"
	"log/slog"
	"strings"
	"sync/atomic"
)

// Hint is one such cause. Hints are shown in the order of their numbers. The numbers are not stored
// and may change.
type Hint uint8

// The hints, more fundamental causes first. Zero is no hint.
const (
	_ Hint = iota
	Host
	WWW
	Scheme
	Prefix
	Failing
	Authorization
	Identity
	Cookies
	Private
	Folder
	Slash
	Empty
	NotHTML
	Encoding
	Robots
	Entry
	NoIndex
	NoFollow
	Canonical
	ClientApp
	DeadEnd
	Proxy
	Growth
	Few
	Withdrawals
	Refused
	AnonymousPanics
	ClientIPPanics
	end
)

// String says what is wrong, and then what to do about it.
func (h Hint) String() string { return words[h] }

// hintsFile has a paragraph for each hint, in the order of their numbers: its name, what is wrong,
// and what to do.
//
//go:embed hints.txt
var hintsFile string

var words = readWords(hintsFile)

func readWords(file string) (words [end]string) {
	file = strings.TrimSpace(strings.ReplaceAll(file, "\r", ""))
	for i, paragraph := range strings.Split(file, "\n\n") {
		_, text, _ := strings.Cut(paragraph, "\n")
		words[i+1] = strings.ReplaceAll(text, "\n", " ")
	}
	return words
}

// Hints holds the hints given so far for one site. A nil *Hints ignores hints and has none. It is
// safe for concurrent use.
type Hints struct {
	logger *slog.Logger
	texts  [end]atomic.Pointer[string] // the text of each hint, nil if it was not given
}

// New returns Hints that log to logger.
func New(logger *slog.Logger) *Hints { return &Hints{logger: logger} }

// Give is Tell without a further sentence.
func (h *Hints) Give(hint Hint, args ...any) { h.Tell(hint, "", args...) }

// Tell gives the hint and logs it, unless it was given before. more is another sentence for the
// owner, or "". It says how the hint applies to this site. args are attributes as for
// [slog.Logger.Warn]. Only the log gets them, but they too may name only what is public.
func (h *Hints) Tell(hint Hint, more string, args ...any) {
	if h == nil || h.Has(hint) {
		return
	}
	text := hint.String()
	if more != "" {
		text += " " + more
	}
	if h.texts[hint].CompareAndSwap(nil, &text) {
		h.logger.Warn("servemap: "+text, args...)
	}
}

// Has reports whether the hint was given.
func (h *Hints) Has(hint Hint) bool { return h.texts[hint].Load() != nil }

// Given returns the hints given so far, in the order of their numbers.
func (h *Hints) Given() (given []Hint) {
	if h == nil {
		return nil
	}
	for hint := range end {
		if h.Has(hint) {
			given = append(given, hint)
		}
	}
	return given
}

// Texts returns the texts for the owner of the hints given so far, in the same order.
func (h *Hints) Texts() (all []string) {
	for _, hint := range h.Given() {
		all = append(all, *h.texts[hint].Load())
	}
	return all
}
