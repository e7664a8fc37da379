package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

// visit runs the visitors of the site at origin until ctx ends: four anonymous readers, one
// of whom got a reset link by e-mail and one keeps a bookmark, a reader who is logged in, and two crawlers.
func visit(ctx context.Context, origin string) {
	visitors := []visitor{
		{mail: "/reset/k3v9x2m7q4w8"}, {mail: "/articles/lighthouse"}, {}, {},
		{header: "Cookie", value: "session=a-reader"},
		{header: "User-Agent", value: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
			crawls: true},
		{header: "User-Agent", value: "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
			crawls: true},
	}
	var group sync.WaitGroup
	for _, v := range visitors {
		group.Go(func() {
			if v.crawls {
				v.crawl(ctx, origin)
			} else {
				v.browse(ctx, origin)
			}
		})
	}
	group.Wait()
}

type visitor struct {
	header, value string // a header of each request, or ""
	mail          string // a path that the visitor knows from elsewhere, or ""
	crawls        bool   // it reads robots.txt and the sitemap, and what the sitemap lists
}

// addresses returns a new folder with the addresses of the crawlers above, as engines publish theirs.
func addresses() (folder string, err error) {
	if folder, err = os.MkdirTemp("", "servemap-quickstart-"); err != nil {
		return "", err
	}
	list := []byte(`{"prefixes": [{"ipv4Prefix": "127.0.0.0/8"}, {"ipv6Prefix": "::1/128"}]}`)
	for _, crawler := range []string{"Googlebot", "bingbot"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, crawler+".json"), list, 0o600))
	}
	return folder, err
}

var (
	link  = regexp.MustCompile(`href="(/[^"]*)"`)
	entry = regexp.MustCompile(`<loc>([^<]+)</loc>`)
)

// browse follows links from the home page on, a second or two apart.
func (v visitor) browse(ctx context.Context, origin string) {
	path, known := "/", map[string]bool{}
	for ctx.Err() == nil {
		html, err := v.read(ctx, origin+path)
		known[path] = true
		links := link.FindAllStringSubmatch(html, -1)
		switch {
		case v.mail != "" && rand.IntN(10) == 0:
			path = v.mail
		case err != nil || len(links) == 0 || rand.IntN(5) == 0:
			path = "/"
		default:
			path = choose(links, known)
		}
		pause(ctx, time.Second/2+rand.N(3*time.Second/2))
	}
}

// crawl reads robots.txt and the sitemap, and then what the sitemap lists, again and again.
func (v visitor) crawl(ctx context.Context, origin string) {
	for ctx.Err() == nil {
		_, _ = v.read(ctx, origin+"/robots.txt")
		sitemap, _ := v.read(ctx, origin+"/sitemap.xml") // what fails is read the next time
		for _, page := range append(entry.FindAllStringSubmatch(sitemap, -1), []string{"", origin + "/"}) {
			_, _ = v.read(ctx, page[1])
			pause(ctx, time.Second+rand.N(2*time.Second))
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
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

var client = &http.Client{Timeout: 10 * time.Second}

func (v visitor) read(ctx context.Context, url string) (html string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	if v.header != "" {
		req.Header.Set(v.header, v.value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return string(body), errors.Join(err, resp.Body.Close())
}
