package book

import (
	"strings"

	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitemap"
)

// Extension is what an entry tells beyond the protocol's own elements. All of it
// is public. A nil one tells nothing.
type Extension struct {
	Alternates []Alternate     // the page in its languages, itself among them
	Images     []string        // absolute URLs
	News       *sitemap.News   // for the file of news alone; nil if it is none
	Videos     []sitemap.Video // with absolute URLs
}

// Alternate is the page in one language.
type Alternate struct{ Lang, Location string }

// uses returns the extensions that the page's part has to declare.
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

// Shown returns what an entry of a part shows of the extension: of the kinds that
// the file declares, and of the alternates those that is tells of. Of a page that
// then has no other language none is left. It is returned in out, which is used
// for one entry after the other.
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

// room returns how many bytes the extension takes in a part at most, 0 if it has no
// place in one. A file need not declare all kinds of it, and what is valid of one
// kind is shown without the others.
func (x *Extension) room(url func(location string) string) (n int) {
	for _, kind := range kinds {
		some := x.Shown(new(sitemap.Extension), kind&x.uses(), url, func(string) bool { return true })
		n += sitemap.ExtensionLen(some)
	}
	return n
}

// encode adds the extension to the record of an entry, at its end.
func (x *Extension) encode(enc *record.Encoder) {
	if x == nil {
		return
	}
	for _, a := range x.Alternates {
		enc.Bytes(entryAlternate, []byte(a.Lang+" "+a.Location))
	}
	for _, loc := range x.Images {
		enc.Bytes(entryImage, []byte(loc))
	}
	if n := x.News; n != nil {
		var e record.Encoder
		e.Bytes(1, []byte(n.Publication))
		e.Bytes(2, []byte(n.Language))
		e.Int(3, n.Published)
		e.Bytes(4, []byte(n.Title))
		enc.Bytes(entryNews, e.Seal())
	}
	for i := range x.Videos {
		v := &x.Videos[i]
		var e record.Encoder
		for num, text := range videoTexts(v) {
			e.Bytes(num+1, []byte(*text))
		}
		e.Uint(6, uint64(max(0, v.Seconds)))
		e.Int(7, v.Published)
		enc.Bytes(entryVideo, e.Seal())
	}
}

// videoTexts returns the texts of a video, in the order of their fields.
func videoTexts(v *sitemap.Video) [5]*string {
	return [5]*string{&v.Thumbnail, &v.Title, &v.Description, &v.Content, &v.Player}
}

// decodeExtension reads a field that [Extension.encode] wrote. One that is
// damaged is left out.
func (e *Entry) decodeExtension(f record.Field) {
	if e.Extension == nil {
		e.Extension = new(Extension)
	}
	x := e.Extension
	switch f.Num {
	case entryAlternate:
		if lang, location, ok := strings.Cut(string(f.Data), " "); ok {
			x.Alternates = append(x.Alternates, Alternate{lang, location})
		}
	case entryImage:
		x.Images = append(x.Images, string(f.Data))
	case entryNews:
		x.News = decodeNews(f.Data)
	case entryVideo:
		if v, ok := decodeVideo(f.Data); ok {
			x.Videos = append(x.Videos, v)
		}
	}
}

func decodeNews(b []byte) *sitemap.News {
	n := new(sitemap.News)
	err := record.Open(b, func(f record.Field) {
		switch f.Num {
		case 1:
			n.Publication = string(f.Data)
		case 2:
			n.Language = string(f.Data)
		case 3:
			n.Published = f.Seconds()
		case 4:
			n.Title = string(f.Data)
		}
	})
	if err != nil {
		return nil
	}
	return n
}

func decodeVideo(b []byte) (v sitemap.Video, ok bool) {
	err := record.Open(b, func(f record.Field) {
		switch f.Num {
		case 1, 2, 3, 4, 5:
			*videoTexts(&v)[f.Num-1] = string(f.Data)
		case 6:
			v.Seconds = f.Count()
		case 7:
			v.Published = f.Seconds()
		}
	})
	return v, err == nil
}
