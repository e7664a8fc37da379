package main

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
)

// entry is what a sitemap says of a page.
type entry struct {
	LastMod    string `xml:"lastmod"`
	ChangeFreq string `xml:"changefreq"`
}

// sitemap is all files of one process.
type sitemap struct {
	pages map[string]entry
	tags  string // of all files
}

type getter func(ctx context.Context, path string) (status int, tag string, body []byte, err error)

// read reads the sitemap, and all files that it names.
func read(ctx context.Context, get getter) (*sitemap, error) {
	s := &sitemap{pages: map[string]entry{}}
	return s, s.add(ctx, get, "/sitemap.xml")
}

func (s *sitemap) add(ctx context.Context, get getter, path string) error {
	status, tag, body, err := get(ctx, path)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s: status %d: %s", path, status, body)
	}
	s.tags += tag
	var doc struct {
		URLs []struct {
			Loc string `xml:"loc"`
			entry
		} `xml:"url"`
		Files []string `xml:"sitemap>loc"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, u := range doc.URLs {
		s.pages[u.Loc] = entry{u.LastMod, u.ChangeFreq}
	}
	for _, file := range doc.Files {
		if err := s.add(ctx, get, strings.TrimPrefix(file, origin)); err != nil {
			return err
		}
	}
	return nil
}

// difference is how two sitemaps differ.
type difference struct {
	both, onlyOne, onlyFleet int
	dates, labels            int // the same, of pages in both
	dated, labelled          int // by the one process, of pages in both
}

func diff(one, fleet *sitemap) (d difference) {
	for loc, want := range one.pages {
		got, is := fleet.pages[loc]
		if !is {
			d.onlyOne++
			continue
		}
		d.both++
		d.dates += count(got.LastMod == want.LastMod)
		d.labels += count(got.ChangeFreq == want.ChangeFreq)
		d.dated += count(want.LastMod != "")
		d.labelled += count(want.ChangeFreq != "")
	}
	d.onlyFleet = len(fleet.pages) - d.both
	return d
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (d difference) String() string {
	share := func(n int) float64 { return 100 * float64(n) / float64(max(1, d.both)) }
	return fmt.Sprintf("listed: %d by both, %d by one process only, %d by the fleet only\nof those listed by both: %.2f %% have the same lastmod (%d have one), %.2f %% the same changefreq (%d have one)",
		d.both, d.onlyOne, d.onlyFleet, share(d.dates), d.dated, share(d.labels), d.labelled)
}
