package html

import (
	"strconv"
	"strings"
)

// Picture is an img element of the main text.
type Picture struct {
	// Src is the reference as written. Of an image that a script loads later it is what that loads,
	// from data-src and the like.
	Src  string
	Icon bool // a stated side is so short that it is a tracking pixel, a button or an icon
}

// minPixels is the least width and height of an image that is no icon.
const minPixels = 32

// picture is an img element that may belong to the main text.
type picture struct {
	Picture
	where trait
}

// image notes an img element. One that is loaded later has a placeholder in src.
func (r *reader) image(t tag, in trait) {
	if !isShown(t, in) || len(r.pictures) == maxImages {
		return
	}
	for _, name := range [...]string{"data-src", "data-lazy-src", "data-original", "src"} {
		if src := trimHref(t.get(name)); isLocation(src) {
			icon := isTiny(t.get("width")) || isTiny(t.get("height"))
			r.pictures = append(r.pictures, picture{Picture{string(src), icon}, region(in)})
			return
		}
	}
}

// isTiny reports whether an attribute says that a side is shorter than minPixels.
func isTiny(side []byte) bool {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(string(side)), "px"))
	return err == nil && n < minPixels
}

// mainPictures returns the pictures in the main text.
func (r *reader) mainPictures(main trait) (list []Picture) {
	for _, p := range r.pictures {
		if p.where&main != 0 {
			list = append(list, p.Picture)
		}
	}
	return list
}
