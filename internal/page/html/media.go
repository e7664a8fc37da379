package html

// How much is kept for the sitemap's extensions.
const (
	maxPictures = 2_000    // img elements
	maxSrcset   = 16 << 10 // bytes of one srcset
)

// Media is what a page says about its images, as written. Package extension
// decides what a sitemap may name.
type Media struct {
	Lang     string    // language tag of the html element
	Pictures []Picture // img elements of the main text, in document order
}

// Picture is an img element. Each of its attributes has at most 16 KiB.
type Picture struct {
	Src, Srcset         string
	LazySrc, LazySrcset string // what scripts load later, from data-src and the like
	Width, Height       string
}

// picture is an img element that may belong to the main text.
type picture struct {
	Picture
	where where
}

// image notes an img element.
func (r *reader) image(t tag, in trait) {
	if r.headOnly || !isShown(t, in) {
		return
	}
	if r.facts.Media != nil && len(r.pictures) < maxPictures {
		r.pictures = append(r.pictures, picture{pictureOf(t), whereOf(in)})
	}
	if src := trimHref(t.get("src")); isLocation(src) {
		r.images.add(src, whereOf(in), false, visits)
	}
}

func pictureOf(t tag) Picture {
	first := func(names ...string) string {
		for _, name := range names {
			if val := t.get(name); len(val) > 0 && len(val) <= maxSrcset {
				return string(val)
			}
		}
		return ""
	}
	return Picture{
		Src: first("src"), Srcset: first("srcset"),
		LazySrc: first("data-src", "data-lazy-src", "data-original"), LazySrcset: first("data-srcset", "data-lazy-srcset"),
		Width: first("width"), Height: first("height"),
	}
}

// mainPictures returns the pictures in the main text.
func (r *reader) mainPictures(main where) (list []Picture) {
	for _, p := range r.pictures {
		if p.where&main != 0 {
			list = append(list, p.Picture)
		}
	}
	return list
}
