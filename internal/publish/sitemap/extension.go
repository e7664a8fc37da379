package sitemap

import (
	"strconv"
	"strings"
)

// Namespaces says which extensions of the protocol a sitemap declares, or an entry uses.
type Namespaces uint8

// The extensions, in the order in which an entry has them.
const (
	Alternates Namespaces = 1 << iota // the page in other languages, as links of XHTML
	Images                            // Google's images
	NewsItem                          // Google's news
	Videos                            // Google's videos
)

// The bounds of the extensions of one entry and of one file.
const (
	maxAlternates  = 200    // alternates of an entry
	maxImages      = 100    // images of an entry; the extension allows 1,000
	maxVideos      = 16     // videos of an entry
	MaxNews        = 1_000  // entries with news in a file
	MaxName        = 200    // characters of a publication's name
	maxTitle       = 300    // characters of a title
	maxDescription = 2_048  // characters of a description
	MaxDuration    = 28_800 // seconds of a video
)

// Extension is what an entry says beyond the protocol's own elements. All addresses in it
// are absolute addresses of http or https in ASCII; see ValidAddress. Texts are plain. This
// package escapes them, drops control characters and bytes that are not UTF-8, collapses
// white space, and cuts them to the bounds above.
type Extension struct {
	// Alternates are the page in all its languages, itself included, and x-default if there
	// is one.
	Alternates []Alternate
	// Images are the addresses of images on the page.
	Images []string
	// News says that the page is a news article. nil says that it is not.
	News *News
	// Videos are the videos on the page.
	Videos []Video
}

// Alternate is the page in one language.
type Alternate struct {
	Lang string // a language tag, or x-default
	Loc  string
}

// News is what a news sitemap says about an article. All fields are required.
type News struct {
	Publication string `cbor:"1,keyasint,omitzero"` // the name of the newspaper or site
	Language    string `cbor:"2,keyasint,omitzero"` // of the article, in the form that NewsLanguage returns
	Published   int64  `cbor:"3,keyasint,omitzero"` // when, in seconds since the Unix epoch
	Title       string `cbor:"4,keyasint,omitzero"`
}

// Video is what a sitemap says about a video.
type Video struct {
	Thumbnail   string `cbor:"1,keyasint,omitzero"` // required: the address of an image
	Title       string `cbor:"2,keyasint,omitzero"` // required
	Description string `cbor:"3,keyasint,omitzero"` // required
	Content     string `cbor:"4,keyasint,omitzero"` // the address of the video file; this or Player is required
	Player      string `cbor:"5,keyasint,omitzero"` // the address of a player
	Seconds     int    `cbor:"6,keyasint,omitzero"` // its length, from 1 to MaxDuration; any other value is left out
	Published   int64  `cbor:"7,keyasint,omitzero"` // when, in seconds since the Unix epoch; left out when a file cannot name it
}

// Namespaces returns the extensions that a file must declare for an entry with x.
func (x *Extension) Namespaces() (n Namespaces) {
	if x == nil {
		return 0
	}
	if len(x.Alternates) > 0 {
		n |= Alternates
	}
	if len(x.Images) > 0 {
		n |= Images
	}
	if x.News != nil {
		n |= NewsItem
	}
	if len(x.Videos) > 0 {
		n |= Videos
	}
	return n
}

// namespaces are the declarations, by the bits of Namespaces.
var namespaces = [...]string{
	` xmlns:xhtml="http://www.w3.org/1999/xhtml"`,
	` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`,
	` xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"`,
	` xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"`,
}

// AppendURLSetOpen appends the beginning of a sitemap whose entries use the declared
// extensions, and returns it. Without extensions this is URLSetOpen.
func AppendURLSetOpen(dst []byte, declared Namespaces) []byte {
	if declared == 0 {
		return append(dst, URLSetOpen...)
	}
	dst = append(dst, strings.TrimSuffix(URLSetOpen, ">\n")...)
	for i, s := range namespaces {
		if declared&(1<<i) != 0 {
			dst = append(dst, s...)
		}
	}
	return append(dst, ">\n"...)
}

