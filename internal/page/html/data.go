package html

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/zeebo/xxh3"
)

// data says what was read of structured data (JSON-LD), and where the page's date is from.
type data struct {
	left   int        // bytes of structured data that may still be read
	source dateSource // the source of Facts.Modified
}

// structured reads a script of structured data. It ignores a script that is not valid JSON.
func (r *reader) structured(script []byte) {
	if len(script) > r.data.left {
		return
	}
	r.data.left -= len(script)
	var v any
	if json.Unmarshal(script, &v) != nil {
		return
	}
	r.facts.DataHash += hashData("", v)
	r.modified(modified(v), dateData)
	r.facts.Data = append(r.facts.Data, v)
}

// modified returns the latest dateModified in structured data. It ignores dates of anything but the
// page.
func modified(v any) (latest time.Time) {
	note := func(t time.Time) {
		if t.After(latest) {
			latest = t
		}
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			note(modified(e))
		}
	case map[string]any:
		if isOtherThing(v["@type"]) {
			return latest
		}
		for key, e := range v {
			switch key {
			case "dateModified":
				for _, s := range Texts(e) {
					note(Date(s))
				}
			case "image", "video", "audio", "associatedMedia", "about", "subjectOf": // they have dates of their own
			default:
				if !LeadsElsewhere(key) {
					note(modified(e))
				}
			}
		}
	}
	return latest
}

// Texts returns the texts in a value of structured data that is a text, or a list of them.
func Texts(v any) (all []string) {
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
	for _, t := range Texts(types) {
		switch t {
		case "Comment", "Review", "UserReview", "CriticReview", "Answer", "ImageObject", "VideoObject",
			"AudioObject", "Person", "Organization", "WebSite", "ItemList", "ListItem", "BreadcrumbList":
			return true
		}
	}
	return false
}

// hashData returns a hash of what structured data says about the page's own content, in any order
// of the properties. It is zero if the data says nothing about that.
func hashData(name string, v any) (sum uint64) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			sum += hashData(name, e)
		}
	case map[string]any:
		if isOtherThing(v["@type"]) {
			return 0
		}
		for key, e := range v {
			if !LeadsElsewhere(key) {
				sum += hashData(key, e)
			}
		}
	default:
		if isContent(name) {
			sum = xxh3.HashStringSeed(fmt.Sprint(v), xxh3.HashString(name))
		}
	}
	return sum
}

// isContent reports whether a property (schema.org) holds text that readers see on the page.
func isContent(property string) bool {
	switch property {
	case "headline", "name", "description", "articleBody", "text", "price", "lowPrice", "highPrice", "availability":
		return true
	}
	return false
}
