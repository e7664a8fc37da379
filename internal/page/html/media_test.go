package html

import "testing"

func TestMediaAndTitleStandBesideTheText(t *testing.T) {
	checkRows(t, []row[[]string]{
		{"a title with the name of the site", `<title>A guide – The Grove</title><p>text`,
			[]string{"title A guide", "title The Grove"}},
		{"a title that the text repeats", `<title>A guide | Acme</title><h1>a Guide</h1>`,
			[]string{"title (A guide)", "title Acme"}},
		{"a hyphen and a colon within", `<title>Built-in: all</title>`, []string{"title Built-in: all"}},
		{"a picture, one elsewhere, and an icon",
			`<nav><img src=/n.png></nav><main>text<img src="/img/oak.jpg"><img src=/i.png width=16></main>`, []string{"oak"}},
		{"in a link to another page, and to its own file",
			`<a href=/b><img src=b.jpg></a><a href=/c-large.jpg><img src=c.jpg></a>`, []string{"link b", "c"}},
		{"videos", `<iframe src="https://www.youtube.com/embed/aqz-KE-bpKQ?rel=0"></iframe><video src=/v/film.mp4></video><video><source src=/v/other.webm></video>`,
			[]string{"aqz KE bpKQ", "film", "other"}},
		{"frames that nobody sees", `<noscript><iframe src=/ns.html></iframe></noscript><iframe src=/a width=1></iframe><iframe src=/b style="display: none"></iframe><iframe hidden src=/c></iframe><iframe src="javascript:x()"></iframe>`, nil},
	}, func(f Facts) (shown []string) {
		for _, b := range f.Beside {
			text := b.Text
			switch {
			case b.Text == "" || !b.Main || b.Boilerplate:
				continue
			case b.Repeats:
				text = "title (" + text + ")"
			case b.Heading:
				text = "title " + text
			case b.Links > 0:
				text = "link " + text
			}
			shown = append(shown, text)
		}
		return shown
	})
}

func TestPictureHasOneNameHoweverItIsServed(t *testing.T) {
	for _, tt := range []struct{ name, a, b string }{
		{"in another folder and format", "/a/oak-tree.jpg", "https://cdn.example/x/y/oak-tree.webp"},
		{"a query", "/oak.jpg?v=1", "/oak.jpg?v=2&w=640"},
		{"another size", "/oak-300x200.jpg", "/oak-1024w.jpg"},
		{"another density", "/oak@2x.jpg", "/oak.jpg"},
		{"the hash of a build", "/oak.3f2a9c1b.png", "/oak-77c01d9e.png"},
		{"a thumbnail of a wiki", "/thumb/a/ab/Oak.jpg/220px-Oak.jpg", "/a/ab/Oak.jpg"},
		{"a service that scales", "/_next/image?url=%2Fimg%2Foak.jpg&w=640&q=75", "/img/oak.jpg"},
		{"a size of a hash", "/3f2a9c1b77c0-1200x800.jpg", "/3f2a9c1b77c0-600x400.jpg"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if a, b := mediumName(tt.a), mediumName(tt.b); a != b || a == "" {
				t.Errorf("%q and %q", a, b)
			}
		})
	}
	for _, tt := range [][2]string{{"/oak.jpg", "/elm.jpg"}, {"/IMG_2034.jpg", "/IMG_2035.jpg"}, {"/p/1.png", "/p/2.png"},
		{"/3f2a9c1b.jpg", "/77c01d9e.jpg"}} {
		if a, b := mediumName(tt[0]), mediumName(tt[1]); a == b {
			t.Errorf("%s and %s have the name %q", tt[0], tt[1], a)
		}
	}
}
