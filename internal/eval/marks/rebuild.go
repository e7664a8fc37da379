package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/servemap/servemap/internal/eval/kit"
)

// simulation says how a static site is rebuilt again and again, and visited.
type simulation struct {
	builds   int
	looks    float64 // at a page, between two builds, on average
	seed     uint64
	maxPages int
}

// buildEvery is the time between two builds, in seconds.
const buildEvery = 3 * 86400

// editShare: one in so many pages is edited before a build.
const editShare = 25

// of returns the history of the site below a folder.
func (s simulation) of(dir string) history {
	return func(each func(*fetch) error) error {
		pages, err := readPages(dir, s.maxPages)
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(s.seed, uint64(len(pages))))
		b := build{site: filepath.Clean(dir), at: 1_700_000_000}
		for b.number = range s.builds {
			if b.number > 0 {
				editSome(r, pages)
			}
			b.renew(r)
			for i, p := range s.visits(r, pages) {
				if err := each(b.fetch(p, b.at+int64(60*(i+1)))); err != nil {
					return err
				}
			}
			b.at += buildEvery
		}
		return nil
	}
}

// visits returns the pages in the order of the looks.
func (s simulation) visits(r *rand.Rand, pages []*source) (list []*source) {
	for _, p := range pages {
		n := int(s.looks)
		n += kit.One(r.Float64() < s.looks-float64(n))
		for range max(0, n+r.IntN(3)-1) { // sometimes one more, or one less
			list = append(list, p)
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// source is a page before it is built.
type source struct {
	name, html string
	seen       bool // somebody has looked at it
	edited     bool // it was edited after that
}

// maxSource is the size of the largest file to use, in bytes.
const maxSource = 512 << 10

// readPages returns at most limit HTML files below a folder, chosen evenly.
func readPages(dir string, limit int) (pages []*source, err error) {
	var names []string
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".html") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range min(len(names), limit) {
		name := names[i*len(names)/min(len(names), limit)]
		html, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if len(html) <= maxSource {
			pages = append(pages, &source{name: name, html: string(html)})
		}
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("no HTML file")
	}
	return pages, nil
}
