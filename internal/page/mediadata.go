package page

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// thing is an object of structured data.
type thing map[string]any

// readData takes a script of structured data. One that is not valid JSON says
// nothing.
func (m *media) readData(script []byte) {
	if m == nil || !bytes.Contains(script, []byte("VideoObject")) && !bytes.Contains(script, []byte("Article")) &&
		!bytes.Contains(script, []byte("BlogPosting")) {
		return
	}
	var v any
	if json.Unmarshal(script, &v) == nil {
		m.visit(v, true, 0)
	}
}

// visit takes a value of structured data and all that is in it. own says that
// a thing here is what the page is, and not a thing that belongs to one.
func (m *media) visit(v any, own bool, depth int) {
	if depth == maxJSONDepth {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			m.visit(e, own, depth+1)
		}
	case map[string]any:
		m.visitThing(v, own, depth)
	}
}

func (m *media) visitThing(t thing, own bool, depth int) {
	m.noteName(t)
	if own && t.is(articleTypes...) {
		m.addArticle(t)
	}
	if t.is("VideoObject") {
		m.addVideo(t)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(t)) { // in the same order each time
		if !aboutOthers(key) {
			m.visit(t[key], own && (key == "@graph" || key == "mainEntity"), depth+1)
		}
	}
}

// noteName keeps the name of a thing that others may refer to.
func (m *media) noteName(t thing) {
	id, name := t.text("@id", maxHref), t.text("name", maxPublication)
	if id == "" || name == "" {
		return
	}
	if m.names == nil {
		m.names = make(map[string]string)
	}
	m.names[id] = name
}

// aboutOthers reports whether a property names things that are shown elsewhere
// (schema.org).
func aboutOthers(key string) bool {
	switch key {
	case "itemListElement", "mentions", "citation", "isBasedOn", "isPartOf", "relatedLink", "significantLink",
		"comment", "review", "suggestedAnswer", "acceptedAnswer", "blogPost", "author", "publisher":
		return true
	}
	return false
}

// is reports whether a thing has one of these types. They may be written with
// the vocabulary before them.
func (t thing) is(types ...string) bool {
	all, ok := t["@type"].([]any)
	if !ok {
		all = []any{t["@type"]}
	}
	for _, v := range all {
		s, _ := v.(string)
		if slices.Contains(types, s[strings.LastIndexAny(s, "/:#")+1:]) {
			return true
		}
	}
	return false
}

// text returns a property that is a text, or the first of several.
func (t thing) text(key string, limit int) string {
	return plainText(firstString(t[key]), limit)
}

func firstString(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	s, _ := v.(string)
	return s
}

// href returns the reference that the first of some properties gives: a text, a
// thing with an address, or the first one in a list of them.
func (t thing) href(keys ...string) string {
	for _, key := range keys {
		if s := hrefOf(t[key]); s != "" {
			return s
		}
	}
	return ""
}

func hrefOf(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	switch v := v.(type) {
	case string:
		return mediaHref(v)
	case map[string]any:
		for _, key := range [...]string{"url", "contentUrl", "@id"} {
			if s, ok := v[key].(string); ok && mediaHref(s) != "" {
				return mediaHref(s)
			}
		}
	}
	return ""
}
