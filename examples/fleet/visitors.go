package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"sync"
	"time"
)

// visit has three visitors read the site at origin until ctx ends.
func visit(ctx context.Context, origin string) {
	var group sync.WaitGroup
	defer group.Wait()
	for range 3 {
		group.Go(func() { browse(ctx, origin) })
	}
}

var link = regexp.MustCompile(`href="(/[^"]*)"`)

// browse follows links, beginning with the first page.
func browse(ctx context.Context, origin string) {
	client, path := &http.Client{Timeout: 10 * time.Second}, "/"
	for ctx.Err() == nil {
		links := link.FindAllStringSubmatch(read(ctx, client, origin+path), -1)
		if path = "/"; len(links) > 0 && rand.IntN(20) != 0 {
			path = links[rand.IntN(len(links))][1]
		}
		select {
		case <-ctx.Done():
		case <-time.After(rand.N(200 * time.Millisecond)):
		}
	}
}

// read returns a page, "" if it cannot be had.
func read(ctx context.Context, client *http.Client, url string) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return ""
	}
	resp, err := client.Do(r)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return ""
	}
	return string(body)
}

// report prints how the sitemap of each replica grows.
func report(ctx context.Context, b *balancer) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		line := clock()
		for i, addr := range b.all() {
			line += fmt.Sprintf("  replica %d: %s", i, state(ctx, addr))
		}
		fmt.Printf("%s  unanswered requests: %d\n", line, b.failed.Load())
	}
}

// state says how many pages a replica's sitemap lists, and how its entity tag
// begins.
func state(ctx context.Context, addr string) string {
	if addr == "" {
		return "down"
	}
	tag, body, err := sitemapOf(ctx, addr)
	if err != nil {
		return "down"
	}
	if tag == "" {
		return "no page yet"
	}
	return fmt.Sprintf("%d pages (%s)", bytes.Count(body, []byte("<loc>")), tag[1:min(9, len(tag))])
}
