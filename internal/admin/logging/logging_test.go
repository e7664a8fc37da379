package logging

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// obstinate is a handler that does something before it writes each record.
type obstinate struct {
	slog.Handler
	before func(slog.Record)
}

func (o obstinate) Handle(ctx context.Context, r slog.Record) error {
	o.before(r)
	return o.Handler.Handle(ctx, r)
}

func TestRecordsAreWrittenInOrder(t *testing.T) {
	var log bytes.Buffer
	q := NewQueue(slog.NewTextHandler(&log, nil))
	l := q.Logger()
	for i := range 100 {
		l.Warn("told", "i", i)
	}
	l.Debug("not asked for")
	l.With("by", "me").WithGroup("g").Info("last", "a", 1)
	q.Wait(t.Context())
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 101 {
		t.Fatalf("%d lines, want 101:\n%s", len(lines), log.String())
	}
	if !strings.HasSuffix(lines[42], "level=WARN msg=told i=42") || !strings.HasSuffix(lines[100],
		"msg=last by=me g.a=1") {
		t.Errorf("the log says\n%s", log.String())
	}
}

func TestLoggingNeverWaitsForTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		free := make(chan struct{})
		q := NewQueue(obstinate{slog.NewTextHandler(&log, nil), func(slog.Record) { <-free }})
		q.Logger().Warn("told")
		synctest.Wait() // it is being written
		for range 10 * most {
			q.Logger().Warn("told")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		q.Wait(ctx)
		if ctx.Err() == nil {
			t.Error("it did not wait for what is not written")
		}
		close(free)
		q.Wait(t.Context())
		if n := strings.Count(log.String(), "told"); n != most+1 {
			t.Errorf("%d records were written, want %d that waited and one that was being written", n, most+1)
		}
	})
}

func TestPanicOfTheHandlerLosesOneRecord(t *testing.T) {
	var log bytes.Buffer
	q := NewQueue(obstinate{slog.NewTextHandler(&log, nil), func(r slog.Record) {
		if r.Message == "bad" {
			panic("no disk")
		}
	}})
	for _, text := range []string{"one", "bad", "two"} {
		q.Logger().Warn(text)
	}
	q.Wait(t.Context())
	if got := log.String(); !strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("the log says\n%s", got)
	}
}
