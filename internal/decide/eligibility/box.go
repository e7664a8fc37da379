package eligibility

import "github.com/servemap/servemap/internal/page/html"

// Box tells whether a site has a box to log in on its pages. It has one if the start page and another page, which has a
// text of its own, both ask for a password. Then a page that says little and asks too, such as a product below the box,
// is no log-in. Until then it is one: many start pages ask for the password to what only members see.
type Box struct {
	Starts map[string]html.LogIn // by the locations where visitors enter
	texts  map[string]html.LogIn // some other pages that ask, and have a text of their own
	other  bool                  // another page has a text of its own, or does not ask
}

// textsKept is how many such pages are kept. One may be rewritten, and once a log-in stands before the site, all are.
const textsKept = 8

// Saw notes what a page asks for. starts says that visitors enter the site there.
func (b *Box) Saw(location string, starts bool, asks html.LogIn) {
	if b.Starts == nil {
		b.Starts, b.texts = map[string]html.LogIn{}, map[string]html.LogIn{}
	}
	delete(b.texts, location)
	b.other = b.other || !starts && (asks.Forms == 0 || !asks.Brief)
	switch {
	case starts:
		b.Starts[location] = asks
	case asks.Forms > 0 && !asks.Brief && !IsLogIn(location) && len(b.texts) < textsKept:
		b.texts[location] = asks
	}
}

// forms returns how many forms to log in a start page has at most.
func (b *Box) forms() (most int) {
	for _, start := range b.Starts {
		most = max(most, start.Forms)
	}
	return most
}

// Proven reports whether the site has a box to log in. A page with the text of a start page proves nothing.
func (b *Box) Proven() bool {
	own := len(b.texts)
	for _, page := range b.texts {
		for _, start := range b.Starts {
			if start.Text == page.Text {
				own--
				break
			}
		}
	}
	return own > 0 && b.forms() > 0
}

// Unknown reports whether the site may have had a box before this process started: nothing was seen since then but
// start pages, and pages that ask and say little.
func (b *Box) Unknown() bool { return !b.other }

// May reports whether what a page asks for may stand in a box to log in.
func (b *Box) May(location string) bool { return b.forms() > 0 && !IsLogIn(location) }

// Has reports whether what a page asks for stands in the box to log in. A page that says little and has more forms than
// the start page asks for itself.
func (b *Box) Has(location string, asks html.LogIn) bool {
	return b.May(location) && (!asks.Brief || b.Proven() && asks.Forms <= b.forms())
}
