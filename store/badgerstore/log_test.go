package badgerstore

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

// capture keeps the lines logged, and lets tests wait for one.
type capture struct {
	mu    sync.Mutex
	cond  *sync.Cond
	lines []string
}

func newLog() *capture {
	c := &capture{}
	c.cond = sync.NewCond(&c.mu)
	return c
}

func (c *capture) logger() *slog.Logger { return slog.New(c) }

func (c *capture) Enabled(context.Context, slog.Level) bool { return true }
func (c *capture) WithAttrs([]slog.Attr) slog.Handler       { return c }
func (c *capture) WithGroup(string) slog.Handler            { return c }

func (c *capture) Handle(_ context.Context, r slog.Record) error {
	line := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		line += " " + a.String()
		return true
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, line)
	c.cond.Broadcast()
	return nil
}

// wait returns when a line with text has been logged.
func (c *capture) wait(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.find(text) == 0 {
		c.cond.Wait()
	}
}

// count returns how many lines have text.
func (c *capture) count(text string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(text)
}

func (c *capture) find(text string) (n int) {
	for _, line := range c.lines {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.lines, "\n")
}
