// Package terminal writes what a command says: short lines for people, others for programs. It takes what
// strangers wrote, and must never let that steer a terminal.
package terminal

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
)

// NewLog returns the log of a command in a form: people, text or json, "" for people in a terminal and
// else text. It has what is of a level, and above.
func NewLog(w Plain, form string, level slog.Level) (*slog.Logger, error) {
	if form == "" {
		form = "text"
		if isTerminal(w.To) {
			form = "people"
		}
	}
	opts := &slog.HandlerOptions{Level: level}
	switch form {
	case "people":
		return slog.New(people{to: w, level: level}), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	}
	return nil, fmt.Errorf("-log %s: give people, text or json", form)
}

// isTerminal reports whether a person may look at a file.
func isTerminal(w io.Writer) bool {
	file, is := w.(*os.File)
	if !is {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// people is a handler that writes short lines for people.
type people struct {
	to    io.Writer
	level slog.Level  // the least
	attrs []slog.Attr // those of the logger
}

// widest is how long a line may be before each of its attributes gets a line of its own.
const widest = 100

// Enabled leaves out what is below the level.
func (p people) Enabled(_ context.Context, l slog.Level) bool { return l >= p.level }

// WithAttrs adds attributes to each line.
func (p people) WithAttrs(attrs []slog.Attr) slog.Handler {
	p.attrs = slices.Concat(p.attrs, attrs)
	return p
}

// WithGroup leaves the names of attributes as they are.
func (p people) WithGroup(string) slog.Handler { return p }

// Handle writes a record in one call, so that lines stay whole.
func (p people) Handle(_ context.Context, r slog.Record) error {
	line := r.Time.Format(time.TimeOnly) + " "
	if r.Level != slog.LevelInfo {
		line += r.Level.String() + " "
	}
	parts := []string{line + Escape(r.Message, "")}
	add := func(a slog.Attr) bool {
		if text := strings.Trim(a.Value.Resolve().String(), "[]"); text != "" {
			parts = append(parts, Escape(a.Key+" "+text, ""))
		}
		return true
	}
	for _, a := range p.attrs {
		add(a)
	}
	r.Attrs(add)
	if line = strings.Join(parts, "  "); len(line) > widest {
		line = strings.Join(parts, "\n         ")
	}
	_, err := io.WriteString(p.to, line+"\n")
	return err
}

// Plain is a writer that shows control characters in place of sending them: what a site, a sitemap, a
// file or another process says must not steer a terminal. JSON stays JSON.
type Plain struct{ To io.Writer }

func (w Plain) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.To, Escape(string(p), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Escape replaces control characters besides those to keep, and those that change the order of a line.
func Escape(text, keep string) string {
	var b strings.Builder
	for _, r := range text {
		if reorders := r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069; reorders || unicode.IsControl(r) && !strings.ContainsRune(keep, r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
