package shards

import (
	"strings"

	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/codec"
)

// Extension is what an entry tells beyond the protocol's own elements. All of it is
// public. A nil Extension tells nothing.
type Extension struct {
	Alternates []Alternate     // the page in all its languages, itself included
	Images     []string        // absolute URLs
	News       *sitemap.News   // for the file of news only; nil if the page is no article
	Videos     []sitemap.Video // with absolute URLs
}

// Alternate is the page in one language.
type Alternate struct{ Lang, Location string }

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

// extensionFields lists the fields of the extension. Damaged ones are left out.
func (e *Entry) extensionFields(f *codec.Fields) {
	var x Extension
	if e.Extension != nil {
		x = *e.Extension
	}
	f.Data(14, len(x.Alternates), func(i int) []byte {
		return []byte(x.Alternates[i].Lang + " " + x.Alternates[i].Location)
	}, func(b []byte) {
		if lang, location, ok := strings.Cut(string(b), " "); ok {
			x.Alternates = append(x.Alternates, Alternate{lang, location})
		}
	})
	f.Data(15, len(x.Images), func(i int) []byte { return []byte(x.Images[i]) }, func(b []byte) { x.Images = append(x.Images, string(b)) })
	f.Data(16, 1, func(int) []byte {
		if x.News == nil {
			return nil
		}
		return codec.Write(newsFields(x.News), "")
	}, func(b []byte) {
		x.News = new(sitemap.News)
		if _, err := codec.Read(b, codec.Into(newsFields(x.News))); err != nil {
			x.News = nil
		}
	})
	f.Data(17, len(x.Videos), func(i int) []byte { return codec.Write(videoFields(&x.Videos[i]), "") }, func(b []byte) {
		var v sitemap.Video
		if _, err := codec.Read(b, codec.Into(videoFields(&v))); err == nil {
			x.Videos = append(x.Videos, v)
		}
	})
	if f.Reading() {
		e.Extension = &x
	}
}

func newsFields(n *sitemap.News) func(*codec.Fields) {
	return func(f *codec.Fields) {
		f.Text(1, &n.Publication)
		f.Text(2, &n.Language)
		f.Int(3, &n.Published)
		f.Text(4, &n.Title)
	}
}

func videoFields(v *sitemap.Video) func(*codec.Fields) {
	return func(f *codec.Fields) {
		for i, text := range [...]*string{&v.Thumbnail, &v.Title, &v.Description, &v.Content, &v.Player} {
			f.Text(1+i, text)
		}
		f.Count(6, &v.Seconds)
		f.Int(7, &v.Published)
	}
}
