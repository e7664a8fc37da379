package main

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// published is how often a new letter appears in the archive.
const published = 2 * time.Second

// letters returns how many letters there are at a time. All replicas compute the same
// number without asking each other.
func letters(now time.Time) int { return int(now.Unix()%3600) / int(published/time.Second) }

// archive is a site that has a new page every few seconds. Each links to the one
// before it.
func archive(now func() time.Time) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		write(w, "Letters to the editor", "All of them, the last one first.", letters(now()))
	})
	mux.HandleFunc("GET /letter/{number}", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("number"))
		if err != nil || n < 1 || n > letters(now()) || strconv.Itoa(n) != r.PathValue("number") {
			http.NotFound(w, r)
			return
		}
		write(w, fmt.Sprintf("Letter %d", n), fmt.Sprintf("Dear editor, for the time of number %d I write about the gulls.", n), n-1)
	})
	return mux
}

// write writes a page that links to the letter before, and to the tenth before.
func write(w http.ResponseWriter, title, text string, before int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>%s</title></head>\n<body><main><h1>%[1]s</h1><p>%s</p>\n", title, text)
	for _, n := range []int{before, before - 9} {
		if n > 0 {
			fmt.Fprintf(w, "<p><a href=\"/letter/%d\">Letter %[1]d</a></p>\n", n)
		}
	}
	fmt.Fprint(w, "<p><a href=\"/\">All letters</a></p></main></body>\n</html>\n")
}
