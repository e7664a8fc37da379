package extension

import (
	"regexp"
	"slices"

	"github.com/servemap/servemap/internal/page/html"
)

// thing is an object of structured data (schema.org).
type thing struct{ html.Thing }

// is reports whether a thing has a type that matches. The vocabulary may stand before it.
func (t thing) is(types *regexp.Regexp) bool {
	return slices.ContainsFunc(t.Texts("@type"), types.MatchString)
}

// first returns a property, or its first value if it has several.
func (t thing) first(key string) any {
	if list, ok := t.Of[key].([]any); ok && len(list) > 0 {
		return list[0]
	}
	return t.Of[key]
}

// raw returns a property that is a text.
func (t thing) raw(key string) string {
	s, _ := t.first(key).(string)
	return s
}

// maxText bounds texts other than descriptions, in bytes.
const maxText = 300

// text returns a property that is a text, with single spaces, cut to limit bytes.
func (t thing) text(key string, limit int) string { return html.PlainText(t.raw(key), limit) }

// object returns a property that is a thing.
func (t thing) object(key string) (of thing, ok bool) {
	of.Of, ok = t.first(key).(map[string]any)
	return of, ok
}

// url returns the URL from the first property that gives one, as a text or as a thing with a URL.
func (t thing) url(b base, keys ...string) string {
	for _, key := range keys {
		u := b.url(t.raw(key))
		if of, ok := t.object(key); ok {
			u = of.url(b, "url", "contentUrl", "@id")
		}
		if u != "" {
			return u
		}
	}
	return ""
}
