package html

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Picture is an img element of the main text.
type Picture struct {
	// Src is the reference as written. If a script loads the image later, it is the reference that the script reads, in
	// data-src and the like.
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
			if !icon {
				r.medium("img", src, in)
			}
			return
		}
	}
}

// film notes a video: a frame, or an element for one.
func (r *reader) film(el *element, t tag, in trait) {
	src := trimHref(t.get("src"))
	hidden := el.name != "source" && in&noText != 0 || isTiny(t.get("width")) || displaysNothing(t.get("style"))
	if !hidden && isShown(t, in) && isLocation(src) {
		r.medium(el.name, src, in)
	}
}

// medium notes a picture or a video beside the text. One in a link shows another page, unless that is its own file.
func (r *reader) medium(kind string, src []byte, in trait) {
	if name := mediumName(string(src)); name != "" && len(r.text.beside) < maxImages {
		place, _ := r.stack.top()
		b := textBlock{Block: Block{Place: placeIn(place, kind), Text: name, Beside: true}, where: region(in)}
		if r.text.link != 0 && !r.text.toFile {
			b.Links = 1
		}
		r.text.beside = append(r.text.beside, b)
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

var (
	// sized matches a part of a file's name that says how large this rendition is.
	sized = regexp.MustCompile(`(?i)^(?:\d+x\d*|\d+(?:w|h|px)|scaled)$`)
	// hashed matches letters and digits that take turns, as in the hash that a build writes into a name.
	hashed = regexp.MustCompile(`(?i)^[a-z\d]*(?:[a-z]\d+[a-z]|\d[a-z]+\d)[a-z\d]*$`)
)

// mediumName returns what stays of a reference while the picture or video stays the same: the name of its file without
// its folder, ending and size and the hash of a build, unless it has no other name.
func mediumName(src string) string {
	plain, err := url.PathUnescape(src)
	if err != nil {
		plain = src
	}
	name, _, _ := strings.Cut(src, "?")
	name = strings.TrimRight(name, "/")
	name = name[strings.LastIndexByte(name, '/')+1:]
	if file := mediumFile(plain); file != "" {
		name = file
	}
	name = name[max(0, len(name)-longestName):]
	parts := strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune("-_.@~ ", c) })
	parts = without(parts, sized)
	if kept := without(parts, hashed); strings.ContainsFunc(strings.Join(kept, ""), unicode.IsLetter) {
		parts = kept
	}
	return strings.Join(parts, " ")
}

// longestName is how many bytes of a name tell pictures apart, counted from its end.
const longestName = 128

// mediumEndings are those of files of pictures and videos.
var mediumEndings = []string{"jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "mp4", "webm"}

// mediumFile returns the name, without its ending, of the last file of a picture or a video in a reference, "" if there
// is none. It may stand anywhere, such as in the query of a program that scales the picture.
func mediumFile(ref string) string {
	for dot := strings.LastIndexByte(ref, '.'); dot > 0; dot = strings.LastIndexByte(ref[:dot], '.') {
		ending := ref[dot+1:]
		if i := strings.IndexFunc(ending, func(
			c rune) bool {
			return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_'
		}); i >= 0 {
			ending = ending[:i]
		}
		if !slices.ContainsFunc(mediumEndings, func(e string) bool { return strings.EqualFold(e, ending) }) {
			continue
		}
		if name := ref[strings.LastIndexAny(ref[:dot], "/?&=#")+1 : dot]; name != "" {
			return name
		}
	}
	return ""
}

// without returns the parts of a name that do not match.
func without(parts []string, pattern *regexp.Regexp) []string {
	return slices.DeleteFunc(slices.Clone(parts), pattern.MatchString)
}

// titleBreak matches what stands between a page's own title and the name of its site.
var titleBreak = regexp.MustCompile(` (?:[|·•»«›‹–—-]|::) `)

// titled notes the parts of the title as headings of the main text.
func (r *reader) titled() {
	for _, part := range titleBreak.Split(r.facts.Title, -1) {
		b := Block{Place: placeIn(rootPlace, "title"), Text: part, Beside: true}
		b.Repeats = slices.ContainsFunc(r.text.blocks, func(b textBlock) bool { return strings.EqualFold(b.Text, part) })
		r.text.beside = append(r.text.beside, textBlock{Block: b, where: inMain | inArticle | inBody | inPage | heading})
	}
}
