package explore

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"io"
	"net/http"
	"strings"

	"github.com/servemap/servemap/internal/publish/sitemap"
)

// Exploring requests the pages that other programs know, but never takes them as evidence:
// an old sitemap may be wrong, and a log names pages that only one visitor may know.

const (
	seedsRead     = 1_000_000 // locations of one sitemap or log
	sitemapLevels = 2         // an index and its files
)

// readSitemap returns the URLs in a sitemap that the site serves. If it is an index, it
// returns those of its files.
func (e *explorer) readSitemap(ctx context.Context, loc string, level int) []string {
	if e.report.Requests >= e.MaxRequests || e.rest(ctx) != nil {
		return nil
	}
	e.report.Requests++
	a := e.askUpTo(ctx, loc, sitemap.MaxBytes)
	if a.err != nil || a.status != http.StatusOK {
		e.report.Skipped["no-sitemap"]++
		return nil
	}
	urls, index := ReadSitemap(a.body)
	for _, u := range index {
		if to := e.Normalizer.Parse(u); to.Location != "" && level+1 < sitemapLevels {
			urls = append(urls, e.readSitemap(ctx, to.Location, level+1)...)
		}
	}
	return urls
}

// ReadSitemap returns the URLs that a sitemap names, and the sitemaps that an index names.
// It also reads gzip. From a broken sitemap it returns all up to the break.
func ReadSitemap(b []byte) (urls, index []string) {
	var from io.Reader = bytes.NewReader(b)
	if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
		from = io.LimitReader(z, sitemap.MaxBytes)
	}
	d := xml.NewDecoder(from)
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	parent := ""
	for len(urls)+len(index) < seedsRead {
		token, err := d.Token()
		if err != nil {
			return urls, index
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "url", "sitemap":
			parent = start.Name.Local
		case "loc":
			var loc string
			if d.DecodeElement(&loc, &start) != nil {
				return urls, index
			}
			if loc = strings.TrimSpace(loc); parent == "sitemap" {
				index = append(index, loc)
			} else if parent == "url" {
				urls = append(urls, loc)
			}
			parent = "" // an image's loc is not a page
		}
	}
	return urls, index
}

// ReadSeeds returns the locations and URLs that a sitemap or an access log names, and the
// sitemaps that an index names. It also reads gzip.
func ReadSeeds(r io.Reader) (urls, sitemaps []string, err error) {
	b := bufio.NewReader(r)
	if start, _ := b.Peek(2); len(start) == 2 && start[0] == 0x1f && start[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, nil, err
		}
		b = bufio.NewReader(z)
	}
	if start, _ := b.Peek(64); !strings.HasPrefix(strings.TrimLeft(string(start), "\ufeff \t\r\n"), "<") {
		return readLog(b), nil, nil
	}
	text, err := io.ReadAll(io.LimitReader(b, sitemap.MaxBytes))
	if err != nil {
		return nil, nil, err
	}
	urls, sitemaps = ReadSitemap(text)
	return urls, sitemaps, nil
}

// readLog reads an access log in the combined or common format. It returns the targets of
// GET requests that were answered with 200, each once.
func readLog(lines *bufio.Reader) (targets []string) {
	seen := map[string]bool{}
	for len(targets) < seedsRead {
		line, err := lines.ReadString('\n')
		if target, ok := targetOf(line); ok && !seen[target] {
			seen[target] = true
			targets = append(targets, target)
		}
		if err != nil {
			break
		}
	}
	return targets
}

// targetOf returns the target in a line of a log: host ident user [time] "GET target
// HTTP/1.1" status size ...
func targetOf(line string) (string, bool) {
	_, rest, _ := strings.Cut(line, `"`)
	request, rest, ok := strings.Cut(rest, `"`)
	fields := strings.Fields(request)
	if !ok || len(fields) != 3 || fields[0] != http.MethodGet || !strings.HasPrefix(fields[1], "/") {
		return "", false
	}
	status, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return strings.Clone(fields[1]), status == "200"
}
