package extension

import "github.com/servemap/servemap/internal/page/html"

// maxText bounds texts other than descriptions, in bytes.
const maxText = 300

// text returns a property of a thing that is a text, with single spaces, cut to limit bytes.
func text(t html.Thing, property string, limit int) string {
	return html.PlainText(t.Text(property), limit)
}

// urlOf returns the URL from the first property of a thing that gives one, as a text or as a thing with a URL.
func (b base) urlOf(t html.Thing, properties ...string) string {
	for _, property := range properties {
		u := b.url(t.Text(property))
		if of, ok := t.Object(property); ok {
			u = b.urlOf(of, "url", "contentUrl", "@id")
		}
		if u != "" {
			return u
		}
	}
	return ""
}
