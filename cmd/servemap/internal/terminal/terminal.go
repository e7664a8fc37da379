// Package terminal writes what a command says: short lines for people, others for programs. It takes what
// strangers wrote, and must never let that steer a terminal.
package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/servemap/servemap/cmd/servemap/internal/explorer"
	"github.com/servemap/servemap/internal/page/words"
)

// NewLog returns the log of a command in a form: people, text or json, "" for people in a terminal and
// else text. It has what is of a level, and above.
func NewLog(w Plain, form string, level slog.Level) (*slog.Logger, error) {
	to := w.To // people escapes by itself what others wrote
	lives := isTerminal(to)
	switch {
	case form == "people", form == "" && lives:
		return slog.New(people{screen: &screen{to: to, level: level, lives: lives,
			colours: lives && os.Getenv("NO_COLOR") == ""}}), nil
	case form == "json":
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})), nil
	case form == "text", form == "":
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level})), nil
	}
	return nil, fmt.Errorf(words.Say("{-log} %s: give people, text or json"), form)
}

// Lives reports whether a person may look at what is written.
func (w Plain) Lives() bool { return isTerminal(w.To) }

// Width returns how many columns a person sees, 0 where nobody looks or that is not known.
func (w Plain) Width() int {
	if !w.Lives() {
		return 0
	}
	return columns(w.To.(*os.File))
}

// Clear removes a line of progress, if there may be one.
func (w Plain) Clear() {
	if w.Lives() {
		_, _ = io.WriteString(w.To, "\r\x1b[K")
	}
}

// Paint gives a text a colour where a person may look at it. Write escapes colours: such a text goes to w.To, once what
// others wrote is escaped.
func (w Plain) Paint(code, text string) string {
	s := screen{colours: isTerminal(w.To) && os.Getenv("NO_COLOR") == ""}
	return s.paint(code, text)
}

// isTerminal reports whether a person may look at a file.
func isTerminal(w io.Writer) bool {
	file, is := w.(*os.File)
	if !is || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// people is a handler that writes short lines for people.
type people struct {
	*screen
	attrs []slog.Attr // the attributes of the logger
}

// screen is where people look. In a terminal its last line may tell progress, and the next line replaces it.
type screen struct {
	mu             sync.Mutex
	to             io.Writer
	level          slog.Level // the least
	lives, colours bool
	begun          time.Time // when the progress that is shown began
}

// widest is how long a line may be before each of its attributes gets a line of its own.
const widest = 100

// Enabled leaves out what is below the level, but for progress in a terminal.
func (p people) Enabled(_ context.Context, l slog.Level) bool { return l >= p.level || p.lives }

// WithAttrs adds attributes to each line.
func (p people) WithAttrs(attrs []slog.Attr) slog.Handler {
	return people{p.screen, append(p.attrs[:len(p.attrs):len(p.attrs)], attrs...)}
}

// WithGroup leaves the names of attributes as they are.
func (p people) WithGroup(string) slog.Handler { return p }

// Handle writes a record.
func (p people) Handle(_ context.Context, r slog.Record) error {
	progress := r.Message == explorer.Exploring
	if r.Level < p.level && (!progress || p.level > slog.LevelInfo) {
		return nil
	}
	attrs := p.attrs
	r.Attrs(func(a slog.Attr) bool { attrs = append(attrs[:len(attrs):len(attrs)], a); return true })
	p.mu.Lock()
	defer p.mu.Unlock()
	message := strings.TrimPrefix(r.Message, "servemap: ") // the library says so, since it is not alone in its program
	colour := cmp.Or(map[slog.Level]string{slog.LevelWarn: "33", slog.LevelError: "31"}[r.Level], "1")
	head := p.paint("2", r.Time.Format(time.TimeOnly)) + " " + p.paint(colour, Escape(message, ""))
	line, rows, wide, length := "", "", 0, len(message)
	for _, a := range attrs {
		wide = max(wide, len(a.Key))
	}
	for _, a := range attrs {
		name, text := Escape(a.Key, ""), Escape(a.Value.Resolve().String(), "")
		if a.Value.Kind() == slog.KindAny { // a list, in the brackets of package fmt
			text = strings.Trim(text, "[]")
		}
		if text != "" {
			length += len(name) + len(text) + 3
			line += "  " + p.paint("2", name) + " " + text
			rows += "\n         " + p.paint("2", fmt.Sprintf("%-*s", wide, name)) + " " + text
		}
	}
	if !progress && length > widest {
		line = rows
	}
	switch {
	case progress && p.lives: // in one line, however wide the terminal
		if p.begun.IsZero() {
			p.begun = r.Time
		}
		line = "\r\x1b[K\x1b[?7l" + head + "  " + r.Time.Sub(p.begun).Round(time.Second).String() + line + "\x1b[?7h"
	case p.lives:
		p.begun = time.Time{}
		line = "\r\x1b[K" + head + line + "\n"
	default:
		line = head + line + "\n"
	}
	_, err := io.WriteString(p.to, line)
	return err
}

// paint gives a text a colour.
func (s *screen) paint(code, text string) string {
	if !s.colours {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
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
		if reorders := r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069; reorders ||
			unicode.IsControl(r) && !strings.ContainsRune(keep, r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mayHide matches a word up to its last @, from a scheme or a user on, whatever sign the user ends with.
var mayHide = regexp.MustCompile(`\w+://[^\s/@:]*:[^\s/@][^/@\n]*@(?:[^\s/@]*@)*|` +
	`[\pL\pM\pN_.+%-]*[^\s:/@"'` + "`" + `]:/*(?:[^\s:]|:[^\s/])*@`)

// Conceal replaces the user and the password of each address in a text: whoever gave them may show others what a
// command says. An @ in the path of an address, and that of a mail address, stay.
func Conceal(text string) string { return mayHide.ReplaceAllStringFunc(text, concealed) }

// ConcealURLs is Conceal for URLs alone. What else looks like a user and a password stays, since it may be a pattern.
func ConcealURLs(text string) string {
	return mayHide.ReplaceAllStringFunc(text, func(before string) string {
		if !strings.Contains(before, ":/") { // also of a URL that was read as a path, which has lost a slash
			return before
		}
		return concealed(before)
	})
}

// concealed returns what is shown in place of an address up to its last @.
func concealed(before string) string {
	scheme, _, is := strings.Cut(before, "://")
	u, err := url.Parse(before + "host")
	switch {
	case err == nil && u.Host != "" && u.User == nil:
		return before
	case !is:
		return "***@"
	}
	return scheme + "://***@"
}
