// Package terminal writes what a command says: short lines for people, others for programs. It takes what
// strangers wrote, and must never let that steer a terminal.
package terminal

import (
	"fmt"
	"io"
	"log/slog"
	"os"
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
		opts.ReplaceAttr = short
		return slog.New(slog.NewTextHandler(w, opts)), nil
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return nil, fmt.Errorf("-log %s: give people, text or json", form)
}

// short leaves out of a line what people need not read: the day, and the level if it is info.
func short(_ []string, a slog.Attr) slog.Attr {
	switch {
	case a.Key == slog.TimeKey:
		a.Value = slog.StringValue(a.Value.Time().Format(time.TimeOnly))
	case a.Key == slog.LevelKey && a.Value.String() == slog.LevelInfo.String():
		return slog.Attr{}
	}
	return a
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
