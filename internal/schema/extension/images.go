package extension

import (
	"slices"
	"strings"
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

// readImages returns the URLs of the images that may be named.
func readImages(p *Page) (found []image) {
	b := newBase(p)
	for _, picture := range p.Pictures[:min(len(p.Pictures), maxTried)] {
		if picture.Icon || strings.Contains(picture.Src, "#") { // a part of a sprite
			continue
		}
		if u := (image{b.url(picture.Src)}); u.Loc != "" && len(found) < maxImages && !slices.Contains(found, u) {
			found = append(found, u)
		}
	}
	return found
}
