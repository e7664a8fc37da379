package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/page/words"
)

// answerPatience is how long a living process may take for its first answer. Other answers
// may take longer, such as that of an exploration.
const answerPatience = 4 * time.Second

// askAgain is how long a command waits for the folder before it looks again for a process that answers.
const askAgain = time.Second

// checkData refuses a folder that cannot hold the control socket.
func checkData(data string) error {
	if data == "" {
		return usage("{-data} is missing; give the folder for what is learned, such as {-data=sitemap-data}")
	}
	if err := control.CheckPath(data); err != nil {
		return usage("{-data}: %v", err)
	}
	return nil
}

// asking is the common part of the commands that ask the process that serves the site.
type asking struct {
	streams
	data   string
	json   bool
	served bool // visitors are, by the process that was asked
	told   bool // tellWho has had its say
}

func newAsking(s streams, fs *flag.FlagSet) *asking {
	a := &asking{streams: s}
	fs.StringVar(&a.data, "data", "", "the `DIR` that proxy, files, run or crawl was given")
	fs.BoolVar(&a.json, "json", false, "print JSON, an object a line")
	return a
}

// connect returns a client of the process that serves the site. If there is none, this process opens the folder and
// answers itself, until the client is closed. If another process has the folder but does not answer yet, connect tries
// again for some seconds.
func (a *asking) connect(ctx context.Context) (*control.Client, error) {
	for begun := time.Now(); ; {
		c, err := a.connectOnce(ctx)
		if !errors.Is(err, locked(a.data)) || time.Since(begun) >= answerPatience || ctx.Err() != nil {
			return c, err
		}
	}
}

func (a *asking) connectOnce(ctx context.Context) (*control.Client, error) {
	h, err := askFirst[health](ctx, control.Process, a.data, "/health")
	a.served = h.Serves
	if err == nil && !a.told {
		a.tellWho(ctx, h)
	}
	switch {
	case err == nil && h.File:
		words.Use(words.Keys) // as the owner writes the settings of that process
		fallthrough
	case err == nil:
		return control.Process(a.data), nil
	case errors.As(err, new(exit)):
		return nil, err
	case errors.Is(err, os.ErrPermission) || errors.As(err, new(control.ForeignError)):
		return nil, fmt.Errorf("-data: %w", cmp.Or(control.Check(a.data), err)) // Check says whose the folder is
	}
	text, err := control.ReadFile(control.Settings(a.data))
	if err != nil || len(text) == 0 { // what was learned may be in a database
		if _, err := os.Stat(filepath.Join(a.data, "badger")); err == nil {
			return nil, fmt.Errorf("-data %s: This is the folder of a Go program: ask its inspector, or site.Explain, "+
				"Pages, Stats or Forget", a.data)
		}
		what := "nothing of servemap is in"
		if _, err := os.Stat(a.data); errors.Is(err, os.ErrNotExist) {
			what = "there is no folder"
		}
		return nil, usage("{-data}: %s %s; give the folder that servemap proxy, files, run or crawl was started with", what,
			a.data)
	}
	return a.alone(ctx, text)
}

// tellWho says which process answers, if another one waits for the folder: its owner may mean that one.
func (a *asking) tellWho(ctx context.Context, answers health) {
	a.told = true
	waits, err := askFirst[health](ctx, control.Near, a.data, "/health")
	if err == nil && waits.PID != answers.PID {
		fmt.Fprintf(a.err, "This is from process %d at %s, which has the folder %s. Process %d at %s waits for the folder, "+
			"and serves pages without a sitemap meanwhile.\n", answers.PID, answers.Listen, a.data, waits.PID, waits.Listen)
	}
}

// alone makes this process answer, as after a crawl or while the site is not served, with the settings that the last
// process has left.
func (a *asking) alone(ctx context.Context, text []byte) (*control.Client, error) {
	sites, err := settings.Read(control.Settings(a.data), text)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte(fromFile)) {
		words.Use(words.Keys)
	}
	s, log := sites[0], slog.New(slog.DiscardHandler)
	// the environment may have a database; nobody fetches pages here, and the path may mean another folder now
	s.Data, s.Database, s.Ranges = a.data, "", ""
	st, end, err := openFolder(ctx, s, log, askAgain)
	if err != nil {
		return nil, err
	}
	c, err := newAnswers(s, nil, st, end, log)
	if err != nil {
		return nil, err
	}
	_ = c.site.Flush(ctx) // now it knows what is stored
	return control.Here(c.handler(), func() { _ = c.end() }), nil
}

// locked is the error of a folder whose process does not answer.
func locked(data string) error {
	return exit{codeLocked, fmt.Sprintf(
		"-data %s: another process holds the folder and does not answer; wait, or end that process", data)}
}

// askFirst asks a process, and waits no longer than answerPatience for the answer. It fails if there is no process; if
// one does not answer, the error is that of locked.
func askFirst[T any](ctx context.Context, whom func(data string) *control.Client, data, path string) (v T, err error) {
	if err := checkData(data); err != nil {
		return v, err
	}
	c := whom(data)
	defer c.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, answerPatience, locked(data))
	defer cancel()
	v, err = control.Get[T](ctx, c, path, nil)
	if err != nil && errors.Is(context.Cause(ctx), locked(data)) {
		err = locked(data)
	}
	return v, err
}

// show prints a struct: as JSON with -json, and else for people.
func (a *asking) show(v any) error {
	var out bytes.Buffer
	if a.json {
		answer(&out, v)
	} else {
		terminal.PrintFields(&out, "", reflect.ValueOf(v))
	}
	_, err := out.WriteTo(a.out)
	return err
}

// each makes a request, and prints each line of the answer: what text returns of it, and with -json
// the line itself.
func each[T any](ctx context.Context, a *asking, method, path string, query url.Values, text func(T) string) error {
	c, err := a.connect(ctx)
	if err != nil {
		return err
	}
	resp, err := c.Do(ctx, method, path, query)
	c.Close() // the reader of what is printed may take its time; an answer that still comes is read to its end
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for lines := json.NewDecoder(resp.Body); ; {
		var line json.RawMessage
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return err
		}
		printed := text(v)
		if a.json {
			printed = string(line) + "\n"
		}
		if _, err := io.WriteString(a.out, printed); err != nil {
			return err
		}
	}
	if text := resp.Trailer.Get(errorTrailer); text != "" {
		return errors.New(text)
	}
	return nil
}