// AppendExtended appends an entry with extensions to dst and returns it. A nil x has none.
// It returns false, with dst unchanged, where AppendURL would, for an extension that the
// file has not declared, and for an invalid extension. An extension is invalid if it has an
// address that ValidAddress refuses, a bad language, too many of a kind, or lacks a
// required field. The caller may then write the entry without its extensions.
func AppendExtended(dst []byte, u URL, x *Extension, declared Namespaces) ([]byte, bool) {
	if x == nil {
		return AppendURL(dst, u)
	}
	if x.Namespaces()&^declared != 0 || !x.Valid() {
		return dst, false
	}
	out, ok := AppendURL(dst, u)
	if !ok {
		return dst, false
	}
	return append(x.append(out[:len(out)-len(urlClose)]), urlClose...), true
}

// append appends the elements of a valid extension.
func (x *Extension) append(dst []byte) []byte {
	for _, a := range x.Alternates {
		dst = a.append(dst)
	}
	if len(x.Alternates) > 0 {
		dst = append(dst, '\n')
	}
	for _, loc := range x.Images {
		dst = append(appendElement(append(dst, `<image:image>`...), "image:loc", loc, maxLoc), `</image:image>`...)
	}
	if x.News != nil {
		dst = x.News.append(dst)
	}
	for i := range x.Videos {
		dst = x.Videos[i].append(dst)
	}
	return dst
}

// ExtensionLen returns how many bytes an extension adds to an entry, 0 if it is invalid.
func ExtensionLen(x *Extension) int {
	if x == nil || !x.Valid() {
		return 0
	}
	return len(x.append(nil))
}

// Valid reports whether an entry can have all of x.
func (x *Extension) Valid() bool {
	if len(x.Alternates) > maxAlternates || len(x.Images) > maxImages || len(x.Videos) > maxVideos {
		return false
	}
	for _, a := range x.Alternates {
		if !ValidLanguage(a.Lang) || !ValidAddress(a.Loc) {
			return false
		}
	}
	for _, loc := range x.Images {
		if !ValidAddress(loc) {
			return false
		}
	}
	for i := range x.Videos {
		if !x.Videos[i].valid() {
			return false
		}
	}
	return x.News == nil || x.News.valid()
}

// The markup of an alternate.
const (
	alternateOpen = `<xhtml:link rel="alternate" hreflang="`
	hrefOpen      = ` href="`
)

func (a Alternate) append(dst []byte) []byte {
	dst = append(append(dst, "\n"+alternateOpen...), a.Lang...)
	dst, _ = appendLoc(append(dst, `"`+hrefOpen...), a.Loc) // known to be valid
	return append(dst, `"/>`...)
}

// append appends the article, in the order of its schema.
func (n *News) append(dst []byte) []byte {
	dst = appendElement(append(dst, `<news:news><news:publication>`...), "news:name", n.Publication, MaxName)
	dst = appendElement(dst, "news:language", n.Language, MaxName)
	dst = appendTime(append(dst, `</news:publication>`...), `<news:publication_date>`, n.Published, `</news:publication_date>`)
	dst = appendElement(dst, "news:title", n.Title, maxTitle)
	return append(dst, `</news:news>`...)
}

func (n *News) valid() bool {
	return hasTime(n.Published) && n.Language != "" && NewsLanguage(n.Language) == n.Language && hasText(n.Publication) && hasText(n.Title)
}

// append appends the video, in the order of its schema.
func (v *Video) append(dst []byte) []byte {
	dst = appendElement(append(dst, `<video:video>`...), "video:thumbnail_loc", v.Thumbnail, maxLoc)
	dst = appendElement(dst, "video:title", v.Title, maxTitle)
	dst = appendElement(dst, "video:description", v.Description, maxDescription)
	if v.Content != "" {
		dst = appendElement(dst, "video:content_loc", v.Content, maxLoc)
	}
	if v.Player != "" {
		dst = appendElement(dst, "video:player_loc", v.Player, maxLoc)
	}
	if v.Seconds >= 1 && v.Seconds <= MaxDuration {
		dst = appendElement(dst, "video:duration", strconv.Itoa(v.Seconds), maxLoc)
	}
	dst = appendTime(dst, `<video:publication_date>`, v.Published, `</video:publication_date>`)
	return append(dst, `</video:video>`...)
}

func (v *Video) valid() bool {
	return ValidAddress(v.Thumbnail) && hasText(v.Title) && hasText(v.Description) &&
		(v.Content != "" || v.Player != "") &&
		(v.Content == "" || ValidAddress(v.Content)) && (v.Player == "" || ValidAddress(v.Player))
}
