package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"sync"
	"time"
)

// visit runs visitors who read the site at origin until ctx ends. Four are anonymous, and
// one of these got a reset link by e-mail. A fifth is logged in.
func visit(ctx context.Context, origin string) {
	var group sync.WaitGroup
	defer group.Wait()
	for i := range 4 {
		v := visitor{origin: origin, client: &http.Client{Timeout: 10 * time.Second}}
		if i == 0 {
			v.mail = "/reset/k3v9x2m7q4w8"
		}
		group.Go(func() { v.browse(ctx) })
	}
	loggedIn := visitor{origin: origin, client: &http.Client{Timeout: 10 * time.Second}, cookie: "session=a-reader"}
	group.Go(func() { loggedIn.browse(ctx) })
}

type visitor struct {
	origin string
	client *http.Client
	cookie string // "" for an anonymous visitor
	mail   string // a path that the visitor knows from elsewhere, or ""
}

var link = regexp.MustCompile(`href="(/[^"]*)"`)

// browse follows links from the home page on, a few seconds apart.
func (v visitor) browse(ctx context.Context) {
	path, known := "/", map[string]bool{}
	for {
		html, err := v.read(ctx, path)
		known[path] = true
		links := link.FindAllStringSubmatch(html, -1)
		switch {
		case err != nil || len(links) == 0:
			path = "/"
		case v.mail != "" && rand.IntN(10) == 0:
			path = v.mail
		default:
			path = choose(links, known)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second + rand.N(3*time.Second)):
		}
	}
}

// choose prefers a link to a page that the visitor has not seen, as a reader would.
func choose(links [][]string, known map[string]bool) string {
	for _, i := range rand.Perm(len(links)) {
		if path := links[i][1]; !known[path] {
			return path
		}
	}
	return links[rand.IntN(len(links))][1]
}

func (v visitor) read(ctx context.Context, path string) (html string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.origin+path, nil)
	if err != nil {
		return "", err
	}
	if v.cookie != "" {
		req.Header.Set("Cookie", v.cookie)
	}
	resp, err := v.client.Do(req)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return string(body), errors.Join(err, resp.Body.Close())
}
