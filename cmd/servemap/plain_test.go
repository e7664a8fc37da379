package main

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/internal/testkit/base"
)

// TestNothingSteersTheTerminal asks a process that answers with what a terminal obeys.
func TestNothingSteersTheTerminal(t *testing.T) {
	const evil = "\\u001b[2J\\u0007\u009b31m\u202e\u007f\\nhttps://forged.example/"
	data := t.TempDir()
	base.Check(t, control.Make(data))
	l, err := control.Listen(data)
	base.Check(t, err)
	process := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/forget" {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, "\x1b[2J\u009b31m")
			return
		}
		_, _ = io.WriteString(w, `{"url":"`+evil+`","kind":"`+evil+`","text":"`+evil+`","listen":"`+evil+`","origin":"`+evil+`","error":"`+evil+`"}`)
	})}
	go func() { _ = process.Serve(l) }()
	defer process.Close()
	for _, args := range [][]string{{"health"}, {"list"}, {"list", "-json"}, {"changes"}, {"explain", "/"}, {"explain", "/", "-json"}, {"stats"}, {"explore"}, {"forget", "/"}} {
		_, out, errs := call(t, append(args, "-data", data)...)
		if text := out + errs; text == "" || bytes.ContainsAny([]byte(text), "\x1b\x07\x7f\u009b\u202e") {
			t.Errorf("%q prints %q", args, text)
		}
		if bytes.Contains([]byte(out), []byte("\nhttps://forged")) {
			t.Errorf("%q prints a line of its own: %q", args, out)
		}
	}
	if code, out, errs := call(t, "check", "no\x1b[2J"); code != codeFailed || bytes.ContainsAny([]byte(out+errs), "\x1b") {
		t.Errorf("%d %q", code, errs)
	}
}
