package extension

import (
	"slices"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/page/html"
)

// images are those of a page's main content.
var images = Extension{
	Namespace: `xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`,
	Read:      func(p *Page) []byte { return elementsOf("image:image", readImages(p), maxImageBytes) },
}

type image struct {
	Loc string `xml:"image:loc"`
}

// The limits for the images of one page. All that an entry has must fit a value of the store.
const (
	maxImages     = 20
	maxImageBytes = 8 << 10 // of elements
	maxTried      = 200     // images whose URLs are judged
)

// minPixels is the least width and height of an image. Smaller ones are tracking pixels, buttons or
// icons.
const minPixels = 32

// readImages returns the URLs of the images that may be named.
func readImages(p *Page) (found []image) {
	b, ok := newBase(p)
	if p.Media == nil || !ok {
		return nil
	}
	tried := make(map[string]bool)
	for _, picture := range p.Media.Pictures {
		src := largest(picture)
		if src == "" || tried[src] {
			continue
		}
		if tried[src] = true; len(tried) > maxTried {
			break
		}
		u := b.url(src)
		if u == "" || slices.Contains(found, image{u}) {
			continue
		}
		if len(found) == maxImages {
			break
		}
		found = append(found, image{u})
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
