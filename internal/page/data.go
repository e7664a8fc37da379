package page

import (
	"encoding/json"
	"fmt"

	"github.com/zeebo/xxh3"
)

// data reads a script of structured data (JSON-LD). It ignores a script that is not valid JSON.
func (r *reader) data(script []byte) {
	if len(script) > r.dataLeft {
		return
	}
	r.dataLeft -= len(script)
	var v any
	if json.Unmarshal(script, &v) != nil {
		return
	}
	r.value("", v, true)
	if m := r.facts.Media; m != nil {
		m.Data = append(m.Data, v)
	}
}

// value reads a value of structured data that a property of that name has, and everything in it. It
// adds what the value says of the page's own content to DataHash, in any order. If dated is set, a
// dateModified is the page's.
func (r *reader) value(property string, v any, dated bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			r.value(property, e, dated)
		}
		return
	case map[string]any:
		if isOtherThing(v["@type"]) {
			return
		}
		for key, e := range v {
			if !LeadsElsewhere(key) {
				r.value(key, e, dated && !hasOwnDate(key))
			}
		}
		return
	case string:
		if dated && property == "dateModified" {
			r.modified(Date(v), dateData)
		}
	}
	if isContent(property) {
		r.facts.DataHash += xxh3.HashStringSeed(fmt.Sprint(v), xxh3.HashString(property))
	}
}

// hasOwnDate reports whether a property (schema.org) names a thing with a date of its own.
func hasOwnDate(property string) bool {
	switch property {
	case "image", "video", "audio", "associatedMedia", "about", "subjectOf":
		return true
	}
	return false
}

// texts returns the texts in a value that is a text, or a list of them.
func texts(v any) (all []string) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		if s, ok := e.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// LeadsElsewhere reports whether a property of structured data (schema.org) names things that other
// pages show, or that readers wrote.
func LeadsElsewhere(property string) bool {
	switch property {
	case "itemListElement", "mentions", "citation", "isBasedOn", "isPartOf", "relatedLink", "significantLink",
		"comment", "review", "suggestedAnswer", "acceptedAnswer", "blogPost", "author", "publisher":
		return true
	}
	return false
}

// isOtherThing reports whether a type (schema.org), or any type in a list, is of a thing that is
// not the page's subject.
func isOtherThing(types any) bool {
	for _, t := range texts(types) {
		switch t {
		case "Comment", "Review", "UserReview", "CriticReview", "Answer", "ImageObject", "VideoObject",
			"AudioObject", "Person", "Organization", "WebSite", "ItemList", "ListItem", "BreadcrumbList":
			return true
		}
	}
	return false
}

// isContent reports whether a property (schema.org) holds text that readers see on the page.
func isContent(property string) bool {
	switch property {
	case "headline", "name", "description", "articleBody", "text", "price", "lowPrice", "highPrice", "availability":
		return true
	}
	return false
}
