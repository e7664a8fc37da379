// Package media decides which images, videos and news of a page a sitemap may name. It takes what
// package page read. It returns what package sitemap can write: complete entries with absolute
// URLs.
//
// It must never name a URL that lets in whoever has it, identifies somebody, or leads to a host
// that only the site's own network reaches. The caller applies the site's rules and robots.txt.
package media

import (
	"slices"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/publish/sitemap"
)

// Extensions are the extensions for which this package finds content.
const Extensions = sitemap.Images | sitemap.NewsItem | sitemap.Videos

// The limits for the media of one page, so that its entry stays small.
const (
	maxImages     = 20
	maxImageBytes = 4 << 10
	maxTried      = 200 // images whose URLs are judged
	maxVideos     = 4
	maxVideoBytes = 8 << 10
	maxVideoTries = 16 // videos of structured data that are judged
)

// minPixels is the least width and height of an image. Smaller ones are tracking pixels, buttons or
// icons.
const minPixels = 32

// Found is what a sitemap may say about a page.
type Found struct {
	Images []string      // absolute URLs
	News   *sitemap.News // nil unless the page is one article with a headline, a date and a language
	Videos []sitemap.Video
}

// Read returns what a sitemap may say about a page, in the wanted extensions. The page was read
// with page.Options.Extensions and is at a location of the site.
func Read(norm *location.Normalizer, at string, facts *html.Facts, want sitemap.Namespaces) (f Found) {
	b, ok := newBase(norm, at, facts.Base)
	if facts.Media == nil || !ok {
		return f
	}
	if want&sitemap.Images != 0 {
		f.Images = images(b, facts.Media.Pictures)
	}
	if want&(sitemap.NewsItem|sitemap.Videos) == 0 {
		return f
	}
	d := readData(facts.Media.Data)
	og := openGraph(facts.Media.Properties)
	if want&sitemap.NewsItem != 0 {
		f.News = d.news(og, facts.Media.Lang)
	}
	if want&sitemap.Videos != 0 {
		f.Videos = d.listVideos(b, og)
	}
	return f
}

func images(b base, pictures []html.Picture) (found []string) {
	tried := make(map[string]bool)
	size := 0
	for _, p := range pictures {
		src := largest(p)
		if src == "" || tried[src] {
			continue
		}
		if tried[src] = true; len(tried) > maxTried {
			break
		}
		u := b.url(src)
		if u == "" || slices.Contains(found, u) {
			continue
		}
		if size += len(u); size > maxImageBytes || len(found) == maxImages {
			break
		}
		found = append(found, u)
	}
	return found
}

// largest returns the source of the largest form of an image. It returns "" for an image that is
// not content: an icon or a tracking pixel with a stated size, a part of a sprite, or embedded
// data.
func largest(p html.Picture) string {
	if tiny(p.Width) || tiny(p.Height) {
		return ""
	}
	for _, set := range [...]string{p.Srcset, p.LazySrcset} {
		if src := bestCandidate(set); src != "" {
			return src
		}
	}
	for _, src := range [...]string{p.LazySrc, p.Src} { // an image that is loaded later has a placeholder in src
		if src = strings.TrimSpace(src); isFile(src) {
			return src
		}
	}
	return ""
}

// isFile reports whether a reference may lead to a file on the web.
func isFile(src string) bool {
	return src != "" && len(src) <= maxHref && !strings.Contains(src, "#") && html.IsWeb(src)
}

// tiny reports whether an attribute says that a side is shorter than minPixels.
func tiny(side string) bool {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(side), "px"))
	return err == nil && n < minPixels
}

// bestCandidate returns the source of the widest or densest image in a srcset attribute (HTML
// standard, "parsing a srcset attribute").
func bestCandidate(srcset string) string {
	const space = " \t\r\n\f"
	best, most := "", 0.0
	for {
		srcset = strings.TrimLeft(srcset, space+",")
		if srcset == "" {
			return best
		}
		n := strings.IndexAny(srcset, space)
		if n < 0 {
			n = len(srcset)
		}
		src, size := srcset[:n], 1.0
		srcset = srcset[n:]
		if bare := strings.TrimRight(src, ","); bare != src {
			src = bare
		} else {
			var descriptor string
			descriptor, srcset, _ = strings.Cut(srcset, ",")
			size = candidateSize(descriptor)
		}
		if size > most && isFile(src) {
			best, most = src, size
		}
	}
}

// candidateSize returns the width or density in a descriptor, 1 for an empty one and 0 for a bad
// one.
func candidateSize(descriptor string) float64 {
	descriptor = strings.TrimSpace(descriptor)
	if descriptor == "" {
		return 1
	}
	n := len(descriptor) - 1
	size, err := strconv.ParseFloat(descriptor[:n], 64)
	if err != nil || !strings.Contains("wx", descriptor[n:]) || !(size > 0 && size < 1e6) {
		return 0
	}
	return size
}
