package page

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The bounds of what is kept for the extensions of sitemaps.
const (
	maxMainImages  = 100      // images of the main text
	maxLooked      = 2_000    // images that are looked at, for those of the main text
	maxVideos      = 16       // videos
	maxDescription = 2_048    // bytes of a description
	maxPublication = 200      // bytes of a publication's name
	maxSrcset      = 16 << 10 // bytes of one srcset
	minPixels      = 32       // width or height below which an image is a pixel, a button or an icon
)

// media gathers what the extensions of sitemaps say of a page. All methods but
// newMedia's may be called on nil, which gathers nothing.
type media struct {
	images   []mainImage
	looked   int // images that were looked at
	og       openGraph
	lang     string // of the html element
	articles []article
	names    map[string]string // of the things of structured data, by their @id
	videos   []Video
}

// mainImage is an image that may be in the main text.
type mainImage struct {
	src   string
	where where
}

// openGraph holds the properties of the Open Graph protocol (ogp.me) and its
// vocabularies that matter here.
type openGraph struct {
	typ, title, description, siteName, image, locale, published string
	video                                                       ogVideo
}

// newMedia returns nil unless the facts for extensions are asked for.
func newMedia(opts Options, headOnly bool) *media {
	if !opts.Extensions || headOnly {
		return nil
	}
	return &media{}
}

// meta takes a meta element.
func (m *media) meta(t *tag, content []byte) {
	if m == nil || len(content) > 4*maxDescription {
		return
	}
	name := t.get(attrProperty)
	if len(name) == 0 {
		name = t.get(attrName)
	}
	if len(name) > len("og:article:published_time") || bytes.IndexByte(name, ':') < 0 {
		return
	}
	if field := m.og.field(strings.ToLower(string(name))); field != nil {
		if *field == "" {
			*field = string(content)
		}
		return
	}
	m.og.video.take(strings.ToLower(string(name)), string(content))
}

// field returns where a property is kept, or nil.
func (g *openGraph) field(name string) *string {
	switch name {
	case "og:type":
		return &g.typ
	case "og:title":
		return &g.title
	case "og:description":
		return &g.description
	case "og:site_name":
		return &g.siteName
	case "og:image", "og:image:url":
		return &g.image
	case "og:locale":
		return &g.locale
	case "article:published_time", "og:article:published_time":
		return &g.published
	}
	return nil
}

// takeLang takes the language of the page with its region, as written.
func (m *media) takeLang(lang []byte) {
	if m != nil && m.lang == "" {
		m.lang = cleanLang(string(lang))
	}
}

// image takes an img element, given as its start tag.
func (m *media) image(rawTag []byte, in trait) {
	if m == nil || len(m.images) == 2*maxMainImages || m.looked == maxLooked {
		return
	}
	m.looked++
	src := imageSource(rawTag)
	if src == "" {
		return
	}
	w := whereOf(in)
	for i := range m.images {
		if m.images[i].src == src {
			m.images[i].where |= w
			return
		}
	}
	m.images = append(m.images, mainImage{src, w})
}

// imageAttrs are the attributes of an img element that matter here.
type imageAttrs struct {
	sources       [3]string // src and what scripts put there later, the best one first
	sets          [2]string // srcset, and what scripts put there later
	width, height string
}

// imageSource returns the source of the largest form of an image, or nothing
// where the image is none of the content.
func imageSource(rawTag []byte) string {
	a := readImageAttrs(rawTag)
	if tiny(a.width) || tiny(a.height) {
		return ""
	}
	for _, set := range a.sets {
		if src := bestCandidate(set); src != "" {
			return src
		}
	}
	for _, src := range a.sources {
		if src = mediaHref(src); src != "" && !strings.Contains(src, "#") {
			return src
		}
	}
	return ""
}

func readImageAttrs(rawTag []byte) (a imageAttrs) {
	name := tagName(rawTag, min(len(rawTag), len("<")))
	s := attrScanner{b: rawTag[min(len(rawTag), len("<")+len(name)):]}
	for {
		key, val, ok := s.next()
		if !ok {
			return a
		}
		a.set(key, val)
	}
}

// set notes the first value of an attribute, given as written.
func (a *imageAttrs) set(key, val []byte) {
	field := a.field(key)
	if field == nil || *field != "" || len(val) > maxSrcset {
		return
	}
	if needsDecoding(val) {
		val = appendDecoded(nil, normalized(val), true)
	}
	*field = string(val)
}

func (a *imageAttrs) field(key []byte) *string {
	if len(key) > len("data-lazy-srcset") {
		return nil
	}
	switch strings.ToLower(string(key)) {
	case "data-src", "data-lazy-src":
		return &a.sources[0]
	case "data-original":
		return &a.sources[1]
	case "src":
		return &a.sources[2]
	case "srcset":
		return &a.sets[0]
	case "data-srcset", "data-lazy-srcset":
		return &a.sets[1]
	case "width":
		return &a.width
	case "height":
		return &a.height
	}
	return nil
}

// tiny reports whether an attribute gives a side of less than minPixels.
func tiny(side string) bool {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(side), "px"))
	return err == nil && n < minPixels
}

// bestCandidate returns the source of the widest or densest image in the value
// of a srcset attribute (HTML standard, "parsing a srcset attribute").
func bestCandidate(srcset string) string {
	best, most := "", 0.0
	for {
		srcset = strings.TrimLeft(srcset, " \t\r\n\f,")
		if srcset == "" {
			return best
		}
		n := strings.IndexAny(srcset, " \t\r\n\f")
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
		if src = mediaHref(src); size > most && src != "" && !strings.Contains(src, "#") {
			best, most = src, size
		}
	}
}

// candidateSize returns the width or the density that a descriptor gives, 1 for
// none and 0 for what is neither.
func candidateSize(descriptor string) float64 {
	descriptor = strings.TrimSpace(descriptor)
	if descriptor == "" {
		return 1
	}
	n := len(descriptor) - 1
	if descriptor[n] != 'w' && descriptor[n] != 'x' {
		return 0
	}
	size, err := strconv.ParseFloat(descriptor[:n], 64)
	if err != nil || !(size > 0 && size < 1e6) {
		return 0
	}
	return size
}

// mediaHref returns a reference as other facts have it, or nothing where it is
// empty, too long, or of another scheme than the web's.
func mediaHref(href string) string {
	if len(href) > 2*maxHref {
		return ""
	}
	href = cleanHref(href)
	if href == "" || len(href) > maxHref || href[0] == '#' || !webHref(href) || !utf8.ValidString(href) {
		return ""
	}
	return href
}

// finish fills in the facts. main says what belongs to the main text.
func (m *media) finish(f *Facts, main where) {
	if m == nil {
		return
	}
	for _, i := range m.images {
		if i.where&main != 0 && len(f.MainImages) < maxMainImages {
			f.MainImages = append(f.MainImages, i.src)
		}
	}
	f.News = m.news()
	f.Videos = m.allVideos()
}

// plainText returns at most limit bytes of a text with single spaces between its words.
func plainText(s string, limit int) string {
	b := []byte(s[:min(len(s), 8*limit)])
	out, _ := appendCollapsed(nil, b[skipSpace(b):])
	if len(out) > limit {
		n := limit
		for n > 0 && !utf8.RuneStart(out[n]) {
			n--
		}
		out = bytes.TrimSuffix(out[:n], []byte(" "))
	}
	return string(bytes.ToValidUTF8(out, nil))
}
