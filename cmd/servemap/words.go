package main

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/servemap/servemap/internal/admin/texts"
)

// logOptions make a log name flags instead of options.
var logOptions = slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(texts.InFlags(v))
	case error:
		a.Value = slog.StringValue(texts.InFlags(v.Error()))
	}
	return a
}}

// flagWriter translates the text that replaces a missing sitemap into flags. The library
// writes that text as a string, and files as bytes.
type flagWriter struct{ http.ResponseWriter }

func (w flagWriter) WriteString(text string) (int, error) {
	_, err := w.Write([]byte(texts.InFlags(text)))
	return len(text), err
}

func (w flagWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// speaking serves a site whose texts name flags.
func speaking(site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/sitemap.xml") {
			w = flagWriter{w}
		}
		site.ServeHTTP(w, r)
	})
}
