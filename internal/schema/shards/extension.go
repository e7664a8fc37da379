package shards

import (
	"github.com/servemap/servemap/internal/publish/sitemap"
)

// Extension is what an entry tells beyond the protocol's own elements. All of it is
// public. A nil Extension tells nothing.
type Extension struct {
	Alternates []Alternate     `cbor:"1,keyasint,omitzero"` // the page in all its languages, itself included
	Images     []string        `cbor:"2,keyasint,omitzero"` // absolute URLs
	News       *sitemap.News   `cbor:"3,keyasint,omitzero"` // for the file of news only; nil if the page is no article
	Videos     []sitemap.Video `cbor:"4,keyasint,omitzero"` // with absolute URLs
}

// Alternate is the page in one language.
type Alternate struct {
	Lang     string `cbor:"1,keyasint"`
	Location string `cbor:"2,keyasint"`
}

// uses returns the extensions that the page's part must declare.
func (x *Extension) uses() (n sitemap.Namespaces) {
	if x == nil {
		return 0
	}
	for i, has := range [...]bool{len(x.Alternates) > 0, len(x.Images) > 0, len(x.Videos) > 0} {
		if has {
			n |= kinds[i]
		}
	}
	return n
}

// Shown returns what an entry shows of the extension: only the kinds that the file
// declares, and only the alternates for which is returns true. If no other language is
// left, it shows no alternates. The result is in out, which the caller reuses for the
// next entry.
func (x *Extension) Shown(out *sitemap.Extension, declared sitemap.Namespaces, url func(string) string, is func(location string) bool) *sitemap.Extension {
	if x == nil || declared == 0 {
		return nil
	}
	*out = sitemap.Extension{Alternates: out.Alternates[:0]}
	if declared&sitemap.Images != 0 {
		out.Images = x.Images
	}
	if declared&sitemap.Videos != 0 {
		out.Videos = x.Videos
	}
	if declared&sitemap.Alternates == 0 {
		return out
	}
	last, several := "", false
	for _, a := range x.Alternates {
		if is(a.Location) {
			out.Alternates = append(out.Alternates, sitemap.Alternate{Lang: a.Lang, Loc: url(a.Location)})
			several = several || last != "" && a.Location != last
			last = a.Location
		}
	}
	if !several {
		out.Alternates = out.Alternates[:0]
	}
	return out
}

// room returns the most bytes that the extension takes in a part, 0 if it takes none. Each
// kind is shown on its own: the file may not declare the others, or they may be invalid.
func (x *Extension) room(url func(location string) string) (n int) {
	for _, kind := range kinds {
		some := x.Shown(new(sitemap.Extension), kind&x.uses(), url, func(string) bool { return true })
		n += sitemap.ExtensionLen(some)
	}
	return n
}
