package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

// plain is a writer that shows control characters in place of sending them: what a site, a sitemap, a
// file or another process says must not steer a terminal. JSON stays JSON.
type plain struct{ to io.Writer }

func (w plain) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, escape(string(p), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// escape replaces control characters besides those to keep, and those that change the order of a line.
func escape(text, keep string) string {
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

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	if p, ok := w.(plain); ok {
		w = p.to
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
