package extension

import (
	"maps"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/page/html"
)

// data is what a page's structured data say about its videos and itself.
type data struct {
	articles []thing           // what the page is
	videos   []thing           // what is on the page, at most maxVideoTries
	names    map[string]string // names of things, by their @id
}

// thing is an object of structured data (schema.org).
type thing map[string]any

func readData(scripts []any) *data {
	d := &data{names: make(map[string]string)}
	for _, v := range scripts {
		d.visit(v, true)
	}
	return d
}

// visit takes a value of structured data and everything in it. own says that a thing here is what
// the page is, not something that belongs to it.
func (d *data) visit(v any, own bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			d.visit(e, own)
		}
	case map[string]any:
		d.visitThing(v, own)
	}
}

func (d *data) visitThing(t thing, own bool) {
	if id, name := t.raw("@id"), t.raw("name"); id != "" && name != "" {
		d.names[id] = name
	}
	if own && t.is(articleTypes...) {
		d.articles = append(d.articles, t)
	}
	if t.is("VideoObject") {
		if len(d.videos) < maxVideoTries {
			d.videos = append(d.videos, t)
		}
		return
	}
	for _, key := range slices.Sorted(maps.Keys(t)) { // always in the same order
		if !html.LeadsElsewhere(key) {
			d.visit(t[key], own && (key == "@graph" || key == "mainEntity"))
		}
	}
}

// is reports whether a thing has one of these types. They may have the vocabulary before them.
func (t thing) is(types ...string) bool {
	return slices.ContainsFunc(html.Texts(t["@type"]), func(s string) bool {
		return slices.Contains(types, s[strings.LastIndexAny(s, "/:#")+1:])
	})
}

// first returns a property, or its first value if it has several.
func (t thing) first(key string) any {
	if list, ok := t[key].([]any); ok && len(list) > 0 {
		return list[0]
	}
	return t[key]
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

// url returns the URL from the first property that gives one, as a text or as a thing with a URL.
func (t thing) url(b base, keys ...string) string {
	for _, key := range keys {
		switch v := t.first(key).(type) {
		case string:
			if u := b.url(v); u != "" {
				return u
			}
		case map[string]any:
			if u := thing(v).url(b, "url", "contentUrl", "@id"); u != "" {
				return u
			}
		}
	}
	return ""
}
